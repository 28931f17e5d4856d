"""What may be written to a terminal."""

from __future__ import annotations

_REPLACED = (*range(0x09), *range(0x0B, 0x0D), *range(0x0E, 0x20), *range(0x7F, 0xA0))
_VISIBLE = {ord("\r"): "", **dict.fromkeys(_REPLACED, "\N{REPLACEMENT CHARACTER}")}


def without_controls(text: str) -> str:
    """Replace control characters: an answer must not move the cursor or reprogram a terminal.

    Tabs and line feeds stay, carriage returns go.
    """
    return text.translate(_VISIBLE)
