"""What goes by the calendar: claimed moments of schedules, silent chats; and models' windows."""

from __future__ import annotations

from datetime import datetime

from bot.adapters.store import inbox, outbox, settings
from bot.adapters.store.changes import note_turns
from bot.adapters.store.codec import micros_of, moment_of
from bot.adapters.store.schema import Tables
from bot.core.chat import SessionKey
from bot.core.schedule import LONGEST_LEAD, SilentChat

_IS_SILENT = """
    COALESCE(heard_at, 0) < ?
    AND NOT EXISTS (
        SELECT 1 FROM turn WHERE session_key = session.key AND outcome IS NULL
    )
    AND NOT EXISTS (
        SELECT 1 FROM inbox WHERE session_key = session.key AND state = 'waiting'
    )
    AND key NOT IN (SELECT session_key FROM outbox WHERE state IN ('pending', 'sending'))
    AND NOT EXISTS (SELECT 1 FROM reminder WHERE session_key = session.key)
    AND NOT EXISTS (
        SELECT 1 FROM turn WHERE session_key = session.key AND remembered = 0
    )
    AND key NOT IN (
        SELECT session_key FROM memory_entry JOIN turn ON turn.id = turn_id WHERE text IS NOT NULL
    )
"""
"""Nothing came in since a moment, nothing is to be done or told at a later one, and the daily files
have what was said.

Each part of it reads an index that is small for ever, or the chat's own row.
"""


_TURNS = "(SELECT COUNT(*) FROM turn WHERE session_key = session.key)"


def claim_slot(tables: Tables, name: str, slot: datetime, at: datetime) -> bool:
    """Claim a moment of a schedule, if it is open."""
    done = tables.execute(
        "INSERT INTO job_slot (name, slot) VALUES (?, ?) ON CONFLICT (name) DO UPDATE"
        " SET slot = excluded.slot WHERE excluded.slot > slot OR slot > ?",
        name,
        micros_of(slot),
        micros_of(at + LONGEST_LEAD),
    )
    return done.rowcount == 1


def last_slot(tables: Tables, name: str) -> datetime | None:
    """Give the newest claimed moment of a schedule."""
    row = tables.execute("SELECT slot FROM job_slot WHERE name = ?", name).fetchone()
    return None if row is None else moment_of(row[0])


def windows(tables: Tables) -> dict[str, int]:
    """Give what models were found to read, in tokens."""
    return dict(tables.execute("SELECT model, window_tokens FROM model_limit").fetchall())


def learn_window(tables: Tables, model: str, tokens: int, at: datetime) -> None:
    """Note what a model was found to read."""
    tables.execute(
        "INSERT INTO model_limit (model, window_tokens, learned_at) VALUES (?, ?, ?)"
        " ON CONFLICT (model) DO UPDATE SET window_tokens = excluded.window_tokens,"
        " learned_at = excluded.learned_at",
        model,
        tokens,
        micros_of(at),
    )


def quiet_since(tables: Tables, before: datetime) -> int:
    """Count the chats in which nothing came in since a moment."""
    (count,) = tables.execute(
        "SELECT COUNT(*) FROM session WHERE COALESCE(heard_at, 0) < ?", micros_of(before)
    ).fetchone()
    return int(count)


def silent_since(tables: Tables, before: datetime) -> tuple[SilentChat, ...]:
    """Name silent chats."""
    rows = tables.execute(
        f"SELECT key, {_TURNS}, heard_at FROM session WHERE {_IS_SILENT} ORDER BY key",  # noqa: S608 - constants
        micros_of(before),
    )
    return tuple(
        SilentChat(
            session_key=SessionKey(key),
            turns=count,
            heard_at=None if heard_at is None else moment_of(heard_at),
        )
        for key, count, heard_at in rows
    )


def remove(tables: Tables, session_key: SessionKey, before: datetime) -> bool:
    """Remove a chat that is silent still, with all that hangs on it.

    Identities of its events stay until they are pruned: they may be delivered again.
    """
    found = tables.execute(
        f"SELECT 1 FROM session WHERE key = ? AND {_IS_SILENT}",  # noqa: S608 - a constant
        session_key,
        micros_of(before),
    )
    if found.fetchone() is None:
        return False
    inbox.drop_kept(tables, session_key)
    outbox.remove_of_chat(tables, session_key)
    tables.execute(
        "DELETE FROM memory_entry WHERE turn_id IN (SELECT id FROM turn WHERE session_key = ?)",
        session_key,
    )
    settings.remove_of_chat(tables, session_key)
    note_turns(tables, session_key, f"{session_key}\0")
    tables.execute("DELETE FROM session WHERE key = ?", session_key)
    return True
