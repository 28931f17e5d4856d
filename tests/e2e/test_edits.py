"""What people see and the model reads when a message is changed or taken back."""

from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import pytest

from bot.config import Config
from bot.core.chat import InboundMessage
from bot.core.window.notes import DELETED
from bot.errors import ModelAuthError
from bot.testing.anthropic_server import PretendedAnthropic
from bot.testing.clock import FakeClock
from bot.testing.dialogue import Dialogue
from bot.testing.loopback import LoopbackChannel
from bot.testing.model import ScriptedModel
from bot.testing.slack_server import PretendedSlack
from tests.e2e import test_over_the_wire as over_telegram
from tests.e2e import test_slack_over_the_wire as over_slack
from tests.e2e.changing import changed, said_in, says, taken_back, texts_of
from tests.e2e.conftest import OpenStore

OPEN = Config(access="open", plugins=())


async def test_what_waits_is_asked_as_it_reads_now(open_store: OpenStore) -> None:
    model = ScriptedModel(["One.", "Two."])
    model.hold()
    async with Dialogue(model, config=OPEN, store=open_store()) as dialogue:
        first, second, third = map(dialogue.channel.message, ("first", "at three", "a secret"))
        await dialogue.happens([first])
        await model.held()
        await dialogue.happens([second, third])
        await dialogue.happens([changed(second, "at four"), taken_back(third)])
        model.release()
        answers = await dialogue.channel.wait_for_posts(2)

    assert ["One.", "Two."] == answers
    assert ["first", "at four"] == texts_of(model.requests[1])[:2]
    assert "secret" not in str(model.requests[1].messages)


async def test_when_nothing_is_left_nothing_is_asked(open_store: OpenStore) -> None:
    model = ScriptedModel(["One."])
    model.hold()
    async with Dialogue(model, config=OPEN, store=open_store()) as dialogue:
        first, second = dialogue.channel.message("first"), dialogue.channel.message("second")
        await dialogue.happens([first])
        await model.held()
        await dialogue.happens([second])
        await dialogue.happens([taken_back(second)])
        model.release()
        await dialogue.app.settled(first.address)

    assert ["One."] == dialogue.channel.texts()
    assert 1 == len(model.requests)


@pytest.mark.parametrize("looks", [False, True])
async def test_while_a_turn_runs_the_next_one_is_told(
    open_store: OpenStore, *, looks: bool
) -> None:
    """Also if somebody looks at the chat meanwhile, so that it is read before the turn ends."""
    model = ScriptedModel(["One.", "Two.", "Three."])
    model.hold()
    async with Dialogue(model, config=OPEN, store=open_store()) as dialogue:
        first = dialogue.channel.message("at three")
        await dialogue.happens([first])
        await model.held()
        await dialogue.happens([changed(first, "at four")])
        if looks:
            await dialogue.happens([dialogue.channel.message("/context detail")])
            await dialogue.channel.wait_for_posts(1)
        model.release()
        await dialogue.app.settled(first.address)
        after_the_turn = dialogue.channel.texts()[int(looks) :]
        await dialogue.says("and then?", "thanks")

    assert ["One."] == after_the_turn
    assert "at three" in said_in(model.requests[0])
    note = "[Meanwhile: “at three” now reads “at four”.]"
    assert ["at four", note, "and then?"] == texts_of(model.requests[1])[:3]
    assert ["at four", note, "and then?", "thanks"] == texts_of(model.requests[2])[:4]


async def test_what_is_deleted_while_its_turn_runs_is_gone_afterwards(
    open_store: OpenStore,
) -> None:
    model = ScriptedModel(["One.", "Two."])
    model.hold()
    async with Dialogue(model, config=OPEN, store=open_store()) as dialogue:
        first = dialogue.channel.message("a secret")
        await dialogue.happens([first])
        await model.held()
        await dialogue.happens([taken_back(first)])
        model.release()
        await dialogue.app.settled(first.address)
        await dialogue.says("and then?")

    assert ["One.", "Two."] == dialogue.channel.texts()
    assert [DELETED, "[Meanwhile: a message was deleted by its author.]"] == texts_of(
        model.requests[1]
    )[:2]


