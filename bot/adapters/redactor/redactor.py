"""Secrets taken out of texts of any length, in a time that grows with their length only."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import chain
from typing import NamedTuple

from bot.adapters.redactor.borrowed import find_borrowed, load_borrowed
from bot.adapters.redactor.fields import FIELDS
from bot.adapters.redactor.forms import MARKED, RANDOM
from bot.adapters.redactor.numbers import NUMBERS
from bot.adapters.redactor.rule import Rule, Span, find
from bot.adapters.redactor.sayings import SAYINGS

RULES: tuple[Rule, ...] = (*MARKED, *NUMBERS, *SAYINGS, *FIELDS)

_SHORTEST_CHARS = 8  # of what can be told to be a secret with the word that says so
_PLACEHOLDER = re.compile(r"\[redacted:[a-z]+\]")
_BLIND = "[" * len("[redacted:")
_MOST_PASSES = 4

_LONG_WORD = re.compile(r"[!-~]{12,}+")
_DIGIT = re.compile(r"[0-9]")
_ODD = re.compile(r"[0-9]|[a-z][A-Z]")

_ESCAPE = re.compile(r"(?<!\\)\\++([nrt/]|u[0-9a-fA-F]{4})")
_ESCAPE_OR_QUOTE = re.compile(r"(?<!\\)\\++([nrt/\"]|u[0-9a-fA-F]{4})")
"""A quotation mark is read both ways: it may stand around a secret, or in one."""

_MEANT = {"n": "\n", "r": "\r", "t": "\t"}

_UNSEEN = re.compile("[\u00ad\u200b-\u200f\u2060-\u2064\ufeff]")
_FULL_WIDTH = {0xFF01 + number: 0x21 + number for number in range(94)}


class RuleRedactor:
    """A :class:`~bot.ports.Redactor`."""

    def load(self) -> None:
        """Load detect-secrets (0.15 s), in any thread; else the first long word waits for it."""
        load_borrowed()

    def redact(self, text: str) -> str:
        """Put ``[redacted:kind]`` in the place of each secret; the same object without any."""
        for _ in range(_MOST_PASSES):
            redacted = _pass(text)
            if redacted is text:
                break
            text = redacted  # what stood beside a secret may be one now that it is gone
        return text


def _pass(text: str) -> str:
    if len(text) < _SHORTEST_CHARS:
        return text
    parts: list[str] = []
    end = 0
    found = (reading.placed(span) for reading in _readings(text) for span in _found(reading.text))
    for span in _apart(found):
        parts += (text[end : span.start], f"[redacted:{span.kind}]")
        end = span.stop
    return "".join((*parts, text[end:])) if parts else text


class _Reading(NamedTuple):
    """A text as somebody reads it, and from where to where each of its characters stood."""

    text: str
    starts: Sequence[int]
    stops: Sequence[int]

    def placed(self, span: Span) -> Span:
        """Say where a span stands in the text that is read."""
        return Span(self.starts[span.start], self.stops[span.stop - 1], span.kind)


def _readings(text: str) -> Iterator[_Reading]:
    r"""Read a text as people do, and as a program would that takes escapes for what they mean.

    In JSON they mean nothing else; elsewhere ``\n`` may be two signs of a password.
    """
    text = _with_blind_placeholders(text)
    as_written = _Reading(text, range(len(text)), range(1, len(text) + 1))
    if not _ESCAPE_OR_QUOTE.search(text):
        yield _seen(as_written)
        return
    yield _seen(_unescaped(text, _ESCAPE_OR_QUOTE))
    if text.lstrip()[:1] not in ("{", "[", '"'):
        yield _seen(as_written)
    elif '\\"' in text:
        yield _seen(_unescaped(text, _ESCAPE))


def _seen(reading: _Reading) -> _Reading:
    """Leave out what is not seen, and take full-width letters for what they look like."""
    text, starts, stops = reading
    if text.isascii():
        return reading
    if not _UNSEEN.search(text):
        return reading._replace(text=text.translate(_FULL_WIDTH))
    places = [place for place, each in enumerate(text) if not _UNSEEN.match(each)]
    return _Reading(
        "".join(text[place] for place in places).translate(_FULL_WIDTH),
        [starts[place] for place in places],
        [stops[place] for place in places],
    )


def _unescaped(text: str, form: re.Pattern[str]) -> _Reading:
    r"""Put what escapes mean into their places: in JSON ``\n`` stands right before a token."""
    parts: list[str] = []
    starts: list[int] = []
    stops: list[int] = []
    end = 0
    for escape in form.finditer(text):
        start, stop = escape.span()
        sign = escape[1]
        meant = chr(int(sign[1:], 16)) if len(sign) > 1 else _MEANT.get(sign, sign)
        parts += (text[end:start], meant)
        starts += (*range(end, start), start)
        stops += (*range(end + 1, start + 1), stop)
        end = stop
    starts += range(end, len(text))
    stops += range(end + 1, len(text) + 1)
    return _Reading("".join((*parts, text[end:])), starts, stops)


def _with_blind_placeholders(text: str) -> str:
    """Make what was put in before say nothing, such as "password", in as many characters."""
    if "[redacted:" not in text:
        return text
    return _PLACEHOLDER.sub(lambda found: "[" * len(found[0]), text)


def _apart(found: Iterable[Span]) -> Iterator[Span]:
    """Give what was found in order, those that overlap joined."""
    joined: Span | None = None
    for span in sorted(found, key=lambda one: (one.start, -one.stop)):
        if joined is not None and span.start < joined.stop:
            joined = joined._replace(stop=max(joined.stop, span.stop))
            continue
        if joined is not None:
            yield joined
        joined = span
    if joined is not None:
        yield joined


def _found(text: str) -> Iterator[Span]:
    found = find(RULES, text)
    if _has_long_word(text, _ODD):  # seldom in what is said
        found = chain(find(RANDOM, text), found)
        if _has_long_word(text, _DIGIT):
            found = chain(found, find_borrowed(text))
    return (span for span in found if not text.startswith(_BLIND, span.start))


def _has_long_word(text: str, sign: re.Pattern[str]) -> bool:
    """Say whether a long word has a sign of what no person would make up."""
    return any(sign.search(word[0]) for word in _LONG_WORD.finditer(text))
