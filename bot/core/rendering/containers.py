"""The quotes and list items that the lines of a Markdown text stand in.

The law of this file: all columns count in a line whose tabs are expanded, as CommonMark has it.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

_ITEM = re.compile(r"(?:[-+*]|([0-9]{1,9})[.)])(?= |$)")
_MAX_DEPTH = 32  # what is deeper is read as text, so that "> > > > …" costs no square of its length

RULE = re.compile(r" {0,3}([-_*])(?: *\1){2,} *$")
"""A thematic break, which may look like the marker of a list item."""


@dataclass(frozen=True, slots=True, eq=False)
class Container:
    """A quote, or a list item whose content stands ``width`` columns further in.

    Equal only to itself, so that two items of one list are two.
    """

    width: int
    is_quote: bool = False


def indent_at(line: str, column: int) -> int:
    """Count the spaces from a column on."""
    end = column
    while line.startswith(" ", end):
        end += 1
    return end - column


def match_containers(line: str, containers: Sequence[Container]) -> tuple[int, int]:
    """Say how many of the containers a line continues and at which column its content begins."""
    column = 0
    for depth, container in enumerate(containers):
        indent = indent_at(line, column)
        is_empty = column + indent == len(line)
        if container.is_quote:
            if indent > 3 or not line.startswith(">", column + indent):
                return depth, column
            column += indent + 1
            column += line.startswith(" ", column)
        elif indent >= container.width:
            column += container.width
        elif is_empty:
            column = len(line)
        else:
            return depth, column
    return len(containers), column


def open_containers(
    line: str, column: int, depth: int, *, is_in_paragraph: bool
) -> tuple[list[Container], int]:
    """Read the markers that a line begins with, inside of ``depth`` containers.

    ``is_in_paragraph`` says that the line could as well go on with a paragraph; not every list
    may interrupt one.
    """
    opened: list[Container] = []
    while (indent := indent_at(line, column)) <= 3 and depth + len(opened) < _MAX_DEPTH:
        start = column + indent
        if line.startswith(">", start):
            opened.append(Container(width=0, is_quote=True))
            column = start + 1 + line.startswith(" ", start + 1)
            continue
        marker = _ITEM.match(line, start)
        if marker is None or RULE.match(line, column):
            break
        if is_in_paragraph and not opened and not _may_interrupt(marker, line):
            break
        gap = indent_at(line, marker.end())
        if gap > 4 or marker.end() + gap == len(line):
            gap = 1
        opened.append(Container(width=marker.end() + gap - column))
        column = min(marker.end() + gap, len(line))
    return opened, column


def shared_containers(
    first: tuple[Container, ...], second: tuple[Container, ...]
) -> tuple[Container, ...]:
    """Find the containers that two lines both stand in, the outermost first."""
    depth = 0
    while depth < min(len(first), len(second)) and first[depth] is second[depth]:
        depth += 1
    return first[:depth]


def write_prefix(containers: tuple[Container, ...], *, without: tuple[Container, ...]) -> str:
    """Write what stands before the content of a line, less the lists among ``without``."""
    return "".join(
        "> " if each.is_quote else " " * each.width * (each not in without) for each in containers
    )


def strip_lists(line: str, containers: tuple[Container, ...]) -> str:
    """Take the indentation of the lists among the containers off a line that continues them."""
    depth, column = match_containers(line.expandtabs(4), containers)
    prefix = write_prefix(containers[:depth], without=containers)
    return prefix + _from_column(line, column)


def _may_interrupt(marker: re.Match[str], line: str) -> bool:
    """Say whether a list may begin in the middle of a paragraph: it has text and counts from 1."""
    return marker[1] in (None, "1") and bool(line[marker.end() :].strip(" "))


def _from_column(line: str, column: int) -> str:
    """Cut a line at a column; what a tab there reaches beyond it becomes spaces."""
    at = 0
    for index, character in enumerate(line):
        if at >= column or character in "\r\n":
            return " " * (at - column) + line[index:]
        at += 4 - at % 4 if character == "\t" else 1
    return ""
