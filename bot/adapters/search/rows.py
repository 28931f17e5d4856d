"""Pieces of memory as text in a row, and back."""

from __future__ import annotations

import json
import sqlite3
from dataclasses import asdict
from datetime import datetime

from bot.core.chat import PersonKey
from bot.core.memory.audience import Audience, Origin
from bot.core.memory.items import MemoryItem


def text_of(item: MemoryItem) -> str:
    """Write a piece as JSON."""
    return json.dumps(asdict(item), default=datetime.isoformat)


def item_of(text: str) -> MemoryItem:
    """Read what :func:`text_of` wrote.

    Raises:
        sqlite3.DatabaseError: It is none: the file is damaged.
    """
    try:
        fields = json.loads(text)
        audience = fields["origin"]["audience"]
        return MemoryItem(
            **fields
            | {
                "origin": Origin(
                    audience=None if audience is None else Audience(**audience),
                    said_by=PersonKey(fields["origin"]["said_by"]),
                ),
                "moment": _moment(fields["moment"]),
                "unverified_since": _moment(fields["unverified_since"]),
            }
        )
    except (ValueError, KeyError, TypeError) as error:
        raise sqlite3.DatabaseError("malformed: a piece cannot be read") from error


def _moment(text: str | None) -> datetime | None:
    return None if text is None else datetime.fromisoformat(text)
