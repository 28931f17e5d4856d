"""A disk that fails: nothing false is said, nothing is lost, and what cannot go on ends cleanly.

A full disk is SQLite's own limit of pages here: it fails at the same calls and with the same error
as a full file system. What it does not show is a write-ahead log that itself finds no room.
"""

import asyncio
import logging
import shutil
import sqlite3
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, closing
from datetime import datetime, timedelta
from pathlib import Path

import pytest
from pydantic import SecretStr

import channels.slack
import channels.telegram
from bot.adapters.store import opening
from bot.adapters.store.database import DatabaseThread, connection_of
from bot.adapters.store.opening import open_database
from bot.adapters.store.schema import make_tables
from bot.adapters.store.sqlite_store import SqliteStore, Tell
from bot.app import App, Outside
from bot.cli import main
from bot.config import Config
from bot.core.chat import Reply
from bot.core.lifecycle import OutboxItem
from bot.core.turns import Outcome, TurnId
from bot.core.window.notes import words_of
from bot.errors import DataError, StoreError, StoreLost
from bot.ports import Channel, ModelClient
from bot.runtime.health import StoreWatch
from bot.testing.clock import FakeClock, HurriedClock, settle
from bot.testing.dialogue import Dialogue
from bot.testing.loopback import LoopbackChannel
from bot.testing.model import ScriptedModel
from bot.testing.patience import PATIENCE_S
from bot.testing.slack_server import PretendedSlack
from bot.testing.store import InMemoryStore
from bot.testing.telegram_server import PretendedTelegram

OPEN = Config(access="open", plugins=("clock",))
LONG = " ".join(letter * 1_900 for letter in "abcdefghij")
"""For what no page has room left; no thread is needed yet to look it through for secrets."""


class SmallDisk:
    """A store on a disk whose room a test decides."""

    def __init__(self, folder: Path) -> None:
        self.path = folder / "daybook.db"
        db = open_database(self.path)
        self._connection = connection_of(db)
        self.tell: Tell = lambda error: None
        thread = DatabaseThread(db, inline=True)
        self.store = SqliteStore(make_tables(db), thread, lambda error: self.tell(error))

    def fill(self) -> None:
        """Leave room for nothing that is long."""
        self._limit_pages(1)  # SQLite takes it for as many as there are

    def free(self) -> None:
        """Leave room again."""
        self._limit_pages(1 << 30)

    def wait_for_others(self, *, milliseconds: int) -> None:
        """Give up sooner where another program has the file; the product waits for seconds."""
        self._connection.execute(f"PRAGMA busy_timeout = {milliseconds}")

    def _limit_pages(self, count: int) -> None:
        self._connection.execute(f"PRAGMA max_page_count = {count}").fetchone()


@pytest.fixture
def disk(tmp_path: Path) -> SmallDisk:
    return SmallDisk(tmp_path)


@asynccontextmanager
async def talking(
    disk: SmallDisk, model: ModelClient, channel: LoopbackChannel | None = None
) -> AsyncIterator[tuple[Dialogue, FakeClock]]:
    clock = FakeClock()
    dialogue = Dialogue(model, config=OPEN, store=disk.store, clock=clock, channel=channel)
    disk.tell = dialogue.store_watch.tell
    async with dialogue:
        yield dialogue, clock


async def test_what_a_full_disk_refuses_is_answered_once_there_is_room(
    disk: SmallDisk, caplog: pytest.LogCaptureFixture
) -> None:
    model = ScriptedModel(lambda request: "Read.")
    async with talking(disk, model) as (dialogue, clock):
        disk.fill()
        await dialogue.happens([dialogue.channel.message(LONG)])
        await clock.advance(30)
        during = (list(model.requests), dialogue.channel.texts(), dialogue.store_watch.trouble)
        disk.free()
        await clock.advance(10)
        after = (dialogue.channel.texts(), dialogue.store_watch.trouble)

    assert ([], [], "The database failed: database or disk is full.") == during
    assert (["Read."], "") == after
    assert 1 == caplog.messages.count("inbox.not_stored")


async def test_a_disk_that_fills_up_in_the_middle_of_a_turn(disk: SmallDisk) -> None:
    """The answer cannot be written down: it is not shown as one, and comes once it can be."""
    model = ScriptedModel(lambda request: LONG)
    model.hold()
    async with talking(disk, model) as (dialogue, clock):
        await dialogue.happens([dialogue.channel.message("tell me a long story")])
        await model.held()
        disk.fill()
        model.release()
        await clock.advance(30)
        during = "".join(dialogue.channel.texts())
        disk.free()
        await clock.advance(30)
        after = "".join(dialogue.channel.texts())

    assert LONG.startswith(during)
    assert len(during) < len(LONG)
    assert LONG == after


