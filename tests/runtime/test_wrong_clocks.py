"""A few wrong minutes of a clock, either way, cost at most those minutes."""

import asyncio
from dataclasses import dataclass, field
from datetime import datetime, timedelta

from hypothesis import event, given, settings
from hypothesis import strategies as st

from bot.core.attendance import BELIEVED_AFTER, attended_since
from bot.core.lifecycle import Received
from bot.runtime.attendance import COMPARE_EVERY_S, LOOK_EVERY_S, AttentiveTimer
from bot.runtime.jobs import ClockTimer
from bot.testing.clock import START
from bot.testing.store import InMemoryStore
from bot.testing.stores.given import message

MONTH = timedelta(days=30)
MINUTE, HOUR, DAY = timedelta(seconds=COMPARE_EVERY_S), timedelta(hours=1), timedelta(days=1)
BEGIN = START + 500 * DAY


@dataclass(frozen=True, slots=True, kw_only=True)
class Blip:
    """For so long the clock is off, after it was right for a while; what begins with a start?"""

    right_for: timedelta
    off: timedelta
    lasting: timedelta
    is_wrong_at_a_start: bool
    is_right_at_a_start: bool


@dataclass
class World:
    """A bot that is always there, and the clock of its machine.

    Attributes:
        real: The true time that has passed.
        off: By how much the clock on the wall is wrong.
        heard: When each event came in, truly.
        shown: Which moments a clock behind has shown again.
    """

    real: timedelta = timedelta(0)
    off: timedelta = timedelta(0)
    heard: list[timedelta] = field(default_factory=list)
    shown: list[tuple[timedelta, timedelta]] = field(default_factory=list)
    store: InMemoryStore = field(default_factory=InMemoryStore)

    def __post_init__(self) -> None:
        self.start()

    def start(self) -> None:
        """Begin a process, whatever became of the one before."""
        self.timer = AttentiveTimer(ClockTimer(clock=self), self.store, self)

    def now(self) -> datetime:
        return BEGIN + self.real + self.off

    def monotonic(self) -> float:
        return self.real.total_seconds()

    async def sleep(self, seconds: float) -> None:
        raise AssertionError("nobody waits here")

    async def hears(self) -> None:
        """Let an event come in."""
        await self.brings(len(self.heard))
        self.heard.append(self.real)

    async def brings(self, number: int) -> bool:
        """Let the platform bring an event, perhaps again, and say whether it was new."""
        brought = Received(inbound=message(number), route="none")
        (is_new,) = await self.store.receive((brought,), cursor=None, at=self.now())
        return is_new

    async def passes(self, duration: timedelta, step: timedelta) -> None:
        """Let time pass; the clocks are compared at each step."""
        await self.timer.compare()
        while duration > timedelta(0):
            self.real += min(step, duration)
            duration -= step
            await self.timer.compare()

    async def live(self, blip: Blip) -> None:
        """Let it be right for a while, then wrong, then right."""
        await self.hears()
        await self.passes(blip.right_for, timedelta(seconds=LOOK_EVERY_S))
        self.off = blip.off
        self.shown.append((self.real + blip.off, self.real + blip.off + blip.lasting))
        if blip.is_wrong_at_a_start:
            self.start()
        await self.passes(blip.lasting / 2, MINUTE)
        await self.hears()
        await self.passes(blip.lasting / 2, MINUTE)
        self.off = timedelta(0)
        if blip.is_right_at_a_start:
            self.start()
        await self.passes(BELIEVED_AFTER, MINUTE)

    async def prune(self) -> list[bool]:
        """Let go by age what does, and say of each event whether it went."""
        await self.store.prune(attended_since(await self.timer.look(), MONTH))
        return [await self.brings(number) for number in range(len(self.heard))]

    def is_shown_again(self, moment: timedelta) -> bool:
        """Say whether a clock behind took a moment for its own: what is of then is of now, too."""
        nearly = BELIEVED_AFTER + 2 * MINUTE
        return any(since - nearly <= moment <= until + nearly for since, until in self.shown)


OFFS = st.integers(2, 400).map(lambda days: days * DAY)
BLIPS = st.builds(
    Blip,
    right_for=st.integers(0, 15 * 24).map(lambda hours: hours * HOUR),
    off=st.one_of(OFFS, OFFS.map(lambda off: -off)),
    lasting=st.integers(2, 25).map(lambda number: 2 * number * MINUTE),
    is_wrong_at_a_start=st.booleans(),
    is_right_at_a_start=st.booleans(),
)


@given(blips=st.lists(BLIPS, min_size=1, max_size=4), rest=st.integers(0, 40 * 24))
@settings(max_examples=60, deadline=None)
def test_a_few_wrong_minutes_cost_at_most_those_minutes(blips: list[Blip], rest: int) -> None:
    async def live() -> None:
        world = World()
        for blip in blips:
            await world.live(blip)
        await world.passes(rest * HOUR, timedelta(seconds=LOOK_EVERY_S))

        wrong = sum((blip.lasting for blip in blips), timedelta(0))
        gone = await world.prune()
        event(f"gone: {sum(gone)}")
        for at, is_gone in zip(world.heard, gone, strict=True):
            silent = world.real - at
            assert silent >= MONTH or not is_gone, (at, world)
            is_late = silent >= MONTH + wrong + BELIEVED_AFTER
            assert is_gone or not is_late or world.is_shown_again(at), (at, world)

    asyncio.run(live())


async def test_one_that_is_wrong_for_hours_is_believed_and_age_begins_anew() -> None:
    world = World()
    await world.hears()
    await world.passes(20 * DAY, HOUR)
    world.off = -100 * DAY
    await world.passes(3 * HOUR, MINUTE)
    world.off = timedelta(0)
    await world.passes(20 * DAY, HOUR)
    assert [False] == await world.prune()
    await world.passes(10 * DAY, HOUR)
    assert [True] == await world.prune()
