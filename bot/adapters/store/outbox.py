"""Replies on their way out: stored before they are sent, kept open until their fate is known.

A row is ``pending``, ``sending`` between the platform's call and its answer, ``sent`` or
``failed``. The text of what was sent is blanked, since the platform has it and its turn too; the
text of what failed is kept, so that it can be told and sent again. A preview is an unfinished
answer shown meanwhile, a row for each message of it: they are closed with their turn, and one of
which nobody knows whether it was shown becomes the reply itself that was to take its place.

A reply's key is made of the installation's id and the row's, so that a platform which keeps it can
be asked for it and finds no message of another database.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable
from dataclasses import replace
from datetime import datetime
from functools import partial

from bot.adapters.store import buttons
from bot.adapters.store.codec import decode_reply, encode_reply, micros_of, moment_of
from bot.adapters.store.damage import LOST, UNREADABLE
from bot.adapters.store.schema import Tables
from bot.core.chat import ChatAddress, Receipt, Reply, SessionKey
from bot.core.lifecycle import OutboxId, OutboxItem, placed, sent_again
from bot.core.turns import TurnId

_NEVER_SHOWN = "The turn ended before the preview was known to be shown."


def add(
    tables: Tables,
    replies: Iterable[Reply],
    at: datetime,
    *,
    turn_id: TurnId | None = None,
    replaces: Receipt | None = None,
) -> tuple[OutboxItem, ...]:
    """Put replies into the outbox; the first one takes the place of what ``replaces`` names.

    A file takes nothing's place: no platform makes one of a text.
    """
    items = []
    for reply in replies:
        target = None if reply.file is not None else replaces
        items.append(_insert(tables, reply, at, turn_id=turn_id, replaces=target))
        replaces = None
    return tuple(items)


def add_of_turn(
    tables: Tables, turn_id: TurnId, replies: tuple[Reply, ...], at: datetime
) -> tuple[OutboxItem, ...]:
    """Put the replies of a turn that ends into the outbox; they finish and close its preview."""
    previews = _previews(tables, turn_id, replies[0]) if replies else ()
    items = []
    for reply, preview in placed(previews, replies):
        if preview is not None and preview.is_in_doubt:
            items.append(_become(tables, preview, reply, at))
        else:
            shown = None if preview is None else preview.receipt
            items.append(_insert(tables, reply, at, turn_id=turn_id, replaces=shown))
    _close_previews(tables, turn_id, at)
    return tuple(items)


def add_preview(
    tables: Tables, turn_id: TurnId, reply: Reply, at: datetime, number: int
) -> OutboxItem:
    """Put a message of an unfinished answer into the outbox; one that is there is gone on with."""
    there = _previews(tables, turn_id, reply)
    if number < len(there):
        return there[number]
    return _insert(tables, reply, at, turn_id=turn_id, is_preview=True)


def _previews(tables: Tables, turn_id: TurnId, reply: Reply) -> tuple[OutboxItem, ...]:
    """Give the messages of a turn's preview in their order, each as if it brought ``reply``."""
    rows = tables.execute(
        "SELECT id, state, receipt, reason, changed_at FROM outbox"
        " WHERE turn_id = ? AND is_preview = 1 ORDER BY id",
        turn_id,
    )
    return tuple(
        OutboxItem(
            id=OutboxId(item_id),
            reply=replace(reply, key=_key(tables, item_id)),
            state=state,
            is_preview=True,
            receipt=_receipt(receipt),
            reason=reason or "",
            failed_at=_failed_at(state, changed_at),
        )
        for item_id, state, receipt, reason, changed_at in rows.fetchall()
    )


def _close_previews(tables: Tables, turn_id: TurnId, at: datetime) -> None:
    tables.execute(
        "UPDATE outbox SET state = CASE WHEN receipt IS NULL THEN 'failed' ELSE 'sent' END,"
        " reason = CASE WHEN receipt IS NULL THEN ? END, body = NULL, changed_at = ?"
        " WHERE turn_id = ? AND is_preview = 1",
        _NEVER_SHOWN,
        micros_of(at),
        turn_id,
    )


