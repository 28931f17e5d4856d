"""What calls of the model cost, and what they took together."""

from __future__ import annotations

import sqlite3

_QUARTER_US, _DAY_US = 900_000_000, 86_400_000_000

_USAGE_SUM = """
    CREATE TABLE usage_sum (
        axis TEXT NOT NULL,
        step INTEGER NOT NULL,
        start INTEGER NOT NULL,
        name TEXT NOT NULL,
        input_tokens INTEGER NOT NULL,
        output_tokens INTEGER NOT NULL,
        cache_read_tokens INTEGER NOT NULL,
        cache_write_tokens INTEGER NOT NULL,
        cost_nano_usd INTEGER NOT NULL,
        calls INTEGER NOT NULL,
        unpriced INTEGER NOT NULL,
        PRIMARY KEY (axis, step, start, name)
    ) WITHOUT ROWID
"""
_QUARTERS = """
    INSERT INTO usage_sum
    SELECT ?1, ?2, at - at % ?2, {name}, SUM(input_tokens), SUM(output_tokens),
        SUM(cache_read_tokens), SUM(cache_write_tokens), COALESCE(SUM(cost_nano_usd), 0),
        COUNT(*), SUM(cost_nano_usd IS NULL)
    FROM usage GROUP BY 3, 4
"""
_DAYS = """
    INSERT INTO usage_sum
    SELECT axis, ?2, start - start % ?2, name, SUM(input_tokens), SUM(output_tokens),
        SUM(cache_read_tokens), SUM(cache_write_tokens), SUM(cost_nano_usd),
        SUM(calls), SUM(unpriced)
    FROM usage_sum WHERE step = ?1 GROUP BY axis, 3, name
"""
_NAMES = (
    ("all", "''"),
    ("chat", "session_key"),
    ("person", "person_key"),
    ("model", "model"),
    ("purpose", "purpose"),
)


def m0006_cost(connection: sqlite3.Connection) -> None:
    """Keep a price with each call, and sums by periods.

    Of the calls before, nobody knows what was asked for them then.
    """
    connection.execute("ALTER TABLE usage ADD COLUMN cost_nano_usd INTEGER")
    connection.execute("CREATE INDEX usage_at ON usage (at)")
    connection.execute("DROP INDEX usage_of_person")  # its sums are kept: nothing asks for it
    connection.execute(_USAGE_SUM)
    fill_sums(connection)


def fill_sums(connection: sqlite3.Connection) -> None:
    """Add up all calls that there are."""
    for axis, name in _NAMES:
        connection.execute(_QUARTERS.format(name=name), (axis, _QUARTER_US))
    connection.execute(_DAYS, (_QUARTER_US, _DAY_US))
