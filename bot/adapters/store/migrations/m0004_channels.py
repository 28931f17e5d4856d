"""What whole channels need: files, buttons, groups, pairing, and messages changed afterwards."""

from __future__ import annotations

import sqlite3

_STATEMENTS = (
    "ALTER TABLE inbox ADD COLUMN block INTEGER",
    "ALTER TABLE outbox ADD COLUMN content BLOB",
    """CREATE TABLE turn_file (
        id INTEGER NOT NULL PRIMARY KEY,
        turn_id INTEGER NOT NULL REFERENCES turn (id) ON DELETE CASCADE,
        name TEXT NOT NULL,
        media_type TEXT NOT NULL,
        content BLOB NOT NULL
    )""",
    "CREATE INDEX turn_file_of_turn ON turn_file (turn_id)",
    """CREATE TABLE button (
        token TEXT NOT NULL PRIMARY KEY,
        outbox_id INTEGER NOT NULL REFERENCES outbox (id) ON DELETE CASCADE,
        person TEXT NOT NULL,
        command TEXT NOT NULL,
        taken_by TEXT
    )""",
    "CREATE INDEX button_of_reply ON button (outbox_id)",
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
    """CREATE TABLE correction (
        id INTEGER NOT NULL PRIMARY KEY,
        session_key TEXT NOT NULL REFERENCES session (key) ON DELETE CASCADE,
        turn_id INTEGER NOT NULL,
        before TEXT NOT NULL,
        after TEXT NOT NULL,
        changed_at INTEGER NOT NULL,
        is_told INTEGER NOT NULL DEFAULT 0
    )""",
    "CREATE INDEX correction_of_chat ON correction (session_key, id)",
)


def m0004_channels(connection: sqlite3.Connection) -> None:
    """Add tables and columns; what is there stays as it is."""
    for statement in _STATEMENTS:
        connection.execute(statement)
