"""What people write behind ``/remind``: a small strict grammar, read once from left to right.

``[me] WHEN [to] TEXT``, where a text that begins with ``prompt:`` is asked of the model. What does
not fit is refused with :data:`USAGE`, never guessed: what is said freely, the model understands.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import date, datetime, time, timedelta

from bot.core.reminders.values import ReminderKind
from bot.errors import ToolError

USAGE = (
    "Write `/remind WHEN WHAT`, for example:\n\n"
    "- `/remind in 20 minutes take the bread out`\n"
    "- `/remind 18:30 water the plants`\n"
    "- `/remind tomorrow 9:00 call Ann`\n"
    "- `/remind friday at 9am send the report`\n"
    "- `/remind 2027-03-01 10:00 renew the passport`\n"
    "- `/remind every weekday 8:00 stand up`\n"
    "- `/remind every monday, friday 8:00 prompt: summarise my open tasks`"
)

_SPAN = re.compile(r"in (\d{1,5}|an?) ?(minutes?|mins?|hours?|h|days?|weeks?)\s+", re.IGNORECASE)
_EVERY = re.compile(
    r"(?:every|each) (?P<repeat>.+?) (?=(?:at )?\d{1,2}(?::\d\d| ?[ap]m\b)|at \d)", re.IGNORECASE
)
_EVERY_SO_MANY = re.compile(
    r"(?:every|each) (?P<repeat>\d{1,4} ?(?:minutes?|mins?|hours?|h)|hour)\s+", re.IGNORECASE
)
_TIME = re.compile(
    r"(?:(?P<at>at )?(?P<hour>\d{1,2})(?::(?P<minute>\d\d))? ?(?P<half>am|pm)?)(?=\s|$)\s*",
    re.IGNORECASE,
)
_DAY = re.compile(
    r"(?:on )?(?P<day>today|tomorrow|\d{4}-\d\d-\d\d"
    r"|(?:next )?(?:mon|tues|wednes|thurs|fri|satur|sun)day)(?=\s|$)\s*",
    re.IGNORECASE,
)
_BEFORE_TEXT = re.compile(r"to(?:\s+|$)", re.IGNORECASE)
_PROMPT = re.compile(r"prompt:\s*", re.IGNORECASE)
_ME = re.compile(r"me\s+", re.IGNORECASE)
_WEEKDAYS = ("mon", "tue", "wed", "thu", "fri", "sat", "sun")
_SECONDS = {"m": 60, "h": 3_600, "d": 86_400, "w": 7 * 86_400}


@dataclass(frozen=True, slots=True, kw_only=True)
class ReminderWish:
    """What somebody wants to be reminded of, or asked of the model.

    Attributes:
        local: When it is due, on the clock of whose wish it is; zone-aware where it says itself on
            which clock. With ``repeat`` it is due from then on.
        after: How long from now it is due, in the place of ``local``.
        repeat: For :func:`~bot.core.reminders.rhythm_of`; empty for once.
    """

    text: str
    kind: ReminderKind
    local: datetime
    after: timedelta | None = None
    repeat: str = ""


def read_remind(arguments: str, now: datetime) -> ReminderWish:
    """Read what stands behind ``/remind``.

    Args:
        arguments: As it was written.
        now: The local time of who wrote, without its zone.

    Raises:
        ToolError: It cannot be read; the text says what can.
    """
    rest = _without(_ME, re.sub(r"[ \t]+", " ", arguments.strip()))
    if (span := _SPAN.match(rest)) is not None:
        after = _span(span[1], span[2])
        return _asked(rest[span.end() :], now, after=after)
    if (every := _EVERY_SO_MANY.match(rest)) is not None:
        local = now.replace(second=0, microsecond=0) + timedelta(minutes=1)
        return _asked(rest[every.end() :], local, repeat=every["repeat"])
    if (every := _EVERY.match(rest)) is not None:
        at, rest = _time(rest[every.end() :])
        return _asked(rest, _next(at, now), repeat=every["repeat"])
    day = _DAY.match(rest)
    if day is None:
        at, rest = _time(rest)
        return _asked(rest, _next(at, now))
    at, rest = _time(rest[day.end() :])
    return _asked(rest, _on(day["day"].lower(), at, now))


def _asked(
    rest: str, local: datetime, *, after: timedelta | None = None, repeat: str = ""
) -> ReminderWish:
    text = _without(_BEFORE_TEXT, rest.strip())
    prompt = _PROMPT.match(text)
    text = text if prompt is None else text[prompt.end() :]
    if not text.strip():
        raise ToolError(USAGE)
    kind: ReminderKind = "words" if prompt is None else "prompt"
    return ReminderWish(text=text.strip(), kind=kind, local=local, after=after, repeat=repeat)


def _time(rest: str) -> tuple[time, str]:
    """Read a time of the day; a bare number is one behind ``at`` alone."""
    found = _TIME.match(rest)
    if found is None or not (found["at"] or found["minute"] or found["half"]):
        raise ToolError(USAGE)
    hour, minute, half = int(found["hour"]), int(found["minute"] or 0), found["half"]
    if half is not None:
        if not 1 <= hour <= 12:
            raise ToolError(USAGE)
        hour = hour % 12 + (12 if half.lower() == "pm" else 0)
    if hour > 23 or minute > 59:
        raise ToolError(USAGE)
    return time(hour, minute), rest[found.end() :]


def _span(number: str, unit: str) -> timedelta:
    count = int(number) if number.isdigit() else 1
    return timedelta(seconds=count * _SECONDS[unit[0].lower()])


def _next(at: time, now: datetime) -> datetime:
    """Give the next moment at which the clock shows a time."""
    local = datetime.combine(now.date(), at)
    return local if local > now else local + timedelta(days=1)


def _on(day: str, at: time, now: datetime) -> datetime:
    match day:
        case "today":
            return datetime.combine(now.date(), at)
        case "tomorrow":
            return datetime.combine(now.date() + timedelta(days=1), at)
    if day[0].isdigit():
        try:
            return datetime.combine(date.fromisoformat(day), at)
        except ValueError as error:
            raise ToolError(f"There is no {day}.") from error
    wanted = _WEEKDAYS.index(day.removeprefix("next ")[:3])
    ahead = (wanted - now.weekday()) % 7
    local = datetime.combine(now.date() + timedelta(days=ahead), at)
    return local if local > now else local + timedelta(days=7)


def _without(beginning: re.Pattern[str], text: str) -> str:
    found = beginning.match(text)
    return text if found is None else text[found.end() :]
