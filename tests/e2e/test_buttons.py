"""Buttons: a command given by pressing, once, whoever presses and whatever dies between."""

import logging
from dataclasses import replace
from datetime import datetime

import pytest

from bot.config import Config
from bot.core.chat import ButtonPress, Capabilities, InboundMessage, Reply
from bot.core.lifecycle import OutboxItem, Received
from bot.core.presses import LASTS, Refusal
from bot.errors import DeliveryError
from bot.runtime import notices
from bot.testing.clock import FakeClock
from bot.testing.dialogue import Dialogue
from bot.testing.loopback import LoopbackChannel
from bot.testing.model import ScriptedModel
from bot.testing.store import InMemoryStore
from tests.e2e.conftest import OpenStore, passes

BUTTONS = Capabilities(max_text_length=4_096, can_edit=True, has_buttons=True)
OPEN = Config(access="open", admins=("loopback:1001",))
TURNS = "agent_max_context_turns"
STEPS = "agent_max_steps"
CLEARED = "Cleared: 1 turn left my view. What was said stays stored."
GROUP = "-5"


def dialogue_with(
    store: InMemoryStore | None = None,
    *,
    channel: LoopbackChannel | None = None,
    capabilities: Capabilities = BUTTONS,
    clock: FakeClock | None = None,
    answers: tuple[str, ...] = ("Noted.", "Heron.", "Heron."),
) -> Dialogue:
    return Dialogue(
        ScriptedModel(list(answers)),
        config=OPEN,
        store=store,
        channel=channel or LoopbackChannel(capabilities=capabilities),
        clock=clock,
    )


def labels(dialogue: Dialogue, place: int = -1) -> list[str]:
    return [button.label for button in dialogue.channel.posts[place].buttons]


async def test_a_clear_is_asked_about_made_and_taken_back_by_pressing(
    open_store: OpenStore,
) -> None:
    model = ScriptedModel(["Noted.", "Heron."])
    async with Dialogue(
        model,
        config=OPEN,
        store=open_store(),
        channel=LoopbackChannel(capabilities=BUTTONS),
    ) as dialogue:
        _, asked = await dialogue.says("the word is heron", "/context clear")
        assert asked.startswith("Clear? 1 turn, about ")
        assert asked.endswith(" tokens, would leave my view. What was said stays stored.")
        assert ["Clear", "Keep"] == labels(dialogue)

        assert ["Noted.", CLEARED] == await dialogue.presses("Clear")
        assert ["Undo"] == labels(dialogue)

        [_, undone] = await dialogue.presses("Undo")
        assert undone.startswith("Undone: 1 turn in view again")
        assert [] == labels(dialogue)
        await dialogue.says("which word?")

    assert "heron" in str(model.requests[-1].messages)
    assert [asked, CLEARED] == dialogue.channel.posts[1].history


async def test_what_is_kept_is_kept() -> None:
    async with dialogue_with() as dialogue:
        await dialogue.says("the word is heron", "/context clear")
        texts = await dialogue.presses("Keep")
        [overview] = await dialogue.says("/context")

    assert ["Noted.", "Nothing was cleared."] == texts
    assert "**Context** of 1 turn" in overview


async def test_a_button_is_pressed_once_whichever_and_however_often() -> None:
    async with dialogue_with() as dialogue:
        await dialogue.says("the word is heron", "/context clear")
        asked = replace(dialogue.channel.posts[-1])
        clear, again, keep = (
            dialogue.channel.press(label, post=asked) for label in ("Clear", "Clear", "Keep")
        )
        await dialogue.happens([clear, clear, again])
        await dialogue.together(keep)

    decided = notices.for_refused_press("taken")
    assert ["Noted.", CLEARED, decided, decided] == dialogue.channel.texts()


async def test_two_presses_at_once_are_one() -> None:
    async with dialogue_with() as dialogue:
        await dialogue.says("the word is heron", "/context clear")
        presses = [dialogue.channel.press(label) for label in ("Clear", "Keep")]
        await dialogue.together(*presses)

    assert ["Noted.", CLEARED, notices.for_refused_press("taken")] == dialogue.channel.texts()


