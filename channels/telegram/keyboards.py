"""The buttons below a message, laid out for a phone."""

from __future__ import annotations

import unicodedata

from bot.api import Button

ROW_CELLS = 34
"""What a narrow phone shows in one line of buttons, a letter being one cell and a wide one two."""

_PADDING_CELLS = 3

Keyboard = list[list[dict[str, str]]]
"""Rows of buttons as the Bot API takes them."""


def keyboard_of(buttons: tuple[Button, ...]) -> Keyboard:
    """Lay buttons out in their order, as many in a row as show their whole labels.

    A row is shared out evenly, so that its longest label counts for all of them.
    """
    rows: list[list[Button]] = []
    for button in buttons:
        if rows and _fits(*rows[-1], button):
            rows[-1].append(button)
        else:
            rows.append([button])
    return [[{"text": each.label, "callback_data": each.token} for each in row] for row in rows]


def _fits(*row: Button) -> bool:
    longest = max(_cells(button.label) for button in row)
    return len(row) * (longest + _PADDING_CELLS) <= ROW_CELLS


def _cells(label: str) -> int:
    return sum(1 + (unicodedata.east_asian_width(each) in "WF") for each in label)
