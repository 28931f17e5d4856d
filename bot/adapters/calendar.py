"""Moments of cron expressions, by cronsim: right on days of 23 and 25 hours too."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime, tzinfo

from cronsim import CronSim, CronSimError


class CronCalendar:
    """A :class:`~bot.ports.Calendar`.

    All is compared in UTC: two local times of one zone compare by what the clock on the wall shows,
    and an hour that it shows twice would be no time at all.
    """

    def next_after(self, expression: str, moment: datetime, zone: tzinfo) -> datetime:
        """Give the first moment of a schedule behind another, in UTC."""
        # In the second showing of an hour cronsim begins with moments of the first.
        return _first(expression, moment.astimezone(zone), lambda each: each > moment)

    def last_until(self, expression: str, moment: datetime, zone: tzinfo) -> datetime:
        """Give the newest moment of a schedule that is not behind another, in UTC."""
        local = moment.astimezone(zone)
        newest = _first(expression, local, lambda each: each <= moment, is_backwards=True)
        # Backwards it passes over a moment at the very time, and those of a gap or a fold.
        while (following := self.next_after(expression, newest, zone)) <= moment:
            newest = following
        return newest


def _first(
    expression: str,
    local: datetime,
    is_meant: Callable[[datetime], bool],
    *,
    is_backwards: bool = False,
) -> datetime:
    try:
        moments = CronSim(expression, local, reverse=is_backwards)
        return next(filter(is_meant, map(_in_utc, moments)))
    except (CronSimError, StopIteration) as error:
        raise ValueError(f"no schedule, or one without moments: {expression!r}") from error


def _in_utc(moment: datetime) -> datetime:
    return moment.astimezone(UTC)