def _become(tables: Tables, preview: OutboxItem, reply: Reply, at: datetime) -> OutboxItem:
    """Make a reply of a preview that may stand in the chat: who finds it, finds what to finish."""
    tables.execute(
        "UPDATE outbox SET is_preview = 0, body = ?, changed_at = ? WHERE id = ?",
        encode_reply(reply),
        micros_of(at),
        preview.id,
    )
    reply = replace(reply, key=preview.reply.key)
    return OutboxItem(id=preview.id, reply=reply, state="sending")


def part_from_preview(tables: Tables, turn_id: TurnId) -> None:
    """Leave the closed preview of a turn that is opened again as it is: people have read it."""
    tables.execute("UPDATE outbox SET turn_id = NULL WHERE turn_id = ? AND is_preview = 1", turn_id)


def mark_sending(tables: Tables, item: OutboxId, at: datetime) -> None:
    """Note that the platform is about to be called; an item that is closed stays so."""
    marked = tables.execute(
        "UPDATE outbox SET state = 'sending', changed_at = ? WHERE id = ? AND state = 'pending'",
        micros_of(at),
        item,
    )
    _require_known(tables, item, marked.rowcount)


def mark_pending(tables: Tables, item: OutboxId) -> None:
    """Note that what was being sent did not arrive."""
    marked = tables.execute(
        "UPDATE outbox SET state = 'pending' WHERE id = ? AND state = 'sending'", item
    )
    _require_known(tables, item, marked.rowcount)


def mark_sent(tables: Tables, item: OutboxId, receipt: Receipt, at: datetime) -> None:
    """Note that the platform has it: that outweighs whatever was believed before."""
    marked = tables.execute(
        "UPDATE outbox SET state = 'sent', receipt = ?, body = NULL, content = NULL, reason = NULL,"
        " changed_at = ?"
        " WHERE id = ?",
        receipt.message_id,
        micros_of(at),
        item,
    )
    _require_known(tables, item, marked.rowcount)


def mark_failed(
    tables: Tables, item: OutboxId, reason: str, at: datetime, notice: Reply | None
) -> OutboxItem | None:
    """Note that it will not be delivered, and why; put the notice about that into the outbox."""
    marked = tables.execute(
        "UPDATE outbox SET state = 'failed', reason = ?, changed_at = ?"
        " WHERE id = ? AND state IN ('pending', 'sending')",
        reason,
        micros_of(at),
        item,
    )
    _require_known(tables, item, marked.rowcount)
    if notice is None or not marked.rowcount:
        return None
    return _insert(tables, notice, at, turn_id=None)


def undelivered(tables: Tables) -> tuple[OutboxItem, ...]:
    """Give what is pending or being sent, oldest first."""
    rows = tables.execute(
        "SELECT id, session_key, body, state, is_preview, receipt, replaces, reason, changed_at,"
        " content FROM outbox"
        " WHERE state IN ('pending', 'sending') ORDER BY id"
    )
    items = _read(tables, rows)
    for item in items:
        if item.reason == UNREADABLE:
            tables.execute(
                "UPDATE outbox SET state = 'failed', reason = ? WHERE id = ? AND is_preview = 0",
                UNREADABLE,
                item.id,
            )
    return tuple(item for item in items if item.reason != UNREADABLE)


def failed(tables: Tables, session_key: SessionKey) -> tuple[OutboxItem, ...]:
    """Give the replies that could not be delivered to a chat and bring something, oldest first."""
    rows = tables.execute(
        "SELECT id, session_key, body, state, is_preview, receipt, replaces, reason, changed_at,"
        " content FROM outbox"
        " WHERE session_key = ? AND state = 'failed' AND is_preview = 0 ORDER BY id",
        session_key,
    )
    replies = (item for item in _read(tables, rows) if item.reply.kind != "failure")
    return tuple(item for item in replies if not item.reply.takes_back)


