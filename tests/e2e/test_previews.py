"""What becomes of an unfinished answer that people see: finished, replaced, never left behind."""

from __future__ import annotations

import pytest

from bot.core.chat import Capabilities
from bot.core.messages import Text, ToolCall
from bot.errors import DeliveryError, FateUnknown, ModelOverloaded, ModelRequestRefused
from bot.runtime import notices
from bot.testing.clock import settle
from bot.testing.dialogue import Dialogue
from bot.testing.loopback import LoopbackChannel
from bot.testing.model import BreaksOff, ScriptedModel, answer
from tests.e2e.conftest import OPEN, OpenStore, begin, passes

EDITS = Capabilities(max_text_length=4_096, can_edit=True)
FINDS = Capabilities(max_text_length=4_096, can_edit=True, finds_sent=True)


async def shown_and_crashed(open_store: OpenStore, capabilities: Capabilities) -> LoopbackChannel:
    """Crash while a step behind a tool's is being shown."""
    model = ScriptedModel(
        [answer(Text(text="Looking. "), ToolCall(id="1", name="clock", arguments="{}"))]
    )
    model.then("It is ten.")
    dialogue = await begin(open_store, capabilities, model)
    model.hold()
    await dialogue.happens([dialogue.channel.message("time?")])
    await model.held()
    await passes(dialogue, 5)
    await dialogue.crash()
    return dialogue.channel


@pytest.mark.parametrize("capabilities", [EDITS, FINDS])
async def test_a_resumed_turn_goes_on_with_its_preview(
    open_store: OpenStore, capabilities: Capabilities
) -> None:
    channel = await shown_and_crashed(open_store, capabilities)
    assert ["Looking. "] == channel.texts()
    model = ScriptedModel(["It is nine o'clock."])
    model.hold()
    async with Dialogue(model, config=OPEN, store=open_store(), channel=channel) as dialogue:
        await model.held()
        await passes(dialogue, 5)
        assert ["It "] == channel.texts()
        model.release()
        await settle()

    (post,) = channel.posts
    assert "It is nine o'clock." == post.text


@pytest.mark.parametrize(("capabilities", "has_arrived"), [(FINDS, True), (EDITS, False)])
async def test_a_preview_that_a_crash_left_in_doubt_is_no_answer(
    open_store: OpenStore, capabilities: Capabilities, has_arrived: bool
) -> None:
    model = ScriptedModel(["One two three."])
    dialogue = await begin(open_store, capabilities, model)
    channel = dialogue.channel
    (channel.lost_answers if has_arrived else channel.failures).append(FateUnknown())
    model.hold()
    await dialogue.happens([channel.message("count")])
    await model.held()
    await passes(dialogue, 2)
    await dialogue.crash()
    later = ScriptedModel(["Four."])
    async with Dialogue(later, config=OPEN, store=open_store(), channel=channel):
        await settle()

    (post,) = channel.posts
    assert ("Four.", ["One "] if has_arrived else []) == (post.text, post.history)


@pytest.mark.parametrize("has_arrived", [True, False])
@pytest.mark.parametrize("crashes", [False, True])
async def test_a_preview_in_doubt_is_finished_by_its_answer_after_an_outage(
    open_store: OpenStore, has_arrived: bool, crashes: bool
) -> None:
    model = ScriptedModel(["One two three."])
    dialogue = await begin(open_store, FINDS, model)
    channel = dialogue.channel
    (channel.lost_answers if has_arrived else channel.failures).append(FateUnknown())
    outage = [DeliveryError("no network")] * 6
    channel.lookup_failures.extend(outage)
    model.hold()
    await dialogue.happens([channel.message("count")])
    await model.held()
    await passes(dialogue, 2)
    model.release()
    await passes(dialogue, 5)
    early = [post.text for post in channel.posts]
    if crashes:
        await dialogue.crash()
        dialogue = Dialogue(ScriptedModel(), config=OPEN, store=open_store(), channel=channel)
        await dialogue.__aenter__()
    await passes(dialogue, 600)
    await dialogue.crash()

    assert ["One "] * has_arrived == early
    assert ["One two three."] == channel.texts()