async def test_somebody_else_presses_in_vain_and_the_group_reads_nothing_of_it(
    caplog: pytest.LogCaptureFixture,
) -> None:
    async with dialogue_with() as dialogue:
        channel = dialogue.channel
        for text in ("the word is heron", "/context clear"):
            await dialogue.together(channel.message(text, chat=GROUP, kind="group"))
        [_, asked] = channel.texts(GROUP)
        with caplog.at_level(logging.DEBUG):
            texts = await dialogue.presses("Clear", chat=GROUP, user="7", kind="group")
        done = await dialogue.presses("Clear", chat=GROUP, kind="group")

    assert "would leave everybody's view of this chat" in asked
    assert ["Noted.", asked] == texts
    assert ["press.refused"] == [each.message for each in caplog.records if "press" in each.message]
    assert ["Noted.", CLEARED] == done


async def test_in_a_group_without_buttons_the_text_says_what_to_write() -> None:
    async with dialogue_with(capabilities=Capabilities(max_text_length=4_096)) as dialogue:
        channel = dialogue.channel
        for text in ("heron", "/context clear", "/context clear \u2014Yes"):
            await dialogue.together(channel.message(text, chat=GROUP, kind="group"))
        _, asked, cleared = channel.texts(GROUP)
        [at_once] = await dialogue.says("/context clear")

    assert asked.endswith("stays stored.\n\n- Clear: write `/context clear --yes`")
    assert cleared.startswith(CLEARED)
    assert at_once.startswith("Nothing is in my view now.")


async def test_rights_are_asked_anew_when_a_button_is_pressed() -> None:
    store = InMemoryStore()
    channel = LoopbackChannel(capabilities=BUTTONS)
    async with dialogue_with(store, channel=channel) as dialogue:
        await dialogue.says(f"/config {STEPS} 3")

    config = OPEN.model_copy(update={"admins": ()})
    async with Dialogue(ScriptedModel(), config=config, store=store, channel=channel) as dialogue:
        [text] = await dialogue.presses("Undo")

    assert "`/config` is for the bot's admins." == text
    assert ["3"] == [each.value for each in await store.overrides()]


async def test_who_was_shut_out_presses_in_vain_and_leaves_no_trace() -> None:
    store = InMemoryStore()
    channel = LoopbackChannel(capabilities=BUTTONS)
    async with dialogue_with(store, channel=channel) as dialogue:
        await dialogue.says(f"/config {STEPS} 3")

    config = Config(access="list")
    async with Dialogue(ScriptedModel(), config=config, store=store, channel=channel) as dialogue:
        press = channel.press("Undo")
        await dialogue.together(press)

    assert [[]] == [post.history for post in channel.posts]
    heard = (Received(inbound=press, route="press"),)
    assert (True,) == await store.receive(heard, cursor=None, at=press.pressed_at)


async def test_an_old_button_says_so_and_does_nothing(open_store: OpenStore) -> None:
    clock = FakeClock()
    async with Dialogue(
        ScriptedModel(),
        config=OPEN,
        store=open_store(),
        channel=LoopbackChannel(capabilities=BUTTONS),
        clock=clock,
    ) as dialogue:
        await dialogue.says(f"/config {STEPS} 3")
        await passes(dialogue, LASTS.total_seconds() + 1)
        texts = await dialogue.presses("Undo")

    assert notices.for_refused_press("old") == texts[-1]
    assert ["3"] == [each.value for each in await dialogue.store.overrides()]


async def test_a_button_that_nobody_knows_says_so() -> None:
    async with dialogue_with() as dialogue:
        await dialogue.says(f"/config {STEPS} 3")
        press = replace(dialogue.channel.press("Undo"), token="f" * 32)
        await dialogue.together(press)

    assert notices.for_refused_press("unknown") == dialogue.channel.texts()[-1]


