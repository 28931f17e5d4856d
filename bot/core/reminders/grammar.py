"""What people write behind ``/remind``: a small strict grammar, read once from left to right.

``[me] WHEN [to] TEXT``, where a text that begins with ``prompt:`` is asked of the model. What does
not fit is refused with a sentence and :data:`USAGE`, never guessed: what is said freely, the model
understands.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from datetime import date, datetime, time, timedelta

from bot.core.reminders.moments import FARTHEST
from bot.core.reminders.values import ReminderKind
from bot.errors import ToolError
from bot.languages import gettext, gettext_noop

USAGE = gettext_noop(
    "Write `/remind WHEN WHAT`, for example:\n\n"
    "- `/remind in 20 minutes take the bread out`\n"
    "- `/remind 18:30 water the plants`\n"
    "- `/remind tomorrow 9:00 call Ann`\n"
    "- `/remind friday at 9am send the report`\n"
    "- `/remind 2027-03-01 10:00 renew the passport`\n"
    "- `/remind every weekday 8:00 stand up`\n"
    "- `/remind every monday, friday 8:00 prompt: summarise my open tasks`"
)

NO_TIME = gettext_noop("Say at what time, too: `9:00`, `9am` or `at 9`.")
NO_MOMENT = gettext_noop("I cannot read when that is to be.")
NO_TEXT = gettext_noop("Say what it is about.")
TOO_FAR = gettext_noop("That is too far ahead: five years are the most.")

_SPAN = re.compile(
    r"in (\d+|an?) ?(minutes?|mins?|hours?|h|days?|weeks?)(?=\s|$)\s*", re.IGNORECASE
)
_MOST_DIGITS = 7
"""What has more is never in reach, and may be more than can be reckoned with."""

_EVERY = re.compile(
    r"(?:every|each) (?P<repeat>.+?) (?=(?:at )?\d{1,2}(?::\d\d| ?[ap]\.?m\b)|at \d)",
    re.IGNORECASE,
)
_EVERY_SO_MANY = re.compile(
    r"(?:every|each) (?P<repeat>\d{1,4} ?(?:minutes?|mins?|hours?|h)|hour)(?=\s|$)\s*",
    re.IGNORECASE,
)
_TIME = re.compile(
    r"(?:(?P<at>at )?(?P<hour>\d{1,2})(?::(?P<minute>\d\d))? ?(?P<half>[ap]m|[ap]\.m\.)?)"
    r"(?=\s|$)\s*",
    re.IGNORECASE,
)
_DAY = re.compile(
    r"(?:on )?(?P<day>today|tomorrow|\d{4}-\d\d-\d\d"
    r"|(?:next )?(?:mon|tues|wednes|thurs|fri|satur|sun)day)(?=\s|$)\s*",
    re.IGNORECASE,
)
_BEGINS_WITH_DAY = re.compile(r"(?:every|each) \w", re.IGNORECASE)
_BEFORE_TEXT = re.compile(r"to(?:\s+|$)", re.IGNORECASE)
_PROMPT = re.compile(r"prompt:\s*", re.IGNORECASE)
_ME = re.compile(r"me\s+", re.IGNORECASE)
_NARROW = {0xFF01 + i: 0x21 + i for i in range(94)} | {0x3000: 0x20}
"""Letters, digits, signs and the blank of a Chinese or Japanese keyboard, each one of ASCII, as
Unicode's NFKC has them; the rest of NFKC would change how long a text is."""

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
    written = re.sub(r"[ \t]+", " ", arguments.strip())
    wish = _read(_without(_ME, written.translate(_NARROW)), now)
    return replace(wish, text=written[-len(wish.text) :])  # as it stands there, at the end


def _read(rest: str, now: datetime) -> ReminderWish:
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
        at, rest = _time(rest, NO_TIME if _BEGINS_WITH_DAY.match(rest) else NO_MOMENT)
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
        raise _refusal(gettext(NO_TEXT))
    kind: ReminderKind = "words" if prompt is None else "prompt"
    return ReminderWish(text=text.strip(), kind=kind, local=local, after=after, repeat=repeat)


def _time(rest: str, without_one: str = NO_TIME) -> tuple[time, str]:
    """Read a time of the day; a bare number is one behind ``at`` alone."""
    found = _TIME.match(rest)
    if found is None or not (found["at"] or found["minute"] or found["half"]):
        raise _refusal(gettext(without_one))
    hour, minute, half = int(found["hour"]), int(found["minute"] or 0), found["half"]
    is_one = hour <= 23 if half is None else 1 <= hour <= 12
    if not is_one or minute > 59:
        shown = found[0].strip()
        raise _refusal(gettext("There is no time {time}.", time=shown))
    if half is not None:
        hour = hour % 12 + (12 if half[0] in "pP" else 0)
    return time(hour, minute), rest[found.end() :]


def _refusal(why: str) -> ToolError:
    """Say what is wrong, and then what can be written."""
    return ToolError(f"{why}\n\n{gettext(USAGE)}")


def _span(number: str, unit: str) -> timedelta:
    if len(number) > _MOST_DIGITS:
        raise _refusal(gettext(TOO_FAR))
    count = int(number) if number.isdigit() else 1
    after = timedelta(seconds=count * _SECONDS[unit[0].lower()])
    if after > FARTHEST:
        raise _refusal(gettext(TOO_FAR))
    return after


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
            raise ToolError(gettext("There is no {day}.", day=day)) from error
    wanted = _WEEKDAYS.index(day.removeprefix("next ")[:3])
    ahead = (wanted - now.weekday()) % 7
    local = datetime.combine(now.date() + timedelta(days=ahead), at)
    return local if local > now else local + timedelta(days=7)


def _without(beginning: re.Pattern[str], text: str) -> str:
    found = beginning.match(text)
    return text if found is None else text[found.end() :]
