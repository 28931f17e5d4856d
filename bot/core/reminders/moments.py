"""When something is due: local times on days of 23 and 25 hours too, and what was slept through.

The law of this file: a local time that the clock does not show is the moment at which the clock is
put forward, one that it shows twice is the first of both; as with schedules
(:class:`~bot.ports.Calendar`).
"""

from __future__ import annotations

from datetime import UTC, datetime, timedelta, tzinfo

from bot.core.reminders.values import Reminder
from bot.core.zone_names import zone_in_words
from bot.errors import ToolError
from bot.languages import gettext, gettext_noop

SHORTEST_GAP = timedelta(minutes=15)
"""Nothing is due again sooner: what comes more often is no reminder, and a scheduled prompt costs
money each time."""

FARTHEST = timedelta(days=5 * 365 + 2)

LATE_AFTER = timedelta(minutes=5)
"""Told later than that, it is said when it was due."""

WEEKDAYS = (
    gettext_noop("Sunday"),
    gettext_noop("Monday"),
    gettext_noop("Tuesday"),
    gettext_noop("Wednesday"),
    gettext_noop("Thursday"),
    gettext_noop("Friday"),
    gettext_noop("Saturday"),
)
"""In the order of cron."""

_ON_WEEKDAYS = (
    gettext_noop("Sunday, {date} {time}"),
    gettext_noop("Monday, {date} {time}"),
    gettext_noop("Tuesday, {date} {time}"),
    gettext_noop("Wednesday, {date} {time}"),
    gettext_noop("Thursday, {date} {time}"),
    gettext_noop("Friday, {date} {time}"),
    gettext_noop("Saturday, {date} {time}"),
)
"""Moments likewise: beside a date, other languages have other names for the days."""

_SECOND = timedelta(seconds=1)


def moment_in_words(moment: datetime, zone: tzinfo) -> str:
    """Write a moment with its weekday, as a clock of a zone shows it."""
    local = moment.astimezone(zone)
    on_weekday = _ON_WEEKDAYS[local.isoweekday() % 7]
    return gettext(on_weekday, date=local.date(), time=local.strftime("%H:%M"))


def moment_with_zone(moment: datetime, zone: tzinfo) -> str:
    """Write a moment so that people of other zones know it, too."""
    return gettext(
        "{moment} ({zone})", moment=moment_in_words(moment, zone), zone=zone_in_words(zone)
    )


def read_local(text: str) -> datetime:
    """Read an ISO 8601 local time; one with an offset stays zone-aware.

    Raises:
        ToolError: It is none.
    """
    try:
        return datetime.fromisoformat(text.strip())
    except ValueError as error:
        raise ToolError(
            f"{text[:40]!r} is no moment. Give the person's local date and time as "
            "YYYY-MM-DDTHH:MM."
        ) from error


def local_moment(local: datetime, zone: tzinfo) -> datetime:
    """Give the moment, in UTC, at which the clock of a zone shows a local time.

    Args:
        local: Without a zone; one that has an offset says its moment by itself.
        zone: Whose clock is meant.

    Raises:
        ToolError: It is so near the end of time that no zone can tell it.
    """
    try:
        if local.tzinfo is not None:
            return local.astimezone(UTC)
        before = local.replace(tzinfo=zone, fold=0).astimezone(UTC)
        if before.astimezone(zone).replace(tzinfo=None) == local.replace(fold=0):
            return before
        after = local.replace(tzinfo=zone, fold=1).astimezone(UTC)
    except (OverflowError, ValueError) as error:
        raise ToolError(
            gettext("{moment} is no moment that can be waited for.", moment=local.isoformat())
        ) from error
    return _put_forward(after, before, zone)


def require_in_reach(due_at: datetime, now: datetime, zone: tzinfo) -> None:
    """See that a moment is to come, and not too far ahead.

    Raises:
        ToolError: It is not; the text says what time it is there.
    """
    local = moment_with_zone(now, zone)
    if due_at <= now:
        raise ToolError(gettext("That moment is past: it is {now}.", now=local))
    if due_at - now > FARTHEST:
        raise ToolError(gettext("That is more than five years ahead: it is {now}.", now=local))


def is_late(slot: datetime, now: datetime) -> bool:
    """Say whether something that was due is told so late that this has to be said."""
    return now - slot > LATE_AFTER


def due_slot(reminder: Reminder, newest: datetime | None) -> datetime:
    """Say which moment of a reminder that is due is seen to now.

    Args:
        reminder: One that is due.
        newest: The newest moment of its rhythm that is not ahead; None for once only. However many
            were slept through before it, it stands for all of them.
    """
    return reminder.due_at if newest is None else max(reminder.due_at, newest)


def was_passed(reminder: Reminder, slot: datetime, now: datetime) -> bool:
    """Say whether a moment was seen to before a clock that was behind made it due once more.

    What was seen to at a time still to come was by a clock that was ahead, and does not count.
    """
    passed_at = reminder.passed_at
    return passed_at is not None and slot <= passed_at <= now


def _put_forward(low: datetime, high: datetime, zone: tzinfo) -> datetime:
    """Find the whole second between two moments at which the clock of a zone is put forward."""
    begin = low.replace(microsecond=0)
    old = begin.astimezone(zone).utcoffset()
    before, behind = 0, int((high - begin) / _SECOND) + 1
    while behind - before > 1:
        middle = (before + behind) // 2
        is_old = (begin + middle * _SECOND).astimezone(zone).utcoffset() == old
        before, behind = (middle, behind) if is_old else (before, middle)
    return begin + behind * _SECOND
