"""How far a bot's updates were read, as it stands in the inbox.

The offset belongs to one bot: with another bot's token in its place, Telegram counts anew, and an
offset of the former one would pass over what waits.
"""

from __future__ import annotations

import re

_CURSOR = re.compile(r"(\d+):(-?\d{1,18})")


def write_cursor(bot_id: int, offset: int) -> str:
    """Write down the first update that is not stored yet."""
    return f"{bot_id}:{offset}"


def read_cursor(cursor: str | None, bot_id: int) -> int | None:
    """Read the offset back; None when there is none, or that of another bot."""
    match = _CURSOR.fullmatch(cursor or "")
    return int(match[2]) if match is not None and int(match[1]) == bot_id else None
