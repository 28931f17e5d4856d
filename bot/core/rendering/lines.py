"""The lines of a Markdown text and what each of them is, by CommonMark's block rules.

Only what bears on cutting is read: quotes, lists, fences, headings, tables (GFM) and paragraphs.
HTML blocks and link definitions are read as paragraphs.

Source: CommonMark Spec 0.31.2, "Blocks and inlines"; GitHub Flavored Markdown Spec, "Tables".
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import Literal

from bot.core.rendering.containers import (
    RULE,
    Container,
    indent_at,
    match_containers,
    open_containers,
)

LineKind = Literal[
    "blank",
    "prose",
    "item",
    "heading",
    "underline",
    "rule",
    "indented",
    "fence_open",
    "code",
    "fence_close",
    "table_head",
    "table_rule",
    "row",
]
"""``item`` is the first line of a list item, ``underline`` makes a heading of what is above it,
``indented`` is code by its indentation."""

LINE = re.compile(r"[^\r\n]*(?:\r\n?|\n)|[^\r\n]+")
"""A line with its end, by CommonMark's idea of one; ``str.splitlines`` knows too many ends."""

_FENCE = re.compile(r"( {0,3})(`{3,}(?=[^`]*$)|~{3,})(.*)$")
_HEADING = re.compile(r" {0,3}#{1,6}(?: |$)")
_UNDERLINE = re.compile(r" {0,3}(?:=+|-+) *$")
_TABLE_RULE = re.compile(r" {0,3}\|? *:?-+:? *(?:\| *:?-+:? *)*\|? *$")
_CELL_END = re.compile(r"\\.|(\|)")


@dataclass(frozen=True, slots=True, kw_only=True)
class Fence:
    """A fenced code block: its own indentation, its marks and its info string."""

    indent: str
    marks: str
    info: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Line:
    """One line of the text, from ``start`` to behind its line end.

    Attributes:
        continued: The containers that were open before and go on.
        containers: Those that the line's content stands in, its own new ones among them.
        fence: The fence that the line belongs to.
        table: Index of the header row of the table that the line belongs to.
    """

    start: int
    end: int
    kind: LineKind
    continued: tuple[Container, ...] = ()
    containers: tuple[Container, ...] = ()
    fence: Fence | None = None
    table: int | None = None


def scan_lines(text: str) -> tuple[Line, ...]:
    """Read a text into lines that lie end to end."""
    scanner = _Scanner()
    for match in LINE.finditer(text):
        scanner.read(match.start(), match.end(), match.group().rstrip("\r\n").expandtabs(4))
    return tuple(scanner.lines)


class _Scanner:
    """CommonMark's block parser: the containers and the leaf that are open at the end of a line."""

    def __init__(self) -> None:
        self.lines: list[Line] = []
        self._containers: list[Container] = []
        self._fence: Fence | None = None
        self._fence_depth = 0
        self._in_paragraph = False
        self._table: int | None = None
        self._content = ""

    def read(self, start: int, end: int, line: str) -> None:
        matched, column = match_containers(line, self._containers)
        continued = tuple(self._containers[:matched])
        if self._fence is not None and matched >= self._fence_depth:
            kind: LineKind = self._read_in_fence(line[column:])
        else:
            self._fence = None
            kind = self._read_outside(line, matched, column)
        self.lines.append(
            Line(
                start=start,
                end=end,
                kind=kind,
                continued=continued,
                containers=tuple(self._containers),
                fence=self._fence,
                table=self._table,
            )
        )
        if kind == "table_rule":
            head = self.lines[-2]
            self.lines[-2] = replace(head, kind="table_head", table=self._table)
        if kind == "fence_close":
            self._fence = None

    def _read_in_fence(self, content: str) -> LineKind:
        fence = self._fence
        assert fence is not None
        marks = content.strip(" ")
        is_end = (
            len(marks) >= len(fence.marks)
            and marks == fence.marks[0] * len(marks)
            and indent_at(content, 0) <= 3
        )
        return "fence_close" if is_end else "code"

    def _read_outside(self, line: str, matched: int, column: int) -> LineKind:
        is_continued = matched == len(self._containers)
        opened, column = open_containers(
            line, column, matched, is_in_paragraph=is_continued and self._in_paragraph
        )
        content = line[column:]
        self._in_paragraph = self._in_paragraph and not opened
        kind = self._kind_of(content, is_continued=is_continued and not opened)
        is_lazy = kind == "prose" and self._in_paragraph
        if not is_lazy:
            if kind == "blank" and not opened and self._is_in_empty_item():
                matched = min(matched, len(self._containers) - 1)
            del self._containers[matched:]
            self._containers += opened
        if kind == "fence_open":
            self._open_fence(content)
        self._in_paragraph = kind == "prose"
        self._content = content
        if kind not in ("table_rule", "row"):
            self._table = None
        if kind in ("prose", "blank") and not all(each.is_quote for each in opened):
            return "item"
        return kind

    def _is_in_empty_item(self) -> bool:
        """Say whether the line before was a list item without text: a blank line closes that."""
        is_behind_item = bool(self.lines) and self.lines[-1].kind == "item"
        return is_behind_item and not self._containers[-1].is_quote and not self._content.strip(" ")

    def _kind_of(self, content: str, *, is_continued: bool) -> LineKind:
        """Name the leaf that a line's content begins or goes on with."""
        if not content.strip(" "):
            return "blank"
        is_in_paragraph = self._in_paragraph and is_continued
        if indent_at(content, 0) > 3:
            return "prose" if self._in_paragraph else "indented"
        if _FENCE.match(content):
            return "fence_open"
        if _HEADING.match(content):
            return "heading"
        if is_in_paragraph and _UNDERLINE.match(content):
            return "underline"
        if RULE.match(content):
            return "rule"
        if self._table is not None and is_continued:
            return "row"
        if is_in_paragraph and self._begins_table(content):
            self._table = len(self.lines) - 1
            return "table_rule"
        return "prose"

    def _begins_table(self, content: str) -> bool:
        return (
            bool(_TABLE_RULE.match(content))
            and "|" in content + self._content
            and _count_cells(content) == _count_cells(self._content)
        )

    def _open_fence(self, content: str) -> None:
        match = _FENCE.match(content)
        assert match is not None
        indent, marks, info = match.groups()
        self._fence = Fence(indent=indent, marks=marks, info=info.rstrip())
        self._fence_depth = len(self._containers)


def _count_cells(row: str) -> int:
    """Count the cells of a table row; a pipe behind a backslash is text."""
    row = row.strip(" ")
    ends = sum(1 for match in _CELL_END.finditer(row) if match[1])
    return ends + 1 - row.startswith("|") - (len(row) > 1 and row.endswith("|"))