def send_again(tables: Tables, session_key: SessionKey, at: datetime) -> tuple[OutboxItem, ...]:
    """Open again what could not be delivered to a chat, and give it, oldest first."""
    found = failed(tables, session_key)
    items = tuple(sent_again(item) for item in found if item.reason != UNREADABLE)
    for item in items:
        tables.execute(
            "UPDATE outbox SET state = ?, reason = NULL, changed_at = ? WHERE id = ?",
            item.state,
            micros_of(at),
            item.id,
        )
    return items


def remove_of_chat(tables: Tables, session_key: SessionKey) -> None:
    """Remove what was sent by a chat's turns, and what could not be delivered to it."""
    tables.execute(
        "DELETE FROM outbox WHERE turn_id IN (SELECT id FROM turn WHERE session_key = ?)"
        " AND state IN ('sent', 'failed')",
        session_key,
    )
    tables.execute(
        "DELETE FROM outbox WHERE session_key = ? AND state = 'failed' AND is_preview = 0",
        session_key,
    )


def _insert(
    tables: Tables,
    reply: Reply,
    at: datetime,
    *,
    turn_id: TurnId | None,
    is_preview: bool = False,
    replaces: Receipt | None = None,
) -> OutboxItem:
    now = micros_of(at)
    inserted = tables.execute(
        "INSERT INTO outbox"
        " (session_key, turn_id, is_preview, state, body, replaces, created_at, changed_at,"
        " content)"
        " VALUES (?, ?, ?, 'pending', ?, ?, ?, ?, ?)",
        reply.address.session_key,
        turn_id,
        int(is_preview),
        encode_reply(reply),
        None if replaces is None else replaces.message_id,
        now,
        now,
        None if reply.file is None else reply.file.content,
    )
    assert inserted.lastrowid is not None
    buttons.add(tables, inserted.lastrowid, reply)
    return OutboxItem(
        id=OutboxId(inserted.lastrowid),
        reply=replace(reply, key=_key(tables, inserted.lastrowid)),
        state="pending",
        is_preview=is_preview,
        replaces=replaces,
    )


def _read(tables: Tables, rows: sqlite3.Cursor) -> tuple[OutboxItem, ...]:
    """Read items; one that cannot be read has a stand-in, and that for its reason."""
    items = []
    for row in rows.fetchall():
        item_id, key, body, state, is_preview, receipt, replaces, reason, changed_at, content = row
        read = partial(decode_reply, key=_key(tables, item_id), content=content)
        reply = tables.damage.read("outbox.body", item_id, read, body)
        item = OutboxItem(
            id=OutboxId(item_id),
            reply=reply or Reply(address=ChatAddress.from_session_key(key), text=LOST),
            state=state,
            is_preview=bool(is_preview),
            receipt=_receipt(receipt),
            replaces=_receipt(replaces),
            reason=reason or "",
            failed_at=_failed_at(state, changed_at),
        )
        items.append(item if reply is not None else replace(item, reason=UNREADABLE))
    return tuple(items)


def _failed_at(state: str, changed_at: int) -> datetime | None:
    return moment_of(changed_at) if state == "failed" else None


def _key(tables: Tables, item_id: int) -> str:
    (installation,) = tables.execute("SELECT id FROM installation").fetchone()
    return f"{installation}-{item_id}"


def _receipt(message_id: str | None) -> Receipt | None:
    return None if message_id is None else Receipt(message_id=message_id)


def _require_known(tables: Tables, item: OutboxId, changed: int) -> None:
    if changed:
        return
    if tables.execute("SELECT 1 FROM outbox WHERE id = ?", item).fetchone() is None:
        raise ValueError(f"no such outbox item: {item}")
