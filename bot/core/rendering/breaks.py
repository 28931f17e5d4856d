"""Which place is the best one to cut at, of all that a part reaches."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from bot.core.rendering.document import Document
from bot.core.rendering.graphemes import is_boundary
from bot.core.rendering.inline import Spans, begins_like_a_block, find_breaks
from bot.core.rendering.lines import LineKind

_RUNNING: frozenset[LineKind] = frozenset({"prose", "item"})
_ROWS: frozenset[LineKind] = frozenset({"code", "row", "indented"})
_IN_LINE = (
    ("sentence", True),
    ("word", True),
    ("sentence", False),
    ("word", False),
    ("marked", True),
    ("marked", False),
)
"""What is preferred in a line; True stands for the second half of a part."""


class Breaks:
    """Chooses among the places of a document.

    ``fits_whole`` says of two positions whether what lies between is a part by itself; it is
    asked for units and lines, of which those that fit are kept in one part.
    """

    def __init__(self, document: Document, fits_whole: Callable[[int, int], bool]) -> None:
        self._document = document
        self._fits_whole = fits_whole

    def choose(self, start: int, reach: int) -> int:
        """Find the best place in ``start < place``, at ``reach`` or before.

        It lies behind ``reach`` only if that is the end of a unit that fits.
        """
        first, last = self._document.unit_at(reach)
        if first == reach:
            return reach
        if first >= start and self._fits_whole(first, last):
            return first if first > start else last
        middle = (start + reach) // 2
        if first > middle:
            return first
        line = self._document.lines[self._document.index_at(reach)]
        if line.kind in _ROWS or line.kind == "fence_close":
            place = self._among_rows(start, reach, middle)
        elif line.kind in _RUNNING:
            place = self._in_running_text(max(start, first), reach, middle)
        elif line.start > start:
            place = line.start
        else:
            place = self._in_line(start, reach, middle)
        return place or (first if first > start else reach)

    def _among_rows(self, start: int, reach: int, middle: int) -> int | None:
        """Cut in front of the last row or line of code; a blank line just before is better."""
        line = self._document.lines[self._document.index_at(reach)]
        rows = tuple(self._row_starts(start, reach))
        is_long = line.kind != "fence_close" and not self._fits_whole(line.start, line.end)
        if rows and (rows[0] > middle or not is_long):
            near = reach - (reach - start) // 4
            return next((row for row in rows if row > near and self._is_after_gap(row)), rows[0])
        if not is_long:
            return self._opening_before(start, reach)
        low = max(line.start, middle)
        space = max(self._document.text.rfind(each, low, reach) for each in " \t")
        return reach if space < low else space + 1

    def _row_starts(self, start: int, reach: int) -> Iterator[int]:
        """Yield where rows begin that stand behind another one, the last first."""
        lines = self._document.lines
        index = self._document.index_at(reach)
        while lines[index].start > start and lines[index - 1].kind in _ROWS:
            if lines[index].kind in _ROWS:
                yield lines[index].start
            index -= 1

    def _opening_before(self, start: int, reach: int) -> int | None:
        """Find where the fence or table begins of which only the first row would be reached."""
        lines = self._document.lines
        index = self._document.index_at(reach)
        while lines[index].start > start and lines[index].kind not in ("fence_open", "table_head"):
            index -= 1
        return lines[index].start if lines[index].start > start else None

    def _is_after_gap(self, row: int) -> bool:
        line = self._document.lines[self._document.index_at(row) - 1]
        return not self._document.text[line.start : line.end].strip()

    def _in_running_text(self, start: int, reach: int, middle: int) -> int | None:
        """Cut between items or lines, if need be between sentences or words."""
        spans = self._spans(start, reach)
        places: list[tuple[bool, int]] = []
        lines = self._document.lines
        index = self._document.index_at(reach)
        straddling = lines[index]
        while lines[index].start > start and lines[index - 1].kind in _RUNNING:
            line = lines[index]
            is_item = line.kind == "item"
            content = self._document.text[line.start : line.end].lstrip("> \t")
            is_clean = is_item or not begins_like_a_block(content)
            if is_clean and not spans.is_inside(line.start):
                places.append((is_item, line.start))
            index -= 1
        late = [each for each in places if each[1] > middle]
        if late:
            return max(late)[1]
        if places and self._fits_whole(straddling.start, straddling.end):
            return places[0][1]
        place = self._in_line(max(start, lines[index].start), reach, middle)
        return place or (places[0][1] if places else None)

    def _in_line(self, start: int, reach: int, middle: int) -> int | None:
        """Cut behind a sentence or a word, outside of markup where there is such a place."""
        text = self._document.text
        spans = self._spans(start, reach)
        best: dict[tuple[str, bool], int] = {}
        for kind, place in find_breaks(text, start, reach):
            if not is_boundary(text, place, start):
                continue
            if spans.is_inside(place) or begins_like_a_block(text, place):
                best["marked", place > middle] = place
            else:
                best[kind, place > middle] = place
        return next((best[each] for each in _IN_LINE if each in best), None)

    def _spans(self, start: int, reach: int) -> Spans:
        """Read the markup as far behind ``reach`` as it is likely to end."""
        text = self._document.text
        return Spans(text, start, min(len(text), reach + (reach - start)))
