"""The time that a question names: *yesterday*, *in May 2023*, *on 2023-05-08*, *去年五月*."""

from __future__ import annotations

import re
from calendar import monthrange
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import date, timedelta


@dataclass(frozen=True, slots=True, kw_only=True)
class Days:
    """All days from ``first`` through ``last``."""

    first: date
    last: date


_MONTHS = {
    name: number
    for number, names in enumerate(
        (
            "january jan janvier januar enero janeiro gennaio января январе",
            "february feb février februar febrero fevereiro febbraio февраля феврале",
            "march mar mars märz marzo março марта марте",
            "april apr avril abril aprile апреля апреле",
            "may mai mayo maio maggio мая мае",
            "june jun juin juni junio junho giugno июня июне",
            "july jul juillet juli julio julho luglio июля июле",
            "august aug août agosto августа августе",
            "september sep sept septembre septiembre setembro settembre сентября сентябре",
            "october oct octobre oktober octubre outubro ottobre октября октябре",
            "november nov novembre noviembre novembro ноября ноябре",
            "december dec décembre dezember diciembre dezembro dicembre декабря декабре",
        ),
        start=1,
    )
    for name in names.split()
}
_MONTH = "|".join(sorted(_MONTHS, key=len, reverse=True))
_AMBIGUOUS = "may|mar|mai|mars|march|mae|sep|dec|jan|jun"
"""Also words or names: months only beside a day or a year."""

_WEEKDAYS = {
    "monday": 0,
    "tuesday": 1,
    "wednesday": 2,
    "thursday": 3,
    "friday": 4,
    "saturday": 5,
    "sunday": 6,
}

_CHINESE_NUMBER = re.compile(r"[十一二三四五六七八九]{1,3}(?=[月日号號])")
_CHINESE_DIGITS = {sign: value for value, sign in enumerate("一二三四五六七八九", start=1)}

_ISO = re.compile(r"\b(?P<year>\d{4})-(?P<month>\d\d?)(?:-(?P<day>\d\d?))?\b")
_EAST_ASIAN = re.compile(
    r"(?:(?P<year>\d{4})\s*[年년]\s*)?(?P<month>1[0-2]|0?[1-9])\s*[月월]"
    r"(?:\s*(?P<day>\d\d?)\s*[日号號일])?"
)
_DAY_FIRST = re.compile(
    rf"\b(?:(?P<day>\d\d?)(?:st|nd|rd|th)?\.?\s+(?:of\s+|de\s+)?)(?P<month>{_MONTH})\b\.?"
    rf"(?:,?\s+(?:of\s+|de\s+)?(?P<year>\d{{4}}))?"
)
_MONTH_FIRST = re.compile(
    rf"\b(?P<month>{_MONTH})\b\.?(?:\s+(?P<day>\d\d?)(?:st|nd|rd|th)?\b(?!:))?"
    rf"(?:,?\s+(?:of\s+|de\s+)?(?P<year>\d{{4}}))?"
)
_IN_MONTH = re.compile(rf"\b(?:in|during|since|last|this|en|im|em|в)\s+(?P<month>{_MONTH})\b")
_YEAR = re.compile(
    r"\b(?:in|during|of|en|im|em|в)\s+(?P<year>(?:19|20)\d\d)\b|(?P<east>\d{4})\s*[年년]"
)
_AGO = re.compile(
    r"\b(?P<many>\d{1,3}|a|an|one|two|three|four|five|six)\s+(?P<unit>day|week|month|year)s?\s+ago\b"
)
_LAST_WEEKDAY = re.compile(rf"\b(?:last|on|this)\s+(?P<weekday>{'|'.join(_WEEKDAYS)})\b")

_COUNTS = {"a": 1, "an": 1, "one": 1, "two": 2, "three": 3, "four": 4, "five": 5, "six": 6}


def days_in(text: str, today: date) -> Days | None:
    """Give the days that a text names, counted from ``today``; the first ones if several."""
    plain = _with_digits(text.lower())
    readers = (_named_date, _relative, _weekday, _ago, _year)
    try:
        return next((days for read in readers for days in read(plain, today)), None)
    except (ValueError, OverflowError):  # before the first day there is
        return None


def _with_digits(text: str) -> str:
    """Write the numbers of Chinese dates as digits: ``十二月三日`` becomes ``12月3日``."""

    def digits(found: re.Match[str]) -> str:
        tens, ten, ones = found[0].rpartition("十")
        value = _CHINESE_DIGITS.get(tens, 1) * 10 if ten else 0
        return str(value + _CHINESE_DIGITS.get(ones[:1], 0))

    return _CHINESE_NUMBER.sub(digits, text)


