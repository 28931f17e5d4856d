"""Copies of a database as it was at one moment, made while it is written on, and looked at.

The law of this file: a database is read by SQLite alone, through a connection of its own. Closing
a file that was opened by hand takes away the locks that SQLite has on it in the same process.
"""

from __future__ import annotations

import contextlib
import os
import shutil
import sqlite3
from collections.abc import Callable, Iterator, Mapping
from contextlib import closing
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from urllib.parse import quote

from bot.adapters.store.database import reason_of
from bot.adapters.store.mends import mend_of
from bot.errors import DataError

STEP_PAGES = 2_560
"""So many pages are copied between two looks at whether to go on: 10 MiB, a few hundredths of a
second."""

LOOK_STEPS = 1_000_000
"""So many steps of SQLite's machine lie between two looks at whether to go on."""

BUSY_TIMEOUT_S = 5

SPARE_BYTES = 16 * 1024 * 1024
"""What is left free on a disk beyond what is written."""

Tell = Callable[[int], None]
"""Is told, again and again, how many bytes more were seen to; what it raises ends the work."""


def tell_nobody(more: int) -> None:
    """Take no notice."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Holding:
    """What a database holds: the version of its schema, and the rows of each table by name."""

    schema: int
    rows: Mapping[str, int]


class Snapshot:
    """A moment of a database; nothing that is written later is seen through it.

    The write-ahead log cannot be emptied for as long as it is open.
    """

    def __init__(self, connection: sqlite3.Connection, path: Path) -> None:
        self._connection = connection
        self._path = path

    @property
    def size_bytes(self) -> int:
        """How long a copy is."""
        (pages,) = self._connection.execute("PRAGMA page_count").fetchone()
        (page_bytes,) = self._connection.execute("PRAGMA page_size").fetchone()
        return int(pages) * int(page_bytes)

    def copy_to(self, target: Path, tell: Tell = tell_nobody) -> None:
        """Write a copy that its owner alone can read, and force it to the disk.

        Raises:
            DataError: The database or the disk does not allow it; what was written is gone.
        """
        target.unlink(missing_ok=True)
        os.close(os.open(target, os.O_RDWR | os.O_CREAT | os.O_EXCL, 0o600))
        try:
            self._fill(target, tell)
        except BaseException:
            target.unlink(missing_ok=True)
            raise

    def _fill(self, target: Path, tell: Tell) -> None:
        size_bytes, done = self.size_bytes, 0

        def count(_: int, left: int, pages: int) -> None:
            nonlocal done
            before, done = done, size_bytes * (pages - left) // max(pages, 1)
            tell(done - before)

        with closing(sqlite3.connect(target, isolation_level=None)) as copy:
            # Nobody has seen the copy yet: broken off, it is written anew.
            copy.execute("PRAGMA journal_mode = off")
            copy.execute("PRAGMA synchronous = off")
            try:
                self._connection.backup(copy, pages=STEP_PAGES, progress=count)
            except sqlite3.Error as error:
                raise _unusable(self._path, error) from error
        with target.open("r+b") as file:
            os.fsync(file.fileno())


@contextlib.contextmanager
def snapshot_of(path: Path) -> Iterator[Snapshot]:
    """Hold on to a database as it is now, whoever writes on it meanwhile.

    Raises:
        DataError: There is none that can be read.
    """
    if not path.is_file():
        raise DataError(f"There is no database {path}.")
    try:
        connection = sqlite3.connect(address_of(path, "rw"), uri=True, timeout=BUSY_TIMEOUT_S)
    except sqlite3.Error as error:
        raise _unusable(path, error) from error
    with closing(connection):
        connection.isolation_level = None
        try:
            connection.execute("PRAGMA query_only = 1")
            # A copy made within a transaction is of its beginning; else it begins anew with every
            # write of somebody else, and never ends beside a busy bot.
            connection.execute("BEGIN")
            connection.execute("SELECT COUNT(*) FROM sqlite_master").fetchone()
        except sqlite3.Error as error:
            raise _unusable(path, error) from error
        yield Snapshot(connection, path)


def look_at_copy(path: Path, tell: Tell = tell_nobody, *, name: str = "") -> Holding:
    """Let SQLite check every page and index of a copy that nobody writes on, and count its rows.

    Nothing is changed by that, nor is anything left beside the file. ``name`` is what it is called
    when something is wrong with it; without one its path.

    Raises:
        DataError: It is damaged, or none of this program.
    """
    name = name or str(path)
    try:
        with closing(sqlite3.connect(address_of(path, "ro&immutable=1"), uri=True)) as connection:
            connection.set_progress_handler(lambda: tell(0), LOOK_STEPS)
            tables = table_names(connection)
            if "migration" not in tables:
                raise DataError(f"The database {name} is of another program.")
            (found,) = connection.execute("PRAGMA integrity_check(1)").fetchone()
            if found != "ok":
                raise DataError(f"The database {name} is damaged.")
            schema = schema_of(connection)
            rows = {table: _count(connection, table) for table in tables}
    except sqlite3.Error as error:
        tell(0)  # which raises again what broke this off
        raise _unusable(name, error) from error
    return Holding(schema=schema, rows=rows)


def address_of(path: Path, mode: str) -> str:
    """Give the address by which SQLite opens a file that is there, to read (``ro``) or write."""
    return f"file:{quote(str(path))}?mode={mode}"


def table_names(connection: sqlite3.Connection) -> list[str]:
    """Name the tables of a database, without SQLite's own."""
    found = connection.execute(
        "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%'"
    )
    return sorted(str(name) for (name,) in found)


