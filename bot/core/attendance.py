"""When the bot was there, so that nobody's silence is counted while nobody could hear them.

The law of this file: whatever goes by age goes by the time that the bot saw pass, not by the
calendar. A machine that was off, a backup that was put back, and a clock that was ahead are one
thing to it: a part of the calendar in which the bot was not there. A clock that shows less than
before is wrong now, or was ahead then: which of the two, is taken for known once it keeps it up.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

LONGEST_BREAK = timedelta(days=1)
"""A break that is no longer counts as being there: platforms keep for a day what is written
meanwhile (Telegram says 24 hours), and no restart is to make a stretch of its own."""

BELIEVED_AFTER = timedelta(hours=1)
"""A clock that kept its time for so long has proved right, whatever was shown before. Without a
battery it shows a year long over until the network sets it, which takes minutes."""

OLDEST_RIGHT = datetime(2026, 1, 1, tzinfo=UTC)
"""A clock that shows less never proves right: this was written later."""

NEVER = datetime(1970, 1, 1, tzinfo=UTC)
"""Before anything that the bot heard."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Stretch:
    """A part of the calendar, both ends included."""

    since: datetime
    until: datetime

    def __contains__(self, moment: datetime) -> bool:
        return self.since <= moment <= self.until


Stretches = tuple[Stretch, ...]
"""In which the bot was there, oldest first, none touching another."""


def attended(stretches: Stretches, since: datetime, at: datetime) -> Stretches:
    """Add that the bot was there from ``since`` until ``at``, which is this moment.

    What was noted of a time that is still to come was noted by a clock that was ahead: it goes. So
    the clock that shows ``at`` is one to believe (:func:`is_doubtful`).
    """
    earlier = list(stretches)
    while earlier and since - earlier[-1].until <= LONGEST_BREAK:
        since = min(since, earlier.pop().since)
    return (*earlier, Stretch(since=since, until=at))


def is_doubtful(stretches: Stretches, at: datetime) -> bool:
    """Say whether a clock that has not proved right yet shows too little to be believed at once.

    So does one that shows less than before by more than :data:`LONGEST_BREAK`.
    """
    newest = stretches[-1].until if stretches else NEVER
    return at < OLDEST_RIGHT or newest - at > LONGEST_BREAK


def time_attended(stretches: Stretches, since: datetime) -> timedelta:
    """Say for how long the bot has been there since a moment."""
    parts = (each.until - max(each.since, since) for each in stretches)
    return sum((part for part in parts if part > timedelta(0)), timedelta(0))


def attended_since(stretches: Stretches, duration: timedelta) -> datetime:
    """Say since when the bot has been there for so long; :data:`NEVER` if it has not.

    It was there for less than ``duration`` since any later moment.
    """
    left = duration
    for each in reversed(stretches):
        length = each.until - each.since
        if left <= length:
            return each.until - left
        left -= length
    return NEVER


def last_break(stretches: Stretches) -> Stretch | None:
    """Say from when until when the bot was away the last time, None for never."""
    if len(stretches) < 2:
        return None
    return Stretch(since=stretches[-2].until, until=stretches[-1].since)