def _named_date(text: str, today: date) -> Iterator[Days]:
    for pattern in (_ISO, _EAST_ASIAN, _DAY_FIRST, _MONTH_FIRST, _IN_MONTH):
        for found in pattern.finditer(text):
            parts = found.groupdict()
            day, year, name = parts.get("day"), parts.get("year"), parts["month"]
            is_sure = day or year or pattern in (_EAST_ASIAN, _IN_MONTH)
            if not is_sure and re.fullmatch(_AMBIGUOUS, name):
                continue
            days = _span(
                int(year) if year else None,
                int(name) if name.isdigit() else _MONTHS[name],
                int(day) if day else None,
                today,
            )
            if days is not None:
                yield days


def _span(year: int | None, month: int, day: int | None, today: date) -> Days | None:
    """Give a month or a day of it; without a year, the newest one that has begun."""
    try:
        first = date(today.year if year is None else year, month, day or 1)
        if year is None and first > today:
            first = date(today.year - 1, month, day or 1)
    except ValueError:  # 31 February
        return None
    return Days(first=first, last=first) if day else _month_of(first)


def _words(*alternatives: str) -> re.Pattern[str]:
    """Match any of these; Latin and Cyrillic ones as whole words."""
    return re.compile(
        "|".join(rf"\b{each}\b" if each[0] < "\u0e00" else each for each in alternatives)
    )


_RELATIVE: tuple[tuple[re.Pattern[str], Callable[[date], Days]], ...] = (
    (
        _words("day before yesterday", "前天", "一昨日", "おととい", "그저께", "vorgestern"),
        lambda today: _back(today, 2, 2),
    ),
    (
        _words("yesterday", "昨天", "昨日", "어제", "gestern", "вчера", "ayer", "ieri", "ontem"),
        lambda today: _back(today, 1, 1),
    ),
    (
        _words(
            "today",
            "今天",
            "今日",
            "오늘",
            "heute",
            "сегодня",
            "aujourd'hui",
            "hoy",
            "oggi",
            "hoje",
        ),
        lambda today: _back(today, 0, 0),
    ),
    (
        _words(
            "last week", "上周", "上星期", "先週", r"지난\s?주", "letzte woche", "на прошлой неделе"
        ),
        lambda today: _weeks_back(today, 1),
    ),
    (
        _words("this week", "这周", "本周", "今週", r"이번\s?주", "diese woche", "на этой неделе"),
        lambda today: _weeks_back(today, 0),
    ),
    (
        _words("last month", "上个?月", "先月", r"지난\s?달", "letzten monat", "в прошлом месяце"),
        lambda today: _month_back(today, 1),
    ),
    (
        _words("this month", "这个?月", "今月", r"이번\s?달", "diesen monat", "в этом месяце"),
        lambda today: _month_back(today, 0),
    ),
    (
        _words("last year", "去年", "작년", "letztes jahr", "в прошлом году"),
        lambda today: _whole_year(today.year - 1),
    ),
)


def _relative(text: str, today: date) -> Iterator[Days]:
    for pattern, days in _RELATIVE:
        if pattern.search(text):
            yield days(today)


def _weekday(text: str, today: date) -> Iterator[Days]:
    for found in _LAST_WEEKDAY.finditer(text):
        back = (today.weekday() - _WEEKDAYS[found["weekday"]] - 1) % 7 + 1
        yield _back(today, back, back)


def _ago(text: str, today: date) -> Iterator[Days]:
    for found in _AGO.finditer(text):
        many = _COUNTS.get(found["many"]) or int(found["many"])
        match found["unit"]:
            case "day":
                yield _back(today, many, many)
            case "week":
                yield _back(today, 7 * many + 3, 7 * many - 3)
            case "month":
                yield _month_back(today, many)
            case _:
                yield _whole_year(today.year - many)


def _year(text: str, _today: date) -> Iterator[Days]:
    for found in _YEAR.finditer(text):
        yield _whole_year(int(found["year"] or found["east"]))


def _back(today: date, first: int, last: int) -> Days:
    return Days(first=today - timedelta(days=first), last=today - timedelta(days=last))


def _weeks_back(today: date, weeks: int) -> Days:
    monday = today - timedelta(days=today.weekday() + 7 * weeks)
    return Days(first=monday, last=monday + timedelta(days=6))


def _month_back(today: date, months: int) -> Days:
    number = today.year * 12 + today.month - 1 - months
    return _month_of(date(number // 12, number % 12 + 1, 1))


def _month_of(first: date) -> Days:
    return Days(first=first, last=first.replace(day=monthrange(first.year, first.month)[1]))


def _whole_year(year: int) -> Days:
    return Days(first=date(year, 1, 1), last=date(year, 12, 31))
