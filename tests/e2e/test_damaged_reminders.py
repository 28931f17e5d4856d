"""A damaged reminder costs itself alone: its owner is told of it, all others are told in time."""

import sqlite3
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest

from bot.adapters.store.sqlite_store import SqliteStore
from bot.config import Config
from bot.core.reminders import Reminder
from bot.testing.clock import FakeClock
from bot.testing.loopback import LoopbackChannel
from tests.e2e.reminding import BREAD, DAILY, GROUP, HOUR_S, keep, talking, times_told
from tests.e2e.test_health import red

LOST = (
    "⏰ Reminder 1 cannot be read any more: it was damaged where it was stored. "
    "Please set it again."
)

MILK = replace(BREAD, text="milk", origin="test 2")


async def left_with(tmp_path: Path, damage: str, reminder: Reminder = DAILY) -> SqliteStore:
    """Keep a reminder, which is then damaged, and another one; ``damage`` is what SQL sets."""
    path = tmp_path / "daybook.db"
    store = SqliteStore.open(path, inline=True)
    await keep(store, reminder)
    await keep(store, MILK)
    await store.close()
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute(f"UPDATE reminder SET {damage} WHERE id = 1")
    return SqliteStore.open(path, inline=True)


@pytest.mark.parametrize("damage", [
    "body = 'garbage'",
    "body = '[]'",
    "body = json_set(body, '$.created_at', 9e18)",
    "body = json_set(body, '$.repeat.cron', 'x y z')",
    "body = json_set(body, '$.repeat.cron', '0 0 30 2 *')",
    "due_at = 'soon'",
    "due_at = 9000000000000000000",
    "due_at = -9000000000000000000",
    "due_at = x'00'",
])  # fmt: skip
async def test_its_owner_is_told_once_and_all_others_in_time(
    tmp_path: Path, clock: FakeClock, damage: str, caplog: pytest.LogCaptureFixture
) -> None:
    store, channel = await left_with(tmp_path, damage), LoopbackChannel()
    async with talking(store, channel, clock) as dialogue:
        await clock.advance(HOUR_S)
        in_time = times_told(dialogue, "milk")
        await clock.advance(48 * HOUR_S)
        after = await red(dialogue)
    await store.close()
    logged = [vars(each) for each in caplog.records if each.message == "reminder.lost"]

    assert (1, {}) == (in_time, after)
    assert {LOST, "⏰ Reminder: milk"} == set(channel.texts())
    assert 2 == len(channel.texts())
    assert [(1, True)] == [(each["reminder"], each["is_told"]) for each in logged]
    assert "task.failed" not in caplog.messages


@pytest.mark.parametrize("damage", [
    "session_key = 'loopback:bot', body = ''",
    "person_key = 'nobody', body = ''",
    "person_key = x'00', body = ''",
])  # fmt: skip
async def test_where_its_owner_is_not_known_any_more_the_log_alone_says_so(
    tmp_path: Path, clock: FakeClock, damage: str, caplog: pytest.LogCaptureFixture
) -> None:
    store, channel = await left_with(tmp_path, damage), LoopbackChannel()
    async with talking(store, channel, clock):
        await clock.advance(HOUR_S)
    await store.close()

    assert ["⏰ Reminder: milk"] == channel.texts()
    assert "reminder.lost" in caplog.messages


@pytest.mark.parametrize(("access", "is_told"), [("open", True), ("list", False)])
async def test_who_may_not_talk_to_the_bot_is_told_nothing(
    tmp_path: Path, clock: FakeClock, access: str, is_told: bool
) -> None:
    config = Config.model_validate({"access": access, "plugins": ("reminders",)})
    store, channel = await left_with(tmp_path, "body = ''"), LoopbackChannel()
    async with talking(store, channel, clock, config=config):
        await clock.advance(HOUR_S)
    await store.close()

    assert is_told is (LOST in channel.texts())


async def test_what_breaks_while_one_is_given_up_holds_up_no_other(
    tmp_path: Path, clock: FakeClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    def break_down(_: object) -> str:
        raise RuntimeError("boom")

    monkeypatch.setattr("bot.runtime.reminding.lost", break_down)
    store, channel = await left_with(tmp_path, "body = ''"), LoopbackChannel()
    async with talking(store, channel, clock) as dialogue:
        await clock.advance(HOUR_S)
        told = channel.texts()
        await clock.advance(100)
        during = await red(dialogue)
        monkeypatch.undo()
        await clock.advance(60)
    await store.close()

    assert ["⏰ Reminder: milk"] == told
    late = "one was due 1 min 40 s ago: it broke; the log says how at task.failed"
    assert {"reminders": ("degraded", late)} == during
    assert LOST in channel.texts()


async def test_in_a_group_it_is_told_there(tmp_path: Path, clock: FakeClock) -> None:
    reminder = replace(DAILY, address=GROUP, chat_kind="group")
    store, channel = await left_with(tmp_path, "body = ''", reminder), LoopbackChannel()
    async with talking(store, channel, clock):
        await clock.advance(HOUR_S)
    await store.close()

    assert [LOST] == channel.texts(GROUP.chat)
