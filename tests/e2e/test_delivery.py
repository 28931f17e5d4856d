"""What becomes of an answer between the model and the chat, crashes and bad weather included."""

from __future__ import annotations

import pytest

from bot.core.chat import Capabilities
from bot.core.lifecycle import Received
from bot.errors import DeliveryError, FateUnknown, ModelRequestRefused
from bot.runtime import notices
from bot.runtime.commands.retry import BEING_WRITTEN, UNDER_WAY
from bot.runtime.delivery import REPEATED
from bot.testing.clock import START, settle
from bot.testing.dialogue import Dialogue
from bot.testing.loopback import LoopbackChannel
from bot.testing.model import ScriptedModel, calling
from tests.e2e.conftest import OPEN, OpenStore, begin, passes

PLAIN = Capabilities(max_text_length=4_096)
EDITS = Capabilities(max_text_length=4_096, can_edit=True)
FINDS = Capabilities(max_text_length=4_096, can_edit=True, finds_sent=True)
SHOWS = Capabilities(max_text_length=4_096, can_edit=True, typing_interval_s=4.0)
DRAFTS = Capabilities(max_text_length=4_096, shows_drafts=True, typing_interval_s=4.0)

REFUSED = DeliveryError("message is too odd", can_retry=False)


# One pace a chat.


@pytest.mark.parametrize("capabilities", [SHOWS, DRAFTS])
async def test_a_limit_met_by_a_preview_holds_everything_of_that_chat(
    open_store: OpenStore, capabilities: Capabilities
) -> None:
    channel = LoopbackChannel(capabilities=capabilities)
    model = ScriptedModel(["One two three.", "Elsewhere."])
    model.hold()
    async with Dialogue(model, config=OPEN, store=open_store(), channel=channel) as dialogue:
        limit = DeliveryError("slow down", retry_after_s=60)
        await dialogue.happens([channel.message("count")])
        await model.held()
        if capabilities.shows_drafts:
            channel.showing_failures.extend([None, limit])  # the first one is the sign
        else:
            channel.failures.append(limit)
        await passes(dialogue, 2)
        signs = len(channel.typing)
        model.release()
        await dialogue.happens([channel.message("/status"), channel.message("hi", chat="2")])
        await passes(dialogue, 50)
        held = (channel.texts(), channel.drafts, len(channel.typing) - signs, channel.texts("2"))
        await passes(dialogue, 20)

    assert ([], [], 0, ["Elsewhere."]) == held
    assert "One two three." == channel.texts()[0]
    assert "Daybook" in channel.texts()[1]


async def test_a_limit_met_by_an_answer_holds_the_next_preview_and_the_sign(
    open_store: OpenStore,
) -> None:
    channel = LoopbackChannel(capabilities=SHOWS)
    model = ScriptedModel(["First.", "Second."])
    async with Dialogue(model, config=OPEN, store=open_store(), channel=channel) as dialogue:
        channel.failures.append(DeliveryError("slow down", retry_after_s=60))
        await dialogue.happens([channel.message("one")])
        model.hold()
        await dialogue.happens([channel.message("two")])
        await model.held()
        await passes(dialogue, 50)
        held = (channel.texts(), len(channel.typing))
        await passes(dialogue, 20)
        model.release()
        await settle()

    assert ([], 0) == held
    assert ["First.", "Second."] == channel.texts()
    assert channel.typing


async def test_stop_is_immediate_during_a_pause(open_store: OpenStore) -> None:
    model = ScriptedModel(["Never seen."])
    model.hold()
    async with Dialogue(model, config=OPEN, store=open_store()) as dialogue:
        dialogue.channel.failures.append(DeliveryError("slow down", retry_after_s=600))
        await dialogue.happens([dialogue.channel.message("work")])
        await model.held()
        await passes(dialogue, 5)
        await dialogue.happens([dialogue.channel.message("/stop")])
        await passes(dialogue, 600)

    assert ["Stopped."] == dialogue.channel.texts()


# Fate.


