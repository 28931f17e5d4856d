"""A damaged row silences nobody: whatever people say next in its chat is answered."""

import sqlite3
from collections.abc import AsyncIterator
from contextlib import closing
from pathlib import Path

import pytest
import pytest_asyncio

from bot.adapters.store.sqlite_store import SqliteStore
from bot.config import Config
from bot.testing.dialogue import Dialogue
from bot.testing.loopback import LoopbackChannel
from bot.testing.model import ScriptedModel

OPEN = Config(access="open", plugins=("clock",), agent_max_context_turns=2)

EARLIER = ("one", "two", "three", "four")

PLACES = [
    "session.cut",
    "session.former",
    "session.compaction",
    "session.task",
    "summary.body",
    "turn.request",
    "step.answer",
    "outbox.body",
]


@pytest_asyncio.fixture
async def path(tmp_path: Path) -> AsyncIterator[Path]:
    """Leave a chat behind of which something left the window."""
    path = tmp_path / "daybook.db"
    model = ScriptedModel([f"answer {number}" for number in range(9)])
    store = SqliteStore.open(path, inline=True)
    async with Dialogue(model, config=OPEN, store=store) as dialogue:
        await dialogue.says(*EARLIER)
    await store.close()
    yield path


def again(path: Path, model: ScriptedModel) -> Dialogue:
    """Start the bot anew over what is left of its file."""
    channel = LoopbackChannel()
    for text in EARLIER:
        channel.message(text)  # numbers that are taken
    store = SqliteStore.open(path, inline=True)
    return Dialogue(model, config=OPEN, store=store, channel=channel)


def spoil(path: Path, place: str, text: str) -> None:
    table, column = place.split(".")
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute(f"UPDATE {table} SET {column} = ?", (text,))


@pytest.mark.parametrize("text", ["garbage", "[]"])
@pytest.mark.parametrize("place", PLACES)
async def test_a_chat_goes_on_whatever_of_it_is_damaged(path: Path, place: str, text: str) -> None:
    spoil(path, place, text)
    model = ScriptedModel([f"here {number}" for number in range(9)])
    async with again(path, model) as dialogue:
        said = await dialogue.says("hello", "/status", "/context", "/context detail")
        spoil(path, place, text)
        said += await dialogue.says("/context clear --yes", "/context undo", "/new", "again")
        assert dialogue.store_watch.trouble == ""

    assert len(said) == 8
    assert (said[0], said[-1]) == ("here 0", "here 1")
    assert not [each for each in said if "incident" in each.lower()]


async def test_a_damaged_message_that_waits_stops_nothing_at_the_start(path: Path) -> None:
    with closing(sqlite3.connect(path)) as connection, connection:
        for number, route in enumerate(("turn", "command", "press")):
            connection.execute(
                "INSERT INTO inbox (channel, event_id, session_key, route, state, body,"
                " received_at) SELECT 'loopback', ?, key, ?, 'waiting', 'garbage', 1 FROM session",
                (f"odd {number}", route),
            )
    async with again(path, ScriptedModel(["here"])) as dialogue:
        said = await dialogue.says("hello")

    assert said == ["here"]
    with closing(sqlite3.connect(path)) as connection:
        states = connection.execute("SELECT state FROM inbox WHERE body = 'garbage'").fetchall()
    assert states == [("set_aside",)] * 3
