"""Events as they came in: stored before the platform is told, then waiting, claimed, done.

States of a row: ``waiting`` for its turn or command, ``claimed`` by the turn in ``turn_id``,
``kept`` since that turn failed and can be tried again, ``done``, ``set_aside`` because it could not
be understood, or cannot be read any more. A row that is done is a tombstone: it holds no content
any more and only makes a redelivery known. Only the newest turn of a chat has rows that are kept.
"""

from __future__ import annotations

from datetime import datetime

from bot.adapters.store import buttons, files
from bot.adapters.store.codec import encode_inbound, micros_of
from bot.adapters.store.kept_messages import waiting_message
from bot.adapters.store.schema import SqlValue, Tables
from bot.core.chat import (
    ButtonPress,
    ChatAddress,
    Inbound,
    InboundMessage,
    SessionKey,
)
from bot.core.edits import BEHIND_ALL_EDITS, files_mark
from bot.core.lifecycle import (
    MAX_MESSAGES_TOGETHER,
    Cursor,
    Received,
    Route,
    SetAside,
    address_of,
)
from bot.core.turns import TurnId

GONE = micros_of(BEHIND_ALL_EDITS)
"""When a message was last changed that was taken back."""


def take_in(tables: Tables, event: Received | SetAside, at: datetime) -> bool:
    """Store an event; False when it was known."""
    now = micros_of(at)
    is_new = _insert(tables, event, now)
    if is_new and isinstance(event, Received) and event.route != "none":
        _note_hearing(tables, address_of(event.inbound).session_key, now)
    return is_new


def knows(tables: Tables, channel: str, event_id: str) -> bool:
    """Say whether an event was received before."""
    found = tables.execute(
        "SELECT 1 FROM inbox WHERE event_id = ? AND channel = ?", event_id, channel
    )
    return found.fetchone() is not None


def keep_cursor(tables: Tables, cursor: Cursor) -> None:
    """Note how far a channel has read."""
    tables.execute(
        "INSERT INTO cursor (channel, value) VALUES (?, ?)"
        " ON CONFLICT (channel) DO UPDATE SET value = excluded.value",
        cursor.channel,
        cursor.value,
    )


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
    ).fetchall()
    messages = {
        row: message
        for row, body in rows
        if (message := waiting_message(tables, row, body)) is not None
    }
    if len(messages) < len(rows):  # others move up to the places of those that were set aside
        return waiting_messages(tables, session_key)
    return messages


def place_of(tables: Tables, session_key: SessionKey, event_id: str) -> int | None:
    """Say where in the order of arrival an event of a chat's channel stands; None if unknown."""
    channel = ChatAddress.from_session_key(session_key).channel
    row = tables.execute(
        "SELECT id FROM inbox WHERE event_id = ? AND channel = ?", event_id, channel
    ).fetchone()
    return None if row is None else int(row[0])


def is_before(tables: Tables, session_key: SessionKey, event_id: str, other: str) -> bool:
    """Say whether an event of a chat's channel came in before another, if both are known."""
    places = (place_of(tables, session_key, each) for each in (event_id, other))
    place, limit = places
    return place is None or limit is None or place < limit


def claim_waiting(tables: Tables, turn_id: TurnId, rows: tuple[int, ...], first: int) -> None:
    """Write down that a turn owns these rows, blocks of its request from the block ``first`` on."""
    for place, row in enumerate(rows, first):
        tables.execute(
            "UPDATE inbox SET state = 'claimed', turn_id = ?, block = ? WHERE id = ?",
            turn_id,
            place,
            row,
        )


def first_place(tables: Tables, turn_id: TurnId) -> int:
    """Say at which block of its turn's request the first message stands."""
    (place,) = tables.execute("SELECT MIN(block) FROM inbox WHERE turn_id = ?", turn_id).fetchone()
    return place or 0


def place_of_turn(tables: Tables, turn_id: TurnId, places: tuple[int, ...]) -> None:
    """Write down at which block of its turn's request each message's text stands."""
    rows = tables.execute("SELECT id FROM inbox WHERE turn_id = ? ORDER BY id", turn_id).fetchall()
    for (row,), place in zip(rows, places, strict=True):
        tables.execute("UPDATE inbox SET block = ? WHERE id = ?", place, row)


