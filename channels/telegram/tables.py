"""Tables where there are none: columns of letters of one width, or a block of lines a row.

A telephone shows some forty such letters side by side and breaks what is longer, after which no
column can be made out any more.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from pyromark.event import Event, Range

MOST_COLUMNS = 40
"""The widest table that is drawn as one, in letters. Source: no document; on telephones a line of
Telegram's font for code has 35 to 40."""

_Placed = tuple[Event, Range]

_PICTURE = "🖼 "


@dataclass(slots=True)
class _Table:
    """A table as it is read; ``rows`` holds the texts of the cells, the head first."""

    alignments: tuple[str, ...]
    rows: list[list[str]] = field(default_factory=list)

    def read(self, event: Event) -> None:
        """Take what stands in the table; of formatting, only what is seen as text."""
        match event:
            case {"Start": "TableHead" | "TableRow"}:
                self.rows.append([])
            case {"Start": "TableCell"}:
                self.rows[-1].append("")
            case {"Start": {"Image": _}}:
                self.rows[-1][-1] += _PICTURE
            case {"Text": str(text)} | {"Code": str(text)}:
                self.rows[-1][-1] += text


def with_tables_drawn(events: Iterable[_Placed]) -> Iterator[_Placed]:
    """Put in the place of every table what shows its words without one."""
    table: _Table | None = None
    for event, place in events:
        match event:
            case {"Start": {"Table": alignments}}:
                table = _Table(tuple(map(str, alignments)))
            case {"End": "Table"} if table is not None:
                yield from ((drawn, place) for drawn in _drawn(table))
                table = None
            case _ if table is not None:
                table.read(event)
            case _:
                yield event, place


def width_of(text: str) -> int:
    """Count columns: of Chinese and its like two a letter, of what stands upon a letter none."""
    return sum(map(_width, text))


def _width(letter: str) -> int:
    if unicodedata.category(letter) in ("Mn", "Me", "Cf"):
        return 0
    return 2 if unicodedata.east_asian_width(letter) in "WF" else 1


def _drawn(table: _Table) -> Iterator[Event]:
    lines = _lines(table)
    is_wide = max(map(width_of, lines)) > MOST_COLUMNS
    yield {"Start": "Paragraph"} if is_wide else {"Start": {"CodeBlock": {"Fenced": ""}}}
    yield {"Text": "\n".join(_blocks(table.rows) if is_wide else lines)}
    yield {"End": "Paragraph" if is_wide else "CodeBlock"}


def _lines(table: _Table) -> list[str]:
    """Draw the columns, a ruler below the head."""
    widths = [max(map(width_of, cells)) for cells in zip(*table.rows, strict=True)]
    lines = [
        " | ".join(map(_aligned, row, widths, table.alignments)).rstrip() for row in table.rows
    ]
    ruler = "-+-".join("-" * width for width in widths)
    return [lines[0], ruler, *lines[1:]] if len(lines) > 1 else lines


def _aligned(text: str, width: int, alignment: str) -> str:
    free = width - width_of(text)
    match alignment:
        case "Right":
            before = free
        case "Center":
            before = free // 2
        case _:
            before = 0
    return f"{' ' * before}{text}{' ' * (free - before)}"


def _blocks(rows: list[list[str]]) -> Iterator[str]:
    """Write every row as lines ``Name: cell``, an empty one between two of them."""
    head, *others = rows
    if not others:
        yield from head
    for number, row in enumerate(others):
        if number:
            yield ""
        for name, cell in zip(head, row, strict=True):
            yield f"{name}: {cell}".strip() if name else cell
