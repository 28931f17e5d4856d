"""How a database file gets from any earlier schema to this one: numbered steps, each taken once.

The law of this folder: a step that was released is never changed, and says in SQL what it does,
since ``schema`` moves on. What was applied stands in the table ``migration``.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Callable

from bot.adapters.store.migrations.m0001_initial import m0001_initial
from bot.adapters.store.migrations.m0002_delivery import m0002_delivery
from bot.adapters.store.migrations.m0003_memory import m0003_memory
from bot.adapters.store.migrations.m0004_channels import m0004_channels
from bot.adapters.store.migrations.m0005_recall import m0005_recall
from bot.adapters.store.migrations.m0006_cost import m0006_cost
from bot.adapters.store.migrations.m0007_reminders import m0007_reminders

MIGRATIONS: tuple[Callable[[sqlite3.Connection], None], ...] = (
    m0001_initial,
    m0002_delivery,
    m0003_memory,
    m0004_channels,
    m0005_recall,
    m0006_cost,
    m0007_reminders,
)
"""In order; the first makes version 1."""


def migrate(
    connection: sqlite3.Connection, before: Callable[[int], object] = lambda step: None
) -> int:
    """Apply what is missing, all of it or nothing, and return the version of the schema now.

    ``before`` is called with the number of the first step that is missing, while nobody else can
    write; not for a file that holds nothing yet. What it raises leaves the file as it is.

    Who starts at the same time waits for the write lock and then finds the work done. A version
    above ``len(MIGRATIONS)`` comes from a newer program and is left as it is.
    """
    connection.execute("BEGIN IMMEDIATE")
    with connection:  # commits, or rolls back when a step fails
        connection.execute(
            "CREATE TABLE IF NOT EXISTS migration"
            " (version INTEGER NOT NULL PRIMARY KEY, name TEXT NOT NULL)"
        )
        (found,) = connection.execute("SELECT COALESCE(MAX(version), 0) FROM migration").fetchone()
        if 0 < found < len(MIGRATIONS):
            before(found + 1)
        for version, step in enumerate(MIGRATIONS[found:], start=found + 1):
            step(connection)
            connection.execute("INSERT INTO migration VALUES (?, ?)", (version, step.__name__))
    return max(int(found), len(MIGRATIONS))
