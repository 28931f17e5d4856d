"""``backup`` and ``restore`` as an operator uses them, beside a bot that answers people."""

import asyncio
import json
import os
import signal
import sqlite3
import stat
from collections.abc import AsyncIterator
from contextlib import closing
from dataclasses import replace
from datetime import UTC
from pathlib import Path

import pytest

from bot.adapters.backup_file import BackupReader
from bot.adapters.backup_making import BackupSource, make_backup
from bot.adapters.store.folder import lock_data_folder
from bot.adapters.store.sqlite_store import SqliteStore
from bot.app.backup import Backups
from bot.core.memory.audience import viewer_of
from bot.core.memory.facts import NewFact
from bot.errors import DataError
from bot.testing.anthropic_server import Broken, PretendedAnthropic
from bot.testing.clock import START, FakeClock
from bot.testing.processes import BotProcess
from bot.testing.stores.given import ANN, HOME
from bot.testing.telegram_server import PretendedTelegram
from tests.adapters.backup_given import data_in, names_in, silent
from tests.e2e.conftest import run_verb
from tests.e2e.test_command_line import write_config
from tests.e2e.test_shutdown import answer_in, echo, is_told
from tests.runtime.forgetting_given import HERS, MARK, OTHER, PLACE, World, fill

BUSY, KNOWN = 2002, 1001


@pytest.fixture
async def vendor() -> AsyncIterator[PretendedAnthropic]:
    async with PretendedAnthropic(otherwise=echo) as server:
        yield server


async def leave_facts(data_dir: Path) -> None:
    """Have it known of a person what they like."""
    lock_data_folder(data_dir).release()
    store = SqliteStore.open(data_dir / "daybook.db", inline=True)
    private = replace(HOME, account="77000077")  # of the pretended bot
    viewer = viewer_of(private.session_key, "private", ANN.person_key)
    facts = (
        NewFact(
            person_key=ANN.person_key,
            audience=viewer.audience,
            topic="preference",
            key=key,
            text=f"Likes {key}.",
            origin="told",
            confidence=1.0,
            at=START,
        )
        for key in ("green tea", "long walks", "quiet trains")
    )
    await store.keep_facts(tuple(facts))
    await store.close()


def said_to(telegram: PretendedTelegram, chat: int) -> list[str]:
    return [
        answer_in(call.text)
        for call in telegram.sent
        if str(call.params.get("chat_id")) == str(chat)
    ]


async def known(telegram: PretendedTelegram) -> str:
    """Ask what the bot knows of somebody."""
    before = len(said_to(telegram, KNOWN))
    telegram.says(KNOWN, "/memory")
    await telegram.wait_until(lambda: len(said_to(telegram, KNOWN)) > before)
    return said_to(telegram, KNOWN)[-1]


async def talk(telegram: PretendedTelegram, is_over: asyncio.Event) -> int:
    """Let twenty people talk, each anew when all were answered; give how many were."""
    rounds = 0
    while not is_over.is_set():
        rounds += 1
        for chat in range(3000, 3020):
            telegram.says(chat, f"message {rounds}")
        await telegram.wait_until(
            lambda count=rounds: all(  # type: ignore[misc]  # bound now
                len(said_to(telegram, chat)) >= count for chat in range(3000, 3020)
            )
        )
    return rounds


async def test_ops_4_a_busy_bot_is_backed_up_and_goes_on_elsewhere(
    tmp_path: Path, telegram: PretendedTelegram, vendor: PretendedAnthropic
) -> None:
    """What it knew it knows; what was asked and not answered is answered, once."""
    (tmp_path / "one").mkdir()
    (tmp_path / "two").mkdir()
    backup = tmp_path / "daybook.tar"
    async with BotProcess(tmp_path / "one", telegram, vendor) as first:
        await leave_facts(first.data_dir)
        vendor.then(Broken(how="stall"))
        await first.start(until="http.listening")
        telegram.says(BUSY, "one")
        await vendor.stalled()
        for text in ("two", "three"):
            newest = telegram.says(BUSY, text)
        await is_told(telegram, newest)
        before, is_over = await known(telegram), asyncio.Event()
        talking = asyncio.ensure_future(talk(telegram, is_over))
        await telegram.wait_until(lambda: len(said_to(telegram, 3000)) > 1)
        code, out, err = await first.run("backup", str(backup))
        is_over.set()
        rounds = await talking
        await first.kill()
    vendor.release()
    async with BotProcess(tmp_path / "two", telegram, vendor) as second:
        restored = await second.run("restore", str(backup))
        await second.start()
        await second.says("recall.index_complete")
        await telegram.wait_until(lambda: len(said_to(telegram, BUSY)) >= 2)
        after = await known(telegram)
        second.signal(signal.SIGTERM)
        assert 0 == await second.ended()

    assert (0, 0) == (code, restored[0])
    assert rounds > 1
    assert "read again and sound" in out
    assert "copying the database" in err
    assert str(second.data_dir) in restored[1]
    assert "green tea" in before
    assert before == after
    assert ["You said one.", "You said two, three."] == said_to(telegram, BUSY)
    assert not any("Traceback" in line for line in (*first.lines, *second.lines))


