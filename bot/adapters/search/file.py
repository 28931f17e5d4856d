"""The file of the index: made, opened, thrown away.

The law of this file: nothing in the index is worth keeping when in doubt. A file that is damaged,
foreign or of another version is removed and made anew; one that is merely locked is left alone.
"""

from __future__ import annotations

import logging
import os
import sqlite3
from contextlib import closing, suppress
from pathlib import Path

logger = logging.getLogger(__name__)

VERSION = 2
"""Of tables and terms together: whatever changes what a text is found by counts it up."""

APPLICATION = 0x44614958
"""``DaIX``: tells the file from other SQLite databases."""

BUSY_S = 2.0
"""Waited for somebody else who holds the file, a backup for one."""

_BESIDE = ("", "-wal", "-shm", "-journal")
_TABLES = """
CREATE TABLE state (name TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE mark (ref TEXT PRIMARY KEY, mark TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE scope (
    id INTEGER PRIMARY KEY, name TEXT NOT NULL, kind TEXT NOT NULL, size INTEGER NOT NULL,
    UNIQUE (name, kind)
);
CREATE TABLE item (
    id INTEGER PRIMARY KEY, ref TEXT NOT NULL, kind TEXT NOT NULL,
    thread TEXT NOT NULL, place INTEGER NOT NULL, day INTEGER, asks INTEGER NOT NULL,
    tells_time INTEGER NOT NULL, tells_number INTEGER NOT NULL,
    speaker TEXT NOT NULL, body TEXT NOT NULL
);
CREATE INDEX item_of_ref ON item (ref);
CREATE INDEX item_of_thread ON item (thread, place, id) WHERE thread != '';
CREATE TABLE member (
    scope INTEGER NOT NULL, item INTEGER NOT NULL, signs BLOB, PRIMARY KEY (scope, item)
) WITHOUT ROWID;
CREATE TABLE direction (item INTEGER PRIMARY KEY, numbers BLOB NOT NULL);
CREATE VIRTUAL TABLE posting USING fts5 (
    terms, content='', columnsize=0, detail=none, tokenize='ascii'
);
"""


def open_file(path: Path | None, busy_s: float = BUSY_S) -> sqlite3.Connection:
    """Open the index at ``path``, None for one in memory; make it where there is none to be used.

    Raises:
        sqlite3.Error: It can neither be opened nor made at this moment.
        OSError: The same.
    """
    if path is None:
        return _made(_connected(None, busy_s))
    try:
        connection = _connected(path, busy_s)
    except sqlite3.DatabaseError as error:
        if not is_damage(error):
            raise
        return replace_file(path, str(error), busy_s)
    if _is_ours(connection):
        return connection
    if _has_tables(connection):
        connection.close()
        return replace_file(path, "another version", busy_s)
    return _made(connection)


def replace_file(path: Path | None, reason: str, busy_s: float = BUSY_S) -> sqlite3.Connection:
    """Make the index anew where one stands that is of no use.

    Raises:
        sqlite3.Error: It cannot be made at this moment.
        OSError: The same.
    """
    if path is not None:
        logger.warning("search.file_replaced", extra={"path": str(path), "reason": reason})
        remove_file(path)
    return _made(_connected(path, busy_s))


def remove_file(path: Path) -> None:
    """Remove the index with all that SQLite has put beside it."""
    for ending in _BESIDE:
        with suppress(FileNotFoundError):
            path.with_name(path.name + ending).unlink()


def is_damage(error: Exception) -> bool:
    """Say whether the file is to blame for an error, and not who holds it or the disk.

    Python's SQLite raises the bare class for a file that is damaged or none of its own.
    """
    return type(error) is sqlite3.DatabaseError or "no such table" in str(error)


def _connected(path: Path | None, busy_s: float) -> sqlite3.Connection:
    if (
        path is not None
    ):  # made before SQLite does, which gives what it puts beside it the same mode
        os.close(os.open(path, os.O_RDWR | os.O_CREAT, 0o600))
    connection = sqlite3.connect(
        ":memory:" if path is None else path,
        isolation_level=None,
        timeout=busy_s,
        check_same_thread=False,
    )
    try:
        connection.execute("PRAGMA journal_mode = WAL")
        connection.execute("PRAGMA synchronous = NORMAL")  # what a crash loses is indexed again
        connection.execute("PRAGMA secure_delete = ON")
        connection.execute("PRAGMA cache_size = -16000")
        connection.execute("PRAGMA temp_store = MEMORY")
        with closing(connection.execute("PRAGMA quick_check(1)")) as found:
            if (verdict := found.fetchone()[0]) != "ok":
                raise sqlite3.DatabaseError(f"malformed: {verdict}")
    except BaseException:
        connection.close()
        raise
    return connection


def _is_ours(connection: sqlite3.Connection) -> bool:
    return tuple(
        connection.execute(f"PRAGMA {name}").fetchone()[0]
        for name in ("application_id", "user_version")
    ) == (APPLICATION, VERSION)


def _has_tables(connection: sqlite3.Connection) -> bool:
    return connection.execute("SELECT 1 FROM sqlite_master").fetchone() is not None


def _made(connection: sqlite3.Connection) -> sqlite3.Connection:
    connection.executescript(
        f"BEGIN IMMEDIATE; {_TABLES} PRAGMA application_id = {APPLICATION};"
        f" PRAGMA user_version = {VERSION}; COMMIT;"
    )
    return connection
