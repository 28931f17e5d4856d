"""``doctor`` as an operator sees it: each finding once, on a running bot and on a stopped one."""

import json
import os
import signal
import sqlite3
import sys
import time
from collections.abc import AsyncIterator, Iterator
from functools import partial
from pathlib import Path

import pytest

from bot.adapters.clock import SystemClock
from bot.adapters.local_models import find_local_model
from bot.adapters.store.folder import lock_data_folder
from bot.adapters.store.sqlite_store import SqliteStore
from bot.app import doctor, model_check
from bot.app.data_check import GOOD_FREE_BYTES, judge_free_space
from bot.app.doctor import Patient, examine
from bot.config import load
from bot.core.findings import Finding, Grade
from bot.runtime.checkup import LEAST_FREE_BYTES
from bot.testing.anthropic_server import (
    OVERLOADED,
    SERVER_ERROR,
    PretendedAnthropic,
    Refused,
    rate_limited,
)
from bot.testing.processes import BotProcess
from bot.testing.slack_server import PretendedSlack
from bot.testing.telegram_server import PretendedTelegram
from tests.e2e.test_command_line import write_config

KEY = "k" * 20


async def see(config: Path) -> dict[str, list[Finding]]:
    """Examine what a settings file describes; give the findings by area and check."""
    patient = Patient(
        config=load(config, {}),
        settings_file=config,
        clock=SystemClock(),
        hide=lambda secrets: None,
    )
    parts: list[Finding] = []
    found = await examine(patient, parts.extend)
    assert list(found) == parts
    by_id: dict[str, list[Finding]] = {}
    for each in found:
        by_id.setdefault(each.id, []).append(each)
    return by_id


async def see_one(config: Path, name: str) -> Finding:
    (found,) = (await see(config))[name]
    return found


@pytest.fixture
async def vendor() -> AsyncIterator[PretendedAnthropic]:
    async with PretendedAnthropic(api_key=KEY) as server:
        yield server


def keys_for(vendor: PretendedAnthropic, key: str = KEY) -> dict[str, str]:
    return {"api_key": key, "base_url": vendor.base_url}


@pytest.fixture
async def bot(tmp_path: Path) -> AsyncIterator[BotProcess]:
    async with (
        PretendedTelegram() as telegram,
        PretendedAnthropic() as server,
        BotProcess(tmp_path, telegram, server) as process,
    ):
        yield process


# The whole of it, as a process.


async def test_a_stopped_bot_then_a_running_one_then_a_stopped_one_again(bot: BotProcess) -> None:
    stopped = await bot.run("doctor")
    await bot.start(until="http.listening")
    running = await bot.run("doctor")
    bot.signal(signal.SIGTERM)
    assert 0 == await bot.ended()
    afterwards = await bot.run("doctor")

    assert [0, 0, 0] == [code for code, _, _ in (stopped, running, afterwards)]
    assert "" == stopped[2] + running[2] + afterwards[2]
    assert "data.folder: " in stopped[1]
    assert "is made by the first start" in stopped[1]
    assert f"the bot runs as process {bot.pid}, up " in running[1]
    assert "daybook.db is sound: " in running[1]
    assert "data.replies: no reply failed" in running[1]
    assert "polling" not in running[1]
    assert "daybook.db is sound: " in afterwards[1]
    assert "nobody else fetches" in afterwards[1]
    assert {"ok", "warning"} >= {line.split()[0] for line in stopped[1].splitlines()[:-1]}


async def test_json_for_programs_and_no_secret_anywhere(bot: BotProcess) -> None:
    code, out, err = await bot.run("doctor", "--json")

    found = [json.loads(line) for line in out.splitlines()]
    assert (0, "") == (code, err)
    assert all({"id", "area", "check", "seen", "grade", "mend"} == each.keys() for each in found)
    assert {"bot.python", "data.folder", "model.model", "telegram.token"} <= {
        each["id"] for each in found
    }
    telegram = bot.settings["channels"]
    assert isinstance(telegram, dict)
    assert telegram["telegram"]["token"].partition(":")[2] not in out
    assert "k" * 20 not in out


async def test_what_is_broken_is_exit_1_and_says_how_to_mend_it(bot: BotProcess) -> None:
    bot.settings |= {
        "anthropic": {"api_key": KEY, "base_url": "http://127.0.0.1:9"},
        "channels": {},
    }

    code, out, _ = await bot.run("doctor")

    assert 1 == code
    assert "broken  model.model: claude-sonnet-5-5: " in out
    assert " -> look at the network" in out


async def test_settings_that_cannot_be_read_are_exit_2(bot: BotProcess) -> None:
    bot.settings["channels"] = {"telegram": {"token": "no token"}}

    code, out, err = await bot.run("doctor")

    assert (2, "") == (code, out)
    assert "channels.telegram.token" in err
    assert 1 == len(err.splitlines())


