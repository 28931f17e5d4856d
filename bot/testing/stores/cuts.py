"""What a chat remembers of itself: its cut, its clears, its task, whole results, what it cost."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta

from bot.core.lifecycle import ModelCall
from bot.core.llm import Usage
from bot.core.messages import ToolResult
from bot.core.tasks import TaskState
from bot.core.turns import TurnId
from bot.core.window.conversation import Compaction, Cut
from bot.testing.clock import START
from bot.testing.stores.given import (
    ELSEWHERE,
    HOME,
    TRIMMED,
    Check,
    OpenStore,
    asking,
    begin,
    have_turn,
    message,
    model_call,
)

KEY = HOME.session_key
LATER = START + timedelta(minutes=1)
TASK = TaskState(goal="Move house", done=("boxes",), remaining=("van", "keys"))
NEW_TASK = TaskState(goal="Paint the hall")
NEWEST = TurnId(2**31)
"""A turn that no clear was after."""


async def a_cut_is_kept_whole(open_store: OpenStore) -> None:
    """With the one before it, and why it was made; turns before it are not loaded."""
    store = open_store()
    ids = [await have_turn(store, number) for number in (1, 2, 3)]
    cut = Cut(
        kept_from=ids[1],
        cleared_before=TurnId(1),
        text_through=ids[1],
        capped_through=ids[0],
        digest="[in short: naïve 你好 \ud83d]",
        turns_left=1,
    )

    assert await store.save_cut(KEY, cut, generation=0, at=START, compaction=TRIMMED)
    await store.close()
    store = open_store()

    kept = await store.load(KEY)
    assert (kept.cut, kept.former, kept.compaction) == (cut, Cut(), TRIMMED)
    assert [turn.id for turn in kept.turns] == ids[1:]
    assert (await store.load(ELSEWHERE.session_key)).cut == Cut()

    wider = replace(cut, kept_from=ids[2])
    await store.save_cut(KEY, wider, generation=0, at=START)
    kept = await store.load(KEY)
    assert (kept.cut, kept.former, kept.compaction) == (wider, Cut(), TRIMMED)
    await store.close()


async def a_cut_of_another_generation_changes_nothing(open_store: OpenStore) -> None:
    """Who made it did not know of the clear."""
    store = open_store()
    cut = Cut(kept_from=TurnId(1), digest="[late]")
    assert not await store.save_cut(KEY, cut, generation=1, at=START, compaction=TRIMMED)
    await have_turn(store, 1)
    await store.clear(KEY, at=START)
    before = await store.load(KEY)

    assert not await store.save_cut(KEY, cut, generation=0, at=START, compaction=TRIMMED)
    assert await store.load(KEY) == before
    await store.close()


async def a_chat_is_fresh_once_a_process(open_store: OpenStore) -> None:
    """Until its cut is written, each for itself."""
    store = open_store()
    await have_turn(store, 1)
    assert (await store.load(KEY)).is_fresh
    await store.save_cut(KEY, Cut(), generation=0, at=START)
    assert not (await store.load(KEY)).is_fresh
    assert (await store.load(ELSEWHERE.session_key)).is_fresh
    await store.close()
    store = open_store()

    assert (await store.load(KEY)).is_fresh
    await store.close()


async def turns_are_found_by_their_ids(open_store: OpenStore) -> None:
    """Both ends included, also those that left or were cleared, of one chat, and ended."""
    store = open_store()
    ids = [await have_turn(store, number) for number in (1, 2, 3)]
    other = await begin(store, message(1, address=ELSEWHERE))
    await store.finish_turn(other.id, "stopped", (), at=START)
    await store.clear(KEY, at=START)
    await begin(store, message(4))

    found = await store.turns_between(KEY, ids[1], 2**62)
    assert [turn.id for turn in found] == ids[1:]
    assert [turn.id for turn in await store.turns_between(KEY, 0, ids[1])] == ids[:2]
    assert await store.turns_between(KEY, ids[2], ids[1]) == ()
    await store.close()


async def a_clear_can_be_undone_once(open_store: OpenStore) -> None:
    """Turns that came after it stay; its task comes back; nothing to undo says so."""
    store = open_store()
    assert not await store.undo(KEY, at=START)
    ids = [await have_turn(store, number) for number in (1, 2)]
    assert not await store.undo(KEY, at=START)
    await store.note_task(KEY, TASK, turn_id=NEWEST, at=START)
    cleared = Compaction(kind="clear", at=START, turns_left=2)
    assert await store.clear(KEY, at=START, compaction=cleared) == 1
    assert await store.task_of(KEY) is None
    ids.append(await have_turn(store, 3))
    assert [turn.id for turn in (await store.load(KEY)).turns] == ids[2:]
    assert (await store.load(KEY)).compaction == cleared

    assert await store.undo(KEY, at=START)
    assert not await store.undo(KEY, at=START)
    await store.close()
    store = open_store()

    back = await store.load(KEY)
    assert [turn.id for turn in back.turns] == ids
    assert (back.generation, back.former) == (2, None)
    assert await store.task_of(KEY) == TASK
    await store.close()


async def a_clear_of_nothing_keeps_what_can_be_undone(open_store: OpenStore) -> None:
    """As when the same one is made again after a crash; what came since is something to clear."""
    store = open_store()
    turn_id = await have_turn(store, 1)
    first = Compaction(kind="clear", at=START, turns_left=1)
    assert await store.clear(KEY, at=START, compaction=first) == 1
    await store.close()
    store = open_store()
    again = Compaction(kind="clear", at=LATER, turns_left=0)

    assert await store.clear(KEY, at=LATER, compaction=again) == 1
    assert (await store.load(KEY)).compaction == first

    await store.note_task(KEY, TASK, turn_id=NEWEST, at=START)
    assert await store.clear(KEY, at=LATER, compaction=again) == 2
    assert await store.undo(KEY, at=LATER)
    assert await store.task_of(KEY) == TASK
    assert (await store.load(KEY)).turns == ()
    assert turn_id == (await store.turns_between(KEY, 0, 9))[0].id
    await store.close()


async def a_newer_task_outlives_an_undo(open_store: OpenStore) -> None:
    """It is what people work on now."""
    store = open_store()
    await store.note_task(KEY, TASK, turn_id=NEWEST, at=START)
    await store.clear(KEY, at=START)
    await store.note_task(KEY, NEW_TASK, turn_id=NEWEST, at=START)
    await store.undo(KEY, at=START)

    assert await store.task_of(KEY) == NEW_TASK

    await store.note_task(KEY, None, turn_id=NEWEST, at=START)
    assert await store.task_of(KEY) is None
    await store.close()


async def what_a_cleared_turn_notes_is_not_kept(open_store: OpenStore) -> None:
    """Nor does it take away what was noted since; brought back, it may."""
    store = open_store()
    turn = await begin(store, message(1))
    await store.clear(KEY, at=START)
    later = TurnId(turn.id + 1)
    assert await store.note_task(KEY, NEW_TASK, turn_id=later, at=START)

    assert not await store.note_task(KEY, TASK, turn_id=turn.id, at=START)
    assert not await store.note_task(KEY, None, turn_id=turn.id, at=START)
    assert await store.task_of(KEY) == NEW_TASK

    await store.undo(KEY, at=START)
    assert await store.note_task(KEY, TASK, turn_id=turn.id, at=START)
    assert await store.task_of(KEY) == TASK
    await store.close()


async def an_undo_opens_the_chat(open_store: OpenStore) -> None:
    """What a person brought back is not cut by the rule for a process that began anew."""
    store = open_store()
    await have_turn(store, 1)
    await store.clear(KEY, at=START)
    await store.close()
    store = open_store()
    assert (await store.load(KEY)).is_fresh

    await store.undo(KEY, at=START)

    assert not (await store.load(KEY)).is_fresh
    await store.close()


async def a_compaction_ends_the_chance_to_undo_a_clear(open_store: OpenStore) -> None:
    """There is one level, and what was cleared never comes back by another way."""
    store = open_store()
    await have_turn(store, 1)
    await store.note_task(KEY, TASK, turn_id=NEWEST, at=START)
    await store.clear(KEY, at=START)
    turn = await have_turn(store, 2)
    cleared = (await store.load(KEY)).cut
    emptied = Cut(kept_from=TurnId(turn + 1), cleared_before=TurnId(turn + 1))
    await store.save_cut(KEY, emptied, generation=1, at=START, compaction=TRIMMED)

    assert await store.undo(KEY, at=START)

    back = await store.load(KEY)
    assert back.cut == cleared
    assert await store.task_of(KEY) is None
    assert [each.id for each in back.turns] == [turn]
    await store.close()


async def what_left_is_not_tried_again(open_store: OpenStore) -> None:
    """By a clear or a cut, before the failure or after it."""
    store = open_store()
    turn = await begin(store, message(1))
    await store.clear(KEY, at=START)
    await store.finish_turn(turn.id, "failed", (), at=START)
    assert await store.reopen(KEY, at=START) is None

    turn = await begin(store, message(2))
    await store.finish_turn(turn.id, "failed", (), at=START)
    left = Cut(kept_from=TurnId(turn.id + 1))
    await store.save_cut(KEY, left, generation=1, at=START)
    assert await store.reopen(KEY, at=START) is None

    turn = await begin(store, message(3))
    await store.save_cut(KEY, Cut(kept_from=TurnId(turn.id + 1)), generation=1, at=START)
    await store.finish_turn(turn.id, "failed", (), at=START)
    assert await store.reopen(KEY, at=START) is None
    await store.close()


async def calls_since_the_clear_are_known(open_store: OpenStore) -> None:
    """The newest eight answers, oldest first, and what all of them cost; other work not."""
    store = open_store()
    await have_turn(store, 1)
    assert len((await store.load(KEY)).calls) == 1
    await store.clear(KEY, at=START)
    assert len((await store.load(KEY)).calls) == 1, "the model counts as it did before the clear"
    assert await store.usage_of(KEY) == Usage()

    sized = tuple(_sized(size) for size in range(1, 11))
    for call in sized:
        await store.record_call(call)
    await store.record_call(replace(_sized(99), purpose="summary"))
    await store.record_call(replace(_sized(98), session_key=ELSEWHERE.session_key))
    await store.close()
    store = open_store()

    assert (await store.load(KEY)).calls == sized[2:]
    assert await store.usage_of(KEY) == Usage(
        input_tokens=55, output_tokens=20, cache_read_tokens=30, cache_write_tokens=40
    )
    await store.close()


def _sized(size: int) -> ModelCall:
    usage = Usage(input_tokens=size, output_tokens=2, cache_read_tokens=3, cache_write_tokens=4)
    alias = "scripted-latest" if size % 2 else ""
    return replace(model_call(), usage=usage, asked=alias, local_tokens=size + 1)


async def a_whole_result_is_kept_beside_its_part(open_store: OpenStore) -> None:
    """For its own chat, until it is cleared; a short one is its own whole."""
    store = open_store()
    turn = await begin(store, message(1))
    await store.record_step(turn.id, 0, asking("a", "b"), model_call())
    part, short = ToolResult(call_id="a", content="part"), ToolResult(call_id="b", content="short")
    await store.record_result(turn.id, 0, part, whole="the whole \0 \ud83d of it")
    await store.record_result(turn.id, 0, part, whole="too late")
    await store.record_result(turn.id, 0, short)
    await store.record_result(turn.id, 0, short, whole="too late")
    await store.close()
    store = open_store()

    assert await store.tool_output(KEY, "a") == "the whole \0 \ud83d of it"
    assert await store.tool_output(KEY, "b") == "short"
    assert await store.tool_output(KEY, "c") is None
    assert await store.tool_output(ELSEWHERE.session_key, "a") is None
    assert (await store.unfinished()).claims[0].turn.steps[0].results == (part, short)

    await store.save_cut(KEY, Cut(kept_from=TurnId(turn.id + 1)), generation=0, at=START)
    assert await store.tool_output(KEY, "b") == "short"
    await store.clear(KEY, at=START)
    assert await store.tool_output(KEY, "a") is None
    await store.close()


async def the_newest_result_of_a_call_is_meant(open_store: OpenStore) -> None:
    """Ids may come back; a step that is asked for anew takes its results with it."""
    store = open_store()
    for number in (1, 2):
        turn = await begin(store, message(number))
        await store.record_step(turn.id, 0, asking("a"), model_call())
        result = ToolResult(call_id="a", content="part")
        await store.record_result(turn.id, 0, result, whole=f"whole {number}")
        await store.finish_turn(turn.id, "empty", (), at=START)
    assert await store.tool_output(KEY, "a") == "whole 2"

    await store.reopen(KEY, at=START)

    assert await store.tool_output(KEY, "a") == "whole 1"
    await store.close()


CUTS: tuple[Check, ...] = (
    a_cut_is_kept_whole,
    a_cut_of_another_generation_changes_nothing,
    a_chat_is_fresh_once_a_process,
    turns_are_found_by_their_ids,
    a_clear_can_be_undone_once,
    a_clear_of_nothing_keeps_what_can_be_undone,
    a_newer_task_outlives_an_undo,
    what_a_cleared_turn_notes_is_not_kept,
    an_undo_opens_the_chat,
    a_compaction_ends_the_chance_to_undo_a_clear,
    what_left_is_not_tried_again,
    calls_since_the_clear_are_known,
    a_whole_result_is_kept_beside_its_part,
    the_newest_result_of_a_call_is_meant,
)
