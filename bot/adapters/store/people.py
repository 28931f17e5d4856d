"""Who was let in, who asks to be, where admins are reached, and who changed what."""

from __future__ import annotations

from datetime import datetime

from bot.adapters.store import outbox
from bot.adapters.store.codec import micros_of, moment_of
from bot.adapters.store.schema import Tables
from bot.core.access import Grant
from bot.core.chat import ChatAddress, PersonKey, Reply, Sender, SessionKey
from bot.core.lifecycle import OutboxItem
from bot.ports import Granted, Pairing


def grants(tables: Tables) -> tuple[Granted, ...]:
    """Say what each person may do."""
    rows = tables.execute('SELECT person_key, "grant", name FROM person ORDER BY person_key')
    return tuple(
        Granted(person_key=PersonKey(key), grant=grant, name=name) for key, grant, name in rows
    )


def claim_ownership(tables: Tables, sender: Sender, at: datetime) -> bool:
    """Make a person the owner unless there is one."""
    if tables.execute("SELECT 1 FROM person WHERE \"grant\" = 'owner'").fetchone() is not None:
        return False
    granted = Granted(person_key=sender.person_key, grant="owner", name=sender.name)
    _put(tables, granted, sender.person_key, at)
    return True


def decide_on(
    tables: Tables, granted: Granted, by: str, at: datetime, told: tuple[Reply, ...]
) -> tuple[OutboxItem, ...]:
    """Set what a person may do and tell of it; the same once more does and tells nothing."""
    if not _put(tables, granted, by, at):
        return ()
    return outbox.add(tables, told, at)


def pairings(tables: Tables) -> tuple[Pairing, ...]:
    """Give those who asked to be let in, oldest first."""
    rows = tables.execute(
        "SELECT person_key, code, name, session_key, asked_at FROM pairing"
        " ORDER BY asked_at, person_key"
    )
    return tuple(
        Pairing(
            person_key=PersonKey(key),
            code=code,
            name=name,
            address=ChatAddress.from_session_key(SessionKey(session_key)),
            asked_at=moment_of(asked_at),
        )
        for key, code, name, session_key, asked_at in rows
    )


def ask_for(
    tables: Tables, pairing: Pairing, since: datetime, told: tuple[Reply, ...]
) -> tuple[OutboxItem, ...]:
    """Keep that somebody asks, and tell of it; with the code that is kept, nothing is told."""
    tables.execute("DELETE FROM pairing WHERE asked_at < ?", micros_of(since))
    kept = tables.execute(
        "INSERT INTO pairing (person_key, code, name, session_key, asked_at)"
        " VALUES (?, ?, ?, ?, ?) ON CONFLICT (person_key) DO UPDATE SET code = excluded.code,"
        " name = excluded.name, session_key = excluded.session_key, asked_at = excluded.asked_at"
        " WHERE code <> excluded.code",
        pairing.person_key,
        pairing.code,
        pairing.name,
        pairing.address.session_key,
        micros_of(pairing.asked_at),
    )
    return outbox.add(tables, told, pairing.asked_at) if kept.rowcount else ()


def homes(tables: Tables) -> dict[PersonKey, ChatAddress]:
    """Say where admins can be reached."""
    rows = tables.execute("SELECT person_key, session_key FROM home ORDER BY person_key")
    return {
        PersonKey(key): ChatAddress.from_session_key(SessionKey(session_key))
        for key, session_key in rows
    }


def note_home(tables: Tables, person_key: PersonKey, address: ChatAddress | None) -> None:
    """Keep where somebody can be reached, or that they cannot."""
    if address is None:
        tables.execute("DELETE FROM home WHERE person_key = ?", person_key)
        return
    tables.execute(
        "INSERT INTO home (person_key, session_key) VALUES (?, ?)"
        " ON CONFLICT (person_key) DO UPDATE SET session_key = excluded.session_key",
        person_key,
        address.session_key,
    )


def _put(tables: Tables, granted: Granted, by: str, at: datetime) -> bool:
    """Write a grant with who gave it; False when it is so already."""
    person_key, now = granted.person_key, micros_of(at)
    tables.execute("DELETE FROM pairing WHERE person_key = ?", person_key)
    old = _grant_of(tables, person_key)
    if old == granted.grant:
        return False
    tables.execute(
        'INSERT INTO person (person_key, "grant", name, since) VALUES (?, ?, ?, ?)'
        ' ON CONFLICT (person_key) DO UPDATE SET "grant" = excluded."grant",'
        " name = excluded.name, since = excluded.since",
        person_key,
        granted.grant,
        granted.name,
        now,
    )
    tables.execute(
        "INSERT INTO audit (at, who, what, old, new) VALUES (?, ?, ?, ?, ?)",
        now,
        by,
        f"grant of {person_key}",
        old,
        granted.grant,
    )
    return True


def _grant_of(tables: Tables, person_key: PersonKey) -> Grant | None:
    row = tables.execute('SELECT "grant" FROM person WHERE person_key = ?', person_key).fetchone()
    if row is None:
        return None
    grant: Grant = row[0]
    return grant
