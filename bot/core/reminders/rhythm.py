"""How often: a few plain forms, as words and as cron expressions.

The law of this file: no form comes more often than :data:`~bot.core.reminders.moments.SHORTEST_GAP`
and none is read in two ways; what cron cannot say (every second week) is refused in words.
"""

from __future__ import annotations

import re
from datetime import datetime

from bot.core.reminders.values import Rhythm
from bot.errors import ToolError

REPEATS = (
    "daily, weekdays, weekends, weekly, monthly, yearly, hourly, names of days (monday, friday), "
    "every 15, 20 or 30 minutes, or every 2, 3, 4, 6, 8 or 12 hours"
)
"""All forms, as they are told to people and models."""

TOO_OFTEN = "Nothing is repeated more often than every 15 minutes."

_DAYS = ("Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday")
"""In the order of cron."""

_DAY_BEGINS = tuple(day[:3].lower() for day in _DAYS)
_DAY_NAME = re.compile(r"(sun|mon|tues?|wed(?:nes)?|thu(?:rs?)?|fri|sat(?:ur)?)(?:day)?s?")
_BETWEEN_DAYS = re.compile(r"\s*(?:,|\band\b|&|\s)\s*")
_EVERY_SO_MANY = re.compile(r"(\d{1,4}) ?(minutes?|mins?|hours?|h)")
_PARTS_OF_HOUR = (15, 20, 30)
_PARTS_OF_DAY = (2, 3, 4, 6, 8, 12)

_ENDINGS = {1: "st", 2: "nd", 3: "rd", 21: "st", 22: "nd", 23: "rd", 31: "st"}


def rhythm_of(repeat: str, local: datetime) -> Rhythm | None:
    """Read how often something is due, None for once.

    Args:
        repeat: One of :data:`REPEATS`, with or without ``every`` before it; empty for once.
        local: A local time at which it is due, which says what ``repeat`` leaves open.

    Raises:
        ToolError: It is none of these; the text lists them.
    """
    text = " ".join(repeat.lower().replace(".", " ").split())
    text = re.sub(r"^(every|each) ", "", text)
    if not text or text == "once":
        return None
    at = f"{local.minute} {local.hour}"
    match text:
        case "day" | "daily":
            return Rhythm(words="every day", cron=f"{at} * * *")
        case "weekday" | "weekdays" | "workday" | "workdays":
            return Rhythm(words="every weekday", cron=f"{at} * * 1-5")
        case "weekend" | "weekends":
            return Rhythm(words="every Saturday and Sunday", cron=f"{at} * * 0,6")
        case "week" | "weekly":
            return _on_days((local.isoweekday() % 7,), at)
        case "month" | "monthly":
            return _monthly(local, at)
        case "year" | "yearly" | "annually":
            return Rhythm(words="every year", cron=f"{at} {local.day} {local.month} *")
        case "hour" | "hourly":
            return Rhythm(words="every hour", cron=f"{local.minute} * * * *")
    if (found := _EVERY_SO_MANY.fullmatch(text)) is not None:
        return _every_so_many(int(found[1]), found[2], local)
    return _on_days(_days_named(text, repeat), at)


def _every_so_many(number: int, unit: str, local: datetime) -> Rhythm:
    if unit.startswith("m"):
        if number == 60:
            return Rhythm(words="every hour", cron=f"{local.minute} * * * *")
        if number < _PARTS_OF_HOUR[0]:
            raise ToolError(TOO_OFTEN)
        if number not in _PARTS_OF_HOUR:
            raise _not_understood(f"{number} {unit}")
        minutes = sorted((local.minute + step) % 60 for step in range(0, 60, number))
        return Rhythm(words=f"every {number} minutes", cron=f"{_listed(minutes)} * * * *")
    if number == 1:
        return Rhythm(words="every hour", cron=f"{local.minute} * * * *")
    if number == 24:
        return Rhythm(words="every day", cron=f"{local.minute} {local.hour} * * *")
    if number not in _PARTS_OF_DAY:
        raise _not_understood(f"{number} {unit}")
    hours = sorted((local.hour + step) % 24 for step in range(0, 24, number))
    return Rhythm(words=f"every {number} hours", cron=f"{local.minute} {_listed(hours)} * * *")


def _monthly(local: datetime, at: str) -> Rhythm:
    ending = _ENDINGS.get(local.day, "th")
    words = f"every month on the {local.day}{ending}"
    if local.day > 28:
        words += " (in months that have one)"
    return Rhythm(words=words, cron=f"{at} {local.day} * *")


def _days_named(text: str, repeat: str) -> tuple[int, ...]:
    names = [name for name in _BETWEEN_DAYS.split(text) if name]
    if not names or not all(_DAY_NAME.fullmatch(name) for name in names):
        raise _not_understood(repeat)
    return tuple(sorted({_DAY_BEGINS.index(name[:3]) for name in names}))


def _on_days(days: tuple[int, ...], at: str) -> Rhythm:
    # People's weeks end with the Sunday.
    names = [_DAYS[day] for day in sorted(days, key=lambda day: day or 7)]
    joined = names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"
    return Rhythm(words=f"every {joined}", cron=f"{at} * * {_listed(days)}")


def _listed(numbers: list[int] | tuple[int, ...]) -> str:
    return ",".join(map(str, numbers))


def _not_understood(repeat: str) -> ToolError:
    return ToolError(f"{repeat[:40]!r} is no rhythm I know. Possible are: {REPEATS}.")
