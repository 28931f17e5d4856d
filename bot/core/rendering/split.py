"""Cutting a long Markdown text into parts, each right Markdown by itself.

How it thinks: a part begins at a position and reaches as far as ``fits`` allows, found by search.
From there the cut goes back to the best place: in front of a block that will fit whole, else
between items, rows or lines, else between sentences and words. What the part then lacks to stand
alone (the fence around code, the header above rows, the mark of a quote) is added around it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from bot.core.rendering.breaks import Breaks
from bot.core.rendering.document import Document, Frame
from bot.core.rendering.graphemes import first_boundary, floor_boundary
from bot.core.rendering.lines import LINE

_FIRST_GUESS = 2048  # characters; where the search for the reach of the first part begins


def split_markdown(text: str, fits: Callable[[str], bool]) -> tuple[str, ...]:
    """Cut a Markdown text into parts for which ``fits`` holds, losing nothing that is visible.

    ``fits`` may render its argument and measure that; where it holds for a text it should hold
    for the beginnings of it. It is called some twelve times a part, with little more than twice
    of what fits, and once with the whole text and with each block that is in question.

    A block (paragraph, fence, table; with the heading above it) that fits is not cut. A fence
    that must be cut is closed and opened again, a table gets its header again. Blank lines and
    spaces at the cuts go. A visible character (grapheme cluster) is taken apart only if it alone
    does not fit, and a single code point that does not fit is given out all the same.
    """
    start = next((line.start() for line in LINE.finditer(text) if line.group().strip()), len(text))
    whole = text[start:].rstrip()
    if not whole:
        return ()
    if fits(whole):
        return (whole,)
    return tuple(_Splitter(whole, fits).parts())


class _Splitter:
    def __init__(self, text: str, fits: Callable[[str], bool]) -> None:
        self._document = Document(text)
        self._fits = fits
        self._known: dict[tuple[int, int], bool] = {}
        self._breaks = Breaks(self._document, self._fits_whole)
        self._guess = _FIRST_GUESS

    def parts(self) -> Iterator[str]:
        """Yield the parts in order."""
        start = 0
        while (start := self._document.skip_invisible(start)) < len(self._document.text):
            start, part = self._next(start)
            if part.strip():
                yield part

    def _next(self, start: int) -> tuple[int, str]:
        """Take one part off; say where the next one begins, and the part."""
        text = self._document.text
        for frame in self._document.frames_at(start):
            reach = self._reach(start, frame)
            if reach > start:
                break
        else:
            frame = "none"
            reach = self._reach_within_character(start)
        self._guess = reach - start
        part = self._document.piece(start, reach, frame)
        if reach < len(text) and frame != "none":
            end = self._breaks.choose(start, reach)
            shorter = self._document.piece(start, end, frame)
            if end != reach and self._fits(shorter):
                return end, shorter
        return reach, part

    def _reach(self, start: int, frame: Frame) -> int:
        """Find how far a part may reach, in whole characters; ``start`` if not even one fits.

        Without its fence a part takes what is left of its line at most.
        """
        document, text = self._document, self._document.text
        known: dict[int, bool] = {}

        def holds(position: int) -> bool:
            end = floor_boundary(text, start, position)
            if end not in known:
                known[end] = end > start and self._fits(document.piece(start, end, frame))
            return known[end]

        shortest = first_boundary(text, start)
        line = document.lines[document.index_at(start)]
        longest = line.end if frame == "none" and line.kind == "code" else len(text)
        found = _largest(shortest, longest, start + self._guess, holds)
        return start if found < shortest else floor_boundary(text, start, found)

    def _reach_within_character(self, start: int) -> int:
        """Find how many code points of a character that does not fit do, one at the least."""
        document = self._document
        low, high = start + 1, first_boundary(document.text, start)
        found = _largest(low, high, low, lambda end: self._fits(document.piece(start, end, "none")))
        return max(found, low)

    def _fits_whole(self, start: int, end: int) -> bool:
        if (start, end) not in self._known:
            self._known[start, end] = self._fits(self._document.piece(start, end))
        return self._known[start, end]


def _largest(low: int, high: int, guess: int, holds: Callable[[int], bool]) -> int:
    """Find the largest number in ``low..high`` that holds, ``low - 1`` when none does.

    From the guess it goes on in growing steps until the limit lies between two probes, then it
    halves: a good guess costs little, and nothing far beyond the answer is probed.
    """
    good, bad = low - 1, high + 1
    step = max(1, (guess - low) // 32)
    probe = guess
    while bad - good > 1:
        probe = min(max(probe, good + 1), bad - 1)
        if holds(probe):
            good = probe
        else:
            bad = probe
        if bad > high:
            probe = good + step
        elif good < low:
            probe = bad - step
        else:
            probe = (good + bad) // 2
        step *= 2
    return good
