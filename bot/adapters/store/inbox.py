"""Events as they came in: stored before the platform is told, then waiting, claimed, done.

States of a row: ``waiting`` for its turn or command, ``claimed`` by the turn in ``turn_id``,
``kept`` since that turn failed and can be tried again, ``done``, ``set_aside`` because it could not
be understood. A row that is done is a tombstone: it holds no content any more and only makes a
redelivery known. Only the newest turn of a chat has rows that are kept.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from datetime import datetime

from bot.adapters.store.codec import decode_inbound, encode_inbound, micros_of
from bot.adapters.store.schema import SqlValue, Tables
from bot.core.chat import ChatAddress, Inbound, InboundEdit, InboundMessage, SessionKey
from bot.core.lifecycle import (
    MAX_MESSAGES_TOGETHER,
    Cursor,
    Received,
    Route,
    SetAside,
    address_of,
)
from bot.core.turns import TurnId


def receive(
    tables: Tables,
    events: tuple[Received | SetAside, ...],
    cursor: Cursor | None,
    at: datetime,
) -> tuple[bool, ...]:
    """Store events and the cursor behind them; True for each that was not known."""
    now = micros_of(at)
    are_new = tuple(_insert(tables, event, now) for event in events)
    for event, is_new in zip(events, are_new, strict=True):
        if is_new and isinstance(event, Received) and event.route != "none":
            _note_hearing(tables, address_of(event.inbound).session_key, now)
    if cursor is not None:
        tables.execute(
            "INSERT INTO cursor (channel, value) VALUES (?, ?)"
            " ON CONFLICT (channel) DO UPDATE SET value = excluded.value",
            cursor.channel,
            cursor.value,
        )
    return are_new


def cursor(tables: Tables, channel: str) -> str | None:
    """Say how far a channel has read."""
    row = tables.execute("SELECT value FROM cursor WHERE channel = ?", channel).fetchone()
    return None if row is None else str(row[0])


def waiting_messages(tables: Tables, session_key: SessionKey) -> dict[int, InboundMessage]:
    """Give by its row what waits in a chat, of what came first one more than a turn can take."""
    rows = tables.execute(
        "SELECT id, body FROM inbox"
        " WHERE session_key = ? AND state = 'waiting' AND route = 'turn' ORDER BY id LIMIT ?",
        session_key,
        MAX_MESSAGES_TOGETHER + 1,
    )
    return {row: _message(decode_inbound(body)) for row, body in rows}


def place_of(tables: Tables, session_key: SessionKey, event_id: str) -> int | None:
    """Say where in the order of arrival an event of a chat's channel stands; None if unknown."""
    channel = ChatAddress.from_session_key(session_key).channel
    row = tables.execute(
        "SELECT id FROM inbox WHERE event_id = ? AND channel = ?", event_id, channel
    ).fetchone()
    return None if row is None else int(row[0])


def claim_waiting(
    tables: Tables, session_key: SessionKey, turn_id: TurnId, *, through: int
) -> None:
    """Write down that a turn owns what waits for one in its chat, up to the row ``through``."""
    tables.execute(
        "UPDATE inbox SET state = 'claimed', turn_id = ?"
        " WHERE session_key = ? AND state = 'waiting' AND route = 'turn' AND id <= ?",
        turn_id,
        session_key,
        through,
    )


def claim_kept(tables: Tables, turn_id: TurnId) -> bool:
    """Give a turn its messages back; False when they were not kept."""
    claimed = tables.execute(
        "UPDATE inbox SET state = 'claimed' WHERE turn_id = ? AND state = 'kept'", turn_id
    )
    return claimed.rowcount > 0


def keep_of_turn(tables: Tables, turn_id: TurnId) -> None:
    """Keep the messages of a turn, so that it can be tried again."""
    tables.execute("UPDATE inbox SET state = 'kept' WHERE turn_id = ?", turn_id)


def drop_kept(tables: Tables, session_key: SessionKey) -> None:
    """Turn into tombstones what was kept in a chat, now that it cannot be tried again."""
    tables.execute(
        "UPDATE inbox SET state = 'done', body = NULL WHERE session_key = ? AND state = 'kept'",
        session_key,
    )


