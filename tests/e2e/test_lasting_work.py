"""Work that goes on as long as the bot runs: what ends it is told, and it is begun again."""

import asyncio
from collections.abc import AsyncIterator
from dataclasses import replace
from datetime import datetime, timedelta
from pathlib import Path

import pytest

from bot.adapters.recall_files import RecallFiles
from bot.config import Config, HttpPlace
from bot.core.chat import InboundMessage
from bot.core.metrics import PART_WELL, REMINDER_OVERDUE, WORKER_BREAKS, WORKER_UP
from bot.core.reminders import Reminder, slot_message
from bot.errors import StoreError
from bot.runtime import reminding
from bot.runtime.workers import FIRST_PAUSE_S
from bot.testing.clock import FakeClock, settle
from bot.testing.dialogue import Dialogue
from bot.testing.loopback import LoopbackChannel
from bot.testing.memory_files import InMemoryFiles
from bot.testing.model import ScriptedModel
from bot.testing.plain_index import PlainIndex
from bot.testing.store import InMemoryStore
from tests.e2e.reminding import BREAD, DAILY, HOUR_S, keep, talking, times_told
from tests.e2e.test_health import red, until

WORKERS = {
    "attendance",
    "calendar cleanup",
    "calendar distilling",
    "calendar rollover",
    "calendar sessions",
    "control",
    "distilling",
    "forgetting",
    "indexing",
    "remembering",
    "reminding",
    "spending",
}
LOG = "the log says how at task.failed"


@pytest.fixture
async def whole(tmp_path: Path, clock: FakeClock) -> AsyncIterator[Dialogue]:
    """A bot that has everything, idle."""
    config = Config(access="open", plugins=(), http=HttpPlace(port=0))
    (tmp_path / "data").mkdir(mode=0o700)
    async with Dialogue(
        ScriptedModel(),
        config=config,
        clock=clock,
        memory_files=InMemoryFiles(),
        search_index=PlainIndex(),
        recalled_files=RecallFiles(tmp_path / "memory", tmp_path / "knowledge"),
        data_dir=tmp_path / "data",
    ) as dialogue:
        await until((tmp_path / "data" / "control.json").exists)
        yield dialogue


def names_of_tasks() -> set[str]:
    """Give the names of all that the supervisor has; other tasks are called by numbers."""
    names = {task.get_name() for task in asyncio.all_tasks()}
    return {name for name in names if not name.startswith(("Task-", "warm up"))}


async def test_whatever_goes_on_in_an_idle_bot_is_watched(whole: Dialogue) -> None:
    """A loop that is begun in another way would end without a word."""
    kept = {f"keeping {name}" for name in WORKERS}

    assert WORKERS == set(whole.app.watch.workers.up)
    assert WORKERS | kept | {"channel loopback", "receiving loopback"} == names_of_tasks()


@pytest.mark.parametrize("name", sorted(WORKERS))
async def test_work_that_ends_is_red_by_its_name_and_begun_again(
    whole: Dialogue, clock: FakeClock, name: str
) -> None:
    (task,) = (each for each in asyncio.all_tasks() if each.get_name() == name)
    task.cancel()
    await asyncio.wait({task})
    await settle()
    during, reading = await red(whole), await whole.app.watch.reading()
    (told,) = await whole.says("/status")
    await clock.advance(FIRST_PAUSE_S)
    await until(lambda: name in names_of_tasks())
    await clock.advance(2)
    after = await red(whole)

    seen = f"{name} broke off 0 s ago; {LOG}"
    assert {"workers": ("degraded", seen)} == during
    assert f"Trouble: workers: {name} broke off " in told
    assert (1.0, 0.0) == (
        reading.numbers[WORKER_BREAKS][name,],
        reading.numbers[WORKER_UP][name,],
    )
    assert 0.0 == reading.numbers[PART_WELL]["workers",]
    assert {} == after