async def test_in_the_window_the_newest_version_is_shown(open_store: OpenStore) -> None:
    """Once, whatever comes late or twice; nothing is answered again."""
    model = ScriptedModel(["One.", "Two.", "Three."])
    async with Dialogue(model, config=OPEN, store=open_store()) as dialogue:
        first, second = await says(dialogue, "at three", "a secret")
        newest = changed(first, "at five", seconds=9)
        await dialogue.happens([newest, changed(first, "at four", seconds=5), newest])
        await dialogue.happens([taken_back(second), changed(second, "a secret again", 9)])
        await dialogue.app.settled(first.address)
        (detail,) = await dialogue.says("/context detail")
        answers = await dialogue.says("and then?")

    assert ["at five", DELETED, "and then?"] == texts_of(model.requests[2])[:3]
    assert "at five" in detail
    assert "secret" not in detail
    assert ["Three."] == answers


async def test_the_context_follows_after_a_restart(open_store: OpenStore) -> None:
    model = ScriptedModel(["One."])
    async with Dialogue(model, config=OPEN, store=open_store()) as dialogue:
        (first,) = await says(dialogue, "at three")
        await dialogue.happens([changed(first, "at four")])

    channel = LoopbackChannel()
    channel.message("a number that is taken")
    model = ScriptedModel(["Two."])
    async with Dialogue(model, config=OPEN, store=open_store(), channel=channel) as dialogue:
        await dialogue.happens([changed(first, "at four")])
        await dialogue.says("and then?")

    assert ["at four", "and then?"] == said_in(model.requests[0])


async def test_a_crash_in_the_turn_loses_no_change(open_store: OpenStore) -> None:
    """The next process asks with the newest version, and stores the turn so."""
    model, channel = ScriptedModel(["Never."]), LoopbackChannel()
    model.hold()
    dialogue = Dialogue(model, config=OPEN, store=open_store(), channel=channel)
    await dialogue.__aenter__()
    first, second = channel.message("at three"), channel.message("a secret")
    await dialogue.happens([first, second])
    await model.held()
    await dialogue.happens([changed(first, "at four")])
    await dialogue.crash()
    await dialogue.store.close()

    after = ScriptedModel(["One.", "Two."])
    async with Dialogue(after, config=OPEN, store=open_store(), channel=channel) as dialogue:
        await dialogue.app.settled(first.address)
        await dialogue.happens([changed(first, "at four")])
        await dialogue.says("thanks")

    assert "at four" in said_in(after.requests[0])
    assert "at three" not in said_in(after.requests[1])
    assert 1 == sum("now reads" in text for text in texts_of(after.requests[1]))


async def test_an_edit_that_names_the_bot_counts_as_a_message(open_store: OpenStore) -> None:
    model = ScriptedModel(["Here I am.", "Yes."])
    async with Dialogue(model, config=OPEN, store=open_store()) as dialogue:

        def say(text: str, *, is_addressed: bool) -> InboundMessage:
            return replace(
                dialogue.channel.message(text, chat="-5", kind="group", is_addressed=is_addressed),
                is_named=is_addressed,
            )

        overheard = say("anybody here?", is_addressed=False)
        await dialogue.together(overheard)
        await dialogue.together(changed(overheard, "anyone here?"))
        asked = len(model.requests)
        named = replace(overheard, is_addressed=True, is_named=True)
        await dialogue.together(changed(named, "bot, anyone here?", 5))
        await dialogue.together(changed(overheard, "never mind", 9))
        await dialogue.together(say("you there?", is_addressed=True))

    assert 0 == asked
    assert ["Here I am.", "Yes."] == dialogue.channel.texts("-5")
    said = ["Person 1001#1001: never mind", "Person 1001#1001: you there?"]
    assert said == said_in(model.requests[1])


async def test_an_old_message_that_nobody_knows_is_not_answered_for_an_edit() -> None:
    """It may have been answered so long ago that the store forgot it."""
    model = ScriptedModel([])
    clock = FakeClock()
    async with Dialogue(model, config=OPEN, clock=clock) as dialogue:
        old = replace(dialogue.channel.message("old"), sent_at=clock.now() - timedelta(days=31))
        await dialogue.together(changed(old, "new"))

    assert [] == model.requests


