"""The schema, how a file gets there, and which files are refused."""

import re
import sqlite3
from collections.abc import Callable
from contextlib import closing
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from threading import Barrier, Thread

import pytest
from peewee import SqliteDatabase

from bot.adapters.store.codec import (
    encode_inbound,
    encode_message,
    encode_reply,
    encode_result,
)
from bot.adapters.store.database import connection_of
from bot.adapters.store.migrations import MIGRATIONS, migrate
from bot.adapters.store.migrations.m0001_initial import m0001_initial
from bot.adapters.store.migrations.m0002_delivery import m0002_delivery
from bot.adapters.store.opening import open_database, switch_to_wal
from bot.adapters.store.schema import make_tables
from bot.adapters.store.sqlite_store import SqliteStore
from bot.core.lifecycle import compose_request
from bot.core.messages import ToolResult, assistant_text
from bot.core.turns import Step, TurnId
from bot.core.window.conversation import Cut
from bot.errors import DataError
from bot.testing.clock import START
from bot.testing.patience import PATIENCE_S
from bot.testing.stores.given import HOME, asking, hear, message, saying

STORAGE_PAGE = Path(__file__).parents[2] / "docs" / "storage.md"
TRIMMED, CLEARED, EMPTY = (
    replace(HOME, chat=chat).session_key for chat in ("trimmed", "cleared", "empty")
)


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


async def test_a_file_of_the_first_version_goes_on(tmp_path: Path) -> None:
    path = tmp_path / "daybook.db"
    _make_first_version(path)
    store = SqliteStore.open(path)

    ended, claim = await store.load(HOME.session_key), (await store.unfinished()).claims[0]
    assert [turn.reply for turn in ended.turns] == ["It is nine."]
    assert claim.messages == (message(2),)
    assert [result.call_id for result in claim.turn.steps[0].results] == ["a"]
    assert claim.started == {"b", "c"}  # which of them ran was not written down then

    assert await hear(store, message(1), message(3)) == (False, True)
    await store.record_result(claim.turn.id, 0, ToolResult(call_id="b", content="done"))
    (old,) = await store.failed(HOME.session_key)
    assert (old.reply.text, old.reason) == ("sorry", "blocked")

    (item,) = await store.finish_turn(claim.turn.id, "failed", (saying("hm"),), at=START)
    assert item.reply.key.endswith(f"-{item.id}")
    again = await store.reopen(HOME.session_key, at=START)
    assert again is not None
    assert again.started == {"c"}
    await store.close()


def _make_first_version(path: Path) -> None:
    """Write what the first version of the program would have: an ended and an open turn."""
    key, step = HOME.session_key, asking("a", "b", "c")
    answer = Step(answer=assistant_text("It is nine."), stop="end_turn")
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute(
            "CREATE TABLE migration (version INTEGER NOT NULL PRIMARY KEY, name TEXT NOT NULL)"
        )
        m0001_initial(connection)
        connection.execute("INSERT INTO migration VALUES (1, 'm0001_initial')")
        connection.execute("INSERT INTO session (key) VALUES (?)", (key,))
        for turn, outcome, first in ((1, "answered", answer), (2, None, step)):
            request = encode_message(compose_request((message(turn),)))
            connection.execute(
                "INSERT INTO turn (session_key, generation, request, started_at, outcome)"
                " VALUES (?, 0, ?, 0, ?)",
                (key, request, outcome),
            )
            connection.execute(
                "INSERT INTO step VALUES (?, 0, ?, ?)",
                (turn, encode_message(first.answer), first.stop),
            )
            body = None if outcome else encode_inbound(message(turn))
            connection.execute(
                "INSERT INTO inbox (channel, event_id, session_key, route, state, turn_id, body,"
                " received_at) VALUES ('telegram', ?, ?, 'turn', ?, ?, ?, 0)",
                (message(turn).event_id, key, "done" if outcome else "claimed", turn, body),
            )
        result = encode_result(ToolResult(call_id="a", content="9:00"))
        connection.execute("INSERT INTO step_result VALUES (2, 0, 'a', ?)", (result,))
        connection.execute(
            "INSERT INTO outbox (session_key, turn_id, is_preview, state, body, reason,"
            " created_at, changed_at) VALUES (?, 1, 0, 'failed', ?, 'blocked', 0, 0)",
            (key, encode_reply(saying("sorry"))),
        )