async def test_a_database_locked_by_another_program_is_waited_for(
    disk: SmallDisk, caplog: pytest.LogCaptureFixture
) -> None:
    async with talking(disk, ScriptedModel(["Here."])) as (dialogue, clock):
        disk.wait_for_others(milliseconds=20)
        with closing(sqlite3.connect(disk.path, isolation_level=None)) as other:
            other.execute("BEGIN IMMEDIATE")
            await dialogue.happens([dialogue.channel.message("hello")])
            await clock.advance(10)
            during = (dialogue.channel.texts(), dialogue.store_watch.trouble)
            other.execute("ROLLBACK")
        await clock.advance(10)
        after = (dialogue.channel.texts(), dialogue.store_watch.trouble)

    assert ([], "The database failed: database is locked.") == during
    assert (["Here."], "") == after


async def test_a_database_locked_at_the_start_is_one_sentence(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    SmallDisk(tmp_path)
    monkeypatch.setattr(opening, "BUSY_TIMEOUT_S", 0)
    with closing(sqlite3.connect(tmp_path / "daybook.db", isolation_level=None)) as other:
        other.execute("BEGIN EXCLUSIVE")
        with pytest.raises(DataError, match="in use by another program; stop that first"):
            SqliteStore.open(tmp_path / "daybook.db")


async def lost(disk: SmallDisk, *texts: str) -> tuple[str, list[str]]:
    """Write to a bot whose disk was harmed; give how it ended and what people saw."""
    channel = LoopbackChannel()
    clock = FakeClock()
    dialogue = Dialogue(
        ScriptedModel(lambda request: "Fine."),
        config=OPEN,
        store=disk.store,
        clock=clock,
        channel=channel,
    )
    disk.tell = dialogue.store_watch.tell
    running = asyncio.ensure_future(dialogue.app.run())
    await settle()
    for text in texts:
        channel.push(channel.message(text))
    await settle()
    async with asyncio.timeout(PATIENCE_S):
        with pytest.raises(DataError) as ended:
            await running
    return str(ended.value), channel.texts()


@pytest.mark.parametrize("text", ["hello", "/status"])
async def test_a_loss_in_the_moment_in_which_work_begins_ends_the_bot(text: str) -> None:
    """What was spawned and is cancelled before its first step is nothing to wait for."""
    dialogue = Dialogue(ScriptedModel(), config=OPEN)
    running = asyncio.ensure_future(dialogue.app.run())
    await settle()
    await dialogue.app._dispatcher.receive("loopback", (dialogue.channel.message(text),), None)
    dialogue.store_watch.tell(StoreLost("gone"))
    async with asyncio.timeout(PATIENCE_S):
        with pytest.raises(DataError, match="gone"):
            await running


class Removed(InMemoryStore):
    """A store that is lost with the end of a turn."""

    async def finish_turn(
        self, turn_id: TurnId, outcome: Outcome, replies: tuple[Reply, ...], *, at: datetime
    ) -> tuple[OutboxItem, ...]:
        raise StoreLost("gone")


async def test_a_loss_while_a_turn_is_being_stopped_ends_the_bot() -> None:
    model = ScriptedModel(["Well"])
    model.hold()
    dialogue = Dialogue(model, config=OPEN, store=Removed())
    running = asyncio.ensure_future(dialogue.app.run())
    await settle()
    message = dialogue.channel.message("hello")
    await dialogue.happens([message])
    await model.held()
    assert dialogue.app._lanes.stop(message.address.session_key, "stop")
    dialogue.store_watch.tell(StoreLost("gone"))
    async with asyncio.timeout(PATIENCE_S):
        with pytest.raises(DataError, match="gone"):
            await running


def damage(path: Path) -> None:
    """Overwrite all but the first page, as a failing disk or a stray program may."""
    with closing(sqlite3.connect(path)) as other:
        other.execute("CREATE TABLE stray (x)")  # so that nobody relies on what they have read
        other.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    content = path.read_bytes()
    path.write_bytes(content[:4096] + b"\x5a" * (len(content) - 4096))


async def test_a_database_damaged_while_running_ends_the_bot(disk: SmallDisk) -> None:
    damage(disk.path)
    said, seen = await lost(disk)

    assert f"The database {disk.path} is damaged" in said
    assert said.endswith("restore a backup.")
    assert [] == seen


@pytest.mark.parametrize("how", ["removed", "moved", "replaced"])
async def test_a_data_folder_that_is_gone_ends_the_bot(tmp_path: Path, how: str) -> None:
    """SQLite would write on into the removed file, and all of it would be gone at the end."""
    folder = tmp_path / "data"
    folder.mkdir()
    disk = SmallDisk(folder)
    if how == "removed":
        shutil.rmtree(folder)
    else:
        folder.rename(tmp_path / "elsewhere")
    if how == "replaced":
        folder.mkdir()
        SmallDisk(folder)
    said, seen = await lost(disk, "hello")

    assert f"The database {disk.path} was removed while the bot was running." == said
    assert [] == seen


def settings_file(folder: Path) -> Path:
    file = folder / "config.json"
    file.write_text('{"anthropic": {"api_key": "' + "k" * 20 + '"}}', encoding="utf-8")
    return file


@pytest.mark.parametrize("content", [b"no database" * 500, b"SQLite format 3\0" + b"\x5a" * 9000])
def test_a_file_that_is_no_database_is_one_line_and_exit_2(
    tmp_path: Path, content: bytes, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "data").mkdir()
    (tmp_path / "data" / "daybook.db").write_bytes(content)
    code = main(["chat", "--config", str(settings_file(tmp_path))])
    (line,) = capsys.readouterr().err.splitlines()

    assert 2 == code
    assert line.startswith(f"daybook: The database {tmp_path / 'data' / 'daybook.db'} is ")
    assert content == (tmp_path / "data" / "daybook.db").read_bytes()


def test_a_file_damaged_behind_its_beginning_is_one_line_and_exit_2(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "data").mkdir()
    asyncio.run(SmallDisk(tmp_path / "data").store.close())
    damage(tmp_path / "data" / "daybook.db")
    code = main(["chat", "--config", str(settings_file(tmp_path))])
    *_, line = capsys.readouterr().err.splitlines()

    assert 2 == code
    assert "is damaged" in line
    assert line.endswith("restore a backup.")


class SetBack(FakeClock):
    """A clock that an operator, or a time server, sets back."""

    by = timedelta()

    def now(self) -> datetime:
        return super().now() - self.by


async def test_a_clock_set_back_changes_nothing_but_the_times(disk: SmallDisk) -> None:
    clock = SetBack()
    model = ScriptedModel(["One.", "Two.", "Three."])
    async with Dialogue(model, config=OPEN, store=disk.store, clock=clock) as dialogue:
        first = dialogue.channel.message("one")
        await dialogue.happens([first])
        clock.by = timedelta(hours=1)
        await dialogue.says("two")
        await dialogue.happens([first])
        await dialogue.says("three")
        texts = dialogue.channel.texts()

    assert ["One.", "Two.", "Three."] == texts
    said = [text for message in model.requests[2].messages for text in words_of(message)]
    assert ["one", "One.", "two", "Two.", "three"] == said


@asynccontextmanager
async def on_platforms(
    disk: SmallDisk, telegram: PretendedTelegram, slack: PretendedSlack, model: ModelClient
) -> AsyncIterator[StoreWatch]:
    clock = HurriedClock()
    token = SecretStr(telegram.token)
    both: dict[str, Channel] = {
        "telegram": channels.telegram.build(
            channels.telegram.Settings(token=token, base_url=telegram.base_url), clock
        ),
        "slack": channels.slack.build(
            channels.slack.Settings.model_validate(slack.settings), clock
        ),
    }
    outside = Outside(
        store=disk.store,
        model=model,
        model_name="scripted",
        channels=both,
        clock=clock,
        announce=logging.getLogger("operator").info,
    )
    disk.tell = outside.store_watch.tell
    app = App(OPEN, outside)
    running = asyncio.ensure_future(app.run())
    try:
        async with asyncio.timeout(PATIENCE_S):
            yield outside.store_watch
            app.stop()
            await running
    finally:
        running.cancel()
        await asyncio.wait({running})


async def test_no_platform_is_told_of_what_is_not_stored(disk: SmallDisk) -> None:
    model = ScriptedModel(lambda request: "Read.")
    async with (
        PretendedTelegram() as telegram,
        PretendedSlack() as slack,
        on_platforms(disk, telegram, slack, model) as watch,
    ):
        await telegram.wait_for_polls(2)
        await slack.wait_until(lambda: slack.open_connections == 1)
        failed = asyncio.Queue[StoreError]()

        def tell(error: StoreError | None) -> None:
            watch.tell(error)
            if error is not None:
                failed.put_nowait(error)

        disk.tell = tell
        disk.fill()
        telegram.says(1001, LONG[:4000])
        await slack.says("D1ADA", LONG)
        for _ in range(6):
            await failed.get()
        told = [poll.params.get("offset") for poll in telegram.polls], list(slack.acknowledged)
        await slack.expire()
        disk.free()
        await telegram.wait_for_sent(1)
        await slack.wait_for_sent(1)
        await slack.wait_for_acknowledged(2)
        await telegram.wait_until(lambda: telegram.polls[-1].params.get("offset") == "1001")

    assert ([None] * len(told[0]), []) == told
    assert ["Read."] == [call.text for call in telegram.sent]
    assert 1 == len(slack.sent)
