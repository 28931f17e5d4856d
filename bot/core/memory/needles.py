"""What is searched for on the disk to know that something is gone: runs of its words.

The law of this file: a needle is written the same way whoever writes it down. So it has no
quotation mark, backslash or line end, which JSON escapes, and there are two forms of one: as it is,
and with every sign beyond ASCII escaped. A run of many words is known wherever it stands; a short
one stands in other texts too, and counts in files for people only where it stands alone.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator

from bot.core.memory.forgetting import folded

MOST_OF_A_TEXT = 9
"""So many needles of one text: of more runs, some are taken from its whole length."""

MOST_CHARS = 120
LONG_CHARS = 24
LONG_WIDE_CHARS = 8
FIRST_WIDE = 0x2E80
"""Runs of so many signs stand in no other text by chance; of scripts that write words in one or two
signs, so many of these."""

LEAST_BYTES = 7
"""Shorter runs stand in every file; so many bytes stand in a gigabyte of any others once in 2e7."""

_BREAKS = re.compile(r'["\\\x00-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff]+')
_SIGNS = re.compile(r"[\W_]+")


def needles_of(texts: Iterable[str]) -> tuple[str, ...]:
    """Give runs that tell these texts from others, each once; none of texts that are too short."""
    return tuple(dict.fromkeys(needle for text in texts for needle in _needles_in(text)))


def too_short_of(texts: Iterable[str]) -> int:
    """Count the texts that have words, and no run of them that could be searched for."""
    return sum(1 for text in set(texts) if _SIGNS.sub("", text) and not _needles_in(text))


def is_long(run: str) -> bool:
    """Say whether a run stands in no other text by chance."""
    wide = sum(1 for each in run if ord(each) >= FIRST_WIDE)
    return len(run) >= LONG_CHARS or wide >= LONG_WIDE_CHARS


def forms_of(needle: str) -> tuple[bytes, ...]:
    """Give the bytes by which a needle can stand in a file, each once."""
    escaped = json.dumps(needle)[1:-1]
    forms = (needle, escaped, re.sub(r"\\u[0-9a-f]{4}", lambda found: _upper(found[0]), escaped))
    return tuple(dict.fromkeys(each.encode() for each in forms))


class Echoes:
    """What is gone, known again where it is said once more.

    A run of its words is, or one of its lines whole; case, signs and markup make no difference.
    """

    def __init__(self, needles: Iterable[str], lines: Iterable[str]) -> None:
        self._windows = frozenset(
            window for needle in needles for window in _windows(_plain(needle))
        )
        self._lines = tuple({f" {plain} " for line in lines if (plain := _plain(line))})

    def are_in(self, texts: Iterable[str]) -> bool:
        """Say whether texts say any of it again."""
        said = [f" {plain} " for text in texts if (plain := _plain(text))]
        if any(line in each for line in self._lines for each in said):
            return True
        return any(window in self._windows for each in said for window in _windows(each))


def _needles_in(text: str) -> tuple[str, ...]:
    """Give the long runs of a text, or of one that has none the others, spread over its length."""
    runs = [
        run for each in _BREAKS.split(text) if len((run := each.strip()).encode()) >= LEAST_BYTES
    ]
    found = [run for run in runs if is_long(run)] or runs
    cuts = tuple(dict.fromkeys(cut for run in found for cut in _cuts_of(run)))
    if len(cuts) <= MOST_OF_A_TEXT:
        return cuts
    step = (len(cuts) - 1) / (MOST_OF_A_TEXT - 1)
    return tuple(cuts[round(number * step)] for number in range(MOST_OF_A_TEXT))


def _cuts_of(run: str) -> tuple[str, ...]:
    """Give a run, or of a long one its beginning, middle and end."""
    if len(run) <= MOST_CHARS:
        return (run,)
    middle = (len(run) - MOST_CHARS) // 2
    cuts = (run[:MOST_CHARS], run[middle : middle + MOST_CHARS], run[-MOST_CHARS:])
    return tuple(each.strip() for each in cuts)


def _windows(plain: str) -> Iterator[str]:
    """Give what is as long as no two texts have in common by chance, from every place."""
    for start in range(len(plain)):
        wide = plain[start : start + LONG_WIDE_CHARS]
        if len(wide) == LONG_WIDE_CHARS and all(ord(each) >= FIRST_WIDE for each in wide):
            yield wide
        if len(plain) - start >= LONG_CHARS:
            yield plain[start : start + LONG_CHARS]


def _plain(text: str) -> str:
    return _SIGNS.sub(" ", folded(text)).strip()


def _upper(escape: str) -> str:
    return escape[:2] + escape[2:].upper()
