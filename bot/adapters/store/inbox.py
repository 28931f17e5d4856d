"""Events as they came in: stored before the platform is told, then waiting, claimed, done.

States of a row: ``waiting`` for its turn or command, ``claimed`` by the turn in ``turn_id``,
``done``, ``set_aside`` because it could not be understood. A row that is done is a tombstone: it
holds no content any more and only makes a redelivery known.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from datetime import datetime

from bot.adapters.store.codec import decode_inbound, encode_inbound, micros_of
from bot.adapters.store.schema import SqlValue, Tables
from bot.core.chat import Inbound, InboundEdit, InboundMessage, SessionKey
from bot.core.lifecycle import Cursor, Received, Route, SetAside, address_of
from bot.core.turns import TurnId
from bot.errors import StoreError


def receive(
    tables: Tables,
    events: tuple[Received | SetAside, ...],
    cursor: Cursor | None,
    at: datetime,
) -> tuple[bool, ...]:
    """Store events and the cursor behind them; True for each that was not known."""
    now = micros_of(at)
    are_new = tuple(_insert(tables, event, now) for event in events)
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


def waiting_messages(tables: Tables, session_key: SessionKey) -> tuple[InboundMessage, ...]:
    """Give what waits for the next turn of a chat, in the order of arrival."""
    rows = tables.execute(
        "SELECT body FROM inbox"
        " WHERE session_key = ? AND state = 'waiting' AND route = 'turn' ORDER BY id",
        session_key,
    )
    return _messages(rows)


def claim_waiting(tables: Tables, session_key: SessionKey, turn_id: TurnId) -> None:
    """Write down that a turn owns all that waits for one in its chat."""
    tables.execute(
        "UPDATE inbox SET state = 'claimed', turn_id = ?"
        " WHERE session_key = ? AND state = 'waiting' AND route = 'turn'",
        turn_id,
        session_key,
    )


def messages_of_turn(tables: Tables, turn_id: TurnId) -> tuple[InboundMessage, ...]:
    """Give the messages that an open turn owns, in the order of arrival."""
    rows = tables.execute("SELECT body FROM inbox WHERE turn_id = ? ORDER BY id", turn_id)
    return _messages(rows)


def close_of_turn(tables: Tables, turn_id: TurnId) -> None:
    """Turn the messages of a turn into tombstones: from now on the turn holds their content."""
    tables.execute("UPDATE inbox SET state = 'done', body = NULL WHERE turn_id = ?", turn_id)


def close(tables: Tables, event_id: str) -> bool:
    """Turn a waiting event into a tombstone; False when it was not waiting any more.

    Two channels that use the same event id are told apart by order: each event is closed once.

    Raises:
        ValueError: No such event was ever received.
    """
    closed = tables.execute(
        "UPDATE inbox SET state = 'done', body = NULL WHERE id = ("
        " SELECT MIN(id) FROM inbox WHERE event_id = ? AND state = 'waiting')",
        event_id,
    )
    if closed.rowcount:
        return True
    if tables.execute("SELECT 1 FROM inbox WHERE event_id = ?", event_id).fetchone() is None:
        raise ValueError(f"no such event: {event_id!r}")
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


def _message(inbound: Inbound) -> InboundMessage:
    """Give the message that waits; a changed one goes by the event id of the change."""
    match inbound:
        case InboundMessage():
            return inbound
        case InboundEdit():
            return replace(inbound.message, event_id=inbound.event_id)
        case _:
            raise StoreError(f"a {type(inbound).__name__} waits where only messages can")