async def test_an_unknown_option_is_exit_2(bot: BotProcess) -> None:
    code, _, err = await bot.run("doctor", "--loudly")

    assert 2 == code
    assert "--loudly" in err


# Settings.


async def test_with_nothing_configured_it_says_what_comes_first(tmp_path: Path) -> None:
    config = write_config(
        tmp_path, channels={"telegram": {"token": "${NOT_SET}"}, "slack": {"enabled": False}}
    )

    found = await see(config)

    alone, *passed_over = found["bot.channels"]
    assert "warning" == alone.grade
    assert "TELEGRAM_BOT_TOKEN" in alone.mend
    assert [
        "telegram: not configured (NOT_SET not set)",
        "slack: not configured (switched off)",
    ] == [each.seen for each in passed_over]
    assert f"{config} is read" == found["bot.settings"][0].seen
    assert "Python 3" in found["bot.python"][0].seen


@pytest.fixture
def machine_in_tokyo() -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("TZ", "Asia/Tokyo")
        time.tzset()
        yield
    time.tzset()


@pytest.mark.skipif(sys.platform == "win32", reason="its zone is the system's alone")
@pytest.mark.usefixtures("machine_in_tokyo")
async def test_days_of_utc_where_nobody_chose_them(tmp_path: Path) -> None:
    left = await see_one(write_config(tmp_path), "bot.timezone")
    chosen = await see_one(write_config(tmp_path, timezone="America/New_York"), "bot.timezone")

    assert ("warning", "ok") == (left.grade, chosen.grade)
    assert "the bot's days are those of UTC, where it is " in left.seen
    assert "on this machine it is" in left.seen
    assert '"timezone"' in left.mend


# Data.


@pytest.mark.skipif(sys.platform == "win32", reason="there are no modes")
async def test_a_folder_that_others_may_read_is_told_and_left_as_it_is(tmp_path: Path) -> None:
    config = write_config(tmp_path)
    (tmp_path / "data").mkdir(mode=0o755)

    found = await see_one(config, "data.folder")

    assert ("warning", f"chmod 700 {tmp_path / 'data'}") == (found.grade, found.mend)
    assert 0o755 == (tmp_path / "data").stat().st_mode & 0o777


async def test_a_file_in_place_of_the_folder_or_above_it(tmp_path: Path) -> None:
    (tmp_path / "data").write_text("no folder")

    at_its_place = await see_one(write_config(tmp_path), "data.folder")
    above = await see_one(
        write_config(tmp_path, data_dir=str(tmp_path / "data" / "deeper")), "data.folder"
    )

    assert ("broken", "broken") == (at_its_place.grade, above.grade)
    assert "is no folder" in at_its_place.seen
    assert "cannot be made" in above.seen


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() == 0, reason="root may everything")
async def test_a_folder_that_cannot_be_written(tmp_path: Path) -> None:
    config = write_config(tmp_path)
    (tmp_path / "data").mkdir(mode=0o500)

    found = await see_one(config, "data.folder")

    assert ("broken", True) == (found.grade, "chown" in found.mend)


@pytest.mark.parametrize(("free_bytes", "grade"), [
    (LEAST_FREE_BYTES - 1, "broken"),
    (LEAST_FREE_BYTES, "warning"),
    (GOOD_FREE_BYTES - 1, "warning"),
    (GOOD_FREE_BYTES, "ok"),
])  # fmt: skip
def test_a_disk_that_fills_up(free_bytes: int, grade: Grade) -> None:
    assert grade == judge_free_space(free_bytes).grade


async def leave_database(tmp_path: Path) -> Path:
    """Have the database of a bot that ran once."""
    lock_data_folder(tmp_path / "data").release()
    await SqliteStore.open(tmp_path / "data" / "daybook.db", inline=True).close()
    return tmp_path / "data" / "daybook.db"


def forget_migrations(database: Path, *, above: int) -> None:
    with sqlite3.connect(database) as connection:
        connection.execute("DELETE FROM migration WHERE version > ?", (above,))
    connection.close()


async def test_a_database_of_an_older_bot_is_not_brought_up_to_date(tmp_path: Path) -> None:
    database = await leave_database(tmp_path)
    forget_migrations(database, above=2)
    before = database.read_bytes()

    found = await see_one(write_config(tmp_path), "data.schema")

    assert ("warning", True) == (found.grade, "schema 2 is to become " in found.seen)
    assert "start the bot" in found.mend
    assert before == database.read_bytes()


async def test_a_database_of_a_newer_bot(tmp_path: Path) -> None:
    with sqlite3.connect(await leave_database(tmp_path)) as connection:
        connection.execute("INSERT INTO migration VALUES (999, 'm0999')")
    connection.close()

    found = await see_one(write_config(tmp_path), "data.schema")

    assert ("broken", True) == (found.grade, "has schema 999" in found.seen)
    assert "update the bot" in found.mend