async def test_commands_are_given_by_writing_them(open_store: OpenStore) -> None:
    """One that is edited is not run again, and editing makes none."""
    model = ScriptedModel(["One.", "Two."])
    async with Dialogue(model, config=OPEN, store=open_store()) as dialogue:
        command, first = await says(dialogue, "/status", "hello")
        before = len(dialogue.channel.texts())
        await dialogue.together(changed(command, "/new"))
        await dialogue.together(changed(first, "/new"))
        await dialogue.together(taken_back(command))
        assert before == len(dialogue.channel.texts())
        await dialogue.says("next")

    assert ["hello", "next"] == said_in(model.requests[1])


async def test_people_who_are_not_let_in_change_nothing(open_store: OpenStore) -> None:
    store = open_store()
    config = Config(access="list", allow=("loopback:1001",), plugins=())
    model = ScriptedModel(["One.", "Two."])
    async with Dialogue(model, config=config, store=store) as dialogue:
        (first,) = await says(dialogue, "hello")
        stranger = replace(first.sender, user_id="666")
        await dialogue.together(changed(replace(first, sender=stranger), "gone"))
        unknown = replace(dialogue.channel.message("psst", chat="666"), sender=stranger)
        await dialogue.together(changed(unknown, "psst!"))
        await dialogue.says("next")

    assert ["hello", "next"] == said_in(model.requests[1])
    assert ["One.", "Two."] == [post.text for post in dialogue.channel.posts]


async def test_a_retry_asks_with_the_edited_text(open_store: OpenStore) -> None:
    model = ScriptedModel([ModelAuthError(), "Yes."])
    async with Dialogue(model, config=OPEN, store=open_store()) as dialogue:
        (first,) = await says(dialogue, "is it there?")
        await dialogue.together(changed(first, "is it here?"))
        answers = await dialogue.says("/retry")

    assert ["Yes."] == answers
    assert ["is it here?"] == said_in(model.requests[1])


async def test_secrets_are_taken_out_of_an_edit(open_store: OpenStore) -> None:
    word = "hunter" + "22x"
    model = ScriptedModel(["One.", "Two."])
    async with Dialogue(model, config=OPEN, store=open_store()) as dialogue:
        (first,) = await says(dialogue, "hello")
        await dialogue.together(changed(first, f"password: {word}"))
        await dialogue.says("next")

    assert word not in str(model.requests[1])
    assert "[redacted:" in said_in(model.requests[1])[0]


async def test_over_telegram_an_edit_changes_what_the_model_reads(tmp_path: Path) -> None:
    async with (
        over_telegram.servers() as (telegram, vendor),
        over_telegram.running(telegram, vendor, tmp_path),
    ):
        telegram.says(over_telegram.CHAT, "at three")
        await telegram.wait_for_sent(1)
        (first,) = (
            number
            for number, each in telegram.state.chats[over_telegram.CHAT].messages.items()
            if each["text"] == "at three"
        )
        telegram.edits_message(over_telegram.CHAT, first, "at four")
        telegram.says(over_telegram.CHAT, "and then?")
        await telegram.wait_for_sent(2)

    assert 2 == len(telegram.sent)
    assert "at three" not in str(vendor.requests[-1])
    assert "at four" in str(vendor.requests[-1])


async def test_over_slack_a_deletion_takes_it_from_the_model(tmp_path: Path) -> None:
    async with (
        PretendedSlack() as slack,
        PretendedAnthropic() as vendor,
        over_slack.running(slack, vendor, tmp_path),
    ):
        first = await slack.says("D1", "at three")
        await slack.wait_for_sent(1)
        second = await slack.says("D1", "my secret")
        await slack.wait_for_sent(2)
        await slack.edits_message("D1", first, "at four")
        await slack.deletes_message("D1", second)
        await slack.says("D1", "and then?")
        await slack.wait_for_sent(3)

    assert 3 == len(slack.sent)
    last = str(vendor.requests[-1])
    assert "at four" in last
    assert DELETED in last
    assert not any(gone in last for gone in ("at three", "my secret"))
