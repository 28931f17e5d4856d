"""What people want to be reminded of, and the time zones that they live in."""

from __future__ import annotations

import sqlite3

_STATEMENTS = (
    """CREATE TABLE reminder (
        id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
        session_key TEXT NOT NULL,
        person_key TEXT NOT NULL,
        due_at INTEGER NOT NULL,
        origin TEXT NOT NULL,
        body TEXT NOT NULL
    )""",
    "CREATE UNIQUE INDEX reminder_origin ON reminder (origin)",
    "CREATE INDEX reminder_due ON reminder (due_at)",
    "CREATE INDEX reminder_of_person ON reminder (person_key, due_at)",
    "CREATE INDEX reminder_of_chat ON reminder (session_key)",
    """CREATE TABLE person_zone (
        person_key TEXT NOT NULL PRIMARY KEY,
        zone TEXT NOT NULL
    )""",
)


def m0007_reminders(connection: sqlite3.Connection) -> None:
    """Add the tables; what is there stays as it is."""
    for statement in _STATEMENTS:
        connection.execute(statement)
