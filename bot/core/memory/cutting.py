"""Where a long text is cut into pieces, so that each says one thing and is found by it."""

from __future__ import annotations

import re
from collections.abc import Iterator

PIECE_WIDTH = 720
"""Longest piece: about 120 words, as passages of reading tests have that embedders are made on."""

_WIDE_FROM = "\u2e80"
_WIDE_CHAR = 3
"""A character of Chinese, Japanese or Korean counts for half a word of six letters."""

_BORDERS = (
    re.compile(r"\n[ \t]*\n\s*"),
    re.compile(r"\n\s*"),
    re.compile(r"(?<=[.!?…])[\"”’)]*\s+|(?<=[。！？])"),
    re.compile(r"\s+"),
)
"""Gentlest first: paragraphs, lines, sentences, words."""


def cut(text: str, width: int = PIECE_WIDTH) -> tuple[str, ...]:
    """Divide a text, which loses nothing but white space by it; an empty one has no pieces."""
    return tuple(filter(None, (piece.strip() for piece in _pieces(text.strip(), width))))


def _pieces(text: str, width: int) -> Iterator[str]:
    start = 0
    while (reach := _reach(text, start, width)) < len(text):
        end = _border(text, start + (reach - start) // 2, reach)
        yield text[start:end]
        start = end
    yield text[start:]


def _reach(text: str, start: int, width: int) -> int:
    """Say behind which character a piece that begins at ``start`` is full."""
    longest = text[start : start + width]
    if longest.isascii():
        return start + len(longest)
    for place, char in enumerate(longest, start):
        width -= _WIDE_CHAR if char >= _WIDE_FROM else 1
        if width < 0:
            return max(place, start + 1)
    return start + len(longest)


def _border(text: str, first: int, last: int) -> int:
    """Find the last of the gentlest borders in the second half of a piece."""
    for border in _BORDERS:
        ends = [found.end() for found in border.finditer(text, first, last)]
        if ends and ends[-1] > first:
            return ends[-1]
    return last
