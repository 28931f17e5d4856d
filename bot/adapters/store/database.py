"""One connection, owned by one thread, that commits in groups.

The law of this file: every read and write goes through :meth:`DatabaseThread.call`. Python's
SQLite has one writer anyway, and a commit that waits for the disk costs as much for a hundred
small transactions as for one; so the thread takes all that is queued, runs each piece of work in
a savepoint of its own, and commits once. A piece that fails is rolled back alone; a commit that
fails, fails them all. Whoever waits is told after the commit, never before.
"""

from __future__ import annotations

import asyncio
import logging
import os
import sqlite3
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from itertools import groupby
from queue import Empty, SimpleQueue
from threading import Lock, Thread
from typing import Generic, Protocol, TypeVar

from peewee import PeeweeException, SqliteDatabase

from bot.errors import StoreError, StoreLost

logger = logging.getLogger(__name__)

MAX_GROUP = 256
"""Pieces of work committed together at most; more only makes the first ones wait longer."""

IDLE_S = 20.0
"""So long after the last write the log is emptied, where what was blanked stands yet. Reading does
not hold that up: a monitor may ask for ever."""

DATABASE_ERRORS = (sqlite3.Error, PeeweeException)
"""What SQLite raises: bare while rows are fetched, wrapped by peewee else."""

_DAMAGED = ("malformed", "not a database")
"""Words by which SQLite says that no later attempt can succeed."""

_BROKEN_TEXT = "Could not decode to UTF-8"
"""How Python's SQLite begins to say that the bytes of a text are none."""

_Value = TypeVar("_Value")


def connection_of(db: SqliteDatabase) -> sqlite3.Connection:
    """Give the connection of ``db``, opening it if need be."""
    connection: sqlite3.Connection
    connection = db.connection()  # type: ignore[no-untyped-call]  # bare in stubs
    return connection


def reason_of(error: Exception) -> str:
    """Give SQLite's own words, which peewee puts behind the exception that it wraps."""
    return str(error.args[-1]) if error.args else type(error).__name__


class DatabaseThread:
    """Runs work on a database, in the order in which it was handed over.

    It owns ``db`` from now on. With ``inline`` there is no thread: each piece is carried out at
    once by its caller, in the same way, so that a run can be repeated step by step.
    """

    def __init__(self, db: SqliteDatabase, *, inline: bool = False) -> None:
        self._db = db
        self._connection = connection_of(db)
        self._path = str(db.database)
        self._identity = _identity_of(self._path)
        self._queue: SimpleQueue[_Work | None] = SimpleQueue()
        self._handing_over = Lock()
        self._is_closed = False
        self._is_lenient = False
        self._is_log_empty = False
        self._changes, self._written_s = 0, time.monotonic()
        self._thread: Thread | None = None
        if not inline:
            self._thread = Thread(target=self._serve, name="daybook-database", daemon=True)
            self._thread.start()

    async def call(self, work: Callable[[], _Value]) -> _Value:
        """Run ``work`` in a transaction and return what it returned, after the commit.

        Whoever is cancelled while waiting does not undo it.

        Raises:
            StoreLost: The file is damaged or gone, and nothing will be kept any more.
            StoreError: Nothing of it was kept. What else ``work`` raises comes out as it is, and
                nothing was kept either.
        """
        try:
            return await self._hand_over(work)
        except StoreError as error:
            if self._is_lenient or _BROKEN_TEXT not in str(error):
                raise
        self._read_leniently()
        return await self.call(work)  # of which nothing was kept

    async def wipe(self, *, is_whole: bool) -> None:
        """Leave no bytes of what was removed: empty the log, after writing the file anew if whole.

        Raises:
            StoreError: It could not be done; nothing is lost by that.
        """
        await self._hand_over(lambda: self._wipe(is_whole=is_whole), is_alone=True)

    async def _hand_over(self, work: Callable[[], _Value], *, is_alone: bool = False) -> _Value:
        loop = None if self._thread is None else asyncio.get_running_loop()
        call = _Call(work, loop, self._path, is_alone=is_alone)
        with self._handing_over:  # nothing may be queued behind the end
            if self._is_closed:
                raise StoreError("The store is closed.")
            if self._thread is not None:
                self._queue.put(call)
        if call.told is None:
            self._carry_out([call])
        else:
            await call.told
        return call.outcome()

    def _wipe(self, *, is_whole: bool) -> None:
        if is_whole:
            self._connection.execute("VACUUM")
        (is_busy, _, _) = self._connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()
        if is_busy:
            raise StoreError("The write-ahead log is being read by another program.")

    def _read_leniently(self) -> None:
        """Read texts with broken bytes too, from now on: a sign stands for each of these.

        Else no row that has one could even be removed. It costs a call of Python for every text.
        """
        self._is_lenient = True
        self._connection.text_factory = _lenient_text
        logger.error("store.text_damaged", extra={"path": self._path})

    async def close(self) -> None:
        """Carry out what is queued, then close the connection; later calls are refused."""
        with self._handing_over:
            is_first, self._is_closed = not self._is_closed, True
        if self._thread is not None:
            if is_first:
                self._queue.put(None)
            await asyncio.to_thread(self._thread.join)
        elif is_first:
            self._close_connection()

    def _serve(self) -> None:
        is_open = True
        while is_open:
            group, is_open = self._next_group()
            self._carry_out(group)
            _tell(group)
        self._close_connection()

    def _next_group(self) -> tuple[list[_Work], bool]:
        """Wait for work and take what else is there; False once the end was met."""
        group: list[_Work] = []
        work = self._next_work()
        while work is not None:
            group.append(work)
            if len(group) == MAX_GROUP:
                return group, True
            try:
                work = self._queue.get_nowait()
            except Empty:
                return group, True
        return group, False

    def _next_work(self) -> _Work | None:
        """Wait for work, and empty the log meanwhile if nothing was written for a while."""
        if self._connection.total_changes != self._changes:
            self._changes, self._written_s = self._connection.total_changes, time.monotonic()
            self._is_log_empty = False
        if not self._is_log_empty:
            left_s = max(0.0, self._written_s + IDLE_S - time.monotonic())
            with suppress(Empty):
                return self._queue.get(timeout=left_s)
            with suppress(sqlite3.Error):  # next time, then; nothing depends on it
                done = self._connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
                self._is_log_empty = not done.fetchone()[0]
        return self._queue.get()

    def _carry_out(self, group: Sequence[_Work]) -> None:
        """Carry out a group in its order; every piece knows its outcome afterwards."""
        for is_alone, works in groupby(group, key=lambda work: work.is_alone):
            for part in ([work] for work in works) if is_alone else (list(works),):
                self._commit(part, is_alone=is_alone)

    def _commit(self, group: Sequence[_Work], *, is_alone: bool) -> None:
        try:
            self._require_file()
            if is_alone:  # what SQLite does in no transaction
                group[0].run()
                return
            self._connection.execute("BEGIN IMMEDIATE")
            if len(group) == 1:
                group[0].run()
            else:
                for work in group:
                    self._run_in_savepoint(work)
            self._connection.execute("COMMIT")
        except Exception as error:  # noqa: BLE001 - border: it belongs to whoever handed work over
            for work in group:
                work.fail(error)
            self._roll_back()

    def _require_file(self) -> None:
        """See that the file still has its name: SQLite writes on into one that was removed."""
        if _identity_of(self._path) != self._identity:
            raise StoreLost(f"The database {self._path} was removed while the bot was running.")

    def _run_in_savepoint(self, work: _Work) -> None:
        self._connection.execute("SAVEPOINT work")
        try:
            work.run()
        except Exception as error:
            if not self._connection.in_transaction:
                raise  # SQLite gave up the whole transaction, as it does when the disk is full
            self._connection.execute("ROLLBACK TO work")
            work.fail(error)
        self._connection.execute("RELEASE work")

    def _roll_back(self) -> None:
        if not self._connection.in_transaction:
            return
        try:
            self._connection.execute("ROLLBACK")
        except sqlite3.Error:
            logger.exception("store.rollback_failed")  # the next BEGIN fails, and says so

    def _close_connection(self) -> None:
        self._db.close()


