"""What stands on a terminal's screen after everything that a program wrote to it.

A function of bytes. The screen has no lower end, so that nothing scrolls away; a control sequence
that is not known here is an error, so that no picture is wrong without notice.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from itertools import groupby
from typing import Literal

from rich.cells import cell_len

Colour = Literal["black", "red", "green", "yellow", "blue", "magenta", "cyan", "white"]

COLOURS: tuple[Colour, ...] = (
    *("black", "red", "green", "yellow"),
    *("blue", "magenta", "cyan", "white"),
)
"""In the order of their codes, 30 to 37. Source: ECMA-48, 5th edition, SGR."""

_PIECE = re.compile(r"\x1b\[(?P<codes>[?\d;]*)(?P<verb>[A-Za-z])|(?P<sign>.)", re.DOTALL)
_CHANGES_NOTHING_SEEN = {"h", "l", "n"}  # switches of modes, questions about the cursor
_MOVES = {"A": (-1, 0), "B": (1, 0), "C": (0, 1), "D": (0, -1)}


@dataclass(frozen=True, slots=True, kw_only=True)
class Style:
    """How a sign looks."""

    is_bold: bool = False
    is_dim: bool = False
    is_italic: bool = False
    is_underlined: bool = False
    colour: Colour | None = None
    ground: Colour | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Span:
    """Signs side by side that look alike; ``column`` and ``width`` in cells."""

    text: str
    column: int
    width: int
    style: Style


class Screen:
    """A screen of so many columns."""

    def __init__(self, columns: int = 80) -> None:
        """Make an empty one."""
        self._columns = columns
        self._rows: list[dict[int, tuple[str, Style]]] = [{}]
        self._row = self._column = 0
        self._style = Style()

    def write(self, text: str) -> Screen:
        """Take in what a program wrote; give the screen itself.

        Raises:
            ValueError: Something in it is not known here.
        """
        for piece in _PIECE.finditer(text):
            if piece["verb"]:
                self._obey(piece["verb"], piece["codes"])
            else:
                self._put(piece["sign"])
        return self

    def lines(self) -> tuple[str, ...]:
        """Give the text of each row."""
        return tuple("".join(span.text for span in row).rstrip() for row in self.rows())

    def rows(self) -> tuple[tuple[Span, ...], ...]:
        """Give each row, from its first column to its last sign."""
        return tuple(map(_spans, self._rows))

    def _obey(self, verb: str, codes: str) -> None:
        if verb in _CHANGES_NOTHING_SEEN:
            return
        numbers = [int(code or 0) for code in codes.split(";")]
        if verb in _MOVES:
            down, right = _MOVES[verb]
            steps = numbers[0] or 1
            self._row = max(0, self._row + down * steps)
            self._column = min(max(0, self._column + right * steps), self._columns - 1)
        elif verb == "m":
            for number in numbers:
                self._style = _changed(self._style, number)
        elif verb in ("J", "K") and numbers == [0]:
            row = self._here()
            for column in [each for each in row if each >= self._column]:
                del row[column]
            if verb == "J":
                del self._rows[self._row + 1 :]
        else:
            raise ValueError(f"the control sequence {codes}{verb} is not known")

    def _put(self, sign: str) -> None:
        match sign:
            case "\r":
                self._column = 0
            case "\n":
                self._row += 1
            case "\b":
                self._column = max(0, self._column - 1)
            case _ if not sign.isprintable():
                raise ValueError(f"the control sign {sign!r} is not known")
            case _:
                width = cell_len(sign)
                if self._column + width > self._columns:
                    self._row, self._column = self._row + 1, 0
                self._here()[self._column] = (sign, self._style)
                self._column += width

    def _here(self) -> dict[int, tuple[str, Style]]:
        while len(self._rows) <= self._row:
            self._rows.append({})
        return self._rows[self._row]


def _changed(style: Style, code: int) -> Style:
    match code:
        case 0:
            return Style()
        case 1:
            return replace(style, is_bold=True)
        case 2:
            return replace(style, is_dim=True)
        case 3:
            return replace(style, is_italic=True)
        case 4:
            return replace(style, is_underlined=True)
        case _ if 30 <= code <= 37:
            return replace(style, colour=COLOURS[code - 30])
        case _ if 40 <= code <= 47:
            return replace(style, ground=COLOURS[code - 40])
        case _:
            raise ValueError(f"the look {code} is not known")


def _spans(row: dict[int, tuple[str, Style]]) -> tuple[Span, ...]:
    signs = [(column, *row.get(column, (" ", Style()))) for column in _columns(row)]
    spans = []
    for style, group in groupby(signs, key=lambda sign: sign[2]):
        alike = list(group)
        text = "".join(sign for _, sign, _ in alike)
        span = Span(text=text, column=alike[0][0], width=cell_len(text), style=style)
        spans.append(span)
    return tuple(spans)


def _columns(row: dict[int, tuple[str, Style]]) -> list[int]:
    """Name the columns at which a sign begins, blank ones between them included."""
    columns, column = [], 0
    while column <= max(row, default=-1):
        columns.append(column)
        column += cell_len(row[column][0]) if column in row else 1
    return columns