@pytest.mark.parametrize(
    ("has_arrived", "lookups"), [(True, 1), (False, 3), (True, 2)], ids=["there", "lost", "later"]
)
async def test_a_preview_in_doubt_is_finished_and_not_left_behind(
    open_store: OpenStore, has_arrived: bool, lookups: int
) -> None:
    channel = LoopbackChannel(capabilities=FINDS)
    model = ScriptedModel(["One two three."])
    model.hold()
    async with Dialogue(model, config=OPEN, store=open_store(), channel=channel) as dialogue:
        (channel.lost_answers if has_arrived else channel.failures).append(FateUnknown())
        if has_arrived:
            channel.lookup_failures.extend([DeliveryError("no network")] * (lookups - 1))
        await dialogue.happens([channel.message("count")])
        await model.held()
        await passes(dialogue, 2)
        model.release()
        await settle()
        await passes(dialogue, 60)

    assert (["One two three."], lookups) == (channel.texts(), len(channel.lookups))


async def test_a_preview_in_doubt_that_cannot_be_looked_up_is_not_shown_twice(
    open_store: OpenStore,
) -> None:
    channel = LoopbackChannel(capabilities=EDITS)
    model = ScriptedModel(["One two three."])
    model.hold()
    async with Dialogue(model, config=OPEN, store=open_store(), channel=channel) as dialogue:
        channel.failures.append(FateUnknown())
        await dialogue.happens([channel.message("count")])
        await model.held()
        await passes(dialogue, 2)
        model.release()
        await settle()
        await passes(dialogue, 10)

    assert ["One two three."] == channel.texts()


async def test_a_failed_turn_replaces_its_preview_by_the_reason(open_store: OpenStore) -> None:
    model = ScriptedModel([BreaksOff(text="Half an ans", error=ModelRequestRefused())])
    model.hold()
    async with Dialogue(model, config=OPEN, store=open_store()) as dialogue:
        await dialogue.happens([dialogue.channel.message("hello")])
        await model.held()
        await passes(dialogue, 5)
        shown = dialogue.channel.texts()
        model.release()
        await settle()

    assert ["Half "] == shown
    assert [True] == ["refused this request" in text for text in dialogue.channel.texts()]


async def test_a_turn_stopped_between_two_steps_ends_its_preview(open_store: OpenStore) -> None:
    model = ScriptedModel(
        [answer(Text(text="Looking. "), ToolCall(id="1", name="clock", arguments="{}")), "Done."]
    )
    async with Dialogue(model, config=OPEN, store=open_store()) as dialogue:
        model.hold()
        await dialogue.happens([dialogue.channel.message("time?")])
        await model.held()
        await passes(dialogue, 5)
        await dialogue.happens([dialogue.channel.message("/stop")])

    assert [f"Looking. \n\n{notices.STOPPED}", "Stopped."] == dialogue.channel.texts()


async def test_a_turn_stopped_before_it_wrote_again_keeps_what_was_shown(
    open_store: OpenStore,
) -> None:
    model = ScriptedModel([BreaksOff(text="Half an ans", error=ModelOverloaded())])
    model.then(ModelOverloaded())
    async with Dialogue(model, config=OPEN, store=open_store()) as dialogue:
        model.hold()
        await dialogue.happens([dialogue.channel.message("hello")])
        await model.held()
        await passes(dialogue, 5)
        model.release()
        await settle()
        model.hold()
        await passes(dialogue, 5)
        await dialogue.happens([dialogue.channel.message("/stop")])

    assert [f"Half \n\n{notices.STOPPED}", "Stopped."] == dialogue.channel.texts()


SHORT = Capabilities(max_text_length=10, can_edit=True, finds_sent=True)