async def test_a_database_of_another_program(tmp_path: Path) -> None:
    lock_data_folder(tmp_path / "data").release()
    with sqlite3.connect(tmp_path / "data" / "daybook.db") as connection:
        connection.execute("CREATE TABLE something (else_ TEXT)")
    connection.close()

    found = await see_one(write_config(tmp_path), "data.database")

    assert ("broken", "daybook.db is of another program") == (found.grade, found.seen)


@pytest.mark.parametrize("damage", ["beginning", "middle"])
async def test_a_damaged_database(tmp_path: Path, damage: str) -> None:
    database = await leave_database(tmp_path)
    content = bytearray(database.read_bytes())
    start = 0 if damage == "beginning" else 4096 * 3
    content[start : start + 4096] = b"\x5a" * 4096
    database.write_bytes(content)

    found = await see_one(write_config(tmp_path), "data.database")

    assert "broken" == found.grade
    assert "restore a backup" in found.mend


async def test_a_process_that_cannot_be_asked(tmp_path: Path) -> None:
    config = write_config(tmp_path)

    with lock_data_folder(tmp_path / "data"):
        found = await see(config)

    assert "warning" == found["data.running"][0].grade
    assert f"process {os.getpid()}" in found["data.running"][0].seen
    assert "data.database" not in found


# The model.


async def test_a_model_whose_key_is_taken_costs_nothing(
    tmp_path: Path, vendor: PretendedAnthropic
) -> None:
    found = (await see(write_config(tmp_path, anthropic=keys_for(vendor))))["model.model"]

    assert ["ok", "ok"] == [each.grade for each in found]
    assert "claude-sonnet-5-5 is there at 127.0.0.1, and the key is taken" == found[0].seen
    assert [] == vendor.requests


async def test_a_key_that_is_refused(tmp_path: Path, vendor: PretendedAnthropic) -> None:
    config = write_config(tmp_path, anthropic=keys_for(vendor, "wrong-" + KEY))

    found = (await see(config))["model.model"][0]

    assert ("broken", True) == (found.grade, "anthropic.api_key of config.json" in found.mend)
    assert KEY not in found.seen


@pytest.mark.parametrize(("answer", "grade", "mend"), [
    ("Hello.", "ok", ""),
    (Refused(status=404, kind="not_found_error", message="model: x"), "broken", '"model"'),
    (rate_limited(), "warning", "wait"),
    (OVERLOADED, "warning", "wait"),
    (SERVER_ERROR, "broken", "base_url"),
])  # fmt: skip
async def test_a_server_that_says_nothing_of_its_models_is_asked_for_one_token(
    tmp_path: Path, answer: str | Refused, grade: Grade, mend: str
) -> None:
    async with PretendedAnthropic(models=(), otherwise=answer) as vendor:
        config = write_config(tmp_path, model="x", anthropic={"base_url": vendor.base_url})
        (found,) = (await see(config))["model.model"]

    assert grade == found.grade
    assert mend in found.mend
    assert [1] == [request.body["max_tokens"] for request in vendor.requests]


async def test_a_model_on_this_machine_or_none(
    tmp_path: Path, vendor: PretendedAnthropic, monkeypatch: pytest.MonkeyPatch
) -> None:
    config = write_config(tmp_path)
    port = int(vendor.base_url.rpartition(":")[2])

    monkeypatch.setattr(model_check, "find_local_model", partial(find_local_model, ports=(port,)))
    there = await see_one(config, "model.model")
    monkeypatch.setattr(model_check, "find_local_model", partial(find_local_model, ports=()))
    none = await see_one(config, "model.model")

    assert ("ok", "warning") == (there.grade, none.grade)
    assert f"claude-sonnet-5-5 answers, found at {vendor.base_url}" == there.seen
    assert "the demo answers, which is no AI" in none.seen


# Channels.


async def test_slack_and_its_tokens(tmp_path: Path) -> None:
    async with PretendedSlack() as slack:
        config = write_config(tmp_path, channels={"slack": slack.settings})
        well = await see(config)
        slack.fail("auth.test", "token_revoked")
        slack.fail("apps.connections.open", "500")
        ill = await see(config)

    assert "ok" == well["slack.bot_token"][0].grade
    assert ("broken", "broken") == (
        ill["slack.bot_token"][0].grade,
        ill["slack.app_token"][0].grade,
    )
    assert "Bot User OAuth Token" in ill["slack.bot_token"][0].mend


async def test_a_part_without_an_end_is_given_up(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(doctor, "PART_LIMIT_S", 0.2)
    async with PretendedSlack() as slack:
        slack.fail("auth.test", "hang")
        found = await see(write_config(tmp_path, channels={"slack": slack.settings}))

    assert "broken" == found["slack.reach"][0].grade
