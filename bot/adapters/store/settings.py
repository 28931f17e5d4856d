"""Settings that admins changed in the chat, every change with who made it."""

from __future__ import annotations

from datetime import datetime

from bot.adapters.store.codec import micros_of, moment_of
from bot.adapters.store.schema import Tables
from bot.core.chat import ChatAddress, SessionKey
from bot.ports import EVERYWHERE, OF_GROUPS, Override, SettingChange

_OFF = '"off"'


def overrides(tables: Tables) -> tuple[Override, ...]:
    """Give what holds in the place of the operator's settings."""
    rows = tables.execute(
        "SELECT key, scope, value, changed_by, changed_at FROM setting ORDER BY scope, key"
    )
    return tuple(
        Override(key=key, scope=scope, value=value, changed_by=by, changed_at=moment_of(at))
        for key, scope, value, by, at in rows
    )


def override(
    tables: Tables, change: tuple[str, str | None, str], by: str, at: datetime
) -> SettingChange:
    """Set (key, value, scope), or with None take the override away; noted to be undone."""
    key, value, scope = change
    done = _put(tables, change, by, at)
    tables.execute(
        "INSERT INTO setting_change (scope, key, old, new, is_undone) VALUES (?, ?, ?, ?, 0)",
        scope,
        key,
        done.old,
        value,
    )
    return done


def is_memory_off(tables: Tables, session_key: SessionKey) -> bool:
    """Say whether somebody switched memory off: in a chat, or everywhere and not on in the chat.

    What the operator's own setting says is known to whoever asks for something to be kept.
    """
    chat = ChatAddress.from_session_key(session_key).whole_chat.session_key
    row = tables.execute(
        "SELECT value FROM setting WHERE key = 'memory' AND scope IN (?, ?) ORDER BY scope = ?",
        chat,
        EVERYWHERE,
        EVERYWHERE,
    ).fetchone()
    return row is not None and row[0] == _OFF


def newest_change(tables: Tables, scope: str) -> SettingChange | None:
    """Give the newest change of a scope that was not taken back yet."""
    found = _newest_change(tables, scope)
    return None if found is None else found[1]


def undo_override(tables: Tables, scope: str, by: str, at: datetime) -> SettingChange | None:
    """Take back the newest change of a scope that was not taken back yet."""
    found = _newest_change(tables, scope)
    if found is None:
        return None
    change_id, change = found
    tables.execute("UPDATE setting_change SET is_undone = 1 WHERE id = ?", change_id)
    return _put(tables, (change.key, change.old, scope), by, at)


def remove_of_chat(tables: Tables, session_key: SessionKey) -> None:
    """Remove what was set in one chat, and what could be undone there; the audit stays.

    What a group has as a whole stays too: one that wants silence must not be spoken to again.
    """
    kept = tuple(sorted(OF_GROUPS))
    unless = f"key NOT IN ({', '.join('?' * len(kept))})"
    for table in ("setting", "setting_change"):
        tables.execute(f"DELETE FROM {table} WHERE scope = ? AND {unless}", session_key, *kept)  # noqa: S608 - names of ours


def _newest_change(tables: Tables, scope: str) -> tuple[int, SettingChange] | None:
    row = tables.execute(
        "SELECT id, key, old, new FROM setting_change WHERE scope = ? AND is_undone = 0"
        " ORDER BY id DESC LIMIT 1",
        scope,
    ).fetchone()
    if row is None:
        return None
    change_id, key, old, new = row
    return change_id, SettingChange(key=key, scope=scope, old=old, new=new)


def _put(
    tables: Tables, change: tuple[str, str | None, str], by: str, at: datetime
) -> SettingChange:
    key, value, scope = change
    row = tables.execute(
        "SELECT value FROM setting WHERE scope = ? AND key = ?", scope, key
    ).fetchone()
    old = None if row is None else str(row[0])
    if value is None:
        tables.execute("DELETE FROM setting WHERE scope = ? AND key = ?", scope, key)
    else:
        tables.execute(
            "INSERT INTO setting (scope, key, value, changed_by, changed_at)"
            " VALUES (?, ?, ?, ?, ?) ON CONFLICT (scope, key) DO UPDATE SET"
            " value = excluded.value, changed_by = excluded.changed_by,"
            " changed_at = excluded.changed_at",
            scope,
            key,
            value,
            by,
            micros_of(at),
        )
    tables.execute(
        "INSERT INTO audit (at, who, what, old, new) VALUES (?, ?, ?, ?, ?)",
        micros_of(at),
        by,
        f"setting {key}" + (f" in {scope}" if scope else ""),
        old,
        value,
    )
    return SettingChange(key=key, scope=scope, old=old, new=value)
