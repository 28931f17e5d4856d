"""What has to be asked: whether the store answers, and whether the disk takes anything."""

import asyncio
from datetime import datetime, timedelta

import pytest

from bot.core.backlog import Backlog
from bot.errors import SearchUnavailable, StoreError
from bot.ports import DiskState
from bot.runtime.checkup import (
    FRESH_S,
    LEAST_FREE_BYTES,
    LIMIT_S,
    OVERDUE_S,
    VALID_S,
    Checkup,
    CheckupParts,
)
from bot.runtime.health import StoreWatch
from bot.testing.clock import START, FakeClock

ROOM = DiskState(free_bytes=5 << 30)


class Surroundings:
    """A store, a disk and an index of which a test decides how they are."""

    def __init__(self, clock: FakeClock) -> None:
        self.clock = clock
        self.watch = StoreWatch()
        self.waiting = Backlog(unanswered=3)
        self.disk = ROOM
        self.lag = 2
        self.reminder_at: datetime | None = None
        self.error: Exception | None = None
        self.hangs: set[str] = set()
        self.asked: list[str] = []
        self.checkup = Checkup(
            CheckupParts(
                store=self,
                store_watch=self.watch,
                clock=clock,
                channels=frozenset({"telegram"}),
                disk=self,
                index_lag=self.index_lag,
            )
        )

    async def _answer(self, what: str) -> None:
        self.asked.append(what)
        if what in self.hangs:
            await asyncio.get_running_loop().create_future()

    async def backlog(self) -> Backlog:
        await self._answer("backlog")
        if self.error is not None:
            raise self.error
        return self.waiting

    async def next_reminder_at(self, channels: frozenset[str]) -> datetime | None:
        await self._answer("reminders")
        return self.reminder_at if channels else None

    async def claim_slot(self, name: str, slot: datetime, *, at: datetime) -> bool:
        await self._answer(f"write {name}")
        self.watch.tell(None)
        return True

    async def last_slot(self, name: str) -> datetime | None:
        raise AssertionError("nobody needs to know")

    async def look(self) -> DiskState:
        await self._answer("disk")
        return self.disk

    async def index_lag(self) -> int:
        await self._answer("index")
        if isinstance(self.error, SearchUnavailable):
            raise self.error
        return self.lag


@pytest.fixture
def around(clock: FakeClock) -> Surroundings:
    return Surroundings(clock)


async def test_where_all_is_well_nothing_is_written_into_the_database(around: Surroundings) -> None:
    await around.checkup.look()

    assert {"backlog", "reminders", "disk", "index"} == set(around.asked)
    seen = around.checkup.seen
    assert (Backlog(unanswered=3), ROOM, 2, "") == (
        seen.backlog,
        seen.disk,
        seen.index_lag,
        seen.store_trouble,
    )
    assert "" == around.checkup.disk_trouble


async def test_a_store_that_failed_is_tried_with_a_write(around: Surroundings) -> None:
    around.watch.tell(StoreError("the disk is full"))
    await around.checkup.look()

    assert "write health" in around.asked
    assert "" == around.watch.trouble


@pytest.mark.parametrize(
    ("disk", "trouble"),
    [
        (DiskState(free_bytes=LEAST_FREE_BYTES), ""),
        (DiskState(free_bytes=LEAST_FREE_BYTES - 1), "only 99 MiB are free"),
        (DiskState(free_bytes=LEAST_FREE_BYTES, trouble="read-only"), "read-only"),
    ],
)
async def test_a_disk_is_full_a_little_before_it_is(
    around: Surroundings, disk: DiskState, trouble: str
) -> None:
    around.disk = disk
    await around.checkup.look()

    assert trouble == around.checkup.disk_trouble


async def test_a_store_of_which_all_hangs_is_waited_for_no_longer(around: Surroundings) -> None:
    around.watch.tell(StoreError("the disk is full"))
    around.hangs = {"write health", "backlog", "reminders"}
    looking = asyncio.ensure_future(around.checkup.look())
    await around.clock.advance(LIMIT_S)

    assert looking.done()
    assert "no answer within 5 s" == around.checkup.seen.store_trouble


@pytest.mark.parametrize(("late_s", "overdue_s"), [(-60.0, 0.0), (None, 0.0), (600.0, 600.0)])
async def test_how_late_the_first_reminder_is(
    around: Surroundings, late_s: float | None, overdue_s: float
) -> None:
    around.reminder_at = None if late_s is None else START - timedelta(seconds=late_s)
    await around.checkup.look()

    assert overdue_s == around.checkup.reminder_overdue_s


async def test_what_hangs_does_not_hang_whoever_asks(around: Surroundings) -> None:
    around.hangs = {"backlog", "disk", "index"}
    looking = asyncio.ensure_future(around.checkup.look())
    await around.clock.advance(LIMIT_S)
    await looking

    assert "no answer within 5 s" == around.checkup.disk_trouble
    assert "no answer within 5 s" == around.checkup.seen.store_trouble
    assert (None, None) == (around.checkup.seen.backlog, around.checkup.seen.index_lag)


@pytest.mark.parametrize(
    ("error", "trouble"), [(StoreError("locked"), "locked"), (SearchUnavailable("gone"), "")]
)
async def test_what_cannot_be_asked_is_not_known(
    around: Surroundings, error: Exception, trouble: str
) -> None:
    around.error = error
    if isinstance(error, SearchUnavailable):
        around.error, around.waiting = error, Backlog()
        around.backlog = _nothing  # type: ignore[method-assign]  # only the index fails here
    await around.checkup.look()

    assert trouble == around.checkup.seen.store_trouble


async def _nothing() -> Backlog:
    return Backlog()


async def test_many_who_ask_at_once_are_served_by_one_look(around: Surroundings) -> None:
    await asyncio.gather(*(around.checkup.look() for _ in range(5)))
    once = around.asked.count("disk")
    await around.clock.advance(FRESH_S + 0.1)
    await around.checkup.look()

    assert (1, 2) == (once, around.asked.count("disk"))


async def test_what_was_seen_long_ago_says_nothing(around: Surroundings) -> None:
    around.disk = DiskState(free_bytes=0, trouble="read-only")
    await around.checkup.look()
    await around.clock.advance(VALID_S + 1)

    assert "" == around.checkup.disk_trouble
    assert around.checkup.seen.backlog is None


@pytest.mark.parametrize(
    ("due_s", "trouble"),
    [(-OVERDUE_S, ""), (-OVERDUE_S - 60, "work has been due for 1 h 1 min"), (60, "")],
)
async def test_memory_that_nobody_works_on_is_told(
    around: Surroundings, due_s: float, trouble: str
) -> None:
    around.waiting = Backlog(memory_jobs=1, oldest_due_at=START + timedelta(seconds=due_s))
    await around.checkup.look()

    assert trouble == around.checkup.memory_trouble
