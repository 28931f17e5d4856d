"""What the context manager needs: cuts, summaries, jobs, memory entries, settings of chats."""

from __future__ import annotations

import json
import sqlite3

_STATEMENTS = (
    "ALTER TABLE session ADD COLUMN kind TEXT",
    "ALTER TABLE session ADD COLUMN person_key TEXT",
    "ALTER TABLE session ADD COLUMN cut TEXT",
    "ALTER TABLE session ADD COLUMN former TEXT",
    "ALTER TABLE session ADD COLUMN compaction TEXT",
    "ALTER TABLE session ADD COLUMN task TEXT",
    "ALTER TABLE session ADD COLUMN former_task TEXT",
    "ALTER TABLE session ADD COLUMN opened_by TEXT",
    "ALTER TABLE session ADD COLUMN heard_at INTEGER",
    "ALTER TABLE session ADD COLUMN calls_after INTEGER NOT NULL DEFAULT 0",
    "DROP INDEX turn_of_conversation",
    "CREATE INDEX turn_of_conversation ON turn (session_key, id)",
    "ALTER TABLE turn ADD COLUMN remembered INTEGER NOT NULL DEFAULT 0",
    "ALTER TABLE step_result ADD COLUMN whole TEXT",
    "CREATE INDEX outbox_of_turn ON outbox (turn_id) WHERE turn_id IS NOT NULL",
    "ALTER TABLE usage ADD COLUMN local_tokens INTEGER NOT NULL DEFAULT 0",
    "CREATE INDEX usage_of_session ON usage (session_key, id)",
    "DROP TABLE setting",  # nothing ever wrote to it
    """CREATE TABLE setting (
        scope TEXT NOT NULL,
        key TEXT NOT NULL,
        value TEXT NOT NULL,
        changed_by TEXT NOT NULL,
        changed_at INTEGER NOT NULL,
        PRIMARY KEY (scope, key)
    )""",
    """CREATE TABLE setting_change (
        id INTEGER NOT NULL PRIMARY KEY,
        scope TEXT NOT NULL,
        key TEXT NOT NULL,
        old TEXT,
        new TEXT,
        is_undone INTEGER NOT NULL
    )""",
    """CREATE TABLE summary (
        version INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
        session_key TEXT NOT NULL REFERENCES session (key) ON DELETE CASCADE,
        through INTEGER NOT NULL,
        body TEXT NOT NULL
    )""",
    "CREATE INDEX summary_of_session ON summary (session_key)",
    """CREATE TABLE memory_job (
        id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
        kind TEXT NOT NULL,
        session_key TEXT NOT NULL REFERENCES session (key) ON DELETE CASCADE,
        generation INTEGER NOT NULL,
        through INTEGER NOT NULL,
        attempts INTEGER NOT NULL DEFAULT 0,
        due_at INTEGER NOT NULL,
        reason TEXT
    )""",
    "CREATE UNIQUE INDEX memory_job_of_chat ON memory_job (session_key, kind)",
    """CREATE TABLE memory_entry (
        turn_id INTEGER NOT NULL PRIMARY KEY,
        channel TEXT NOT NULL,
        account TEXT NOT NULL,
        chat TEXT NOT NULL,
        kind TEXT NOT NULL,
        day TEXT NOT NULL,
        text TEXT
    )""",
    "CREATE INDEX memory_entry_unwritten ON memory_entry (turn_id) WHERE text IS NOT NULL",
    "CREATE TABLE job_slot (name TEXT NOT NULL PRIMARY KEY, slot INTEGER NOT NULL)",
    """CREATE TABLE model_limit (
        model TEXT NOT NULL PRIMARY KEY,
        window_tokens INTEGER NOT NULL,
        learned_at INTEGER NOT NULL
    )""",
    """UPDATE session SET
        heard_at = (SELECT MAX(started_at) FROM turn WHERE session_key = session.key),
        calls_after = (
            SELECT COALESCE(MAX(id), 0) FROM usage
            WHERE session_key = session.key AND at < COALESCE(cleared_at, 0)
        )""",
)

_SESSIONS = """
    SELECT key, kept_from, generation,
        (SELECT MIN(id) FROM turn WHERE session_key = key AND turn.generation = session.generation),
        (SELECT MAX(id) FROM turn WHERE session_key = key)
    FROM session
"""


def m0003_memory(connection: sqlite3.Connection) -> None:
    """Add tables and columns, and say by turn ids what generations and ``kept_from`` said.

    Turns that were shown no longer are noted as remembered: the day of the upgrade is not the one
    to write years of them to daily files. Those that are shown still will be remembered.
    """
    for statement in _STATEMENTS:
        connection.execute(statement)
    for key, kept_from, generation, first, last in connection.execute(_SESSIONS).fetchall():
        begins = first if first is not None else (last or 0) + 1
        cleared_before = begins if generation else 0
        kept_from = max(kept_from, cleared_before)
        cut = {"kept_from": kept_from, "cleared_before": cleared_before}
        connection.execute("UPDATE session SET cut = ? WHERE key = ?", (json.dumps(cut), key))
        connection.execute(
            "UPDATE turn SET remembered = 1"
            " WHERE session_key = ? AND id < ? AND outcome IS NOT NULL",
            (key, kept_from),
        )
    connection.execute(
        "CREATE INDEX turn_unremembered ON turn (session_key, id) WHERE remembered = 0"
    )
    connection.execute("ALTER TABLE session DROP COLUMN kept_from")
    connection.execute("ALTER TABLE session DROP COLUMN cleared_at")
