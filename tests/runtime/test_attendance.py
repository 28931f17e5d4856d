"""The clocks are compared; who waits for the calendar hears of a jump; nothing noted is lost."""

import asyncio
from datetime import datetime, timedelta

import pytest

from bot.core.attendance import BELIEVED_AFTER, LONGEST_BREAK, Stretch, Stretches
from bot.core.lifecycle import Received
from bot.core.schedule import LONGEST_LEAD
from bot.errors import StoreError
from bot.runtime.attendance import COMPARE_EVERY_S, LOOK_EVERY_S, AttentiveTimer
from bot.runtime.jobs import ClockTimer
from bot.runtime.supervisor import Supervisor
from bot.testing.clock import START, FakeClock, settle
from bot.testing.store import InMemoryStore
from bot.testing.stores.given import message
from bot.testing.timer import TIMER_CHECKS, Check, TimerSetting

SECOND = timedelta(seconds=1)
MINUTE = timedelta(seconds=COMPARE_EVERY_S)
YEAR = timedelta(days=365)


class World:
    """A clock that may be wrong by ``off``, and a store that fails ``failures`` times."""

    def __init__(self) -> None:
        self.clock = FakeClock()
        self.off = timedelta(0)
        self.failures = 0
        self.store = InMemoryStore()
        self.proved: list[datetime] = []
        self.timer = self.begin()

    def begin(self) -> AttentiveTimer:
        """Begin a process."""
        self.timer = AttentiveTimer(ClockTimer(clock=self), self, self)
        self.timer.follow(self.proved.append)
        return self.timer

    def now(self) -> datetime:
        return self.clock.now() + self.off

    def monotonic(self) -> float:
        return self.clock.monotonic()

    async def sleep(self, seconds: float) -> None:
        await self.clock.sleep(seconds)

    async def attend(
        self, since: datetime, *, at: datetime, unproved_since: datetime | None = None
    ) -> Stretches:
        if self.failures:
            self.failures -= 1
            raise StoreError("the disk is full")
        return await self.store.attend(since, at=at, unproved_since=unproved_since)

    async def stretches(self) -> Stretches:
        return await self.store.stretches()


@pytest.mark.parametrize("check", TIMER_CHECKS, ids=lambda check: check.__name__)
async def test_it_is_a_timer(check: Check) -> None:
    clock = FakeClock()
    timer = AttentiveTimer(ClockTimer(clock=clock), InMemoryStore(), clock)
    await check(TimerSetting(timer=timer, clock=clock, let_pass=clock.advance))
    await timer.close()


@pytest.mark.parametrize(
    ("off", "is_jump"),
    [
        (YEAR, True),
        (-YEAR, True),
        (LONGEST_BREAK + SECOND, True),
        (LONGEST_BREAK, False),
        (-LONGEST_LEAD, False),
    ],
)
async def test_who_waits_is_woken_by_a_jump_alone(
    off: timedelta, is_jump: bool, supervisor: Supervisor, caplog: pytest.LogCaptureFixture
) -> None:
    world = World()
    supervisor.spawn("attendance", world.timer.run())
    waiting = asyncio.ensure_future(world.timer.wait_until(START + 3 * YEAR))
    await world.clock.advance(60)
    world.off = off
    await world.clock.advance(COMPARE_EVERY_S)

    assert is_jump == waiting.done()
    jumps = [vars(each)["by_s"] for each in caplog.records if each.message == "clock.jumped"]
    assert ([off.total_seconds()] if is_jump else []) == jumps
    waiting.cancel()


async def test_what_breaks_the_timer_reaches_who_waits() -> None:
    class Broken(ClockTimer):
        async def wait_until(self, moment: datetime) -> None:
            raise RuntimeError("a bug")

    clock = FakeClock()
    timer = AttentiveTimer(Broken(clock=clock), InMemoryStore(), clock)
    with pytest.raises(RuntimeError, match="a bug"):
        await timer.wait_until(START + YEAR)


