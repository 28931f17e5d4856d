"""Each moment of a schedule is seen to once: over restarts, several processes and bad clocks."""

import asyncio
import random
from collections import Counter
from collections.abc import Awaitable, Callable
from datetime import UTC, date, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest

from bot.adapters.calendar import CronCalendar
from bot.errors import StoreError
from bot.ports import Timer
from bot.runtime.attendance import LOOK_EVERY_S, AttentiveTimer
from bot.runtime.job_book import JobBook
from bot.runtime.jobs import LONGEST_SLEEP_S, STORE_RETRY_S, ClockTimer, Job, JobParts, run_job
from bot.runtime.supervisor import Supervisor
from bot.testing.clock import START, FakeClock, settle
from bot.testing.store import InMemoryStore

DAY_S = 86_400.0
DAY = timedelta(days=1)
MIDNIGHT = "0 0 * * *"


class World:
    """A store and a clock that outlive the processes, and what their jobs saw.

    Attributes:
        ahead: By how much the clock on the wall is wrong.
        failures: How often claiming a moment fails from now on.
    """

    def __init__(self, zone: str = "UTC", start: datetime = START) -> None:
        self.clock = FakeClock(start)
        self.store = InMemoryStore()
        self.zone = ZoneInfo(zone)
        self.seen: list[datetime] = []
        self.ahead = timedelta(0)
        self.failures = 0
        self.timer: Timer = ClockTimer(clock=self)

    async def note(self) -> None:
        self.seen.append(self.now())

    def begin(
        self, supervisor: Supervisor, work: Callable[[], Awaitable[None]] | None = None
    ) -> None:
        job = Job(name="rollover", schedule=MIDNIGHT, work=work or self.note)
        supervisor.spawn("calendar", run_job(job, self._parts(supervisor)))

    async def missed(self, days: int) -> None:
        """Have been down for so many days."""
        await self.claim_slot("rollover", self.now() - days * DAY, at=self.now())

    @property
    def days(self) -> list[date]:
        """The local days on which the job ran."""
        return [moment.astimezone(self.zone).date() for moment in self.seen]

    def now(self) -> datetime:
        return self.clock.now() + self.ahead

    def monotonic(self) -> float:
        return self.clock.monotonic()

    async def sleep(self, seconds: float) -> None:
        await self.clock.sleep(seconds)

    async def claim_slot(self, name: str, slot: datetime, *, at: datetime) -> bool:
        if self.failures:
            self.failures -= 1
            raise StoreError("the disk is full")
        return await self.store.claim_slot(name, slot, at=at)

    async def last_slot(self, name: str) -> datetime | None:
        return await self.store.last_slot(name)

    def _parts(self, supervisor: Supervisor) -> JobParts:
        return JobParts(
            slots=self,
            calendar=CronCalendar(),
            timer=self.timer,
            clock=self,
            zone=self.zone,
            spawn=supervisor.spawn,
            book=JobBook(self.clock),
        )


@pytest.mark.parametrize(
    ("zone", "start"),
    [
        ("UTC", START),
        ("Europe/Berlin", datetime(2026, 3, 10, 15, 0, tzinfo=UTC)),
        ("Europe/Berlin", datetime(2026, 10, 10, 15, 0, tzinfo=UTC)),
        ("America/Havana", datetime(2026, 2, 20, 15, 0, tzinfo=UTC)),
        ("America/Havana", datetime(2026, 10, 20, 15, 0, tzinfo=UTC)),
    ],
)
@pytest.mark.parametrize("seed", range(2))
async def test_in_forty_days_of_restarts_each_midnight_is_seen_to_once(
    zone: str, start: datetime, seed: int
) -> None:
    """By two processes at a time, which are down for up to ten hours, or for a moment only."""
    world, dice = World(zone, start), random.Random(seed)
    async with Supervisor() as first:
        world.begin(first)
        await settle()
        first.cancel_all()
    while world.now() < start + 40 * DAY:
        async with Supervisor() as supervisor:
            world.begin(supervisor)
            world.begin(supervisor)
            await world.clock.advance(dice.choice((1, 900, 3_600)) * dice.uniform(0, 40))
            supervisor.cancel_all()
        await world.clock.advance(dice.choice((0, 1, 36_000)) * dice.random())
    async with Supervisor() as supervisor:
        world.begin(supervisor)
        await settle()
        supervisor.cancel_all()

    first_day, last_day = (each.astimezone(world.zone).date() for each in (start, world.now()))
    expected = [first_day + each * DAY for each in range(1, (last_day - first_day).days + 1)]
    assert Counter(expected) == Counter(world.days)


async def test_days_that_were_missed_are_made_up_for_once(supervisor: Supervisor) -> None:
    world = World()
    await world.missed(9)

    world.begin(supervisor)
    await settle()
    assert [START] == world.seen

    await world.clock.advance(15 * 3_600)
    assert [START, START + timedelta(hours=15)] == world.seen