def messages_of_turn(tables: Tables, turn_id: TurnId) -> tuple[InboundMessage, ...]:
    """Give the messages that an open turn owns, in the order of arrival."""
    rows = tables.execute("SELECT body FROM inbox WHERE turn_id = ? ORDER BY id", turn_id)
    return _messages(rows)


def close_of_turn(tables: Tables, turn_id: TurnId) -> None:
    """Turn the messages of a turn into tombstones: from now on the turn holds their content."""
    tables.execute("UPDATE inbox SET state = 'done', body = NULL WHERE turn_id = ?", turn_id)


def close(tables: Tables, channel: str, event_id: str) -> bool:
    """Turn a waiting event into a tombstone; False when it was not waiting any more.

    Raises:
        ValueError: No such event was ever received, or it was pruned.
    """
    closed = tables.execute(
        "UPDATE inbox SET state = 'done', body = NULL"
        " WHERE event_id = ? AND channel = ? AND state = 'waiting'",
        event_id,
        channel,
    )
    if closed.rowcount:
        return True
    known = tables.execute(
        "SELECT 1 FROM inbox WHERE event_id = ? AND channel = ?", event_id, channel
    )
    if known.fetchone() is None:
        raise ValueError(f"no such event: {event_id!r} of {channel}")
    return False


def waiting_sessions(tables: Tables) -> tuple[SessionKey, ...]:
    """Name the chats in which messages wait for a turn, the longest waiting first."""
    rows = tables.execute(
        "SELECT session_key FROM inbox WHERE state = 'waiting' AND route = 'turn'"
        " GROUP BY session_key ORDER BY MIN(id)"
    )
    return tuple(SessionKey(key) for (key,) in rows)


def waiting_commands(tables: Tables) -> tuple[InboundMessage, ...]:
    """Give the commands that are not answered, oldest first."""
    rows = tables.execute(  # without the plus SQLite walks all events in the order of their ids
        "SELECT body FROM inbox WHERE state = 'waiting' AND route = 'command' ORDER BY +id"
    )
    return _messages(rows)


def _insert(tables: Tables, event: Received | SetAside, now: int) -> bool:
    values: tuple[SqlValue, ...]
    if isinstance(event, SetAside):
        kept = (event.raw, event.reason)
        values = (event.channel, event.event_id, None, "none", "set_aside", *kept, now)
    else:
        values = (*_received(event.inbound, event.route), None, now)
    inserted = tables.execute(
        "INSERT INTO inbox"
        " (channel, event_id, session_key, route, state, body, reason, received_at)"
        " VALUES (?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (event_id, channel) DO NOTHING",
        *values,
    )
    return inserted.rowcount == 1


def _note_hearing(tables: Tables, session_key: SessionKey, now: int) -> None:
    """Note when something came in, of a chat that there is: the first turn makes one."""
    tables.execute(
        "UPDATE session SET heard_at = MAX(COALESCE(heard_at, 0), ?) WHERE key = ?",
        now,
        session_key,
    )


def _received(inbound: Inbound, route: Route) -> tuple[SqlValue, ...]:
    """Say channel, event id, session, route, state and body of an event."""
    address = address_of(inbound)
    if route == "none" or not isinstance(inbound, InboundMessage | InboundEdit):
        # Only what a person wrote can wait: a deletion or a stop has done its work at once.
        return address.channel, inbound.event_id, None, "none", "done", None
    body = encode_inbound(inbound)
    return address.channel, inbound.event_id, address.session_key, route, "waiting", body


def _messages(rows: Iterable[tuple[str]]) -> tuple[InboundMessage, ...]:
    return tuple(_message(decode_inbound(body)) for (body,) in rows)


def _message(inbound: InboundMessage | InboundEdit) -> InboundMessage:
    """Give the message that waits; a changed one goes by the event id of the change."""
    if isinstance(inbound, InboundEdit):
        return replace(inbound.message, event_id=inbound.event_id)
    return inbound