@pytest.mark.parametrize(
    ("capabilities", "has_arrived", "texts"),
    [
        (FINDS, True, ["Answer."]),
        (FINDS, False, ["Answer."]),
        (PLAIN, True, ["Answer.", f"Answer.{REPEATED}"]),
        (PLAIN, False, [f"Answer.{REPEATED}"]),
    ],
)
async def test_a_crash_during_the_call_is_cleared_up_at_the_next_start(
    open_store: OpenStore, capabilities: Capabilities, has_arrived: bool, texts: list[str]
) -> None:
    dialogue = await begin(open_store, capabilities, ScriptedModel(["Answer."]))
    channel = dialogue.channel
    (channel.lost_answers if has_arrived else channel.failures).append(FateUnknown())
    await dialogue.happens([channel.message("hello")])
    await dialogue.crash()
    after = ScriptedModel()
    async with Dialogue(after, config=OPEN, store=open_store(), channel=channel) as later:
        await passes(later, 60)  # so long it could still have been on its way

    assert (texts, []) == (channel.texts(), after.requests)
    async with Dialogue(after, config=OPEN, store=open_store(), channel=channel):
        await settle()
    assert texts == channel.texts()


async def test_an_edit_of_unknown_fate_is_made_again_without_a_mark(open_store: OpenStore) -> None:
    model = ScriptedModel(["One two."])
    model.hold()
    async with Dialogue(model, config=OPEN, store=open_store()) as dialogue:
        await dialogue.happens([dialogue.channel.message("count")])
        await model.held()
        await passes(dialogue, 5)
        dialogue.channel.lost_answers.append(FateUnknown())
        model.release()
        await settle()
        await passes(dialogue, 5)

    (post,) = dialogue.channel.posts
    assert ("One two.", ["One ", "One two."]) == (post.text, post.history)


async def test_an_answer_whose_preview_was_deleted_is_sent(open_store: OpenStore) -> None:
    model = ScriptedModel(["One two."])
    model.hold()
    async with Dialogue(model, config=OPEN, store=open_store()) as dialogue:
        await dialogue.happens([dialogue.channel.message("count")])
        await model.held()
        await passes(dialogue, 5)
        dialogue.channel.posts.clear()
        model.release()
        await settle()

    assert ["One two."] == dialogue.channel.texts()


# What cannot be delivered.


async def test_a_failed_delivery_is_told_listed_and_sent_again(open_store: OpenStore) -> None:
    channel = LoopbackChannel(capabilities=PLAIN)
    model = ScriptedModel(["# Ducks\n\nThey float."])
    async with Dialogue(model, config=OPEN, store=open_store(), channel=channel) as dialogue:
        channel.failures.append(REFUSED)
        told = await dialogue.says("tell me about ducks")
        listed = await dialogue.says("/failed")
    async with Dialogue(ScriptedModel(), config=OPEN, store=open_store(), channel=channel) as later:
        again = await later.says("/retry")
        rest = await later.says("/failed", "/retry")

    assert [notices.for_undelivered("message is too odd")] == told
    assert "- 05 Jan 09:00, `# Ducks`: message is too odd" in listed[0]
    assert ["# Ducks\n\nThey float.", "Sending 1 message again."] == again
    assert ["Everything was delivered.", "Nothing has failed here."] == rest


async def test_only_the_latest_failures_are_listed(open_store: OpenStore) -> None:
    channel = LoopbackChannel(capabilities=Capabilities(max_text_length=100))
    model = ScriptedModel(["word " * 240])
    async with Dialogue(model, config=OPEN, store=open_store(), channel=channel) as dialogue:
        channel.failures.extend([REFUSED] * 12)
        await dialogue.says("write a lot")
        channel.posts.clear()
        listed = "".join(await dialogue.says("/failed"))

    assert (10, True) == (listed.count("message is too odd"), "… and 2 before these" in listed)
    assert f"`{'word ' * 15}word…`" in listed