class _Work(Protocol):
    """A piece of work, whatever it returns."""

    @property
    def loop(self) -> asyncio.AbstractEventLoop | None: ...
    @property
    def is_alone(self) -> bool: ...
    def run(self) -> None: ...
    def fail(self, error: Exception) -> None: ...
    def tell(self) -> None: ...


class _Call(Generic[_Value]):
    """One call: its work, how it came out, and whom to tell."""

    def __init__(
        self,
        work: Callable[[], _Value],
        loop: asyncio.AbstractEventLoop | None,
        path: str,
        *,
        is_alone: bool,
    ) -> None:
        self._work = work
        self.is_alone = is_alone
        self._path = path
        self._values: list[_Value] = []
        self._error: Exception | None = None
        self.loop = loop
        self.told = loop.create_future() if loop is not None else None

    def run(self) -> None:
        """Do the work and keep what it returned."""
        self._values.append(self._work())

    def fail(self, error: Exception) -> None:
        """Note that nothing of it was kept."""
        if isinstance(error, DATABASE_ERRORS):
            failure = _failure(reason_of(error), self._path)
            failure.__cause__ = error
            error = failure
        self._error = error

    def tell(self) -> None:
        """Wake the caller, unless it was cancelled meanwhile."""
        if self.told is not None and not self.told.done():
            self.told.set_result(None)

    def outcome(self) -> _Value:
        """Give what the work returned, or raise what went wrong."""
        if self._error is not None:
            raise self._error
        return self._values[0]


def _failure(reason: str, path: str) -> StoreError:
    if any(word in reason for word in _DAMAGED):
        return StoreLost(f"The database {path} is damaged ({reason}); restore a backup.")
    return StoreError(f"The database failed: {reason}.")


def _lenient_text(text: bytes) -> str:
    return text.decode(errors="replace")


def _identity_of(path: str) -> tuple[int, int] | None:
    """Say which file stands at a path; None for none, as with a database in memory."""
    try:
        found = os.stat(path)  # noqa: PTH116 - Path costs three times as much, at every commit
    except OSError:
        return None
    return found.st_dev, found.st_ino


def _tell(group: Sequence[_Work]) -> None:
    """Wake all callers with one call to each of their loops: usually there is just one."""
    of_loop: dict[asyncio.AbstractEventLoop, list[_Work]] = {}
    for work in group:
        if work.loop is not None:
            of_loop.setdefault(work.loop, []).append(work)
    for loop, works in of_loop.items():
        with suppress(RuntimeError):  # the loop was closed: nobody waits there any more
            loop.call_soon_threadsafe(_tell_each, works)


def _tell_each(works: Sequence[_Work]) -> None:
    for work in works:
        work.tell()
