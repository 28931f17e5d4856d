"""The database thread: groups, failures, endings."""

import asyncio
import sqlite3
from collections.abc import AsyncIterator, Callable
from functools import partial
from pathlib import Path
from threading import Event, current_thread

import pytest
from peewee import SqliteDatabase

from bot.adapters.store import database
from bot.adapters.store.database import MAX_GROUP, DatabaseThread, connection_of
from bot.adapters.store.opening import open_database
from bot.errors import StoreError
from bot.testing.clock import settle
from bot.testing.patience import PATIENCE_S


class Opened:
    """A database with one table, its thread, and a second connection that looks on."""

    def __init__(self, path: Path, *, inline: bool = False) -> None:
        self.db: SqliteDatabase = open_database(path)
        self.connection = connection_of(self.db)
        self.connection.execute("CREATE TABLE word (id INTEGER PRIMARY KEY, word TEXT NOT NULL)")
        self.connection.execute("CREATE TABLE child (word_id INTEGER REFERENCES word (id))")
        self.statements: list[str] = []
        self.connection.set_trace_callback(self.statements.append)
        self.thread = DatabaseThread(self.db, inline=inline)
        self._onlooker = sqlite3.connect(path, timeout=0, isolation_level=None)

    def add(self, word: str) -> str:
        self.connection.execute("INSERT INTO word (word) VALUES (?)", (word,))
        return word

    def add_and_fail(self, word: str, error: Exception) -> str:
        self.add(word)
        raise error

    def seen_outside(self) -> list[str]:
        rows = self._onlooker.execute("SELECT word FROM word ORDER BY id")
        return [word for (word,) in rows]

    def lock_outside(self) -> None:
        self._onlooker.execute("BEGIN IMMEDIATE")

    def unlock_outside(self) -> None:
        self._onlooker.execute("ROLLBACK")

    async def hold(self) -> tuple[asyncio.Task[bool], Event]:
        """Keep the thread busy until the event is set; what is handed over meanwhile waits."""
        has_begun, may_go_on = Event(), Event()

        def wait() -> bool:
            has_begun.set()
            return may_go_on.wait(PATIENCE_S)

        holding = asyncio.create_task(self.thread.call(wait))
        await settle()
        assert has_begun.wait(PATIENCE_S)
        return holding, may_go_on

    async def together(self, *works: Callable[[], object]) -> list[object]:
        """Have the thread find all of this queued at once; exceptions are given as values."""
        holding, may_go_on = await self.hold()
        calls = [asyncio.create_task(self.thread.call(work)) for work in works]
        await settle()
        self.statements.clear()
        may_go_on.set()
        assert await holding
        return await asyncio.gather(*calls, return_exceptions=True)

    async def close(self) -> None:
        await self.thread.close()
        self._onlooker.close()


@pytest.fixture
async def opened(tmp_path: Path) -> AsyncIterator[Opened]:
    database = Opened(tmp_path / "daybook.db")
    yield database
    await database.close()


async def test_a_call_returns_after_its_commit(opened: Opened) -> None:
    assert await opened.thread.call(partial(opened.add, "one")) == "one"
    assert opened.seen_outside() == ["one"]


async def test_work_runs_on_one_other_thread(opened: Opened) -> None:
    first = await opened.thread.call(current_thread)
    second = await opened.thread.call(current_thread)

    assert first is second
    assert first is not current_thread()


async def test_what_is_queued_is_committed_together_and_in_order(opened: Opened) -> None:
    words = [f"word {number}" for number in range(50)]

    given = await opened.together(*(partial(opened.add, word) for word in words))

    assert given == words
    assert opened.seen_outside() == words
    assert opened.statements.count("COMMIT") == 2  # that of the blocker, and that of all others


async def test_a_group_has_its_limit(opened: Opened) -> None:
    await opened.together(*(partial(opened.add, "word") for _ in range(MAX_GROUP + 1)))

    assert opened.statements.count("COMMIT") == 3


async def test_one_alone_needs_no_savepoint(opened: Opened) -> None:
    await opened.thread.call(partial(opened.add, "one"))

    assert not [each for each in opened.statements if "SAVEPOINT" in each]


async def test_what_fails_in_a_group_fails_alone(opened: Opened) -> None:
    mistake = ValueError("no such turn")
    bad_sql = partial(opened.connection.execute, "INSERT INTO nowhere VALUES (1)")

    given = await opened.together(
        partial(opened.add, "one"),
        partial(opened.add_and_fail, "two", mistake),
        bad_sql,
        partial(opened.add, "three"),
    )

    assert given[0] == "one"
    assert given[1] is mistake
    assert isinstance(given[2], StoreError)
    assert given[3] == "three"
    assert opened.seen_outside() == ["one", "three"]


async def test_what_fails_alone_leaves_nothing(opened: Opened) -> None:
    mistake = ValueError("no such turn")

    with pytest.raises(ValueError, match="no such turn"):
        await opened.thread.call(partial(opened.add_and_fail, "one", mistake))

    assert opened.seen_outside() == []
    assert await opened.thread.call(partial(opened.add, "two")) == "two"


async def test_a_commit_that_fails_fails_the_whole_group(opened: Opened) -> None:
    def leave_an_orphan() -> None:
        opened.connection.execute("PRAGMA defer_foreign_keys = 1")
        opened.connection.execute("INSERT INTO child VALUES (99)")

    given = await opened.together(
        partial(opened.add, "one"), leave_an_orphan, partial(opened.add, "two")
    )

    assert [type(each) for each in given] == [StoreError] * 3
    assert "FOREIGN KEY" in str(given[0])
    assert opened.seen_outside() == []
    assert await opened.thread.call(partial(opened.add, "three")) == "three"


