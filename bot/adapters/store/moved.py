"""Where a chat is by now that was moved: what was begun under its old id may end later."""

from __future__ import annotations

from dataclasses import replace

from bot.adapters.store.chat_keys import key_of
from bot.adapters.store.schema import Tables
from bot.core.memory.audience import Audience


def audience_now(tables: Tables, audience: Audience) -> Audience:
    """Give the audience that a chat has by now."""
    row = tables.execute(
        "SELECT new_chat FROM chat_move WHERE chat_key = ? AND state != 'asked'", key_of(audience)
    ).fetchone()
    return audience if row is None else replace(audience, chat=row[0])
