"""The first schema: inbox, turns and their journal, outbox, usage, people."""

from __future__ import annotations

import sqlite3

_STATEMENTS = (
    """CREATE TABLE cursor (
        channel TEXT NOT NULL PRIMARY KEY,
        value TEXT NOT NULL
    )""",
    """CREATE TABLE session (
        key TEXT NOT NULL PRIMARY KEY,
        generation INTEGER NOT NULL DEFAULT 0,
        kept_from INTEGER NOT NULL DEFAULT 0,
        cleared_at INTEGER
    )""",
    """CREATE TABLE turn (
        id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
        session_key TEXT NOT NULL REFERENCES session (key) ON DELETE CASCADE,
        generation INTEGER NOT NULL,
        request TEXT NOT NULL,
        started_at INTEGER NOT NULL,
        outcome TEXT,
        finished_at INTEGER
    )""",
    "CREATE INDEX turn_of_conversation ON turn (session_key, generation, id)",
    "CREATE UNIQUE INDEX turn_open ON turn (session_key) WHERE outcome IS NULL",
    """CREATE TABLE step (
        turn_id INTEGER NOT NULL REFERENCES turn (id) ON DELETE CASCADE,
        position INTEGER NOT NULL,
        answer TEXT NOT NULL,
        stop TEXT NOT NULL,
        PRIMARY KEY (turn_id, position)
    )""",
    """CREATE TABLE step_result (
        turn_id INTEGER NOT NULL,
        position INTEGER NOT NULL,
        call_id TEXT NOT NULL,
        body TEXT NOT NULL,
        PRIMARY KEY (turn_id, position, call_id),
        FOREIGN KEY (turn_id, position) REFERENCES step (turn_id, position) ON DELETE CASCADE
    )""",
    """CREATE TABLE inbox (
        id INTEGER NOT NULL PRIMARY KEY,
        channel TEXT NOT NULL,
        event_id TEXT NOT NULL,
        session_key TEXT,
        route TEXT NOT NULL,
        state TEXT NOT NULL,
        turn_id INTEGER REFERENCES turn (id) ON DELETE SET NULL,
        body TEXT,
        reason TEXT,
        received_at INTEGER NOT NULL
    )""",
    "CREATE UNIQUE INDEX inbox_identity ON inbox (event_id, channel)",
    "CREATE INDEX inbox_waiting ON inbox (session_key, id) WHERE state = 'waiting'",
    "CREATE INDEX inbox_of_turn ON inbox (turn_id) WHERE turn_id IS NOT NULL",
    """CREATE TABLE outbox (
        id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
        session_key TEXT NOT NULL,
        turn_id INTEGER REFERENCES turn (id) ON DELETE SET NULL,
        is_preview INTEGER NOT NULL,
        state TEXT NOT NULL,
        body TEXT,
        receipt TEXT,
        replaces TEXT,
        reason TEXT,
        created_at INTEGER NOT NULL,
        changed_at INTEGER NOT NULL
    )""",
    "CREATE INDEX outbox_open ON outbox (id) WHERE state IN ('pending', 'sending')",
    "CREATE UNIQUE INDEX outbox_preview_of_turn ON outbox (turn_id) WHERE is_preview = 1",
    """CREATE TABLE usage (
        id INTEGER NOT NULL PRIMARY KEY,
        at INTEGER NOT NULL,
        session_key TEXT NOT NULL,
        person_key TEXT NOT NULL,
        model TEXT NOT NULL,
        purpose TEXT NOT NULL,
        input_tokens INTEGER NOT NULL,
        output_tokens INTEGER NOT NULL,
        cache_read_tokens INTEGER NOT NULL,
        cache_write_tokens INTEGER NOT NULL
    )""",
    """CREATE TABLE person (
        person_key TEXT NOT NULL PRIMARY KEY,
        "grant" TEXT NOT NULL,
        name TEXT NOT NULL,
        since INTEGER NOT NULL
    )""",
    """CREATE TABLE setting (
        key TEXT NOT NULL PRIMARY KEY,
        value TEXT NOT NULL,
        old_value TEXT,
        changed_by TEXT NOT NULL,
        changed_at INTEGER NOT NULL
    )""",
    """CREATE TABLE audit (
        id INTEGER NOT NULL PRIMARY KEY,
        at INTEGER NOT NULL,
        who TEXT NOT NULL,
        what TEXT NOT NULL,
        old TEXT,
        new TEXT
    )""",
)


def m0001_initial(connection: sqlite3.Connection) -> None:
    """Make the first tables."""
    for statement in _STATEMENTS:
        connection.execute(statement)
