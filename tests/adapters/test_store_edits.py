"""Changes of messages on a file that is damaged, or from before their places were noted."""

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from bot.adapters.store.sqlite_store import SqliteStore
from bot.core.lifecycle import Received
from bot.testing.clock import START
from bot.testing.stores.edits import asked, change, deletion_of, edit_of
from bot.testing.stores.given import HOME, begin, message

NO_PLACES = "UPDATE inbox SET block = NULL"


def carry_out(path: Path, sql: str) -> None:
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute(sql)


@pytest.mark.parametrize("column", ["turn.request", "session.cut", "inbox.body"])
async def test_a_change_of_what_is_damaged_holds_nothing_up(
    tmp_path: Path, column: str, caplog: pytest.LogCaptureFixture
) -> None:
    """It is done as far as it goes; what comes with it is stored."""
    path = tmp_path / "daybook.db"
    store = SqliteStore.open(path)
    turn = await begin(store, message(1), message(2))
    await store.finish_turn(turn.id, "failed", (), at=START)
    table, name = column.split(".")
    carry_out(path, f"UPDATE {table} SET {name} = 'no JSON' WHERE {name} IS NOT NULL")
    carry_out(path, "UPDATE session SET cut = 'no JSON'")

    heard = Received(inbound=message(3), route="turn")
    for each in (edit_of(message(2), "changed"), deletion_of(message(1))):
        change_of_it = Received(inbound=each, route="none")
        assert (await store.receive((change_of_it, heard), cursor=None, at=START))[0]

    assert (await store.unfinished()).waiting == (HOME.session_key,)
    assert {each.message for each in caplog.records} == {"store.unreadable"}
    await store.close()


async def test_turns_from_before_places_were_noted_are_changed_too(tmp_path: Path) -> None:
    """They have a block for each message; where messages are known no longer, nothing is."""
    path = tmp_path / "daybook.db"
    store = SqliteStore.open(path)
    first = await begin(store, message(1), message(2))
    await store.finish_turn(first.id, "answered", (), at=START)
    second = await begin(store, message(3), message(4))
    await store.finish_turn(second.id, "answered", (), at=START)
    carry_out(path, NO_PLACES)
    carry_out(path, f"DELETE FROM inbox WHERE event_id = '{message(3).event_id}'")

    await change(store, edit_of(message(2), "changed"))
    await change(store, deletion_of(message(4)))

    assert await asked(store, first.id) == ["message 1", "changed"]
    assert await asked(store, second.id) == ["message 3", "message 4"]
    await store.close()
