"""Stored content that cannot be read any more: told once, and then done without.

The law of this file: what is damaged costs what it held and nothing else. A disk that fails is
another matter: that is asked again, while a text that is no JSON today is none tomorrow.
"""

from __future__ import annotations

import logging
from collections.abc import Callable
from typing import TypeVar

from bot.errors import StoreUnreadable

logger = logging.getLogger(__name__)

UNREADABLE = "It cannot be read any more."
"""Why a row was set aside, or will not be sent."""

LOST = "[This cannot be read any more: it was damaged where it was stored.]"
"""What is shown in the place of a text, so that nothing is missing without a word."""

_Value = TypeVar("_Value")


class Damage:
    """What was found damaged in one database since it was opened; each place is logged once."""

    def __init__(self) -> None:
        self._told: set[tuple[str, str | int]] = set()

    def read(
        self, column: str, row: str | int, read: Callable[[str], _Value], text: str
    ) -> _Value | None:
        """Read what stands in ``column``, written ``table.column``, of ``row``; None if damaged."""
        try:
            return read(text)
        except StoreUnreadable as error:
            self.tell(column, row, str(error))
            return None

    def tell(self, column: str, row: str | int, why: str) -> None:
        """Log where something is damaged, never what: that may be anybody's words."""
        if (column, row) not in self._told:
            self._told.add((column, row))
            logger.error("store.unreadable", extra={"column": column, "row": row, "why": why})
