"""Where running text may be cut inside a line, and what of it is marked up.

Preferences only: what is found here is where a reader would like the cut, and never whether it
may be made.
"""

from __future__ import annotations

import bisect
import re
from collections.abc import Iterator
from typing import Literal

Break = Literal["sentence", "word"]

_STOPS = "。！？"  # noqa: RUF001 - East Asian marks, which no space follows
_PAUSES = "、，；："  # noqa: RUF001 - likewise
_CLOSERS = "”’」』）】》〉"  # noqa: RUF001 - likewise
_KANA = "\u3041-\u30ff"
_IDEOGRAPHS = "\u3400-\u9fff"

_BREAK = re.compile(
    rf"(?P<sentence>[.!?…][\"')\]{_CLOSERS}»*_]*[ \t]+|[{_STOPS}][{_CLOSERS}]*)"
    rf"|(?<![>\r\n \t])[ \t]+"  # not behind the mark of a quote or at the beginning of a line
    rf"|[{_PAUSES}][{_CLOSERS}]*"
    rf"|[{_KANA}{_IDEOGRAPHS}](?![{_STOPS}{_PAUSES}{_CLOSERS}{_KANA}…])"
)
_MARKUP = re.compile(r"\\.|`+|\*+|_+|~~|\[|\]\(|\)")
_BLOCK_START = re.compile(
    r"[ \t]*(?:(?:#{1,6}|[-+*]|[0-9]{1,9}[.)])(?:\s|$)"
    r"|>|\||```|~~~|=+[ \t]*(?:[\r\n]|$)|([-*_])(?:[ \t]*\1){2})"
)


def find_breaks(text: str, low: int, high: int) -> Iterator[tuple[Break, int]]:
    """Yield, in order, the places in ``low < place <= high`` behind a sentence or a word."""
    for match in _BREAK.finditer(text, low, min(len(text), high + 1)):
        if low < match.end() <= high:
            yield ("sentence" if match["sentence"] else "word"), match.end()


def begins_like_a_block(text: str, place: int = 0) -> bool:
    """Say whether what follows a place would read as a list, a heading or the like by itself."""
    return _BLOCK_START.match(text, place) is not None


class Spans:
    """The inline code, links and emphasis in a part of a text.

    A good guess at CommonMark's rules, in one pass: an opener without its closer is text.
    """

    def __init__(self, text: str, low: int, high: int) -> None:
        self._spans: list[tuple[int, int]] = []
        tokens = list(_MARKUP.finditer(text, low, high))
        last_run = {token.group(): token.start() for token in tokens}
        opened: dict[str, int] = {}
        code = ""
        for token in tokens:
            mark = token.group()
            if code and mark != code:
                continue
            if mark.startswith("`"):
                if code:
                    self._add(opened.pop(mark), token.end())
                    code = ""
                elif last_run[mark] > token.start():
                    opened[mark] = token.start()
                    code = mark
            elif not mark.startswith("\\"):
                self._read_mark(text, token, opened)

    def is_inside(self, place: int) -> bool:
        """Say whether a cut at this place would take markup apart."""
        following = bisect.bisect_left(self._spans, (place, 0))
        return following > 0 and place < self._spans[following - 1][1]

    def _read_mark(self, text: str, token: re.Match[str], opened: dict[str, int]) -> None:
        mark = token.group()
        if mark == "[":
            opened[mark] = token.start()
        elif mark == "](":
            if "[" in opened:
                opened[mark] = opened.pop("[")
        elif mark == ")":
            if "](" in opened:
                self._add(opened.pop("]("), token.end())
        elif mark in opened:
            if not text[token.start() - 1].isspace():
                self._add(opened.pop(mark), token.end())
        elif _may_open(text, token):
            opened[mark] = token.start()

    def _add(self, start: int, end: int) -> None:
        """Keep a span; those that it touches become one with it, so that all lie apart."""
        while self._spans and self._spans[-1][1] > start:
            start = min(start, self._spans.pop()[0])
        self._spans.append((start, end))


def _may_open(text: str, token: re.Match[str]) -> bool:
    """Say whether emphasis may begin here: in front of a word, and not within a snake_case one."""
    following = text[token.end() : token.end() + 1]
    is_in_word = token.group().startswith("_") and text[token.start() - 1 : token.start()].isalnum()
    return bool(following.strip()) and not is_in_word
