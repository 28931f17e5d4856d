"""What whole channels need: files, buttons, groups, pairing, and messages changed afterwards."""

from __future__ import annotations

import sqlite3

_STATEMENTS = (
    "ALTER TABLE inbox ADD COLUMN block INTEGER",
    "ALTER TABLE inbox ADD COLUMN changed_at INTEGER",
    "ALTER TABLE inbox ADD COLUMN files TEXT",
    "ALTER TABLE turn ADD COLUMN revision INTEGER NOT NULL DEFAULT 0",
    "ALTER TABLE outbox ADD COLUMN content BLOB",
    "DROP INDEX outbox_preview_of_turn",
    "CREATE INDEX outbox_preview_of_turn ON outbox (turn_id) WHERE is_preview = 1",
    "ALTER TABLE usage ADD COLUMN asked TEXT NOT NULL DEFAULT ''",
    "CREATE INDEX usage_of_person ON usage (person_key, at)",
    "ALTER TABLE memory_entry ADD COLUMN moment INTEGER NOT NULL DEFAULT 0",
    """UPDATE memory_entry SET moment = started_at FROM turn WHERE turn.id = turn_id""",
    "ALTER TABLE memory_entry ADD COLUMN revision INTEGER NOT NULL DEFAULT 0",
    """CREATE TABLE turn_file (
        id INTEGER NOT NULL PRIMARY KEY,
        turn_id INTEGER NOT NULL REFERENCES turn (id) ON DELETE CASCADE,
        call_id TEXT NOT NULL,
        name TEXT NOT NULL,
        media_type TEXT NOT NULL,
        content BLOB NOT NULL
    )""",
    "CREATE UNIQUE INDEX turn_file_of_call ON turn_file (turn_id, call_id, name)",
    """CREATE TABLE button (
        token TEXT NOT NULL PRIMARY KEY,
        outbox_id INTEGER NOT NULL REFERENCES outbox (id) ON DELETE CASCADE,
        person TEXT NOT NULL,
        command TEXT NOT NULL,
        taken_by TEXT,
        message_id TEXT
    )""",
    "CREATE INDEX button_of_reply ON button (outbox_id)",
    "CREATE INDEX button_taken ON button (taken_by) WHERE taken_by IS NOT NULL",
    """CREATE TABLE place (
        chat_key TEXT NOT NULL PRIMARY KEY,
        state TEXT NOT NULL,
        title TEXT NOT NULL,
        changed_by TEXT NOT NULL,
        changed_at INTEGER NOT NULL
    )""",
    """CREATE TABLE pairing (
        person_key TEXT NOT NULL PRIMARY KEY,
        code TEXT NOT NULL,
        name TEXT NOT NULL,
        session_key TEXT NOT NULL,
        asked_at INTEGER NOT NULL
    )""",
    """CREATE TABLE home (
        person_key TEXT NOT NULL PRIMARY KEY,
        session_key TEXT NOT NULL
    )""",
    """INSERT INTO home (person_key, session_key)
        SELECT person.person_key, max(session.key) FROM person
        JOIN session ON session.person_key = person.person_key AND session.kind = 'private'
        WHERE person."grant" IN ('owner', 'admin') GROUP BY person.person_key""",
    """CREATE TABLE correction (
        id INTEGER NOT NULL PRIMARY KEY,
        session_key TEXT NOT NULL REFERENCES session (key) ON DELETE CASCADE,
        turn_id INTEGER NOT NULL,
        body TEXT NOT NULL
    )""",
    "CREATE INDEX correction_of_chat ON correction (session_key, id)",
    """CREATE TABLE chat_move (
        chat_key TEXT NOT NULL PRIMARY KEY,
        event_id TEXT NOT NULL,
        new_chat TEXT NOT NULL,
        state TEXT NOT NULL
    )""",
)


def m0004_channels(connection: sqlite3.Connection) -> None:
    """Add tables and columns; what is there stays as it is."""
    for statement in _STATEMENTS:
        connection.execute(statement)
