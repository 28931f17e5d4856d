"""Silence is counted while the bot was there: whatever clocks and machines did meanwhile."""

from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from itertools import pairwise

from hypothesis import event, given, settings
from hypothesis import strategies as st

from bot.core.attendance import (
    LONGEST_BREAK,
    NEVER,
    Stretch,
    Stretches,
    attended,
    attended_since,
    last_break,
    time_attended,
)
from bot.core.schedule import LONGEST_LEAD

BEGIN = datetime(2026, 1, 5, 9, 0, tzinfo=UTC)
HOUR, DAY, YEAR = timedelta(hours=1), timedelta(days=1), timedelta(days=365)
MONTH = timedelta(days=30)
NOTED_EVERY = HOUR


@dataclass
class Chat:
    """A chat: when it was heard by the clock of then, and how long the bot has been there since."""

    heard_at: datetime
    silent: timedelta = timedelta(0)


@dataclass
class World:
    """A bot, its clock, and chats in which nobody writes.

    Attributes:
        real: The true time that has passed.
        off: By how much the clock on the wall is wrong.
    """

    real: timedelta = timedelta(0)
    off: timedelta = timedelta(0)
    chats: list[Chat] = field(default_factory=list)
    known: Stretches = ()

    @property
    def now(self) -> datetime:
        return BEGIN + self.real + self.off

    def runs(self, duration: timedelta) -> None:
        """Let the bot be there for so long; somebody new and somebody known write first."""
        self.note(timedelta(0))
        self.chats.append(Chat(heard_at=self.now))
        known = self.chats[0]
        known.heard_at, known.silent = max(known.heard_at, self.now), timedelta(0)
        while duration > timedelta(0):
            step = min(duration, NOTED_EVERY)
            duration -= step
            self.pass_with(step)
            self.note(step)

    def away(self, duration: timedelta, off: timedelta) -> None:
        """Let it be away, and the clock be set: what looks like a short break counts as one."""
        before = self.now
        self.real, self.off = self.real + duration, off
        if timedelta(0) < self.now - before <= LONGEST_BREAK:
            for chat in self.chats:
                chat.silent += self.now - before

    def pass_with(self, step: timedelta) -> None:
        self.real += step
        for chat in self.chats:
            chat.silent += step

    def note(self, step: timedelta) -> None:
        """Note that it was there, and set right what a clock ahead has left, as a store does."""
        before = self.known
        self.known = attended(self.known, self.now - step, self.now)
        if before and before[-1].until > self.now + LONGEST_LEAD:
            for chat in self.chats:
                if chat.heard_at > self.now + LONGEST_LEAD:
                    chat.heard_at = self.now


SPANS = st.integers(0, 40 * 24).map(lambda hours: hours * HOUR)
OFFS = st.one_of(st.integers(-130, 130), st.just(0)).map(lambda number: 3 * number * DAY)
STEPS = st.lists(st.tuples(SPANS, SPANS, OFFS), min_size=1, max_size=7)


@given(steps=STEPS)
@settings(max_examples=100, deadline=None)
def test_nobody_is_silent_for_longer_than_the_bot_was_there(
    steps: list[tuple[timedelta, timedelta, timedelta]],
) -> None:
    """Absences and clocks that are ahead or behind, for hours or weeks, in any order."""
    world = World()
    for running, absent, off in steps:
        world.runs(running)
        world.away(absent, off)

    world.note(timedelta(0))
    before = attended_since(world.known, MONTH)
    gone = [chat for chat in world.chats if chat.heard_at < before]
    event(f"removed: {min(len(gone), 3)}")
    assert all(chat.silent >= MONTH for chat in gone), (gone, world.known)


@given(steps=STEPS)
@settings(max_examples=50, deadline=None)
def test_whoever_is_silent_goes_once_the_bot_was_there_for_a_month(
    steps: list[tuple[timedelta, timedelta, timedelta]],
) -> None:
    """However long it was away before, and whatever clock was wrong, if it is right since."""
    world = World()
    for running, absent, off in steps:
        world.runs(running)
        world.away(absent, off)
    world.away(timedelta(0), timedelta(0))
    world.runs(MONTH + LONGEST_LEAD + 2 * HOUR)

    before = attended_since(world.known, MONTH)
    assert all(chat.heard_at < before for chat in world.chats)


@given(steps=STEPS)
@settings(max_examples=50, deadline=None)
def test_stretches_are_in_order_with_breaks_between_them(
    steps: list[tuple[timedelta, timedelta, timedelta]],
) -> None:
    world = World()
    for running, absent, off in steps:
        world.runs(running)
        world.away(absent, off)
        world.note(timedelta(0))

        assert world.known[-1].until == world.now
        assert all(each.since <= each.until for each in world.known)
        for earlier, later in pairwise(world.known):
            assert later.since - earlier.until > LONGEST_BREAK
        total = time_attended(world.known, NEVER)
        first = next((each for each in world.known if each.since < each.until), None)
        assert first is None or attended_since(world.known, total) == first.since
        assert attended_since(world.known, total + HOUR) == NEVER


def test_a_year_ahead_for_two_minutes_is_no_year_of_silence() -> None:
    there = attended((), BEGIN - 10 * DAY, BEGIN)
    ahead = attended(there, BEGIN + YEAR, BEGIN + YEAR + HOUR)
    back = attended(ahead, BEGIN + HOUR, BEGIN + HOUR)

    assert BEGIN - 9 * DAY == attended_since(ahead, 9 * DAY + HOUR)
    assert NEVER == attended_since(ahead, MONTH)
    assert (Stretch(since=BEGIN - 10 * DAY, until=BEGIN + HOUR),) == back


def test_the_last_break_is_told() -> None:
    there = attended((), BEGIN, BEGIN + HOUR)
    back = BEGIN + HOUR + LONGEST_BREAK

    assert last_break(()) is None
    assert last_break(attended(there, back, back)) is None
    later = back + timedelta(microseconds=1)
    expected = Stretch(since=BEGIN + HOUR, until=later)
    assert expected == last_break(attended(there, later, later))