async def test_a_transaction_that_sqlite_gave_up_fails_the_whole_group(opened: Opened) -> None:
    """As it does when the disk is full or broken."""

    def lose_everything() -> None:
        opened.connection.execute("ROLLBACK")
        raise sqlite3.OperationalError("disk I/O error")

    given = await opened.together(
        partial(opened.add, "one"), lose_everything, partial(opened.add, "two")
    )

    assert [str(each) for each in given] == ["The database failed: disk I/O error."] * 3
    assert opened.seen_outside() == []
    assert await opened.thread.call(partial(opened.add, "three")) == "three"


async def test_a_full_disk_is_a_store_error_until_there_is_room(opened: Opened) -> None:
    (pages,) = opened.connection.execute("PRAGMA page_count").fetchone()
    await opened.thread.call(
        partial(opened.connection.execute, f"PRAGMA max_page_count = {pages + 1}")
    )

    with pytest.raises(StoreError, match="full"):
        await opened.thread.call(partial(opened.add, "x" * 100_000))

    await opened.thread.call(partial(opened.connection.execute, "PRAGMA max_page_count = 100000"))
    assert await opened.thread.call(partial(opened.add, "one")) == "one"
    assert opened.seen_outside() == ["one"]


async def test_a_lock_from_outside_is_a_store_error_until_it_is_gone(opened: Opened) -> None:
    await opened.thread.call(partial(opened.connection.execute, "PRAGMA busy_timeout = 1"))
    opened.lock_outside()

    with pytest.raises(StoreError, match="locked"):
        await opened.thread.call(partial(opened.add, "one"))

    opened.unlock_outside()
    assert await opened.thread.call(partial(opened.add, "two")) == "two"


async def test_a_rollback_that_fails_is_logged_and_fails_what_follows(
    opened: Opened, caplog: pytest.LogCaptureFixture
) -> None:
    def allow(action: int, verb: str | None, *_: str | None) -> int:
        is_rollback = action == sqlite3.SQLITE_TRANSACTION and verb == "ROLLBACK"
        return sqlite3.SQLITE_DENY if is_rollback else sqlite3.SQLITE_OK

    opened.connection.set_authorizer(allow)
    with pytest.raises(ValueError, match="no such turn"):
        await opened.thread.call(partial(opened.add_and_fail, "one", ValueError("no such turn")))
    with pytest.raises(StoreError):
        await opened.thread.call(partial(opened.add, "two"))
    opened.connection.set_authorizer(None)

    assert "store.rollback_failed" in caplog.text
    with pytest.raises(StoreError):
        await opened.thread.call(partial(opened.add, "three"))
    assert await opened.thread.call(partial(opened.add, "four")) == "four"
    assert opened.seen_outside() == ["four"]


async def test_cancelling_the_caller_does_not_undo_the_write(opened: Opened) -> None:
    holding, may_go_on = await opened.hold()
    cancelled = asyncio.create_task(opened.thread.call(partial(opened.add, "one")))
    await settle()
    cancelled.cancel()
    may_go_on.set()
    assert await holding

    assert await opened.thread.call(partial(opened.add, "two")) == "two"
    assert cancelled.cancelled()
    assert opened.seen_outside() == ["one", "two"]


async def test_closing_carries_out_what_is_queued(opened: Opened) -> None:
    holding, may_go_on = await opened.hold()
    call = asyncio.create_task(opened.thread.call(partial(opened.add, "one")))
    closing = [asyncio.create_task(opened.thread.close()) for _ in range(2)]
    await settle()
    may_go_on.set()
    await asyncio.gather(*closing)

    assert await holding
    assert await call == "one"
    assert opened.seen_outside() == ["one"]
    with pytest.raises(StoreError, match="closed"):
        await opened.thread.call(partial(opened.add, "two"))


def test_a_loop_that_is_gone_stops_nobody_else(tmp_path: Path) -> None:
    opened = Opened(tmp_path / "daybook.db")

    async def leave_behind() -> Event:
        _, may_go_on = await opened.hold()
        return may_go_on

    async def come_later() -> str:
        word = await opened.thread.call(partial(opened.add, "one"))
        await opened.close()
        return word

    asyncio.run(leave_behind()).set()

    assert asyncio.run(come_later()) == "one"


async def test_inline_work_runs_at_once_on_the_callers_thread(tmp_path: Path) -> None:
    opened = Opened(tmp_path / "daybook.db", inline=True)

    assert await opened.thread.call(current_thread) is current_thread()
    with pytest.raises(ValueError, match="no such turn"):
        await opened.thread.call(partial(opened.add_and_fail, "one", ValueError("no such turn")))
    assert await opened.thread.call(partial(opened.add, "two")) == "two"
    assert opened.seen_outside() == ["two"]

    await opened.close()
    await opened.close()
    with pytest.raises(StoreError, match="closed"):
        await opened.thread.call(partial(opened.add, "three"))


@pytest.mark.parametrize("is_read", [False, True])
async def test_what_was_blanked_is_gone_from_the_log_too_after_a_while_without_writing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, is_read: bool
) -> None:
    """Also while somebody asks again and again how the store is."""
    monkeypatch.setattr(database, "IDLE_S", 0.01)
    opened = Opened(tmp_path / "daybook.db")
    log = tmp_path / "daybook.db-wal"
    await opened.thread.call(partial(opened.add, "a word in passing"))
    await opened.thread.call(lambda: opened.connection.execute("UPDATE word SET word = ''"))
    async with asyncio.timeout(PATIENCE_S):
        while (await asyncio.to_thread(log.stat)).st_size:
            if is_read:
                await opened.thread.call(lambda: opened.connection.execute("SELECT 1").fetchone())
    written = (tmp_path / "daybook.db").read_bytes() + log.read_bytes()
    await opened.close()

    assert b"a word in passing" not in written