async def test_a_file_of_the_second_version_shows_what_it_did(tmp_path: Path) -> None:
    """Where its turns begin is said by their ids now; what was not shown is not remembered anew."""
    path = tmp_path / "daybook.db"
    _make_second_version(path)
    store = SqliteStore.open(path)

    trimmed, cleared, empty = [await store.load(key) for key in (TRIMMED, CLEARED, EMPTY)]
    assert (trimmed.cut, trimmed.generation) == (Cut(kept_from=TurnId(2)), 0)
    assert [turn.id for turn in trimmed.turns] == [2]
    assert cleared.cut == _cleared(TurnId(4))
    assert ([turn.id for turn in cleared.turns], cleared.generation) == ([4], 1)
    assert [call.usage.input_tokens for call in cleared.calls] == [33, 44]  # they outlive a clear
    assert empty.cut == _cleared(TurnId(6))
    assert (empty.turns, empty.generation, empty.is_fresh) == ((), 2, True)

    later = START + timedelta(days=1)
    assert [each.session_key for each in await store.silent_since(later)] == [EMPTY]
    assert await store.ask_to_remember(later, at=later) == 2
    trimmed_job, cleared_job = sorted(
        await store.due_jobs(later, limit=9), key=lambda job: job.through
    )
    assert [turn.id for turn in await store.unremembered(trimmed_job, limit=9)] == [2]
    assert [turn.id for turn in await store.unremembered(cleared_job, limit=9)] == [4]

    assert await store.clear(CLEARED, at=START) == 2
    assert await store.undo(CLEARED, at=START)
    assert (await store.load(CLEARED)).turns == cleared.turns
    assert (await hear(store, message(9))) == (True,)
    await store.close()


def _cleared(first: TurnId) -> Cut:
    return Cut(kept_from=first, cleared_before=first, recalled_from=first)


def _make_second_version(path: Path) -> None:
    """Write three chats: one whose oldest turn left, one cleared that went on, one just cleared."""
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute(
            "CREATE TABLE migration (version INTEGER NOT NULL PRIMARY KEY, name TEXT NOT NULL)"
        )
        for version, step in ((1, m0001_initial), (2, m0002_delivery)):
            step(connection)
            connection.execute("INSERT INTO migration VALUES (?, ?)", (version, step.__name__))
        connection.executemany(
            "INSERT INTO session (key, generation, kept_from, cleared_at) VALUES (?, ?, ?, ?)",
            [(TRIMMED, 0, 2, None), (CLEARED, 1, 0, 35), (EMPTY, 2, 0, 60)],
        )
        request = encode_message(compose_request((message(1),)))
        for turn, key, generation in (
            (1, TRIMMED, 0),
            (2, TRIMMED, 0),
            (3, CLEARED, 0),
            (4, CLEARED, 1),
            (5, EMPTY, 1),
        ):
            connection.execute(
                "INSERT INTO turn (session_key, generation, request, started_at, outcome)"
                " VALUES (?, ?, ?, ?, 'answered')",
                (key, generation, request, turn * 10),
            )
            connection.execute(
                "INSERT INTO usage (at, session_key, person_key, model, purpose, input_tokens,"
                " output_tokens, cache_read_tokens, cache_write_tokens)"
                " VALUES (?, ?, 'a:b:c', 'scripted', 'answer', ?, 1, 0, 0)",
                (turn * 10, key, turn * 11),
            )


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
        (_of_another_program, "is of another program"),
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
        "SELECT name, instr(sql, 'AUTOINCREMENT') > 0, instr(sql, 'WITHOUT ROWID') > 0"
        " FROM sqlite_master"
        " WHERE type = 'table' AND name NOT LIKE 'sqlite_%'"
    ).fetchall()
    return {
        name: (
            numbers_for_good,
            is_its_own_index,
            connection.execute(f"PRAGMA table_info('{name}')").fetchall(),
            sorted(row[2:] for row in connection.execute(f"PRAGMA foreign_key_list('{name}')")),
            sorted(_indexes_of(connection, name)),
        )
        for name, numbers_for_good, is_its_own_index in tables
    }


def _indexes_of(connection: sqlite3.Connection, table: str) -> list[tuple[object, ...]]:
    found = []
    for _, name, *kind in connection.execute(f"PRAGMA index_list('{table}')").fetchall():
        row = connection.execute("SELECT sql FROM sqlite_master WHERE name = ?", (name,)).fetchone()
        sql = "" if row is None else row[0] or ""  # a table that is its own index has no row for it
        condition = " ".join(sql.partition(" WHERE ")[2].split())
        columns = connection.execute(f"PRAGMA index_info('{name}')").fetchall()
        found.append((name, *kind, condition, tuple(columns)))
    return found
