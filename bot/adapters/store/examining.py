"""Looking at a database file that no bot works on, without changing anything in it."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import quote

from bot.adapters.store.database import reason_of
from bot.adapters.store.migrations import MIGRATIONS
from bot.adapters.store.opening import BUSY_TIMEOUT_S, mend_of


@dataclass(frozen=True, slots=True, kw_only=True)
class DatabaseLook:
    """What was seen.

    Attributes:
        version: Of the schema; 0 in a file that holds nothing yet.
        newest_version: That this version of the bot knows.
        fault: What is wrong with the file, empty for nothing.
        mend: What to do about that.
    """

    version: int = 0
    newest_version: int = len(MIGRATIONS)
    fault: str = ""
    mend: str = ""


def look_at_database(path: Path) -> DatabaseLook:
    """Open the file for reading, read its version, and let SQLite check its pages.

    Hold the data folder meanwhile. Takes some seconds a gigabyte.
    """
    address = f"file:{quote(str(path))}?mode=ro"
    try:
        with closing(sqlite3.connect(address, uri=True, timeout=BUSY_TIMEOUT_S)) as connection:
            names = {str(name) for (name,) in connection.execute(_TABLES)}
            if names and "migration" not in names:
                return DatabaseLook(
                    fault="is of another program", mend="move it away or set another data_dir"
                )
            (found,) = connection.execute("PRAGMA quick_check(1)").fetchone()
            if found != "ok":
                return _faulty("malformed")
            version = connection.execute(_VERSION).fetchone()[0] if names else 0
    except sqlite3.Error as error:
        return _faulty(reason_of(error))
    return DatabaseLook(version=int(version))


_TABLES = "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%'"
_VERSION = "SELECT COALESCE(MAX(version), 0) FROM migration"


def _faulty(reason: str) -> DatabaseLook:
    fault, _, mend = mend_of(reason).partition("; ")
    return DatabaseLook(fault=fault, mend=mend or "restore a backup")