def schema_of(connection: sqlite3.Connection) -> int:
    """Say which version the schema of a database of this program has."""
    found = connection.execute("SELECT COALESCE(MAX(version), 0) FROM migration").fetchone()
    return int(found[0])


def skip_ids(path: Path, at: datetime) -> None:
    """Let a database that is put back give its next reply an id that it never gave before.

    Who goes on from an earlier state would give the ids that came after it a second time, and a
    platform that keeps them would say that such a reply was delivered already. A thousand ids a
    second have passed since 1970: more than a bot ever sends. Replies that are open keep theirs,
    and can be looked up by them.

    Raises:
        DataError: The database cannot be written.
    """
    try:
        with closing(sqlite3.connect(path)) as connection, connection:
            connection.execute(
                "INSERT INTO sqlite_sequence (name, seq) SELECT 'outbox', 0"
                " WHERE NOT EXISTS (SELECT 1 FROM sqlite_sequence WHERE name = 'outbox')"
            )
            connection.execute(
                "UPDATE sqlite_sequence SET seq = MAX(seq, ?) WHERE name = 'outbox'",
                (int(at.timestamp()) * 1_000,),
            )
    except sqlite3.Error as error:
        raise _unusable(path, error) from error


def require_space(folder: Path, needed_bytes: int, purpose: str) -> None:
    """See that something can be written into a folder.

    Raises:
        DataError: Its disk has too little space left.
    """
    free_bytes = shutil.disk_usage(folder).free
    if free_bytes < needed_bytes + SPARE_BYTES:
        needed, free = _mebibytes(needed_bytes + SPARE_BYTES), free_bytes >> 20
        raise DataError(f"{purpose} needs {needed} MiB in {folder}, {free} MiB are free.")


def _count(connection: sqlite3.Connection, table: str) -> int:
    name = table.replace('"', '""')
    (count,) = connection.execute(f'SELECT COUNT(*) FROM "{name}"').fetchone()  # noqa: S608 - quoted
    return int(count)


def _unusable(name: str | Path, error: sqlite3.Error) -> DataError:
    return DataError(f"The database {name} {mend_of(reason_of(error))}.")


def _mebibytes(size_bytes: int) -> int:
    return -(-size_bytes // 1024**2)
