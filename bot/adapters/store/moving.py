"""A chat that goes on under another id: all that is kept of it, given that id in one transaction.

A row of ``chat_move`` is ``asked`` for, ``moved`` when the database is, ``done`` when the memory
files are too. It is kept: what somebody notes of the old chat after that must find the new one.

The law of this file: every column that names a chat is in it. A session key is the chat and its
thread, so that what names a chat begins alike: ``telegram:77:-1:`` and what follows.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial

from bot.adapters.store import audiences, conversations, episodes, facts, usage_sums
from bot.adapters.store.changes import note_change, note_turns
from bot.adapters.store.chat_keys import behind_all, key_of
from bot.adapters.store.codec import decode_inbound, decode_reply, encode_inbound, encode_reply
from bot.adapters.store.moved import audience_now
from bot.adapters.store.schema import SqlValue, Tables
from bot.core.access import PlaceState, after_move
from bot.core.chat import ChatAddress, ChatMoved, SessionKey
from bot.core.memory.audience import Audience
from bot.core.memory.pieces import folder_ref

_PLAIN_COLUMNS = (
    ("turn", "session_key"),
    ("inbox", "session_key"),
    ("outbox", "session_key"),
    ("usage", "session_key"),
    ("summary", "session_key"),
    ("correction", "session_key"),
    ("setting_change", "scope"),
    ("pairing", "session_key"),
    ("home", "session_key"),
    ("forgetting", "session_key"),
    ("episode", "session_key"),
    ("reminder", "session_key"),
)
"""Columns of session keys that a new chat may have as well, without either being in the way."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Move:
    """What session keys begin with, before and after."""

    old: str
    new: str

    @property
    def behind(self) -> str:
        """What is greater than every key that begins with ``old``, and not than any other."""
        return behind_all(self.old)

    def key_after(self, key: str) -> str:
        """Give the key that a chat or one of its threads has from now on."""
        return self.new + key.removeprefix(self.old)


def note(tables: Tables, moved: ChatMoved) -> None:
    """Note that a chat is to be moved."""
    tables.execute(
        "INSERT INTO chat_move (chat_key, event_id, new_chat, state) VALUES (?, ?, ?, 'asked')"
        " ON CONFLICT (chat_key) DO NOTHING",
        moved.address.whole_chat.session_key,
        moved.event_id,
        moved.new_chat,
    )


def asked(tables: Tables) -> tuple[ChatMoved, ...]:
    """Give the chats that are to be moved."""
    rows = tables.execute(
        "SELECT chat_key, event_id, new_chat FROM chat_move WHERE state = 'asked' ORDER BY rowid"
    )
    return tuple(
        ChatMoved(
            event_id=event_id,
            address=ChatAddress.from_session_key(SessionKey(key)),
            new_chat=new_chat,
        )
        for key, event_id, new_chat in rows
    )


def move_chat(tables: Tables, old: ChatAddress, new_chat: str) -> None:
    """Give a chat another id.

    Raises:
        ValueError: A turn of either chat is open.
    """
    new = replace(old.whole_chat, chat=new_chat)
    move = _Move(old=old.whole_chat.session_key, new=new.session_key)
    if move.old == move.new:
        return
    _require_no_open_turn(tables, move)
    jobs = _take_jobs(tables, move)
    _forget_messages(tables, move)
    _move_sessions(tables, move)
    usage_sums.move_chat(tables, move.old, move.behind, move.new)
    for table, column in _PLAIN_COLUMNS:
        _rename(tables, table, column, move)
    tables.execute("DELETE FROM session WHERE key >= ? AND key < ?", move.old, move.behind)
    _put_jobs(tables, jobs, move)
    _move_addresses(tables, move, new_chat)
    _rename_unless_known(tables, "setting", "scope", "key", move)
    _move_place(tables, move)
    tables.execute(
        "UPDATE memory_entry SET chat = ? WHERE channel = ? AND account = ? AND chat = ?",
        new_chat,
        old.channel,
        old.account,
        old.chat,
    )
    audiences.move(tables, _audience(old), _audience(new))
    note_turns(tables, move.new, behind_all(move.new))
    episodes.move_chat(tables, (old.channel, old.account, old.chat), new_chat)
    facts.move_chat(tables, _audience(old), new_chat)
    tables.execute(
        "INSERT INTO chat_move (chat_key, event_id, new_chat, state) VALUES (?, '', ?, 'moved')"
        " ON CONFLICT (chat_key) DO UPDATE SET state = 'moved' WHERE state = 'asked'",
        move.old,
        new_chat,
    )