def claim_kept(tables: Tables, turn_id: TurnId) -> bool:
    """Give a turn its messages back; False when they were not kept."""
    claimed = tables.execute(
        "UPDATE inbox SET state = 'claimed' WHERE turn_id = ? AND state = 'kept'", turn_id
    )
    return claimed.rowcount > 0


def keep_of_turn(tables: Tables, turn_id: TurnId) -> None:
    """Keep the messages of a turn, so that it can be tried again; not what was taken back."""
    tables.execute(
        "UPDATE inbox SET state = 'kept'"
        " WHERE turn_id = ? AND state = 'claimed' AND changed_at IS NOT ?",
        turn_id,
        GONE,
    )
    tables.execute(
        "UPDATE inbox SET state = 'done', body = NULL WHERE turn_id = ? AND state = 'claimed'",
        turn_id,
    )


def drop_kept(tables: Tables, session_key: SessionKey) -> None:
    """Forget what was kept in a chat, now that it cannot be tried again."""
    files.drop_kept(tables, session_key)
    tables.execute(
        "UPDATE inbox SET state = 'done', body = NULL WHERE session_key = ? AND state = 'kept'",
        session_key,
    )


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
    if not knows(tables, channel, event_id):
        raise ValueError(f"no such event: {event_id!r} of {channel}")
    return False


def waiting_sessions(tables: Tables) -> tuple[SessionKey, ...]:
    """Name the chats in which messages wait for a turn, the longest waiting first."""
    rows = tables.execute(
        "SELECT session_key FROM inbox WHERE state = 'waiting' AND route = 'turn'"
        " GROUP BY session_key ORDER BY MIN(id)"
    )
    return tuple(SessionKey(key) for (key,) in rows)


def waiting_albums(tables: Tables) -> tuple[InboundMessage, ...]:
    """Give the messages that wait for a turn and are a part of an album, oldest first."""
    rows = tables.execute(  # as the codec writes it; in a text, quotation marks are escaped
        "SELECT id, body FROM inbox"
        " WHERE state = 'waiting' AND route = 'turn' AND instr(body, '\"album\":') ORDER BY +id"
    ).fetchall()
    read = (waiting_message(tables, row, body) for row, body in rows)
    return tuple(message for message in read if message is not None and message.album)


def waiting_commands(tables: Tables) -> tuple[InboundMessage, ...]:
    """Give the commands that are not answered, oldest first."""
    rows = tables.execute(  # without the plus SQLite walks all events in the order of their ids
        "SELECT id, body FROM inbox WHERE state = 'waiting' AND route = 'command' ORDER BY +id"
    ).fetchall()
    read = (waiting_message(tables, row, body) for row, body in rows)
    return tuple(message for message in read if message is not None)


def _insert(tables: Tables, event: Received | SetAside, now: int) -> bool:
    values: tuple[SqlValue, ...]
    files: str | None = None
    if isinstance(event, SetAside):
        kept = (event.raw, event.reason)
        values = (event.channel, event.event_id, None, "none", "set_aside", *kept, now)
    else:
        values = (*_received(event.inbound, event.route), None, now)
        if event.route == "turn" and isinstance(event.inbound, InboundMessage):
            files = files_mark(event.inbound)
    inserted = tables.execute(
        "INSERT INTO inbox"
        " (channel, event_id, session_key, route, state, body, reason, received_at, files)"
        " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (event_id, channel) DO NOTHING",
        *values,
        files,
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
    if route == "press" and isinstance(inbound, ButtonPress):
        return buttons.waiting_press(inbound)
    if route == "none" or not isinstance(inbound, InboundMessage):
        # Only what a person wrote or pressed can wait: a deletion has done its work at once.
        return address.channel, inbound.event_id, None, "none", "done", None
    body = encode_inbound(inbound)
    return address.channel, inbound.event_id, address.session_key, route, "waiting", body
