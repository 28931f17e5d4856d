"""Looking at a database file without changing anything in it, beside a running bot too.

The law of this file: it reads through a connection of its own that can write nothing. Hold the data
folder meanwhile, or be the process that does.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path

from peewee import SqliteDatabase

from bot.adapters.store import (
    attendance,
    backlog,
    forgetting,
    reminders,
    settings,
    usage,
    usage_sums,
)
from bot.adapters.store.codec import micros_of
from bot.adapters.store.copying import address_of, schema_of, table_names
from bot.adapters.store.database import DATABASE_ERRORS, connection_of, reason_of
from bot.adapters.store.mends import mend_of
from bot.adapters.store.migrations import MIGRATIONS
from bot.adapters.store.opening import BUSY_TIMEOUT_S
from bot.adapters.store.reminders import RemindersLook
from bot.adapters.store.schema import Tables, make_tables
from bot.core.attendance import Stretches
from bot.core.backlog import Backlog
from bot.core.cost import Span, SpentLine, UnpricedLine
from bot.ports import Override

RECENT = timedelta(days=1)
"""For so long an event that made no sense counts."""


@dataclass(frozen=True, slots=True, kw_only=True)
class KeptLook:
    """What lies in the tables that somebody may have to see to.

    Attributes:
        most_attempts: Of the piece of work on memory that failed most often.
        set_aside: Events of the last day that made no sense to their channel.
        forgettings: When each was asked for that was confirmed and is not done.
        overrides: Settings that were changed in chats.
        spent: What was spent today.
        unpriced: The part of it whose price nobody knew.
        newest_seq: The newest change that the search index is to follow.
        stretches: When the bot was there.
        reminders: How many there are, and how they are.
    """

    backlog: Backlog
    most_attempts: int
    set_aside: int
    forgettings: tuple[datetime, ...]
    overrides: tuple[Override, ...]
    spent: tuple[SpentLine, ...]
    unpriced: tuple[UnpricedLine, ...]
    newest_seq: int
    stretches: Stretches
    reminders: RemindersLook


@dataclass(frozen=True, slots=True, kw_only=True)
class DatabaseLook:
    """What was seen.

    Attributes:
        version: Of the schema; 0 in a file that holds nothing yet.
        newest_version: That this version of the bot knows.
        fault: What is wrong with the file, empty for nothing.
        mend: What to do about that.
        size_bytes: Of the file.
        log_bytes: Of the write-ahead log beside it, as it was before anybody looked.
        kept: What lies in it; None where the schema is another one, or the file is at fault.
    """

    version: int = 0
    newest_version: int = len(MIGRATIONS)
    fault: str = ""
    mend: str = ""
    size_bytes: int = 0
    log_bytes: int = 0
    kept: KeptLook | None = None


def look_at_database(path: Path, today: Span, now: datetime) -> DatabaseLook:
    """Open the file for reading, let SQLite check its pages, and count what lies there.

    Takes some seconds a gigabyte.

    Args:
        path: The file, which is there.
        today: The day of which is told what was spent.
        now: This moment.
    """
    size_bytes, log_bytes = _size_of(path), _size_of(path.with_name(f"{path.name}-wal"))
    try:
        with _opened(path) as db:
            connection = connection_of(db)
            names = table_names(connection)
            if names and "migration" not in names:
                return DatabaseLook(
                    fault="is of another program", mend="move it away or set another data_dir"
                )
            (found,) = connection.execute("PRAGMA quick_check(1)").fetchone()
            if found != "ok":
                return _faulty("malformed")
            version = schema_of(connection) if names else 0
            is_ours = version == len(MIGRATIONS)
            kept = _look_at_rows(make_tables(db), today, now) if is_ours else None
    except DATABASE_ERRORS as error:
        return _faulty(reason_of(error))
    return DatabaseLook(version=version, size_bytes=size_bytes, log_bytes=log_bytes, kept=kept)


_COUNTS = """
    SELECT
        (SELECT COALESCE(MAX(attempts), 0) FROM memory_job),
        (SELECT COUNT(*) FROM inbox WHERE state = 'set_aside' AND received_at > ?),
        (SELECT COALESCE(MAX(seq), 0) FROM change)
"""


@contextmanager
def _opened(path: Path) -> Iterator[SqliteDatabase]:
    db = SqliteDatabase(address_of(path, "ro"), uri=True, timeout=BUSY_TIMEOUT_S, thread_safe=False)
    try:
        yield db
    finally:
        db.close()


def _look_at_rows(tables: Tables, today: Span, now: datetime) -> KeptLook:
    counts = tables.execute(_COUNTS, micros_of(now - RECENT)).fetchone()
    most_attempts, set_aside, newest_seq = counts
    return KeptLook(
        backlog=backlog.backlog(tables),
        most_attempts=most_attempts,
        set_aside=set_aside,
        forgettings=tuple(each.new.asked_at for each in forgetting.confirmed(tables)),
        overrides=settings.overrides(tables),
        spent=usage_sums.spent_lines(tables, today),
        unpriced=usage.unpriced_lines(tables, today),
        newest_seq=newest_seq,
        stretches=attendance.stretches(tables),
        reminders=reminders.look(tables, now),
    )


def _faulty(reason: str) -> DatabaseLook:
    fault, _, mend = mend_of(reason).partition("; ")
    return DatabaseLook(fault=fault, mend=mend or "restore a backup")


def _size_of(path: Path) -> int:
    try:
        return path.stat().st_size
    except FileNotFoundError:
        return 0