async def test_while_the_store_fails_the_bot_is_there_all_the_same(
    supervisor: Supervisor, caplog: pytest.LogCaptureFixture
) -> None:
    """For days: the first look that succeeds makes up for those that did not."""
    world = World()
    supervisor.spawn("attendance", world.timer.run())
    await settle()
    world.failures = 24 * 5
    await world.clock.advance(LOOK_EVERY_S * (24 * 5 + 1))

    assert (Stretch(since=START, until=world.now()),) == await world.stretches()
    assert ["attendance.not_noted"] * 24 * 5 == caplog.messages


async def test_a_machine_that_was_asleep_was_not_there(supervisor: Supervisor) -> None:
    world = World()
    supervisor.spawn("attendance", world.timer.run())
    await world.clock.advance(LOOK_EVERY_S * 2)
    world.off = 3 * LONGEST_BREAK
    await world.clock.advance(COMPARE_EVERY_S)

    before, since = await world.stretches()
    assert (START, START + timedelta(seconds=LOOK_EVERY_S * 2)) == (before.since, before.until)
    assert (world.now() - timedelta(seconds=COMPARE_EVERY_S), world.now()) == (
        since.since,
        since.until,
    )


async def test_looks_at_the_same_time_note_each_moment_once() -> None:
    world = World()
    await world.clock.advance(LOOK_EVERY_S)
    known = await asyncio.gather(*(world.timer.look() for _ in range(5)))

    assert {(Stretch(since=START, until=world.now()),)} == set(known)


async def test_a_clock_behind_at_the_start_is_doubted_until_it_is_set(
    supervisor: Supervisor, caplog: pytest.LogCaptureFixture
) -> None:
    world = World()
    await world.store.attend(START, at=START)
    known = await world.stretches()
    world.off = -2 * LONGEST_BREAK
    supervisor.spawn("attendance", world.begin().run())
    await world.clock.advance(LOOK_EVERY_S - COMPARE_EVERY_S)
    assert (known, []) == (await world.stretches(), world.proved)

    world.off = timedelta(0)
    await world.clock.advance(LOOK_EVERY_S)
    assert (Stretch(since=START, until=world.now()),) == await world.timer.look()
    assert [] == world.proved
    await world.clock.advance(COMPARE_EVERY_S)
    assert [world.now() - BELIEVED_AFTER - MINUTE] == world.proved
    events = [(each.message, vars(each).get("behind_s")) for each in caplog.records]
    behind_s = 2 * LONGEST_BREAK.total_seconds()
    assert [("clock.doubted", behind_s), ("clock.jumped", None)] == events


async def test_one_that_keeps_its_time_for_an_hour_is_believed(supervisor: Supervisor) -> None:
    """It was ahead before; and who follows is told once."""
    world = World()
    await world.store.attend(START + YEAR, at=START + YEAR)
    supervisor.spawn("attendance", world.begin().run())
    await world.clock.advance(BELIEVED_AFTER.total_seconds() - 1)
    assert START + YEAR == (await world.stretches())[-1].until

    await world.clock.advance(1 + 3 * LOOK_EVERY_S)
    assert ((Stretch(since=START, until=world.now()),), [START]) == (
        await world.stretches(),
        world.proved,
    )


async def test_one_older_than_the_bot_is_never_believed(supervisor: Supervisor) -> None:
    world = World()
    world.off = -YEAR
    supervisor.spawn("attendance", world.begin().run())
    await world.clock.advance(5 * LOOK_EVERY_S)

    assert ((), []) == (await world.stretches(), world.proved)


async def test_a_clock_ahead_for_minutes_is_noticed(supervisor: Supervisor) -> None:
    """And what it noted meanwhile is set right, once the right one has proved it."""
    world = World()
    supervisor.spawn("attendance", world.timer.run())
    await world.clock.advance(LOOK_EVERY_S / 2)
    world.off = YEAR
    await world.clock.advance(5 * COMPARE_EVERY_S)
    event = Received(inbound=message(1), route="none")
    await world.store.receive((event,), cursor=None, at=world.now())
    world.off = timedelta(0)
    await world.clock.advance(LOOK_EVERY_S + COMPARE_EVERY_S)

    assert (Stretch(since=START, until=world.now()),) == await world.timer.look()
    assert 1 == await world.store.prune(world.now() + SECOND)
