"""What delivery, resume and retry need: an installation's name, started calls, kept messages."""

from __future__ import annotations

import sqlite3

_STATEMENTS = (
    "CREATE TABLE installation (id TEXT NOT NULL PRIMARY KEY)",
    "INSERT INTO installation (id) VALUES (lower(hex(randomblob(8))))",
    "ALTER TABLE turn ADD COLUMN resumes INTEGER NOT NULL DEFAULT 0",
    "ALTER TABLE step ADD COLUMN started TEXT",
    "CREATE INDEX inbox_kept ON inbox (session_key) WHERE state = 'kept'",
    "CREATE INDEX outbox_failed ON outbox (session_key, id)"
    " WHERE state = 'failed' AND is_preview = 0",
    # Of turns that are open now nobody wrote down which calls were started: any of them may be.
    """UPDATE step SET started = (
        SELECT json_group_array(json_extract(block.value, '$.id'))
        FROM json_each(step.answer, '$.blocks') AS block
        WHERE json_extract(block.value, '$.type') = 'tool_call'
    ) WHERE turn_id IN (SELECT id FROM turn WHERE outcome IS NULL)""",
)


def m0002_delivery(connection: sqlite3.Connection) -> None:
    """Add what was missing, and doubt every call of a turn that is open."""
    for statement in _STATEMENTS:
        connection.execute(statement)