def moves(tables: Tables) -> tuple[tuple[ChatAddress, ChatAddress], ...]:
    """Give the chats that go on, or soon will, under another id, with that; the first one first."""
    rows = tables.execute("SELECT chat_key, new_chat FROM chat_move ORDER BY rowid")
    addresses = ((ChatAddress.from_session_key(SessionKey(key)), new) for key, new in rows)
    return tuple((old, replace(old, chat=new_chat)) for old, new_chat in addresses)


def moved_audiences(tables: Tables) -> tuple[tuple[Audience, Audience], ...]:
    """Give the audiences, old and new, whose files are still to be moved."""
    rows = tables.execute(
        "SELECT chat_key, new_chat FROM chat_move WHERE state = 'moved' ORDER BY rowid"
    )
    return tuple(
        (_audience(address), _audience(replace(address, chat=new_chat)))
        for key, new_chat in rows
        for address in (ChatAddress.from_session_key(SessionKey(key)),)
    )


def mark_moved(tables: Tables, old: Audience) -> None:
    """Note that the files of an audience were moved, and with them all of its chat."""
    tables.execute("UPDATE chat_move SET state = 'done' WHERE chat_key = ?", key_of(old))
    note_change(tables, folder_ref(old), folder_ref(audience_now(tables, old)))


def _audience(address: ChatAddress) -> Audience:
    # Only groups move, and what the folder is called does not depend on it.
    return Audience(
        channel=address.channel, account=address.account, chat=address.chat, kind="group"
    )


def _require_no_open_turn(tables: Tables, move: _Move) -> None:
    there = _Move(old=move.new, new=move.old)
    for each in (move, there):
        found = tables.execute(
            "SELECT 1 FROM turn WHERE outcome IS NULL AND session_key >= ? AND session_key < ?",
            each.old,
            each.behind,
        )
        if found.fetchone() is not None:
            raise ValueError(f"a turn of {each.old} is open")


def _rename(tables: Tables, table: str, column: str, move: _Move) -> None:
    tables.execute(
        f"UPDATE {table} SET {column} = ? || substr({column}, ?)"  # noqa: S608 - constants above
        f" WHERE {column} >= ? AND {column} < ?",
        move.new,
        len(move.old) + 1,
        move.old,
        move.behind,
    )


def _move_place(tables: Tables, move: _Move) -> None:
    """Let what was decided of a group hold under its new id, as :func:`after_move` says."""
    states: dict[str, PlaceState] = dict(
        tables.execute(
            "SELECT chat_key, state FROM place WHERE chat_key IN (?, ?)", move.old, move.new
        ).fetchall()
    )
    old, new = states.get(move.old), states.get(move.new)
    if old is not None and after_move(old, new) == old:
        tables.execute("DELETE FROM place WHERE chat_key = ?", move.new)
    _rename_unless_known(tables, "place", "chat_key", "", move)


def _rename_unless_known(tables: Tables, table: str, column: str, other: str, move: _Move) -> None:
    """Rename rows of which there is one a chat (and ``other``); what the new chat has stays."""
    also = f" AND there.{other} = {table}.{other}" if other else ""
    tables.execute(
        f"DELETE FROM {table} WHERE {column} >= ? AND {column} < ?"  # noqa: S608 - constants
        f" AND EXISTS (SELECT 1 FROM {table} AS there"
        f" WHERE there.{column} = ? || substr({table}.{column}, ?){also})",
        move.old,
        move.behind,
        move.new,
        len(move.old) + 1,
    )
    _rename(tables, table, column, move)


def _move_addresses(tables: Tables, move: _Move, new_chat: str) -> None:
    """Let what waits to be answered or sent name the new chat; the keys were renamed before."""
    there = _Move(old=move.new, new=move.old)
    rows = tables.execute(
        "SELECT id, route, body FROM inbox WHERE session_key >= ? AND session_key < ?"
        " AND body IS NOT NULL AND route != 'press'",  # which says where its message stands
        there.old,
        there.behind,
    ).fetchall()
    for row, route, body in rows:
        message = tables.damage.read("inbox.body", row, decode_inbound, body)
        if message is None or message.address.chat == new_chat:
            continue  # of one that cannot be read the columns name the chat
        message_id = "" if route == "turn" else message.message_id  # nothing replies to a command
        address = replace(message.address, chat=new_chat)
        message = replace(message, address=address, message_id=message_id)
        tables.execute("UPDATE inbox SET body = ? WHERE id = ?", encode_inbound(message), row)
    rows = tables.execute(
        "SELECT id, body FROM outbox"
        " WHERE session_key >= ? AND session_key < ? AND body IS NOT NULL",
        there.old,
        there.behind,
    ).fetchall()
    for row, body in rows:
        reply = tables.damage.read("outbox.body", row, partial(decode_reply, key=""), body)
        if reply is None or reply.address.chat == new_chat:
            continue
        reply = replace(reply, address=replace(reply.address, chat=new_chat), reply_to="")
        tables.execute("UPDATE outbox SET body = ? WHERE id = ?", encode_reply(reply), row)
        if reply.takes_back:  # what is to go away stayed behind
            tables.execute(
                "UPDATE outbox SET state = 'sent', body = NULL"
                " WHERE id = ? AND state IN ('pending', 'sending')",
                row,
            )


