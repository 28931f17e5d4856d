"""What goes on while something is forgotten brings nothing of it back."""

import asyncio
from dataclasses import replace
from datetime import UTC
from pathlib import Path

import pytest

from bot.adapters.redactor import RuleRedactor
from bot.core.memory.audience import Audience
from bot.core.memory.jobs import MemoryEntry
from bot.core.memory.versions import FilesForgotten
from bot.core.messages import assistant_text
from bot.core.turns import Step, Turn, TurnId
from bot.errors import StoreError
from bot.runtime.remembering.distilling import Distilling, DistillingParts
from bot.testing.clock import START, FakeClock, settle
from bot.testing.patience import PATIENCE_S
from bot.testing.stores.forgetting import told
from bot.testing.stores.given import begin, entry_of, message, model_call, saying
from tests.runtime.forgetting_given import HERS, KEY, MARK, World, asked, counts, fill, say


async def running(world: World) -> "asyncio.Task[None]":
    """Carry out what was confirmed up to where it waits for what is being answered."""
    task = asyncio.ensure_future(world.run())
    while not world.activity._waiters and not task.done():
        await settle()
    return task


async def answers(world: World, turn: Turn, text: str) -> None:
    """End a turn with an answer."""
    step = Step(answer=assistant_text(text), stop="end_turn")
    await world.store.record_step(turn.id, 0, step, model_call())
    (item,) = await world.store.finish_turn(turn.id, "answered", (saying(text),), at=START)
    await world.store.mark_failed(item.id, "blocked", at=START)
    world.activity.end(KEY)


@pytest.mark.parametrize("what", ["violet heron", "turn 1", "f1", "2026-01-05", "all"])
async def test_an_answer_under_way_that_says_it_again_goes_too(tmp_path: Path, what: str) -> None:
    """Its model knew it from before: so the receipt waits for that, and another answer stays."""
    world = World(tmp_path)
    await fill(world.store, world.files)
    turn = await begin(world.store, message(4, "What do you know of birds?"))
    world.activity.begin(KEY)
    await asked(world, HERS, what)
    task = await running(world)
    assert [] == world.told

    await answers(world, turn, f"You told me that {MARK}.")
    await asyncio.wait_for(task, PATIENCE_S)
    last = (await world.store.turns_between(KEY, 0, 99))[-1]
    await world.close()

    assert () == last.steps
    assert {} == counts(tmp_path, f"You told me that {MARK}")


async def test_an_answer_under_way_that_says_something_else_stays(tmp_path: Path) -> None:
    world = World(tmp_path)
    await fill(world.store, world.files)
    turn = await begin(world.store, message(4, "What do you know of fish?"))
    world.activity.begin(KEY)
    await asked(world, HERS, "turn 1")
    task = await running(world)

    await answers(world, turn, "They swim, as far as I know.")
    await asyncio.wait_for(task, PATIENCE_S)
    last = (await world.store.turns_between(KEY, 0, 99))[-1]
    await world.close()

    assert "What do you know of fish?" == last.request.text
    assert "1 turn" in world.told[0].reply.text


async def test_what_waited_behind_an_answer_is_waited_for_too(tmp_path: Path) -> None:
    world = World(tmp_path)
    await fill(world.store, world.files)
    first = await begin(world.store, message(4, f"First of {MARK}!"))
    world.activity.begin(KEY)
    await asked(world, HERS, "violet heron")
    task = await running(world)
    world.activity.begin(KEY)
    await answers(world, first, "Ok.")
    second = await begin(world.store, message(5, f"Second of {MARK}!"))
    world.activity.end(KEY)
    world.activity.begin(KEY)
    while not world.activity._waiters:
        await settle()
    assert [] == world.told

    await answers(world, second, "Ok.")
    await asyncio.wait_for(task, PATIENCE_S)
    await world.close()

    assert "3 turns" in world.told[0].reply.text
    assert {} == counts(tmp_path, MARK)