async def test_a_channel_whose_receiving_is_cancelled_receives_again(
    whole: Dialogue, clock: FakeClock
) -> None:
    (task,) = (each for each in asyncio.all_tasks() if each.get_name() == "receiving loopback")
    task.cancel()
    await settle()
    during = whole.app.watch.book.states["loopback"].phase
    await clock.advance(FIRST_PAUSE_S)

    assert ("failing", "receiving") == (during, whole.app.watch.book.states["loopback"].phase)


async def test_a_reminder_that_breaks_each_time_is_red_and_holds_up_no_other(
    clock: FakeClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    store, channel = InMemoryStore(), LoopbackChannel()

    def break_bread(reminder: Reminder, slot: datetime, text: str, now: datetime) -> InboundMessage:
        if reminder.text == "bread":
            raise RuntimeError("boom")
        return slot_message(reminder, slot, text, now)

    monkeypatch.setattr("bot.runtime.reminding.slot_message", break_bread)
    monkeypatch.setattr(reminding, "AT_ONCE", 2)
    for number in range(5):
        await keep(store, _by(number, "bread"))
    await keep(store, _by(0, "milk", due_s=2 * HOUR_S + 20.5))
    async with talking(store, channel, clock) as dialogue:
        await clock.advance(HOUR_S + 30)
        before = await red(dialogue)
        await clock.advance(HOUR_S - 30 + 20)
        early = times_told(dialogue, "milk")
        await clock.advance(1)
        in_time = times_told(dialogue, "milk")
        during, reading = await red(dialogue), await dialogue.app.watch.reading()
        monkeypatch.setattr("bot.runtime.reminding.slot_message", slot_message)
        await clock.advance(60)
        await clock.advance(2)
        after = await red(dialogue)
        left = await store.next_reminder_at(frozenset({"loopback"}))

    assert ({}, {}, None) == (before, after, left)
    assert (0, 1) == (early, in_time)
    seen = f"one was due 1 h 21 s ago: it broke; {LOG}"
    assert {"reminders": ("degraded", seen)} == during
    assert 3_621.0 == reading.numbers[REMINDER_OVERDUE][()]


async def test_reminding_that_breaks_off_goes_on_and_tells_what_was_due(
    clock: FakeClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    store, channel = InMemoryStore(), LoopbackChannel()
    await keep(store, DAILY)

    async def overflow(*_: object, **__: object) -> object:
        raise OverflowError("date value out of range")

    async with talking(store, channel, clock) as dialogue:
        monkeypatch.setattr(store, "reminders_due", overflow)
        await clock.advance(HOUR_S)
        during = await red(dialogue)
        monkeypatch.undo()
        await clock.advance(HOUR_S)
        after = await red(dialogue)

    assert {"workers": ("degraded", f"reminding broke off 0 s ago; {LOG}")} == during
    assert {} == after
    assert 1 == times_told(dialogue, "bread")


async def test_while_nothing_can_be_stored_the_store_says_why_reminders_are_late(
    clock: FakeClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    store, channel = InMemoryStore(), LoopbackChannel()
    await keep(store, BREAD)

    async def fail(*_: object, **__: object) -> object:
        raise StoreError("database or disk is full")

    async with talking(store, channel, clock) as dialogue:
        monkeypatch.setattr(store, "pass_slot", fail)
        await clock.advance(2 * HOUR_S)
        alone = await red(dialogue)
        monkeypatch.setattr(store, "claim_slot", fail)
        dialogue.store_watch.tell(StoreError("database or disk is full"))
        await clock.advance(2)
        together = await red(dialogue)

    late = "one was due 1 h ago: database or disk is full"
    assert {"reminders": ("degraded", late)} == alone
    assert {"store": ("down", "database or disk is full")} == together


def _by(number: int, text: str, *, due_s: float = HOUR_S) -> Reminder:
    """Make a reminder of one of many people."""
    author = replace(BREAD.author, user_id=str(1001 + number))
    due_at = BREAD.created_at + timedelta(seconds=due_s)
    return replace(BREAD, author=author, text=text, origin=f"{text} {number}", due_at=due_at)
