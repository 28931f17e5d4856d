"""``run.py export``: what is kept of a person, for whoever runs the bot."""

from __future__ import annotations

import asyncio
import json
import os
import stat
from dataclasses import replace
from pathlib import Path

import pytest

from bot.adapters.memory_files import MarkdownMemoryFiles
from bot.adapters.store.folder import lock_data_folder
from bot.adapters.store.sqlite_store import SqliteStore
from bot.core.files import MOST_FILE_BYTES
from bot.core.memory.audience import Audience, viewer_of
from bot.runtime.exporting import Exporter
from bot.testing.clock import FakeClock
from bot.testing.plugins import OneWordRedactor
from bot.testing.processes import BotProcess
from bot.testing.stores.given import ANN, HOME, begin, have_turn, message
from tests.e2e.conftest import run_verb
from tests.e2e.test_command_line import write_config

NAME = "telegram:1001"


async def leave_data(folder: Path) -> None:
    """Leave a private chat with a file, another bot's private chat, and a group with somebody."""
    await asyncio.to_thread(folder.mkdir, parents=True)
    store = SqliteStore.open(folder / "daybook.db", inline=True)
    await have_turn(store, 1)
    await begin(store, message(2, "to the other bot", address=replace(HOME, account="88")))
    group = replace(HOME, chat="-5")
    bob = replace(ANN, user_id="1002", name="Bob")
    of_ann = replace(message(3, "mine is egret", address=group), kind="group")
    of_bob = replace(message(4, "mine is stork", address=group), kind="group", sender=bob)
    await begin(store, of_ann, of_bob)
    await store.close()
    viewer = viewer_of(HOME.session_key, "private", ANN.person_key)
    await MarkdownMemoryFiles(folder / "memory").write_lasting(viewer.audience, ("Likes tea.",))


def said_in(text: str) -> list[str]:
    return [said for turn in json.loads(text)["turns"] for said in turn["said"]]


async def test_prv_2_an_operator_gets_all_of_a_person_from_closed_data(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    await leave_data(tmp_path / "data")
    config, out = write_config(tmp_path), tmp_path / "ann.json"

    shown = await run_verb(capsys, config, "export", "--person", NAME)
    written = await run_verb(capsys, config, "export", "--person", NAME, "--out", str(out))
    twice = await run_verb(capsys, config, "export", "--person", NAME, "--out", str(out))
    of_bob = await run_verb(capsys, config, "export", "--person", "telegram:1002")

    assert (0, "") == (shown[0], shown[2])
    assert ["message 1", "to the other bot", "mine is egret"] == said_in(shown[1])
    assert "Likes tea." in shown[1]
    assert "stork" not in shown[1]
    assert (0, f"written to {out}\n", "") == written
    assert 0o600 == stat.S_IMODE(out.stat().st_mode)
    assert said_in(shown[1]) == said_in(out.read_text(encoding="utf-8"))
    assert (2, "") == twice[:2]
    assert f"{out} cannot be written" in twice[2]
    assert ["mine is stork"] == said_in(of_bob[1])
    assert "Likes tea." not in of_bob[1]


async def test_a_running_bot_is_asked(bot: BotProcess) -> None:
    await leave_data(bot.data_dir)
    await bot.start(until="http.listening")

    code, text, err = await bot.run("export", "--person", NAME)

    assert (0, "") == (code, err)
    assert {"message 1", "to the other bot", "mine is egret"} <= set(said_in(text))
    assert "stork" not in text


async def test_what_cannot_be_exported_is_said_in_one_line(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    config = write_config(tmp_path)
    nobody = await run_verb(capsys, config, "export", "--person", "Ann")
    no_data = await run_verb(capsys, config, "export", "--person", NAME)
    await leave_data(tmp_path / "data")
    with lock_data_folder(tmp_path / "data"):
        busy = await run_verb(capsys, config, "export", "--person", NAME)

    assert [2, 2, 1] == [each[0] for each in (nobody, no_data, busy)]
    assert "--person takes channel:user id" in nobody[2]
    assert "there is no data in" in no_data[2]
    assert f"in use by process {os.getpid()}" in busy[2]
    assert [1, 1, 1] == [len(each[2].splitlines()) for each in (nobody, no_data, busy)]


async def test_a_chat_gets_no_more_than_it_can_take(tmp_path: Path) -> None:
    store = SqliteStore.open(tmp_path / "daybook.db", inline=True)
    for number in range(1, 9):
        await have_turn(store, number)

    def is_on(_: Audience) -> bool:
        return True

    exporter = Exporter(
        records=store,
        people=store,
        usage=store,
        reminders=store,
        zones=store,
        files=None,
        is_on=is_on,
        redactor=OneWordRedactor(),
        clock=FakeClock(),
    )
    viewer = viewer_of(HOME.session_key, "private", ANN.person_key)
    whole = await exporter.export(viewer)
    part = await exporter.export(viewer, most_bytes=len(whole) - 1)
    await store.close()

    assert len(whole) < MOST_FILE_BYTES
    usage = json.loads(whole)["usage"]
    assert (8, 80, 16) == (usage["calls"], usage["input_tokens"], usage["output_tokens"])
    assert (8, 0) == (len(said_in(whole)), json.loads(whole)["turns_left_out"])
    assert [f"message {number}" for number in range(5, 9)] == said_in(part)
    assert 4 == json.loads(part)["turns_left_out"]