async def test_a_press_is_answered_after_a_restart(open_store: OpenStore) -> None:
    """Buttons are not of the process that sent them, and a press that waits is not forgotten."""
    channel = LoopbackChannel(capabilities=BUTTONS)
    store = open_store()
    async with Dialogue(
        ScriptedModel(["Noted."]), config=OPEN, store=store, channel=channel
    ) as dialogue:
        await dialogue.says("the word is heron", "/context clear")

    async with Dialogue(
        ScriptedModel(), config=OPEN, store=open_store(), channel=channel
    ) as dialogue:
        assert ["Noted.", CLEARED] == await dialogue.presses("Clear")


class Dying(InMemoryStore):
    """A store whose process dies at a named verb, before its work or after it."""

    def __init__(self, verb: str, *, is_after: bool) -> None:
        super().__init__()
        self._verb = verb
        self._is_after = is_after
        self.is_armed = False

    async def redeem(self, press: ButtonPress, *, at: datetime) -> InboundMessage | Refusal:
        self._die("redeem", is_after=False)
        command = await super().redeem(press, at=at)
        self._die("redeem", is_after=True)
        return command

    async def finish_command(
        self, channel: str, event_id: str, replies: tuple[Reply, ...], *, at: datetime
    ) -> tuple[OutboxItem, ...]:
        self._die("finish_command", is_after=False)
        items = await super().finish_command(channel, event_id, replies, at=at)
        self._die("finish_command", is_after=True)
        return items

    def _die(self, verb: str, *, is_after: bool) -> None:
        if self.is_armed and (verb, is_after) == (self._verb, self._is_after):
            raise _Killed


class _Killed(BaseException):
    """As ``kill -9``: nothing catches it, and nothing more is written."""


@pytest.mark.parametrize("verb", ["redeem", "finish_command"])
@pytest.mark.parametrize("is_after", [False, True])
async def test_a_crash_between_press_and_answer_loses_nothing_and_does_nothing_twice(
    verb: str, *, is_after: bool
) -> None:
    store = Dying(verb, is_after=is_after)
    channel = LoopbackChannel(capabilities=BUTTONS)
    dialogue = Dialogue(ScriptedModel(["Noted."]), config=OPEN, store=store, channel=channel)
    await dialogue.__aenter__()
    await dialogue.says("the word is heron", "/context clear")
    press = channel.press("Clear")
    store.is_armed = True
    await dialogue.happens([press])
    await dialogue.crash()
    assert 2 == len(channel.posts)

    store.is_armed = False
    await store.close()
    async with Dialogue(ScriptedModel(), config=OPEN, store=store, channel=channel) as dialogue:
        await dialogue.app.settled(press.address)
        await dialogue.together(press)  # and the platform brings it once more
        answer = channel.texts()[1:]
        [_, undone] = await dialogue.presses("Undo")

    is_cleared_twice = (verb, is_after) == ("finish_command", False)
    assert ["Nothing is in my view now." if is_cleared_twice else CLEARED] == answer
    assert undone.startswith("Undone: 1 turn in view again")


async def test_a_pressed_message_that_cannot_be_changed_gives_way_to_a_new_one() -> None:
    async with dialogue_with() as dialogue:
        [before] = await dialogue.says(f"/config {STEPS} 3")
        dialogue.channel.failures.append(
            DeliveryError("message cannot be edited any more", can_retry=False)
        )
        await dialogue.presses("Undo")

    assert before not in dialogue.channel.texts()
    assert dialogue.channel.texts()[-1].startswith(f"`{STEPS}`: `3` → `15`")


async def test_a_change_acts_at_once_and_is_taken_back_by_pressing(open_store: OpenStore) -> None:
    store = open_store()
    async with Dialogue(
        ScriptedModel(),
        config=OPEN,
        store=store,
        channel=LoopbackChannel(capabilities=BUTTONS),
    ) as dialogue:
        [done] = await dialogue.says(f"/config {STEPS} 3")
        assert ["Undo"] == labels(dialogue)
        first = dialogue.channel.posts[-1]
        await dialogue.says(f"/config {STEPS} 7 --here")
        await dialogue.presses("Undo")
        await dialogue.together(dialogue.channel.press("Undo", post=first))

    acts = "for all chats, from the next request to the model on."
    assert f"`{STEPS}`: `15` → `3`, {acts}" == done
    assert f"`{STEPS}`: `3` → `15`, {acts}" == first.text
    assert f"`{STEPS}`: `7` → `3`, for this chat" in dialogue.channel.posts[1].text
    assert () == await store.overrides()