async def test_a_long_answer_is_shown_in_several_messages_while_it_is_written(
    open_store: OpenStore,
) -> None:
    channel = LoopbackChannel(capabilities=SHORT)
    model = ScriptedModel(["one-two-three four five"])
    model.hold()
    async with Dialogue(model, config=OPEN, store=open_store(), channel=channel) as dialogue:
        await dialogue.happens([channel.message("count")])
        await model.held()
        await passes(dialogue, 5)
        shown = channel.texts()
        model.release()
        await settle()

    assert ["one-two-th", "ree "] == shown
    assert ["one-two-th", "ree four f", "ive"] == channel.texts()
    assert [["one-two-th"], ["ree "], []] == [post.history for post in channel.posts]


async def test_no_message_is_begun_below_one_of_which_nobody_knows_whether_it_stands(
    open_store: OpenStore,
) -> None:
    """It may have to be sent anew, and would stand below what follows it."""
    model = ScriptedModel(["one-two-three four five"])
    dialogue = await begin(open_store, SHORT, model)
    channel = dialogue.channel
    channel.failures.append(FateUnknown())
    model.hold()
    await dialogue.happens([channel.message("count")])
    await model.held()
    await passes(dialogue, 5)
    await dialogue.crash()
    later = ScriptedModel(["one-two-three four five"])
    later.hold()
    async with Dialogue(later, config=OPEN, store=open_store(), channel=channel) as dialogue:
        await later.held()
        await passes(dialogue, 5)
        shown = channel.texts()
        later.release()
        for _ in range(12):
            await passes(dialogue, 5)

    assert [] == shown
    assert ["one-two-th", "ree four f", "ive"] == channel.texts()


async def test_a_crash_behind_the_first_of_several_messages_leaves_none_unfinished(
    open_store: OpenStore,
) -> None:
    model = ScriptedModel(["one-two-three four"])
    dialogue = await begin(open_store, SHORT, model)
    channel = dialogue.channel
    model.hold()
    await dialogue.happens([channel.message("count")])
    await model.held()
    await passes(dialogue, 5)
    await dialogue.crash()
    shown = channel.texts()
    later = ScriptedModel(["five-six-seven eight nine ten"])
    async with Dialogue(later, config=OPEN, store=open_store(), channel=channel):
        await settle()

    assert ["one-two-th", "ree "] == shown
    assert ["five-six-s", "even eight", " nine ten"] == channel.texts()


@pytest.mark.parametrize("is_gone", [False, True])
async def test_what_was_shown_too_much_is_taken_back(open_store: OpenStore, is_gone: bool) -> None:
    channel = LoopbackChannel(capabilities=SHORT)
    model = ScriptedModel(
        [answer(Text(text="one-two-three-four "), ToolCall(id="1", name="clock", arguments="{}"))]
    )
    model.then("Done.")
    model.hold()
    async with Dialogue(model, config=OPEN, store=open_store(), channel=channel) as dialogue:
        await dialogue.happens([channel.message("count")])
        await model.held()
        await passes(dialogue, 5)
        shown = channel.texts()
        if is_gone:
            channel.posts.pop()
        model.release()
        await settle()
        await passes(dialogue, 60)

    assert ["one-two-th", "ree-four "] == shown
    assert ["Done."] == channel.texts()


@pytest.mark.parametrize("has_arrived", [False, True])
async def test_what_may_have_been_shown_too_much_is_looked_for_and_taken_back(
    open_store: OpenStore, has_arrived: bool
) -> None:
    model = ScriptedModel(["one-two-three-four "])
    dialogue = await begin(open_store, SHORT, model)
    channel = dialogue.channel
    (channel.lost_answers if has_arrived else channel.failures).extend([None, FateUnknown()])
    model.hold()
    await dialogue.happens([channel.message("count")])
    await model.held()
    await passes(dialogue, 2)
    await dialogue.crash()
    shown = channel.texts()
    later = ScriptedModel(["Done."])
    async with Dialogue(later, config=OPEN, store=open_store(), channel=channel) as dialogue:
        await settle()
        await passes(dialogue, 60)

    assert ["one-two-th", *["ree-four "] * has_arrived] == shown
    assert ["Done."] == channel.texts()
