"""How often: a few plain forms, as cron expressions and as words for people.

The law of this file: no form comes more often than :data:`~bot.core.reminders.moments.SHORTEST_GAP`
and none is read in two ways; what cron cannot say (every second week) is refused in words.
"""

from __future__ import annotations

import re
from datetime import datetime

from bot.core.reminders.moments import WEEKDAYS
from bot.core.reminders.values import Rhythm
from bot.errors import ToolError
from bot.languages import gettext, gettext_noop, speaking
from bot.languages.rows import all_of, in_a_row

REPEATS = gettext_noop(
    "daily, weekdays, weekends, weekly, monthly, yearly, hourly, names of days (monday, friday), "
    "every 15, 20 or 30 minutes, or every 2, 3, 4, 6, 8 or 12 hours"
)
"""All forms, as they are told to people and models."""

TOO_OFTEN = gettext_noop("Nothing is repeated more often than every 15 minutes.")

_DAY_BEGINS = tuple(day[:3].lower() for day in WEEKDAYS)
_DAY_NAME = re.compile(r"(sun|mon|tues?|wed(?:nes)?|thu(?:rs?)?|fri|sat(?:ur)?)(?:day)?s?")
_BETWEEN_DAYS = re.compile(r"\s*(?:,|\band\b|&|\s)\s*")
_EVERY_SO_MANY = re.compile(r"(\d{1,4}) ?(minutes?|mins?|hours?|h)")
_PARTS_OF_HOUR = (15, 20, 30)
_PARTS_OF_DAY = (2, 3, 4, 6, 8, 12)

_ENDINGS = {1: "st", 2: "nd", 3: "rd", 21: "st", 22: "nd", 23: "rd", 31: "st"}
_ON_DAYS = {
    "st": gettext_noop("every month on the {day}st"),
    "nd": gettext_noop("every month on the {day}nd"),
    "rd": gettext_noop("every month on the {day}rd"),
    "th": gettext_noop("every month on the {day}th"),
}
_ON_LATE_DAYS = {
    "st": gettext_noop("every month on the {day}st (in months that have one)"),
    "th": gettext_noop("every month on the {day}th (in months that have one)"),
}


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
            return _rhythm(f"{at} * * *")
        case "weekday" | "weekdays" | "workday" | "workdays":
            return _rhythm(f"{at} * * 1-5")
        case "weekend" | "weekends":
            return _rhythm(f"{at} * * 0,6")
        case "week" | "weekly":
            return _rhythm(f"{at} * * {local.isoweekday() % 7}")
        case "month" | "monthly":
            return _rhythm(f"{at} {local.day} * *")
        case "year" | "yearly" | "annually":
            return _rhythm(f"{at} {local.day} {local.month} *")
        case "hour" | "hourly":
            return _rhythm(f"{local.minute} * * * *")
    if (found := _EVERY_SO_MANY.fullmatch(text)) is not None:
        return _every_so_many(int(found[1]), found[2], local)
    return _rhythm(f"{at} * * {_listed(_days_named(text, repeat))}")


def how_often(rhythm: Rhythm) -> str:
    """Say how often something is due, in the language that is spoken, behind a moment."""
    minutes, hours, day, month, weekdays = rhythm.cron.split()
    if hours == "*":
        times = 1 + minutes.count(",")
        every_hour = gettext("every hour")
        return every_hour if times == 1 else gettext("every {count} minutes", count=60 // times)
    if "," in hours:
        return gettext("every {count} hours", count=24 // (1 + hours.count(",")))
    if month != "*":
        return gettext("every year")
    if day != "*":
        return _every_month(int(day))
    if weekdays == "*":
        return gettext("every day")
    return gettext("every weekday") if weekdays == "1-5" else _every_week(weekdays)


def _rhythm(cron: str) -> Rhythm:
    with speaking("en"):  # its words are kept, and read by the model
        return Rhythm(words=how_often(Rhythm(words="", cron=cron)), cron=cron)


def _every_so_many(number: int, unit: str, local: datetime) -> Rhythm:
    if unit.startswith("m"):
        if number == 60:
            return _rhythm(f"{local.minute} * * * *")
        if number < _PARTS_OF_HOUR[0]:
            raise ToolError(gettext(TOO_OFTEN))
        if number not in _PARTS_OF_HOUR:
            raise _not_understood(f"{number} {unit}")
        minutes = sorted((local.minute + step) % 60 for step in range(0, 60, number))
        return _rhythm(f"{_listed(minutes)} * * * *")
    if number == 1:
        return _rhythm(f"{local.minute} * * * *")
    if number == 24:
        return _rhythm(f"{local.minute} {local.hour} * * *")
    if number not in _PARTS_OF_DAY:
        raise _not_understood(f"{number} {unit}")
    hours = sorted((local.hour + step) % 24 for step in range(0, 24, number))
    return _rhythm(f"{local.minute} {_listed(hours)} * * *")


def _every_month(day: int) -> str:
    phrases = _ON_LATE_DAYS if day > 28 else _ON_DAYS
    return gettext(phrases[_ENDINGS.get(day, "th")], day=day)


def _days_named(text: str, repeat: str) -> tuple[int, ...]:
    names = [name for name in _BETWEEN_DAYS.split(text) if name]
    if not names or not all(_DAY_NAME.fullmatch(name) for name in names):
        raise _not_understood(repeat)
    return tuple(sorted({_DAY_BEGINS.index(name[:3]) for name in names}))


def _every_week(weekdays: str) -> str:
    # People's weeks end with the Sunday.
    days = sorted(map(int, weekdays.split(",")), key=lambda day: day or 7)
    *names, last = (gettext(WEEKDAYS[day]) for day in days)
    return gettext("every {days}", days=all_of((in_a_row(names), last)) if names else last)


def _listed(numbers: list[int] | tuple[int, ...]) -> str:
    return ",".join(map(str, numbers))


def _not_understood(repeat: str) -> ToolError:
    return ToolError(
        gettext(
            "{repeat} is no rhythm I know. Possible are: {repeats}.",
            repeat=repr(repeat[:40]),
            repeats=gettext(REPEATS),
        )
    )
