"""Secrets taken out of texts of any length, in a time that grows with their length only."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import chain

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
    plain, places = _plain(_with_blind_placeholders(text))
    for span in _apart(plain):
        start, stop = places[span.start], places[span.stop - 1] + 1
        parts += (text[end:start], f"[redacted:{span.kind}]")
        end = stop
    return "".join((*parts, text[end:])) if parts else text


def _plain(text: str) -> tuple[str, Sequence[int]]:
    """Give a text as people read it, and where each of its characters stood.

    What is not seen is left out, and full-width letters are what they look like.
    """
    if text.isascii():
        return text, range(len(text))
    if not _UNSEEN.search(text):
        return text.translate(_FULL_WIDTH), range(len(text))
    places = [place for place, each in enumerate(text) if not _UNSEEN.match(each)]
    return "".join(text[place] for place in places).translate(_FULL_WIDTH), places


def _with_blind_placeholders(text: str) -> str:
    """Make what was put in before say nothing, such as "password", in as many characters."""
    if "[redacted:" not in text:
        return text
    return _PLACEHOLDER.sub(lambda found: "[" * len(found[0]), text)


def _apart(text: str) -> Iterator[Span]:
    """Give what all rules find in order, those that overlap joined."""
    joined: Span | None = None
    for span in sorted(_found(text), key=lambda one: (one.start, -one.stop)):
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