async def test_retry_goes_on_with_a_failed_turn(open_store: OpenStore) -> None:
    model = ScriptedModel([calling("clock", timezone="UTC"), ModelRequestRefused(), "It is nine."])
    async with Dialogue(model, config=OPEN, store=open_store()) as dialogue:
        failed = await dialogue.says("what time is it?")
        again = await dialogue.says("/retry")
        rest = await dialogue.says("/retry")
        model.then("Yes.")
        after = await dialogue.says("sure?")

    assert ["refused this request" in failed[0], ["It is nine."]] == [True, again]
    assert (["Nothing has failed here."], ["Yes."]) == (rest, after)
    assert [] == model.refused
    assert ["user", "assistant", "user", "assistant", "user"] == [
        message.role for message in model.requests[-1].messages
    ]


async def test_a_retry_while_the_first_answer_is_written_says_so(open_store: OpenStore) -> None:
    model = ScriptedModel(["Hello."])
    model.hold()
    async with Dialogue(model, config=OPEN, store=open_store()) as dialogue:
        channel = dialogue.channel
        await dialogue.happens([channel.message("hello")])
        await model.held()
        await dialogue.happens([channel.message("/retry")])
        meanwhile = channel.texts()
        model.release()
        await settle()

    assert ([BEING_WRITTEN], "Hello.") == (meanwhile, channel.texts()[-1])


async def test_a_retry_that_is_run_again_says_nothing_beside_the_answer(
    open_store: OpenStore,
) -> None:
    dialogue = await begin(open_store, PLAIN, ScriptedModel([ModelRequestRefused()]))
    channel, store = dialogue.channel, dialogue.store
    await dialogue.happens([channel.message("hello")])
    retry = channel.message("/retry")
    await store.receive((Received(inbound=retry, route="command"),), cursor=None, at=START)
    await store.reopen(retry.address.session_key, at=START)
    await dialogue.crash()
    after = ScriptedModel(["Hello."])
    after.hold()
    async with Dialogue(after, config=OPEN, store=open_store(), channel=channel):
        await after.held()
        await settle()
        after.release()
        await settle()

    assert ["Hello."] == channel.texts()[1:]


async def test_a_retry_of_what_is_still_being_sent_says_so(open_store: OpenStore) -> None:
    channel = LoopbackChannel(capabilities=PLAIN)
    async with Dialogue(
        ScriptedModel(["Answer."]), config=OPEN, store=open_store(), channel=channel
    ) as dialogue:
        channel.failures.append(DeliveryError("slow down", retry_after_s=60))
        for words in ("hello", "/retry"):
            await dialogue.happens([channel.message(words)])
        await passes(dialogue, 60)

    assert ["Answer.", UNDER_WAY] == channel.texts()


# A channel that is gone for a while.


async def test_what_is_open_in_a_channel_that_is_not_configured_is_kept(
    open_store: OpenStore, caplog: pytest.LogCaptureFixture
) -> None:
    model = ScriptedModel(["One.", "Two."])
    dialogue = await begin(open_store, PLAIN, model)
    channel = dialogue.channel
    channel.failures.append(DeliveryError("slow down", retry_after_s=600))
    await dialogue.happens([channel.message("first", chat="1")])
    model.hold()
    for text, chat in (("second", "2"), ("third", "2"), ("/help", "1")):
        await dialogue.happens([channel.message(text, chat=chat)])
    await dialogue.crash()
    elsewhere = LoopbackChannel("elsewhere")
    async with Dialogue(ScriptedModel(), config=OPEN, store=open_store(), channel=elsewhere):
        await settle()
    assert [] == [record for record in caplog.records if record.message == "task.failed"]
    later = ScriptedModel(["Two.", "Three."])
    async with Dialogue(later, config=OPEN, store=open_store(), channel=channel):
        await settle()

    assert (["One."], ["Two.", "Three."]) == (channel.texts("1")[:1], channel.texts("2"))
    assert 1 == sum("/help" in text for text in channel.texts("1"))
    assert [] == elsewhere.posts
