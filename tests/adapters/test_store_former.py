"""A database is copied before its schema changes; what breaks the change off leaves it be."""

import os
import signal
import sqlite3
import stat
from collections.abc import Callable
from contextlib import closing
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from bot.adapters.store.copying import Holding, look_at_copy
from bot.adapters.store.migrations import MIGRATIONS
from bot.adapters.store.opening import open_database
from bot.adapters.store.sqlite_store import SqliteStore
from bot.errors import DataError
from tests.adapters.backup_given import killed_at, names_in

NEWEST = len(MIGRATIONS)
COPY = f"daybook.db.before-m{NEWEST:04}"
DAY_S = 86_400


def make_former(path: Path, version: int = NEWEST - 1) -> Holding:
    """Make a database as an earlier version of the program left it; give what it holds."""
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute("PRAGMA journal_mode = wal")
        connection.execute(
            "CREATE TABLE migration (version INTEGER NOT NULL PRIMARY KEY, name TEXT NOT NULL)"
        )
        for number, step in enumerate(MIGRATIONS[:version], start=1):
            step(connection)
            connection.execute("INSERT INTO migration VALUES (?, ?)", (number, step.__name__))
        connection.execute("INSERT INTO cursor VALUES ('telegram', '17')")
    return look_at_copy(path)


def test_ops_4_a_database_is_copied_before_it_changes(tmp_path: Path) -> None:
    former = make_former(tmp_path / "daybook.db")

    open_database(tmp_path / "daybook.db").close()
    open_database(tmp_path / "daybook.db").close()

    assert {"daybook.db", COPY} == names_in(tmp_path)
    assert former == look_at_copy(tmp_path / COPY)
    assert NEWEST == look_at_copy(tmp_path / "daybook.db").schema
    assert 0o600 == stat.S_IMODE((tmp_path / COPY).stat().st_mode)


def test_of_a_new_database_there_is_nothing_to_copy(tmp_path: Path) -> None:
    open_database(tmp_path / "daybook.db").close()

    assert {"daybook.db"} == names_in(tmp_path)


def add_steps(
    monkeypatch: pytest.MonkeyPatch, *steps: Callable[[sqlite3.Connection], None]
) -> None:
    longer = (*MIGRATIONS, *steps)
    monkeypatch.setattr("bot.adapters.store.migrations.MIGRATIONS", longer)
    monkeypatch.setattr("bot.adapters.store.opening.MIGRATIONS", longer)


def m_nothing(connection: sqlite3.Connection) -> None:
    """Change nothing."""


def test_the_newest_two_copies_stay(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "daybook.db"
    make_former(path)
    for count in range(3):
        add_steps(monkeypatch, *(m_nothing,) * count)
        open_database(path).close()
        for age, number in enumerate(range(NEWEST + count, NEWEST - 1, -1)):
            copy = tmp_path / f"daybook.db.before-m{number:04}"
            if copy.exists():
                moment = copy.stat().st_mtime - 60 * age
                os.utime(copy, (moment, moment))

    names = {f"daybook.db.before-m{number:04}" for number in (NEWEST + 1, NEWEST + 2)}
    assert {"daybook.db"} | names == names_in(tmp_path)


async def test_a_copy_goes_with_what_is_as_old(tmp_path: Path) -> None:
    """It holds what people had forgotten since; but no start removes it for its age alone."""
    path = tmp_path / "daybook.db"
    make_former(path)
    open_database(path).close()
    made_at = datetime.fromtimestamp((tmp_path / COPY).stat().st_mtime - 400 * DAY_S, UTC)
    os.utime(tmp_path / COPY, (made_at.timestamp(), made_at.timestamp()))
    (tmp_path / f"{COPY}.new").write_text("never finished")
    store = SqliteStore.open(path, inline=True)
    await store.prune(made_at)
    before = names_in(tmp_path)
    await store.prune(made_at + timedelta(seconds=1))
    await store.close()

    assert {"daybook.db", COPY} <= before
    assert f"{COPY}.new" not in before
    assert {"daybook.db"} == names_in(tmp_path)


async def test_what_is_wiped_is_wiped_from_copies(tmp_path: Path) -> None:
    make_former(tmp_path / "daybook.db")
    store = SqliteStore.open(tmp_path / "daybook.db", inline=True)
    await store.wipe(is_whole=False)
    await store.close()

    assert {"daybook.db"} == names_in(tmp_path)


@dataclass(frozen=True)
class Usage:
    free: int


def test_without_space_for_a_copy_nothing_changes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "daybook.db"
    former = make_former(path)
    monkeypatch.setattr("shutil.disk_usage", lambda _: Usage(free=1_000_000))

    with pytest.raises(DataError, match=r"up to date needs \d+ MiB in .*, 0 MiB are free"):
        open_database(path)

    assert former == look_at_copy(path)
    assert {"daybook.db"} == names_in(tmp_path)


def half_done(connection: sqlite3.Connection) -> None:
    connection.execute("CREATE TABLE half (half TEXT)")
    connection.execute("DROP TABLE cursor")
    connection.execute("CREATE TABLE half (half TEXT)")


def killed(connection: sqlite3.Connection) -> None:
    connection.execute("DROP TABLE cursor")
    os.kill(os.getpid(), signal.SIGKILL)


def test_a_step_that_fails_leaves_the_file_and_its_copy(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "daybook.db"
    former = make_former(path, NEWEST)
    add_steps(monkeypatch, half_done)

    with pytest.raises(DataError, match="cannot be used: table half already exists"):
        open_database(path)

    assert former == look_at_copy(path)
    assert former == look_at_copy(tmp_path / f"daybook.db.before-m{NEWEST + 1:04}")


def test_ops_4_a_kill_in_the_middle_of_a_change_leaves_the_old_schema(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "daybook.db"
    make_former(path, NEWEST)
    with monkeypatch.context() as patch:
        add_steps(patch, killed)
        assert killed_at(1_000_000, lambda: open_database(path))

    open_database(path).close()

    found = look_at_copy(path)
    assert (NEWEST, 1) == (found.schema, found.rows["cursor"])


def test_a_kill_at_any_step_of_the_copying_leaves_a_whole_copy_or_none(tmp_path: Path) -> None:
    step, is_killed = 0, True
    while is_killed:
        path = tmp_path / str(step) / "daybook.db"
        path.parent.mkdir()
        former = make_former(path)
        is_killed = killed_at(step, lambda path=path: open_database(path).close())  # type: ignore[misc]  # bound now
        copy = path.with_name(COPY)
        assert not copy.exists() or look_at_copy(copy) == former
        open_database(path).close()
        assert NEWEST == look_at_copy(path).schema
        assert {"daybook.db", COPY} >= names_in(path.parent)
        step += 1

    assert step > 5
    assert former == look_at_copy(copy)
