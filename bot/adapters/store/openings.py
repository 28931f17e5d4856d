"""What sessions open with, kept in their cuts: taken in late, and let go of.

The law of this file: the former cut, which an undo brings back, is changed as the one of now is.
What somebody read of a chat before such a change is out of date, and what they write is refused.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace

from bot.adapters.store.chat_keys import behind_all
from bot.adapters.store.context_codec import decode_cut, encode_cut
from bot.adapters.store.schema import Tables
from bot.core.chat import ChatAddress, SessionKey
from bot.core.memory.opening import (
    LastSession,
    Opening,
    with_session,
    without_facts,
    without_turns,
)
from bot.core.window.conversation import takes_in

_Change = Callable[[Opening], Opening | None]
_Session = tuple[str, str | None, str | None]
"""Its key, its cut, and the former one."""

_OF_CHAT = """
    SELECT key, cut, former FROM session
    WHERE key >= ? AND key < ? AND (cut LIKE '%"opening":{%' OR former LIKE '%"opening":{%')
"""
"""Within a text the quotation marks would be escaped."""

_WITH_FACTS = """
    SELECT key, cut, former FROM session WHERE EXISTS (
        SELECT 1 FROM json_each(?) AS fact WHERE
        cut LIKE '%"opening":{%{"id":' || fact.value || ',%'
        OR former LIKE '%"opening":{%{"id":' || fact.value || ',%'
    )
"""
"""SQLite looks for the ids, so that of thousands of openings only those few are read."""


def refresh(tables: Tables, session_key: SessionKey, last: LastSession) -> None:
    """Let a session in which nothing was said yet open with a record that was just written."""
    row = tables.execute("SELECT cut FROM session WHERE key = ?", session_key).fetchone()
    if row is None or row[0] is None:
        return
    cut = tables.damage.read("session.cut", session_key, decode_cut, row[0])
    if cut is None or cut.opening is None or not takes_in(cut, last):
        return
    begun = tables.execute(
        "SELECT 1 FROM turn WHERE session_key = ? AND id >= ?", session_key, cut.cleared_before
    )
    if begun.fetchone() is None:
        cut = replace(cut, opening=with_session(cut.opening, last))
        tables.execute("UPDATE session SET cut = ? WHERE key = ?", encode_cut(cut), session_key)


def let_go_of_turn(tables: Tables, turn_id: int) -> tuple[SessionKey, ...]:
    """Take what was made of a turn out of all openings of its chat; gives the sessions changed."""
    row = tables.execute("SELECT session_key FROM turn WHERE id = ?", turn_id).fetchone()
    if row is None:
        return ()
    chat = ChatAddress.from_session_key(SessionKey(row[0])).whole_chat.session_key
    there = tables.execute(_OF_CHAT, chat, behind_all(chat)).fetchall()
    return _change(tables, there, lambda opening: without_turns(opening, frozenset({turn_id})))


def let_go_of_facts(tables: Tables, fact_ids: frozenset[int]) -> tuple[SessionKey, ...]:
    """Take facts that hold no more, or are forgotten, out of all openings; as for a turn."""
    there = tables.execute(_WITH_FACTS, json.dumps(sorted(fact_ids))).fetchall()
    return _change(tables, there, lambda opening: without_facts(opening, fact_ids))


def _change(tables: Tables, sessions: list[_Session], change: _Change) -> tuple[SessionKey, ...]:
    """Change the openings of sessions; gives those in which there was anything to change."""
    changed: list[SessionKey] = []
    for key, *texts in sessions:
        after = [_changed(tables, key, text, change) for text in texts]
        if after != texts:
            tables.execute(
                "UPDATE session SET generation = generation + 1, cut = ?, former = ? WHERE key = ?",
                *after,
                key,
            )
            changed.append(SessionKey(key))
    return tuple(changed)


def _changed(tables: Tables, key: str, text: str | None, change: _Change) -> str | None:
    if text is None:
        return None
    cut = tables.damage.read("session.cut", key, decode_cut, text)
    if cut is None or cut.opening is None:
        return text
    opening = change(cut.opening)
    return text if opening == cut.opening else encode_cut(replace(cut, opening=opening))
