"""What happens while a summary is written: a kill, a clear, an undo, a moving cut, a full disk."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime

import pytest

from bot.core.lifecycle import ModelCall
from bot.core.memory.jobs import MemoryEntry, MemoryJob
from bot.core.turns import TurnId
from bot.core.window.conversation import Compaction, Cut, Summary
from bot.errors import (
    ContextTooLong,
    ModelOverloaded,
    StoreError,
)
from bot.runtime.remembering.remembering import STORE_RETRY_S
from bot.runtime.supervisor import Supervisor
from tests.runtime.remembering_given import WatchedStore, World, front


async def test_killed_in_the_middle_it_is_begun_anew(supervisor: Supervisor) -> None:
    world = World()
    await world.outgrow()
    world.model.hold()
    async with Supervisor() as killed:
        world.begin(killed)
        await world.model.held()
    digest = (await world.conversation()).cut.digest
    assert digest
    assert [] == world.files.turns

    world.model.release()
    world.begin(supervisor)
    await world.rest()

    assert (await world.conversation()).summary is not None
    assert world.each_once(10)


async def test_killed_between_landing_and_file_each_turn_is_there_once(
    supervisor: Supervisor,
) -> None:
    class Dies(WatchedStore):
        is_dying = True

        async def mark_written(self, entries: tuple[MemoryEntry, ...]) -> None:
            if self.is_dying:
                raise StoreError("killed")
            await super().mark_written(entries)

    store = Dies()
    world = World(store=store)
    await world.outgrow()
    async with Supervisor() as killed:
        world.begin(killed)
        await world.rest()
    assert world.each_once(10)

    store.is_dying = False
    world.begin(supervisor)
    await world.rest()
    assert world.each_once(10)
    assert () == await store.unwritten(limit=1)


async def test_ctx_14_a_summary_that_comes_after_a_clear_is_dropped(supervisor: Supervisor) -> None:
    world = World()
    await world.outgrow()
    world.model.hold()
    world.begin(supervisor)
    await world.model.held()
    cleared = Compaction(kind="clear", at=world.clock.now(), turns_left=11)
    await world.store.clear(world.chat.key, at=world.clock.now(), compaction=cleared)
    world.chat.manager.forget()
    world.model.release()
    await world.rest()

    after = await world.conversation()
    assert after.summary is None
    assert 0 == after.cut.summary_version
    assert [] == world.landed
    assert world.each_once(10)
    assert "question 1" not in str(await world.chat.turn("hello"))


async def test_nothing_is_asked_where_a_clear_was_faster(supervisor: Supervisor) -> None:
    class ClearedMeanwhile(WatchedStore):
        async def due_jobs(self, at: datetime, *, limit: int) -> tuple[MemoryJob, ...]:
            jobs = await super().due_jobs(at, limit=limit)
            for job in jobs:
                await self.clear(job.session_key, at=at)
            return jobs

    world = World(store=ClearedMeanwhile())
    await world.outgrow()
    world.begin(supervisor)
    await world.rest()

    assert [] == world.model.requests
    assert await world.store.next_due() is None


async def test_ctx_11_a_summary_of_what_was_emptied_out_meanwhile_is_not_shown(
    supervisor: Supervisor,
) -> None:
    world = World()
    await world.outgrow()
    world.model.hold()
    world.begin(supervisor)
    await world.model.held()
    claim, context = await world.chat.open("long")
    await context.request(claim.turn, may_use_tools=True)
    assert await context.overflowed(ContextTooLong())
    assert await context.overflowed(ContextTooLong())
    world.model.release()
    await world.rest()

    after = await world.conversation()
    assert after.summary is None
    assert "" == after.cut.digest
    assert sorted(set(world.files.turns)) == sorted(world.files.turns)
    assert set(range(1, 22)) == set(world.files.turns)


async def test_ctx_13_what_leaves_while_it_is_written_keeps_a_digest(
    supervisor: Supervisor,
) -> None:
    world = World()
    await world.outgrow()
    world.model.hold()
    world.begin(supervisor)
    await world.model.held()
    world.chat.limits = replace(world.chat.limits, max_turns=4)
    await world.chat.turn()
    moved = (await world.conversation()).cut
    assert moved.kept_from > 11
    world.model.release()
    await world.rest()

    first, second = world.store.landings
    assert "Mechanical note of" in first
    assert "" == second
    after = await world.conversation()
    assert after.summary is not None
    assert moved.kept_from - 1 == after.summary.through
    assert "" == after.cut.digest
    assert world.each_once(after.summary.through)


@pytest.mark.parametrize("moves", [1, 3])
async def test_a_cut_that_moves_at_the_last_moment_is_landed_on_all_the_same(
    moves: int, supervisor: Supervisor
) -> None:
    class Moving(WatchedStore):
        moves_left = moves

        async def land_summary(
            self,
            job: MemoryJob,
            summary: Summary,
            entries: tuple[MemoryEntry, ...],
            *,
            cut: Cut,
            digest: str,
        ) -> bool:
            if self.moves_left:
                self.moves_left -= 1
                now = world.clock.now()
                moved = replace(cut, text_through=TurnId(cut.text_through + 1))
                await self.save_cut(job.session_key, moved, generation=0, at=now)
            return await super().land_summary(job, summary, entries, cut=cut, digest=digest)

    world = World(store=Moving())
    await world.outgrow()
    world.begin(supervisor)
    await world.rest()

    after = await world.conversation()
    assert after.summary is not None
    assert moves == after.cut.text_through
    assert [world.chat.key] == world.landed
    assert (1 if moves == 1 else 2) == len(world.model.requests)
    assert world.each_once(10)


async def test_an_undo_while_it_is_written_leaves_nothing_wrong(supervisor: Supervisor) -> None:
    world = World()
    await world.outgrow()
    world.model.hold()
    world.begin(supervisor)
    await world.model.held()
    assert await world.store.undo(world.chat.key, at=world.clock.now())
    world.chat.manager.forget()
    world.model.release()
    await world.rest()

    after = await world.conversation()
    assert after.summary is None
    assert 21 == len(after.turns)
    assert [] == world.landed


async def test_a_failing_store_is_waited_for(supervisor: Supervisor) -> None:
    class Fails(WatchedStore):
        failures = 2

        async def record_call(self, call: ModelCall) -> None:
            self.failures -= 1
            if self.failures >= 0:
                raise StoreError("the disk is full")
            await super().record_call(call)

    world = World(store=Fails())
    await world.outgrow()
    world.begin(supervisor)
    await world.rest()
    assert 1 == len(world.model.requests)

    await world.pass_time(2 * STORE_RETRY_S / 60 + 0.1)

    assert 3 == len(world.model.requests)
    assert world.each_once(10)
    assert [] == world.store.reasons


async def test_a_full_disk_is_waited_for_and_stops_no_summary(supervisor: Supervisor) -> None:
    world = World()
    world.files.failures = 3
    await world.outgrow()
    world.begin(supervisor)
    await world.rest()
    assert (await world.conversation()).summary is not None
    assert [] == world.files.turns

    await world.pass_time(3 * STORE_RETRY_S / 60 + 0.1)

    assert world.each_once(10)


async def test_a_restart_without_a_summary_goes_on_with_the_digest(supervisor: Supervisor) -> None:
    world = World(lambda _: ModelOverloaded())
    await world.outgrow()
    world.begin(supervisor)
    await world.rest()
    await world.chat.restart()

    request = await world.chat.turn()

    assert "Mechanical note of" in front(request)
