"""Groups that were allowed, or refused, as a whole."""

from __future__ import annotations

from datetime import datetime

from bot.adapters.store import outbox
from bot.adapters.store.codec import micros_of
from bot.adapters.store.schema import Tables
from bot.core.chat import ChatAddress, Reply, SessionKey
from bot.core.lifecycle import OutboxItem
from bot.ports import Place


def places(tables: Tables) -> tuple[Place, ...]:
    """Give all groups that were ever asked about."""
    rows = tables.execute("SELECT chat_key, state, title FROM place ORDER BY chat_key")
    return tuple(
        Place(address=ChatAddress.from_session_key(SessionKey(key)), state=state, title=title)
        for key, state, title in rows
    )


def set_place(
    tables: Tables, place: Place, by: str, at: datetime, told: tuple[Reply, ...]
) -> tuple[OutboxItem, ...]:
    """Keep what becomes of a group, and tell of it unless it was so, or decided on, already."""
    key, now = place.address.session_key, micros_of(at)
    row = tables.execute("SELECT state FROM place WHERE chat_key = ?", key).fetchone()
    old = None if row is None else str(row[0])
    if old == place.state or (old is not None and place.state == "asked"):
        if place.title:
            tables.execute("UPDATE place SET title = ? WHERE chat_key = ?", place.title, key)
        return ()
    tables.execute(
        "INSERT INTO place (chat_key, state, title, changed_by, changed_at)"
        " VALUES (?, ?, ?, ?, ?) ON CONFLICT (chat_key) DO UPDATE SET state = excluded.state,"
        " title = CASE excluded.title WHEN '' THEN title ELSE excluded.title END,"
        " changed_by = excluded.changed_by, changed_at = excluded.changed_at",
        key,
        place.state,
        place.title,
        by,
        now,
    )
    tables.execute(
        "INSERT INTO audit (at, who, what, old, new) VALUES (?, ?, ?, ?, ?)",
        now,
        by,
        f"place {key}",
        old,
        place.state,
    )
    return outbox.add(tables, told, at)
