"""Who was let in, and who changed that."""

from __future__ import annotations

from datetime import datetime

from bot.adapters.store.codec import micros_of
from bot.adapters.store.schema import Tables
from bot.core.chat import PersonKey, Sender
from bot.ports import Grant


def grants(tables: Tables) -> dict[PersonKey, Grant]:
    """Say what each person may do."""
    rows = tables.execute('SELECT person_key, "grant" FROM person ORDER BY person_key')
    return {PersonKey(person_key): grant for person_key, grant in rows}


def claim_ownership(tables: Tables, sender: Sender, at: datetime) -> bool:
    """Make a person the owner unless there is one."""
    known = grants(tables)
    if "owner" in known.values():
        return False
    person_key, now = sender.person_key, micros_of(at)
    tables.execute(
        'INSERT INTO person (person_key, "grant", name, since) VALUES (?, ?, ?, ?)'
        ' ON CONFLICT (person_key) DO UPDATE SET "grant" = excluded."grant",'
        " name = excluded.name, since = excluded.since",
        person_key,
        "owner",
        sender.name,
        now,
    )
    tables.execute(
        "INSERT INTO audit (at, who, what, old, new) VALUES (?, ?, ?, ?, ?)",
        now,
        person_key,
        f"grant of {person_key}",
        known.get(person_key),
        "owner",
    )
    return True
