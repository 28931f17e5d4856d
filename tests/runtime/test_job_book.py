"""A job that does not begin when it should is late, whatever the reason."""

import asyncio
from collections.abc import Awaitable, Callable
from datetime import datetime, timedelta
from zoneinfo import ZoneInfo

import pytest

from bot.adapters.calendar import CronCalendar
from bot.errors import StoreError
from bot.runtime.job_book import LATE_S, LONGEST_RUN_S, JobBook
from bot.runtime.jobs import STORE_RETRY_S, ClockTimer, Job, JobParts, run_job
from bot.runtime.supervisor import Supervisor
from bot.testing.clock import FakeClock
from bot.testing.store import InMemoryStore

QUARTER_S = 900.0


class DeadTimer:
    """Wakes nobody."""

    async def wait_until(self, moment: datetime) -> None:
        await asyncio.get_running_loop().create_future()

    async def close(self) -> None:
        pass


class Kept:
    """A job that is kept, and its book."""

    def __init__(self, clock: FakeClock, *, is_dead: bool = False) -> None:
        self.book = JobBook(clock)
        self.runs = 0
        self.work: Callable[[], Awaitable[None]] = self._done
        self._job = Job(name="sessions", schedule="*/15 * * * *", work=self._work)
        self._clock, self._is_dead = clock, is_dead

    async def _done(self) -> None:
        pass

    async def _work(self) -> None:
        self.runs += 1
        await self.work()

    def begin(self, supervisor: Supervisor) -> None:
        parts = JobParts(
            slots=InMemoryStore(),
            calendar=CronCalendar(),
            timer=DeadTimer() if self._is_dead else ClockTimer(clock=self._clock),
            clock=self._clock,
            zone=ZoneInfo("UTC"),
            spawn=supervisor.spawn,
            book=self.book,
        )
        supervisor.spawn("calendar", run_job(self._job, parts))


async def test_a_job_that_is_done_in_time_is_no_trouble(
    clock: FakeClock, supervisor: Supervisor
) -> None:
    kept = Kept(clock)
    kept.begin(supervisor)
    troubles = []
    for _ in range(8):
        await clock.advance(QUARTER_S / 2)
        troubles.append(kept.book.trouble)

    assert 4 == kept.runs
    assert {""} == set(troubles)
    assert {"sessions": 0.0} == kept.book.late_s


async def test_a_job_that_nobody_wakes_is_late_within_half_a_minute(
    clock: FakeClock, supervisor: Supervisor
) -> None:
    kept = Kept(clock, is_dead=True)
    kept.begin(supervisor)
    await clock.advance(QUARTER_S + LATE_S)
    before = kept.book.trouble
    await clock.advance(5)

    assert ("", "sessions was due 25 s ago") == (before, kept.book.trouble)
    assert {"sessions": 25.0} == kept.book.late_s
    assert LATE_S < 30


async def test_a_job_that_cannot_be_done_is_told_until_it_is(
    clock: FakeClock, supervisor: Supervisor
) -> None:
    kept = Kept(clock)

    async def fail_once() -> None:
        if kept.runs == 1:
            raise StoreError("the disk is full")

    kept.work = fail_once
    kept.begin(supervisor)
    await clock.advance(QUARTER_S)
    during = kept.book.trouble
    await clock.advance(STORE_RETRY_S)

    assert "sessions could not be done: the disk is full" == during
    assert ("", 2) == (kept.book.trouble, kept.runs)


async def test_a_job_that_broke_is_told_until_its_next_moment_is_done(
    clock: FakeClock, supervisor: Supervisor
) -> None:
    kept = Kept(clock)

    async def break_once() -> None:
        if kept.runs == 1:
            raise ZeroDivisionError("a fault of ours")

    kept.work = break_once
    kept.begin(supervisor)
    await clock.advance(QUARTER_S + 60)
    during = kept.book.trouble
    await clock.advance(QUARTER_S)

    assert "sessions could not be done: it broke; the log says how at task.failed" == during
    assert ("", 2) == (kept.book.trouble, kept.runs)


async def test_a_job_that_comes_to_no_end_is_told(clock: FakeClock, supervisor: Supervisor) -> None:
    kept = Kept(clock)
    kept.work = asyncio.get_running_loop().create_future  # for ever
    kept.begin(supervisor)
    await clock.advance(QUARTER_S)
    await clock.advance(LONGEST_RUN_S)
    before = kept.book.trouble
    await clock.advance(60)

    assert ("", "sessions has been running for 2 h 1 min") == (before, kept.book.trouble)


@pytest.mark.parametrize("name", ["rollover", "sessions"])
def test_a_moment_that_is_still_to_come_is_not_late(clock: FakeClock, name: str) -> None:
    book = JobBook(clock)
    book.wait(name, clock.now() + timedelta(seconds=1))

    assert ({name: 0.0}, "") == (book.late_s, book.trouble)