def _forget_messages(tables: Tables, move: _Move) -> None:
    """Let nothing take the place of a message of the old chat: its id names another one there."""
    tables.execute(
        "UPDATE button SET message_id = '' WHERE message_id IS NOT NULL AND outbox_id IN"
        " (SELECT id FROM outbox WHERE session_key >= ? AND session_key < ?)",
        move.old,
        move.behind,
    )
    tables.execute(
        "UPDATE outbox SET replaces = NULL"
        " WHERE session_key >= ? AND session_key < ? AND replaces IS NOT NULL",
        move.old,
        move.behind,
    )


def _move_sessions(tables: Tables, move: _Move) -> None:
    """Make a row for each new key; the old ones go when nothing refers to them any more."""
    keys = tables.execute(
        "SELECT key FROM session WHERE key >= ? AND key < ? ORDER BY key", move.old, move.behind
    ).fetchall()
    for (key,) in keys:
        after = move.key_after(key)
        known = tables.execute("SELECT 1 FROM session WHERE key = ?", after).fetchone()
        if known is None:
            tables.execute(
                "INSERT INTO session (key, generation, kind, person_key, cut, former, compaction,"
                " task, former_task, opened_by, heard_at, calls_after)"
                " SELECT ?, generation, kind, person_key, cut, former, compaction,"
                " task, former_task, opened_by, heard_at, calls_after FROM session WHERE key = ?",
                after,
                key,
            )
        else:
            has_own_cut = conversations.cut_of(tables, SessionKey(after)).kept_from > 0
            _merge_session(tables, key, after, has_own_cut=has_own_cut)


def _merge_session(tables: Tables, key: str, after: str, *, has_own_cut: bool) -> None:
    """Put a chat before what its new id has by now.

    Turns are in the order of their ids, so that the cut of the old chat is one of the whole. What
    was cleared or cut under the new id stays cut: then that one holds.
    """
    cut = "" if has_own_cut else " cut = old.cut, former = old.former, compaction = old.compaction,"
    calls = "session.calls_after" if has_own_cut else "old.calls_after"
    tables.execute(
        f"UPDATE session SET generation = session.generation + old.generation + 1,{cut}"  # noqa: S608 - constants
        f" calls_after = {calls}, task = COALESCE(session.task, old.task),"
        " former_task = COALESCE(session.former_task, old.former_task), opened_by = old.opened_by,"
        " heard_at = MAX(COALESCE(session.heard_at, 0), COALESCE(old.heard_at, 0))"
        " FROM session AS old WHERE session.key = ? AND old.key = ?",
        after,
        key,
    )


def _take_jobs(tables: Tables, move: _Move) -> tuple[tuple[SqlValue, ...], ...]:
    """Take out what is to be remembered of a chat."""
    rows = tables.execute(
        "DELETE FROM memory_job WHERE session_key >= ? AND session_key < ?"
        " RETURNING kind, session_key, through, due_at",
        move.old,
        move.behind,
    )
    return tuple(rows.fetchall())


def _put_jobs(tables: Tables, jobs: tuple[tuple[SqlValue, ...], ...], move: _Move) -> None:
    """Put it in under the new key, beside what is to be remembered there.

    Under new ids: who carries one of the jobs out at this moment must not end its successor.
    """
    for kind, key, through, due_at in jobs:
        tables.execute(
            "INSERT INTO memory_job (kind, session_key, generation, through, due_at)"
            " SELECT ?, key, generation, ?, ? FROM session WHERE key = ?"
            " ON CONFLICT (session_key, kind) DO UPDATE SET"
            " through = MAX(through, excluded.through), due_at = MIN(due_at, excluded.due_at)",
            kind,
            through,
            due_at,
            move.key_after(str(key)),
        )
