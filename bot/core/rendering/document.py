"""A Markdown text laid out for cutting, and a piece of it made to stand alone."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator
from typing import Literal

from bot.core.rendering.containers import (
    Container,
    shared_containers,
    strip_lists,
    write_prefix,
)
from bot.core.rendering.lines import Line, LineKind, scan_lines

Frame = Literal["whole", "bare", "none"]
"""What is repeated around a piece of a fence or table: all of it, the mere fence, nothing."""

_NEVER_FIRST: frozenset[LineKind] = frozenset(
    {"blank", "underline", "code", "fence_close", "table_rule", "row"}
)
_ALWAYS_FIRST: frozenset[LineKind] = frozenset({"heading", "fence_open", "table_head", "rule"})
_ALWAYS_LAST: frozenset[LineKind] = frozenset({"code", "fence_close", "row", "rule"})
_HEADINGS: frozenset[LineKind] = frozenset({"heading", "underline"})
_FENCED: frozenset[LineKind] = frozenset({"code", "fence_close"})


class Document:
    """A text, its lines and its units: blocks, each with the headings above it.

    A position is an offset into ``text``; a piece lies between two positions.
    """

    def __init__(self, text: str) -> None:
        self.text = text
        self.lines = scan_lines(text)
        self._line_starts = [line.start for line in self.lines]
        self._unit_starts = list(_unit_starts(self.lines))

    def index_at(self, position: int) -> int:
        """Find the line that a position stands in; the last one for the end of the text."""
        return bisect_right(self._line_starts, position) - 1

    def unit_at(self, position: int) -> tuple[int, int]:
        """Find where the unit that a position stands in begins and ends."""
        number = bisect_right(self._unit_starts, position)
        following = self._unit_starts[number : number + 1]
        return self._unit_starts[number - 1], following[0] if following else len(self.text)

    def skip_invisible(self, start: int) -> int:
        """Pass over what would show nothing at the beginning of a piece."""
        while start < len(self.text):
            line = self.lines[self.index_at(start)]
            seen = self._behind_spaces(start) if start > line.start else start
            is_used_up = start > line.start and self.text[seen : seen + 1] in ("", "\r", "\n")
            if not is_used_up and line.kind not in ("blank", "fence_close"):
                return start if line.kind == "code" else seen
            start = line.end
        return start

    def frames_at(self, start: int) -> tuple[Frame, ...]:
        """Say which frames a piece that begins here may have, the best one first."""
        line = self.lines[self.index_at(start)]
        if line.kind == "code":
            return ("whole", "bare", "none")
        is_marked = start > line.start and any(each.is_quote for each in line.containers)
        return ("whole", "none") if is_marked or line.kind == "row" else ("whole",)

    def piece(self, start: int, end: int, frame: Frame = "whole") -> str:
        """Take the text between two positions, with what it needs to stand alone.

        A piece that begins or ends in a fence is fenced, one that begins with a row of a table
        gets the header, one that begins in a line of a quote its mark. Indentation of the lists
        around its beginning goes, for it would make code of it.
        """
        first = self.lines[self.index_at(start)]
        is_inside = start > first.start
        around = first.containers if is_inside else first.continued
        end, after = self._closing(first, end, frame, around)
        body = self._body(start, end, around)
        if first.kind == "prose" or (is_inside and first.kind != "code"):
            body = body.lstrip(" \t")
        if not after:
            body = body.rstrip()
        elif not body.endswith(("\r", "\n")):
            body += "\n"
        return self._opening(first, frame, is_inside=is_inside) + body + after

    def _body(self, start: int, end: int, around: tuple[Container, ...]) -> str:
        """Take the text between two positions, the lists around its beginning taken off."""
        if all(each.is_quote for each in around):
            return self.text[start:end]
        first, last = self.index_at(start), self.index_at(end)
        parts: list[str] = []
        innermost = around
        previous: LineKind = "blank"
        for line in self.lines[first : last + 1]:
            part = self.text[max(start, line.start) : min(end, line.end)]
            if line.start < start:
                parts.append(part)
                previous = line.kind
                continue
            shared = shared_containers(line.continued, around)
            is_next_item = line.kind == "item" and previous in ("prose", "item")
            if is_next_item and len(shared) < len(innermost):
                # Without a gap, the next item could read as more of the text that came before.
                parts.append(write_prefix(shared, without=shared).rstrip() + "\n")
            innermost, previous = shared, line.kind
            parts.append(strip_lists(part, shared))
        return "".join(parts)

    def _opening(self, first: Line, frame: Frame, *, is_inside: bool) -> str:
        """Write what a piece that begins in this line needs in front."""
        prefix = write_prefix(first.containers, without=first.containers)
        if first.kind == "code" and first.fence is not None and frame != "none":
            info = first.fence.info if frame == "whole" else ""
            opening = f"{prefix}{first.fence.indent}{first.fence.marks}{info}\n"
            return opening + prefix if is_inside else opening
        if is_inside:
            return prefix if frame == "whole" else ""
        if first.table is not None and first.kind == "row" and frame == "whole":
            head, rule = self.lines[first.table : first.table + 2]
            around = first.continued
            return self._body(head.start, head.end, around) + self._body(
                rule.start, rule.end, around
            )
        return ""

    def _closing(
        self, first: Line, end: int, frame: Frame, around: tuple[Container, ...]
    ) -> tuple[int, str]:
        """Say where the body of a piece really ends and what it needs behind."""
        if end == len(self.text):
            return end, ""
        index = self.index_at(end)
        line = self.lines[index]
        if line.kind not in _FENCED or line.fence is None:
            return self._before_blank_lines(index, end), ""
        if line.kind == "fence_close":
            end = line.start
        if frame == "none" and line.fence is first.fence:
            return end, ""
        prefix = write_prefix(line.containers, without=around)
        return end, prefix + line.fence.indent + line.fence.marks

    def _behind_spaces(self, position: int) -> int:
        while self.text.startswith((" ", "\t"), position):
            position += 1
        return position

    def _before_blank_lines(self, index: int, end: int) -> int:
        """Move an end back over blank lines; those of a quote show its mark."""
        if end > self.lines[index].start:
            return end
        while index > 0 and self.lines[index - 1].kind == "blank":
            index -= 1
        return self.lines[index].start


def _unit_starts(lines: tuple[Line, ...]) -> Iterator[int]:
    """Yield where the units begin: no cut between two of them takes anything apart."""
    yield 0
    last: LineKind = "blank"
    is_after_blank = False
    for line in lines:
        if line.kind == "blank":
            is_after_blank = True
            continue
        is_apart = is_after_blank or line.kind in _ALWAYS_FIRST or last in _ALWAYS_LAST
        if is_apart and line.kind not in _NEVER_FIRST and last not in _HEADINGS and line.start:
            yield line.start
        last = line.kind
        is_after_blank = False
