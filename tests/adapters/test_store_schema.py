"""The schema, how a file gets there, and which files are refused."""

import re
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from threading import Barrier, Thread

import pytest
from peewee import SqliteDatabase

from bot.adapters.store.database import connection_of
from bot.adapters.store.migrations import MIGRATIONS, migrate
from bot.adapters.store.opening import open_database, switch_to_wal
from bot.adapters.store.schema import make_tables
from bot.adapters.store.sqlite_store import SqliteStore
from bot.errors import DataError

STORAGE_PAGE = Path(__file__).parents[2] / "docs" / "storage.md"
PATIENCE_S = 20


def test_schema_is_the_sum_of_the_migrations(tmp_path: Path) -> None:
    made = SqliteDatabase(str(tmp_path / "made.db"))
    made.create_tables(make_tables(made).models)
    migrated = open_database(tmp_path / "migrated.db")

    assert _shape_of(connection_of(made)) == _shape_of(connection_of(migrated))

    made.close()
    migrated.close()


def test_tables_of_two_databases_do_not_mix() -> None:
    first, second = SqliteDatabase(":memory:"), SqliteDatabase(":memory:")
    tables = make_tables(first)
    make_tables(second)

    assert {model._meta.database for model in tables.models} == {first}


def test_every_table_has_its_row_on_the_page() -> None:
    rows = re.findall(r"^\| `(\w+)` \|", STORAGE_PAGE.read_text(encoding="utf-8"), re.MULTILINE)
    tables = make_tables(SqliteDatabase(":memory:"))

    assert sorted(model._meta.table_name for model in tables.models) == sorted(rows)


def test_several_starters_apply_each_step_once(tmp_path: Path) -> None:
    path = tmp_path / "daybook.db"
    start_together, failures = Barrier(3), list[Exception]()

    def start() -> None:
        start_together.wait(PATIENCE_S)
        try:
            open_database(path).close()
        except DataError as error:
            failures.append(error)

    starters = [Thread(target=start) for _ in range(3)]
    for starter in starters:
        starter.start()
    for starter in starters:
        starter.join(PATIENCE_S)

    assert failures == []
    with closing(sqlite3.connect(path)) as connection:
        rows = connection.execute("SELECT version, name FROM migration ORDER BY version")
        assert rows.fetchall() == [
            (version, step.__name__) for version, step in enumerate(MIGRATIONS, start=1)
        ]


def test_a_step_that_fails_leaves_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def half_done(connection: sqlite3.Connection) -> None:
        connection.execute("CREATE TABLE half (half TEXT)")
        connection.execute("CREATE TABLE half (half TEXT)")

    monkeypatch.setattr("bot.adapters.store.migrations.MIGRATIONS", (*MIGRATIONS, half_done))
    with closing(sqlite3.connect(tmp_path / "daybook.db", isolation_level=None)) as connection:
        with pytest.raises(sqlite3.OperationalError):
            migrate(connection)

        assert connection.execute("SELECT name FROM sqlite_master").fetchall() == []


def test_settings_hold(tmp_path: Path) -> None:
    db = open_database(tmp_path / "daybook.db")
    connection = connection_of(db)
    wanted = {"journal_mode": "wal", "synchronous": 2, "foreign_keys": 1, "secure_delete": 1}

    assert wanted == {name: connection.execute(f"PRAGMA {name}").fetchone()[0] for name in wanted}

    db.close()


def _garbage(path: Path) -> None:
    path.write_bytes(b"no database at all, but long enough to have a header. " * 40)


def _cut_off(path: Path) -> None:
    open_database(path).close()
    path.write_bytes(path.read_bytes()[:6000])


def _of_another_program(path: Path) -> None:
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute("CREATE TABLE session (id INTEGER)")


def _folder(path: Path) -> None:
    path.mkdir()


def _nowhere(path: Path) -> None:
    path.parent.rmdir()


def _from_the_future(path: Path) -> None:
    open_database(path).close()
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute("INSERT INTO migration VALUES (99, 'm0099_later')")


