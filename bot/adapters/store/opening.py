"""Opening a database file: settings, migrations, and plain words when it cannot be used."""

from __future__ import annotations

import os
import sqlite3
import time
from pathlib import Path

from peewee import SqliteDatabase

from bot.adapters.store.database import DATABASE_ERRORS, connection_of, reason_of
from bot.adapters.store.former import drop_unfinished, keep_former
from bot.adapters.store.mends import mend_of
from bot.adapters.store.migrations import MIGRATIONS, migrate
from bot.errors import DataError

BUSY_TIMEOUT_S = 5
"""How long to wait for another connection's write: somebody else's start, a backup."""

_PAUSE_S = 0.005

_SETTINGS: dict[str, str | int] = {
    "synchronous": "full",  # what was acknowledged survives a power cut
    "foreign_keys": 1,
    "secure_delete": 1,  # what was blanked is gone from the file, not only from the table
}


def open_database(path: Path) -> SqliteDatabase:
    """Open or create the file at ``path`` and bring its schema up to date, once that is copied.

    Raises:
        DataError: It cannot be used; the text names the file and the mend.
    """
    db = SqliteDatabase(
        str(path),
        pragmas=_SETTINGS,
        timeout=BUSY_TIMEOUT_S,
        # The connection is made here and handed to the one thread that uses it from then on.
        thread_safe=False,
        check_same_thread=False,
    )
    try:
        _make_private(path)
        connection = connection_of(db)
        if _is_foreign(connection):
            raise DataError(
                f"The database {path} is of another program; move it away or set another data_dir."
            )
        switch_to_wal(connection)
        version = migrate(connection, lambda step: keep_former(path, step))
        drop_unfinished(path)
    except DataError:
        db.close()
        raise
    except OSError as error:
        db.close()
        raise DataError(f"The database {path} {mend_of('unable to open')}.") from error
    except DATABASE_ERRORS as error:
        db.close()
        raise DataError(f"The database {path} {mend_of(reason_of(error))}.") from error
    if version > len(MIGRATIONS):
        db.close()
        raise DataError(
            f"The database {path} has schema {version}, this version of the bot knows"
            f" {len(MIGRATIONS)}; update the bot or restore an older backup."
        )
    return db


def _make_private(path: Path) -> None:
    """Make the file before SQLite does, readable by its owner alone."""
    os.close(os.open(path, os.O_RDWR | os.O_CREAT, 0o600))


def _is_foreign(connection: sqlite3.Connection) -> bool:
    """Say whether the tables in a file are not ours; nothing is written to find out."""
    rows = connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")
    names = {str(name) for (name,) in rows if not str(name).startswith("sqlite_")}
    return bool(names) and "migration" not in names


def switch_to_wal(connection: sqlite3.Connection) -> None:
    """Turn the write-ahead log on, or find it on.

    Of all statements only this one is refused at once, without SQLite's own waiting, when another
    connection is just doing the same.
    """
    deadline = time.monotonic() + BUSY_TIMEOUT_S
    while True:
        try:
            connection.execute("PRAGMA journal_mode = wal")
        except sqlite3.OperationalError as error:
            if "locked" not in reason_of(error) or time.monotonic() >= deadline:
                raise
            time.sleep(_PAUSE_S)
        else:
            return