async def test_ops_7_the_running_bot_writes_it_and_keeps_to_the_rules(
    tmp_path: Path, telegram: PretendedTelegram, vendor: PretendedAnthropic
) -> None:
    (tmp_path / "letter").write_text("dear Ann")
    async with BotProcess(tmp_path, telegram, vendor) as bot:
        await bot.start(until="http.listening")
        first = await bot.run("backup", "daybook.tar")
        again = await bot.run("backup", "daybook.tar")
        letter = await bot.run("backup", "letter")
        inside = await bot.run("backup", "data/daybook.tar")
        restored = await bot.run("restore", "daybook.tar")
        pid = bot.pid
        assert any("backup.written" in line for line in bot.lines)

    assert [0, 0, 1, 1, 2] == [each[0] for each in (first, again, letter, inside, restored)]
    assert 0o600 == stat.S_IMODE((tmp_path / "daybook.tar").stat().st_mode)
    assert "is no backup; name another file" in letter[2]
    assert "would be lost with it" in inside[2]
    assert f"in use by process {pid}" in restored[2]
    assert "dear Ann" == (tmp_path / "letter").read_text()
    assert {"config.json", "daybook.tar", "data", "letter"} == names_in(tmp_path)


async def test_without_a_running_bot_it_is_done_all_the_same(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    config, backup = write_config(tmp_path), str(tmp_path / "b.tar")
    no_data = await run_verb(capsys, config, "backup", backup)
    await leave_facts(tmp_path / "data")
    done = await run_verb(capsys, config, "backup", backup)
    with lock_data_folder(tmp_path / "data"):
        busy = await run_verb(capsys, config, "backup", backup)
    restored = await run_verb(capsys, config, "restore", backup)
    missing = await run_verb(capsys, config, "restore", str(tmp_path / "nowhere"))

    assert [2, 0, 1, 0, 2] == [each[0] for each in (no_data, done, busy, restored, missing)]
    assert [1, 1] == [len(each[2].splitlines()) for each in (no_data, missing)]
    assert "There is no data in" in no_data[2]
    assert f"in use by process {os.getpid()}" in busy[2]
    assert "3 facts" in done[1]
    assert "Not in it: settings" in done[1]
    (aside,) = {each for each in names_in(tmp_path) if "before-restore" in each}
    assert f"What was there before is in {tmp_path / aside}." in restored[1]


def test_settings_and_tokens_are_in_no_backup(tmp_path: Path) -> None:
    source = data_in(tmp_path)
    token = "to" + "ken-" + "5" * 20
    for name in (".env", "config.local.json", "control.json"):
        (source.data_dir / name).write_text(json.dumps({"token": token}))
    make_backup(source, tmp_path / "b.tar", version="1", now=lambda: START, tell=silent)

    assert token.encode() not in (tmp_path / "b.tar").read_bytes()


async def test_prv_2_what_was_forgotten_is_in_no_backup_made_afterwards(tmp_path: Path) -> None:
    """Nor in a copy from before the schema changed, which goes with it."""
    data_dir = tmp_path / "data"
    data_dir.mkdir()
    world = World(data_dir)
    await fill(world.store, world.files)
    source = BackupSource(data_dir=data_dir, knowledge_dir=tmp_path / "knowledge")
    make_backup(source, tmp_path / "before.tar", version="1", now=lambda: START, tell=silent)
    former = data_dir / "daybook.db.before-m0003"
    former.write_bytes(MARK.encode())
    proposal = await world.forgetting.propose(HERS, "violet heron")
    assert proposal is not None
    assert await world.forgetting.confirm(HERS, proposal.token, PLACE)
    await world.run()
    make_backup(source, tmp_path / "after.tar", version="1", now=lambda: START, tell=silent)
    await world.close()

    before, after = ((tmp_path / name).read_bytes() for name in ("before.tar", "after.tar"))
    assert MARK.encode() in before
    assert MARK.encode() not in after
    assert OTHER.encode() in after
    assert not former.exists()


async def test_a_backup_is_broken_off_by_who_hangs_up_and_one_is_written_at_a_time(
    tmp_path: Path,
) -> None:
    source = await asyncio.to_thread(data_in, tmp_path)
    with closing(sqlite3.connect(source.database)) as writer, writer:
        writer.execute("CREATE TABLE ballast (filling BLOB)")
        writer.execute("INSERT INTO ballast VALUES (zeroblob(100000000))")
    backups = Backups(source, FakeClock(), UTC)
    writing = backups.write(str(tmp_path / "b.tar"))
    assert {"phase": "copying"}.items() <= (await anext(writing)).items()
    with pytest.raises(DataError, match="being written already"):
        await anext(backups.write(str(tmp_path / "c.tar")))
    await writing.aclose()

    written: list[object] = []
    while not written:
        try:
            written = [answer async for answer in backups.write(str(tmp_path / "d.tar"))]
        except DataError:  # the one before is just being broken off
            await asyncio.to_thread(lambda: None)

    assert {"d.tar", "data", "knowledge"} == names_in(tmp_path)
    with BackupReader(tmp_path / "d.tar") as reader:
        assert 1 == reader.manifest.rows["ballast"]