@pytest.mark.parametrize(
    ("spoil", "mend"),
    [
        (_garbage, "is no database; move it away or restore a backup"),
        (_cut_off, "is damaged; restore a backup"),
        (_of_another_program, "cannot be used: table session already exists"),
        (_folder, "cannot be opened; check that it is a file in a folder that can be written"),
        (_nowhere, "cannot be opened; check that it is a file in a folder that can be written"),
        (_from_the_future, "update the bot or restore an older backup"),
    ],
)
def test_a_file_that_cannot_be_used_is_named_with_the_mend(
    tmp_path: Path, spoil: Callable[[Path], None], mend: str
) -> None:
    path = tmp_path / "data" / "daybook.db"
    path.parent.mkdir()
    spoil(path)

    with pytest.raises(DataError) as caught:
        SqliteStore.open(path)

    assert str(path) in str(caught.value)
    assert mend in str(caught.value)


@pytest.mark.parametrize("is_new", [True, False], ids=["new", "in use before"])
def test_a_file_that_others_hold_is_refused_after_a_while(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, is_new: bool
) -> None:
    path = tmp_path / "daybook.db"
    if not is_new:
        open_database(path).close()
    monkeypatch.setattr("bot.adapters.store.opening.BUSY_TIMEOUT_S", 0.02)
    with closing(sqlite3.connect(path, isolation_level=None)) as other:
        other.execute("BEGIN EXCLUSIVE")

        with pytest.raises(DataError, match="is in use by another program"):
            open_database(path)


def test_who_meets_another_starter_waits_for_it(tmp_path: Path) -> None:
    path = tmp_path / "daybook.db"
    attempts: list[str] = []
    with (
        closing(sqlite3.connect(path, isolation_level=None)) as late,
        closing(sqlite3.connect(path, isolation_level=None)) as early,
    ):
        early.execute("BEGIN IMMEDIATE")

        def go_on_at_the_second(statement: str) -> None:
            attempts.append(statement)
            if len(attempts) == 2:
                early.execute("ROLLBACK")

        late.set_trace_callback(go_on_at_the_second)
        switch_to_wal(late)

        assert late.execute("PRAGMA journal_mode").fetchone() == ("wal",)
        assert len(attempts) == 3


def test_who_meets_a_lock_for_too_long_gives_up(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "daybook.db"
    monkeypatch.setattr("bot.adapters.store.opening.BUSY_TIMEOUT_S", 0.02)
    with (
        closing(sqlite3.connect(path, isolation_level=None)) as late,
        closing(sqlite3.connect(path, isolation_level=None)) as early,
    ):
        early.execute("BEGIN IMMEDIATE")

        with pytest.raises(sqlite3.OperationalError, match="locked"):
            switch_to_wal(late)


def _shape_of(connection: sqlite3.Connection) -> dict[str, tuple[object, ...]]:
    """Columns, foreign keys and indexes of each table, however its SQL was worded."""
    tables = connection.execute(
        "SELECT name, instr(sql, 'AUTOINCREMENT') > 0 FROM sqlite_master"
        " WHERE type = 'table' AND name NOT LIKE 'sqlite_%'"
    ).fetchall()
    return {
        name: (
            numbers_for_good,
            connection.execute(f"PRAGMA table_info('{name}')").fetchall(),
            sorted(row[2:] for row in connection.execute(f"PRAGMA foreign_key_list('{name}')")),
            sorted(_indexes_of(connection, name)),
        )
        for name, numbers_for_good in tables
    }


def _indexes_of(connection: sqlite3.Connection, table: str) -> list[tuple[object, ...]]:
    found = []
    for _, name, *kind in connection.execute(f"PRAGMA index_list('{table}')").fetchall():
        (sql,) = connection.execute(
            "SELECT sql FROM sqlite_master WHERE name = ?", (name,)
        ).fetchone()
        condition = " ".join((sql or "").partition(" WHERE ")[2].split())
        columns = connection.execute(f"PRAGMA index_info('{name}')").fetchall()
        found.append((name, *kind, condition, tuple(columns)))
    return found
