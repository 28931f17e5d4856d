"""A rule, and how a text of any length is searched by one.

The law of this package: the time a rule takes grows with the length of the text and with nothing
else. So a pattern has a bound at every repetition, or repeats possessively and cannot begin inside
of what it repeats. Where a word ends is asked of ASCII alone: to Unicode a secret that stands
right behind a Chinese character is the rest of one word with it.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import NamedTuple

WINDOW_CHARS = 16_000
"""Searched at a stretch: a search holds every other thread up until it is done."""

LOOK_AHEAD_CHARS = 4_000
"""How far beyond its window a secret may reach before it is recognised; it may go on further."""


class Span(NamedTuple):
    """Where a secret stands and what stands in its place: ``[redacted:kind]``."""

    start: int
    stop: int
    kind: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Rule:
    """One way to find secrets.

    Attributes:
        pattern: Finds where one may be.
        judge: Says where it is, from a match and the text; None when it is none after all.
        hints: Lower-case texts of which one stands in all that can match; () when there is none.
        is_lowered: The pattern is matched with the text in lower case, at the same places.
    """

    pattern: re.Pattern[str]
    judge: Callable[[re.Match[str], str], Span | None]
    hints: tuple[str, ...] = ()
    is_lowered: bool = False


def whole(kind: str) -> Callable[[re.Match[str], str], Span]:
    """Make a judge to whom all that matched is the secret, or its first group if it has any."""

    def judge(match: re.Match[str], text: str) -> Span:
        group = 1 if match.re.groups else 0
        return Span(match.start(group), match.end(group), kind)

    return judge


def find(rules: tuple[Rule, ...], text: str) -> Iterator[Span]:
    """Give what the rules find; two rules may find the same, and each what another does in part."""
    lowered = lower(text)
    reached = dict.fromkeys(range(len(rules)), 0)
    for start in range(0, len(text), WINDOW_CHARS):
        stop = start + WINDOW_CHARS
        window = lowered[start : stop + LOOK_AHEAD_CHARS]
        for number, rule in enumerate(rules):
            if rule.hints and not any(hint in window for hint in rule.hints):
                continue
            subject = lowered if rule.is_lowered else text
            place = max(start, reached[number])
            while place < stop:
                match = rule.pattern.search(subject, place, stop + LOOK_AHEAD_CHARS)
                if match is None or match.start() >= stop:
                    break
                # What begins in the window is read to its end, wherever that is.
                match = rule.pattern.match(subject, match.start()) or match
                span = rule.judge(match, text)
                place = match.start() + 1
                if span is not None:
                    place = max(place, span.stop)
                    yield span
            reached[number] = place


def lower(text: str) -> str:
    """Give the text in lower case, each character at the place where it was."""
    lowered = text.lower()
    if len(lowered) == len(text):
        return lowered
    return "".join(low if len(low := each.lower()) == 1 else each for each in text)
