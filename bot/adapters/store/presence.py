"""Where the bot takes part, and what it knows of what was said there."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime

from bot.adapters.store.chat_keys import behind_all
from bot.adapters.store.codec import micros_of, moment_of
from bot.adapters.store.schema import Tables
from bot.core.chat import ChatAddress, HeardChat, SessionKey


def takes_part(tables: Tables, session_key: SessionKey) -> bool:
    """Say whether a conversation has a turn, or waits for its first."""
    (is_so,) = tables.execute(
        # The kind is noted with the first turn; settings alone make no conversation.
        "SELECT EXISTS (SELECT 1 FROM session WHERE key = ? AND kind IS NOT NULL) OR EXISTS ("
        "SELECT 1 FROM inbox WHERE session_key = ? AND state = 'waiting' AND route = 'turn')",
        session_key,
        session_key,
    ).fetchone()
    return bool(is_so)


def heard_since(tables: Tables, channel: str, since: datetime, limit: int) -> tuple[HeardChat, ...]:
    """Give conversations of a channel of which something came in since a moment, newest first."""
    rows = tables.execute(
        "SELECT key, heard_at FROM session"
        " WHERE key >= ? AND key < ? AND kind IS NOT NULL AND heard_at >= ?"
        " ORDER BY heard_at DESC, key LIMIT ?",
        f"{channel}:",
        f"{channel};",  # the character behind the colon
        micros_of(since),
        limit,
    )
    return _heard(rows)


def heard_in(tables: Tables, address: ChatAddress, limit: int) -> tuple[HeardChat, ...]:
    """Give the conversations of a chat, its threads and itself, newest first."""
    whole = address.whole_chat.session_key
    rows = tables.execute(
        "SELECT key, heard_at FROM session"
        " WHERE key >= ? AND key < ? AND kind IS NOT NULL AND heard_at IS NOT NULL"
        " ORDER BY heard_at DESC, key LIMIT ?",
        whole,
        behind_all(whole),
        limit,
    )
    return _heard(rows)


def _heard(rows: Iterable[tuple[SessionKey, int]]) -> tuple[HeardChat, ...]:
    return tuple(
        HeardChat(address=ChatAddress.from_session_key(key), heard_at=moment_of(heard_at))
        for key, heard_at in rows
    )


def received(tables: Tables, address: ChatAddress, event_ids: tuple[str, ...]) -> frozenset[str]:
    """Give those of event ids that came in at an address."""
    return frozenset(each for each in event_ids if _is_received(tables, address, each))


def _is_received(tables: Tables, address: ChatAddress, event_id: str) -> bool:
    found = tables.execute(
        "SELECT 1 FROM inbox WHERE event_id = ? AND channel = ? AND session_key = ?",
        event_id,
        address.channel,
        address.session_key,
    )
    return found.fetchone() is not None