async def test_a_bot_that_is_new_has_missed_nothing(supervisor: Supervisor) -> None:
    world = World()
    world.begin(supervisor)
    await world.clock.advance(14.9 * 3_600)

    assert [] == world.seen


async def test_a_job_that_breaks_is_logged_and_tried_again_at_its_next_moment(
    supervisor: Supervisor, caplog: pytest.LogCaptureFixture
) -> None:
    world = World()
    await world.missed(2)

    async def break_down() -> None:
        await world.note()
        raise RuntimeError("a bug")

    world.begin(supervisor, break_down)
    await world.clock.advance(2 * DAY_S)

    midnight = START + timedelta(hours=15)
    assert [START, midnight, midnight + DAY] == world.seen
    assert ["task.failed"] * 3 == caplog.messages
    assert all(record.exc_info for record in caplog.records)


async def test_while_the_store_fails_the_same_moment_is_tried_again(
    supervisor: Supervisor, caplog: pytest.LogCaptureFixture
) -> None:
    """Neither what could not be claimed nor what could not be done waits for the next day."""
    world = World()
    await world.missed(2)
    world.failures = 2
    left = 3

    async def fail_thrice() -> None:
        nonlocal left
        left -= 1
        if left >= 0:
            raise StoreError("the disk is full")
        await world.note()

    world.begin(supervisor, fail_thrice)
    await world.clock.advance(6 * STORE_RETRY_S)

    assert [START + timedelta(seconds=5 * STORE_RETRY_S)] == world.seen
    assert ["job.put_off"] * 5 == caplog.messages


async def test_a_job_under_way_ends_with_its_process(supervisor: Supervisor) -> None:
    world = World()
    await world.missed(2)
    began = asyncio.Event()

    async def hang() -> None:
        began.set()
        await asyncio.Event().wait()

    async with Supervisor() as process:
        world.begin(process, hang)
        await began.wait()
        process.cancel_all()

    world.begin(supervisor)
    await world.clock.advance(15 * 3_600)
    assert [START + timedelta(hours=15)] == world.seen  # it was claimed; the next one is due


@pytest.mark.parametrize("back", [timedelta(minutes=10), timedelta(hours=3), timedelta(hours=23)])
async def test_a_clock_that_is_set_back_shows_no_midnight_twice(
    back: timedelta, supervisor: Supervisor
) -> None:
    world = World()
    world.begin(supervisor)
    await world.clock.advance(16 * 3_600)
    world.ahead = -back
    await world.clock.advance(2 * DAY_S)

    assert sorted(set(world.days)) == world.days
    assert [date(2026, 1, 6), date(2026, 1, 7)] == world.days[:2]


async def test_a_clock_that_is_set_forward_is_noticed(supervisor: Supervisor) -> None:
    """So is a machine that was asleep, whose seconds did not count."""
    world = World()
    world.begin(supervisor)
    await settle()
    world.ahead = timedelta(hours=15)
    await world.clock.advance(LONGEST_SLEEP_S)

    assert [date(2026, 1, 6)] == world.days


async def test_a_clock_that_was_wrong_by_years_stops_nothing_for_years() -> None:
    world = World()
    world.ahead = timedelta(days=1_500)
    await world.missed(1)
    async with Supervisor() as process:
        world.begin(process)
        await settle()
        process.cancel_all()
    assert 1 == len(world.seen)

    world.ahead = timedelta(0)
    async with Supervisor() as process:
        world.begin(process)
        await world.clock.advance(3 * DAY_S)
        process.cancel_all()

    assert [date(2026, 1, day) for day in (5, 6, 7, 8)] == world.days[1:]


async def test_nor_does_it_in_a_process_that_goes_on(supervisor: Supervisor) -> None:
    """It waits for a moment of a year that is not."""
    world = World()
    timer = AttentiveTimer(ClockTimer(clock=world), world.store, world)
    world.timer = timer
    supervisor.spawn("attendance", timer.run())
    world.begin(supervisor)
    await world.clock.advance(60)
    world.ahead = timedelta(days=1_500)
    await world.clock.advance(LONGEST_SLEEP_S)
    assert 1 == len(world.seen)

    world.ahead = timedelta(0)
    await world.clock.advance(LOOK_EVERY_S + 3 * DAY_S)

    assert [date(2026, 1, day) for day in (5, 6, 7, 8)] == world.days[1:]


async def test_nor_where_the_clock_is_put_right_while_the_job_runs(supervisor: Supervisor) -> None:
    """By then everybody who waited has been told, and this one did not."""
    world = World()
    timer = AttentiveTimer(ClockTimer(clock=world), world.store, world)
    world.timer = timer
    world.ahead = timedelta(days=1_500)
    await world.missed(1)
    await timer.look()

    async def take_long() -> None:
        await world.note()
        if world.ahead:
            world.ahead = timedelta(0)
            await timer.look()

    world.begin(supervisor, take_long)
    await world.clock.advance(3 * DAY_S)

    assert [date(2026, 1, day) for day in (5, 6, 7, 8)] == world.days[1:]
