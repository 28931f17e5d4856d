"""What is recalled: facts, episodes, what the search index follows, what is to be forgotten."""

from __future__ import annotations

import sqlite3
from urllib.parse import unquote

_STATEMENTS = (
    """CREATE TABLE fact (
        id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
        person_key TEXT NOT NULL,
        channel TEXT NOT NULL,
        account TEXT NOT NULL,
        chat TEXT NOT NULL,
        kind TEXT NOT NULL,
        topic TEXT NOT NULL,
        key TEXT NOT NULL,
        text TEXT NOT NULL,
        origin TEXT NOT NULL,
        confidence REAL NOT NULL,
        turn_id INTEGER,
        valid_from INTEGER NOT NULL,
        valid_to INTEGER,
        confirmed_at INTEGER NOT NULL,
        said_again TEXT
    )""",
    "CREATE UNIQUE INDEX fact_holding ON fact (person_key, channel, account, chat, key)"
    " WHERE valid_to IS NULL",
    "CREATE INDEX fact_versions ON fact (person_key, channel, account, chat, key, valid_from)",
    "CREATE INDEX fact_of_chat ON fact (channel, account, chat) WHERE valid_to IS NULL",
    "CREATE INDEX fact_of_turn ON fact (turn_id) WHERE turn_id IS NOT NULL",
    "CREATE INDEX fact_said_again ON fact (id) WHERE said_again IS NOT NULL",
    """CREATE TABLE episode (
        id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
        session_key TEXT NOT NULL,
        channel TEXT NOT NULL,
        account TEXT NOT NULL,
        chat TEXT NOT NULL,
        kind TEXT NOT NULL,
        person_key TEXT NOT NULL,
        first INTEGER NOT NULL,
        through INTEGER NOT NULL,
        started_at INTEGER NOT NULL,
        ended_at INTEGER NOT NULL,
        body TEXT NOT NULL
    )""",
    "CREATE INDEX episode_of_session ON episode (session_key, through)",
    "CREATE INDEX episode_of_chat ON episode (channel, account, chat, through)",
    """CREATE TABLE change (
        seq INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
        ref TEXT NOT NULL
    )""",
    "CREATE UNIQUE INDEX change_of_ref ON change (ref)",
    """CREATE TABLE forgetting (
        id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
        session_key TEXT NOT NULL,
        person_key TEXT NOT NULL,
        asked_at INTEGER NOT NULL,
        body TEXT NOT NULL
    )""",
    """CREATE TABLE forgetting_gone (
        id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
        forgetting_id INTEGER NOT NULL,
        body TEXT NOT NULL
    )""",
    "CREATE INDEX forgetting_gone_of ON forgetting_gone (forgetting_id)",
    """CREATE TABLE audience (
        channel TEXT NOT NULL,
        account TEXT NOT NULL,
        chat TEXT NOT NULL,
        kind TEXT NOT NULL,
        PRIMARY KEY (channel, account, chat)
    )""",
    "ALTER TABLE turn ADD COLUMN said TEXT",
    "ALTER TABLE turn ADD COLUMN is_read INTEGER NOT NULL DEFAULT 0",
    "ALTER TABLE turn ADD COLUMN is_off_record INTEGER NOT NULL DEFAULT 0",
    "ALTER TABLE turn ADD COLUMN is_recorded INTEGER NOT NULL DEFAULT 0",
    # The day of the upgrade is not the one to read years of turns for facts.
    "UPDATE turn SET is_read = 1 WHERE outcome IS NOT NULL",
    "CREATE INDEX turn_unread ON turn (session_key, id) WHERE is_read = 0",
    # Nor for sessions: what daily files have is of days that are over.
    "UPDATE turn SET is_recorded = remembered",
    "CREATE INDEX turn_unrecorded ON turn (session_key, id) WHERE is_recorded = 0",
)


def m0005_recall(connection: sqlite3.Connection) -> None:
    """Add tables and columns; what is there stays as it is, and is indexed."""
    for statement in _STATEMENTS:
        connection.execute(statement)
    sessions = connection.execute("SELECT key, kind FROM session WHERE kind IS NOT NULL").fetchall()
    for key, kind in sessions:
        channel, account, chat, _ = (unquote(part) for part in str(key).split(":"))
        connection.execute(
            "INSERT OR REPLACE INTO audience (channel, account, chat, kind) VALUES (?, ?, ?, ?)",
            (channel, account, chat, kind),
        )