async def test_who_goes_on_about_it_is_told_that_this_is_left(tmp_path: Path) -> None:
    """A turn that is open and that nobody answers, as after a start, is not waited for for ever."""
    world = World(tmp_path)
    await fill(world.store, world.files)
    await begin(world.store, message(4, f"What of {MARK}?"))
    await asked(world, HERS, "violet heron")
    task = asyncio.ensure_future(world.run())
    while not task.done():
        await settle()
        await world.clock.advance(1)
    await world.close()

    assert "What you said while I was at it may be left" in world.told[0].reply.text


class Interrupted:
    """Memory files, with something done once right behind the first cleaning."""

    def __init__(self, world: World) -> None:
        self._clean = world.files.forget_in_files
        self.entries: tuple[MemoryEntry, ...] = ()
        self.lines: tuple[str, ...] = ()
        self.files = world.files

    async def forget_in_files(
        self, audience: Audience, turn_ids: frozenset[TurnId], lines: tuple[str, ...]
    ) -> FilesForgotten:
        gone = await self._clean(audience, turn_ids, lines)
        entries, self.entries = self.entries, ()
        wanted, self.lines = self.lines, ()
        if entries or wanted:
            await self.files.append(entries)
            await self.files.write_lasting(audience, wanted)
        return gone


@pytest.mark.parametrize(
    "text", ["Has epilepsy.", "Has had epilepsy since the year of the great flood."]
)
async def test_what_is_written_into_files_between_two_steps_is_cleaned_again(
    tmp_path: Path, text: str
) -> None:
    """By whom it was read before the rows went."""
    world = World(tmp_path)
    turn = await say(world.store, 1, f"She {text}", "Noted.")
    await world.store.keep_facts((told(text, turn.id, key="health"),))
    interrupted = Interrupted(world)
    interrupted.entries = (replace(entry_of(turn.id, f"- {text}"), audience=HERS.audience),)
    interrupted.lines = (f"- 2026-01-05 {text}",)
    world.files.forget_in_files = interrupted.forget_in_files  # type: ignore[method-assign]  # of one object
    await asked(world, HERS, "f1")
    await world.run()
    await world.close()

    assert {} == counts(tmp_path, text)
    assert "nothing is left" in world.told[0].reply.text


async def test_what_was_read_before_something_was_forgotten_is_not_written_behind_it(
    tmp_path: Path,
) -> None:
    """Neither a day's entries nor lasting facts: they are read once more."""
    world = World(tmp_path)
    since = world.files.cleanings
    entry = entry_of((await say(world.store, 1, "hello", "hi")).id, f"- {MARK}")
    await world.files.forget_in_files(HERS.audience, frozenset(), (MARK,))

    with pytest.raises(StoreError, match="forgotten meanwhile"):
        await world.files.append((entry,), since=since)
    with pytest.raises(StoreError, match="forgotten meanwhile"):
        await world.files.write_lasting(HERS.audience, (MARK,), since=since)
    await world.close()
    assert {} == counts(tmp_path / "memory", MARK)


async def test_distilling_under_way_writes_nothing_back(tmp_path: Path) -> None:
    """It has read a fact; all of the forgetting comes before it writes."""
    world = World(tmp_path)
    await say(world.store, 1, "hi there", "hello")
    await world.store.keep_facts((told("Has epilepsy.", key="health"),))
    clock = FakeClock()
    distilling = Distilling(
        DistillingParts(
            store=world.store, files=world.files, redactor=RuleRedactor(), clock=clock, zone=UTC
        )
    )
    reached, may_go_on = asyncio.Event(), asyncio.Event()
    read = world.store.last_episodes

    async def last_episodes(*asked: object, **named: object) -> object:
        reached.set()
        await may_go_on.wait()
        return await read(*asked, **named)  # type: ignore[arg-type]  # passed on as they are

    world.store.last_episodes = last_episodes  # type: ignore[method-assign, assignment]  # of one object
    worker = asyncio.ensure_future(distilling.run())
    await settle()
    await distilling.distil_all()
    await reached.wait()
    await asked(world, HERS, "f1")
    await world.run()
    may_go_on.set()
    while not distilling.trouble:
        await settle()
    worker.cancel()
    await asyncio.gather(worker, return_exceptions=True)
    await world.close()

    assert "forgotten meanwhile" in distilling.trouble
    assert {} == counts(tmp_path, "Has epilepsy.")
