"""Moments of cron expressions, by cronsim: right on days of 23 and 25 hours too."""

from __future__ import annotations

from datetime import UTC, datetime, tzinfo

from cronsim import CronSim


class CronCalendar:
    """A :class:`~bot.ports.Calendar`.

    All is compared in UTC: two local times of one zone compare by what the clock on the wall shows,
    and an hour that it shows twice would be no time at all.
    """

    def next_after(self, expression: str, moment: datetime, zone: tzinfo) -> datetime:
        """Give the first moment of a schedule behind another, in UTC."""
        moments = CronSim(expression, moment.astimezone(zone))
        # In the second showing of an hour cronsim begins with moments of the first.
        return next(each for each in map(_in_utc, moments) if each > moment)

    def last_until(self, expression: str, moment: datetime, zone: tzinfo) -> datetime:
        """Give the newest moment of a schedule that is not behind another, in UTC."""
        backwards = CronSim(expression, moment.astimezone(zone), reverse=True)
        newest = next(each for each in map(_in_utc, backwards) if each <= moment)
        # Backwards it passes over a moment at the very time, and those of a gap or a fold.
        while (following := self.next_after(expression, newest, zone)) <= moment:
            newest = following
        return newest


def _in_utc(moment: datetime) -> datetime:
    return moment.astimezone(UTC)
