"""Looking at the file of the index without changing anything in it."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import quote

from bot.adapters.search.file import APPLICATION, BUSY_S, VERSION


@dataclass(frozen=True, slots=True, kw_only=True)
class IndexLook:
    """What was seen.

    Attributes:
        fault: Why the next start makes it anew; empty where it does not.
        applied_seq: Through which change it is.
    """

    is_there: bool = True
    fault: str = ""
    applied_seq: int = 0


def look_at_index(path: Path) -> IndexLook:
    """Open the file for reading, see whose it is, and let SQLite check its pages."""
    if not path.exists():
        return IndexLook(is_there=False)
    address = f"file:{quote(str(path))}?mode=ro"
    try:
        with closing(sqlite3.connect(address, uri=True, timeout=BUSY_S)) as connection:
            application, version, found = (
                connection.execute(f"PRAGMA {name}").fetchone()[0]
                for name in ("application_id", "user_version", "quick_check(1)")
            )
            if (application, version) != (APPLICATION, VERSION):
                return IndexLook(fault="is of another version")
            if found != "ok":
                return IndexLook(fault="is damaged")
            row = connection.execute("SELECT value FROM state WHERE name = 'seq'").fetchone()
    except sqlite3.Error as error:
        return IndexLook(fault=f"cannot be read ({error})")
    return IndexLook(applied_seq=int(row[0]) if row else 0)