async def test_undo_of_a_change_takes_back_that_change_and_no_later_one() -> None:
    async with dialogue_with() as dialogue:
        await dialogue.says(f"/config {STEPS} 3")
        first = dialogue.channel.posts[-1]
        await dialogue.says("/config max_tokens 300")
        await dialogue.together(dialogue.channel.press("Undo", post=first))
        [steps, tokens] = await dialogue.says(f"/config {STEPS}", "/config max_tokens")

    assert f"`{STEPS}` is `15` (default)" in steps
    assert "`max_tokens` is `300` (set for all chats)" in tokens


@pytest.mark.parametrize("here", ["", " --here"])
async def test_less_room_is_asked_about_first(here: str) -> None:
    store = InMemoryStore()
    async with dialogue_with(store) as dialogue:
        [asked] = await dialogue.says(f"/config {TURNS} 5{here}")
        before = await store.overrides()
        [shown] = await dialogue.presses("Keep")
        [_, more] = await dialogue.says(f"/config {TURNS} 5{here}", f"/config {TURNS} 30{here}")
        texts = await dialogue.presses("Change")

    where = "for this chat" if here else "for all chats"
    assert asked == (
        f"Set `{TURNS}` from `20` to `5`? With less, turns that are in view may leave it {where}; "
        "summaries stand for them."
    )
    assert () == before
    assert shown.startswith(f"`{TURNS}` is `20` (default)")
    assert f"`20` → `30`, {where}" in more
    assert f"`{TURNS}`: `30` → `5`, {where}" in texts[1]
    assert ["5"] == [each.value for each in await store.overrides()]


async def test_an_undo_that_gives_less_room_is_asked_about_too() -> None:
    async with dialogue_with() as dialogue:
        await dialogue.says(f"/config {TURNS} 30")
        [asked, _, late] = await dialogue.says(
            "/config undo", f"/config {STEPS} 3", f"/config undo {TURNS} --yes"
        )
        [steps] = await dialogue.says("/config undo")
        texts = await dialogue.presses("Change")

    assert f"Set `{TURNS}` from `30` to `20`? With less" in asked
    assert "Not taken back" in late
    assert f"`{STEPS}`: `3` → `15`" in steps
    assert f"Taken back: `{TURNS}`: `30` → `20`" in texts[1]


async def test_what_is_set_back_to_less_is_asked_about_too() -> None:
    async with dialogue_with() as dialogue:
        await dialogue.says(f"/config {TURNS} 30")
        [asked] = await dialogue.says(f"/config {TURNS} default")
        texts = await dialogue.presses("Change")

    assert f"Set `{TURNS}` from `30` to `20`? With less" in asked
    assert f"`{TURNS}`: `30` → `20`" in texts[1]


async def test_an_undo_is_of_the_change_that_it_stands_below() -> None:
    clock = FakeClock()
    async with dialogue_with(clock=clock, answers=("One.", "Two.", "Three.")) as dialogue:
        await dialogue.says("one", "two", "/compact")
        compacted = replace(dialogue.channel.posts[-1])
        await clock.advance(60)
        await dialogue.says("three", "/context clear")
        await dialogue.presses("Clear")
        await dialogue.together(dialogue.channel.press("Undo", post=compacted))
        [overview] = await dialogue.says("/context")

    assert compacted.text.endswith("Their summary is being written.")
    assert "Not undone: this chat was compacted or cleared again since then." == (
        dialogue.channel.posts[2].text
    )
    assert "**Context** of 0 turns" in overview
    assert ["Undo"] == labels(dialogue)
