"""Markdown for a terminal, on which nothing that the model wrote may vanish."""

from __future__ import annotations

import re
from typing import ClassVar

from markdown_it import MarkdownIt
from markdown_it.token import Token
from rich.console import Console, ConsoleOptions, RenderResult
from rich.markdown import Markdown, MarkdownElement, TableElement
from rich.table import Table

# Raw HTML stays text, since Rich drops the tags, ``Vec<T>`` included. Link definitions stay text,
# since the blocks of an answer are rendered one by one and do not know each other's.
_PARSER = MarkdownIt("commonmark", {"html": False})
_PARSER.enable(["strikethrough", "table"]).disable("reference")

_BEFORE_CELLS = re.compile(r"^[\s>]*\|?")
_BETWEEN_CELLS = re.compile(r"(?<!\\)\|")


class _FoldedTable(TableElement):
    """Breaks long words of narrow columns, where Rich would cut them off."""

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        for table in super().__rich_console__(console, options):
            if isinstance(table, Table):
                for column in table.columns:
                    column.overflow = "fold"
            yield table


class TerminalMarkdown(Markdown):
    """CommonMark with tables; lines are kept as written, links show where they go."""

    elements: ClassVar[dict[str, type[MarkdownElement]]] = {
        **Markdown.elements,
        "table_open": _FoldedTable,
    }

    def __init__(self, text: str) -> None:
        super().__init__("", hyperlinks=False)
        self.markup = text
        self.parsed = _PARSER.parse(text)
        for token in self.parsed:
            for child in token.children or ():
                _show(child)
        _show_surplus_cells(self.parsed, text.split("\n"))


def finished_part(text: str) -> str:
    """Take the leading blocks of an unfinished text that nothing written later can change.

    In CommonMark only the last block is still open; it stays out even when it looks complete.
    """
    starts = [token.map[0] for token in _PARSER.parse(text) if token.level == 0 and token.map]
    if not starts:
        return ""
    return "".join(line + "\n" for line in text.split("\n")[: starts[-1]])


def _show(token: Token) -> None:
    """Keep line breaks, which Rich joins, and the addresses of pictures, which it drops."""
    if token.type == "softbreak":
        token.type = "hardbreak"
    elif token.type == "image":
        token.type, token.tag, token.children = "text", "", None
        token.content = f"{token.content} ({token.attrs['src']})"


def _show_surplus_cells(tokens: list[Token], lines: list[str]) -> None:
    """Append cells beyond a table's columns (a ``||`` in code makes some) to the row's last one."""
    first_line, cells = 0, 0
    last_cell: Token | None = None
    for token in tokens:
        if token.type == "tr_open" and token.map:
            first_line, cells = token.map[0], 0
        elif token.type == "inline":
            cells, last_cell = cells + 1, token
        elif token.type == "tr_close" and last_cell is not None:
            row = _BEFORE_CELLS.sub("", lines[first_line]).rstrip().removesuffix("|")
            surplus = _BETWEEN_CELLS.split(row)[cells:]
            if surplus and last_cell.children is not None:
                last_cell.children.append(Token("text", "", 0, content=" |" + "|".join(surplus)))
