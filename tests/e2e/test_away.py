"""A bot that was away, a backup put back, a clock that was wrong: nothing goes for that."""

import logging
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from bot.adapters.store.sqlite_store import SqliteStore
from bot.app import Store
from bot.config import Config
from bot.core.chat import ChatAddress
from bot.core.llm import ModelRequest
from bot.core.window.summary.extract import extractive_answer, is_summary_request
from bot.testing.clock import settle
from bot.testing.dialogue import Dialogue
from bot.testing.loopback import LoopbackChannel
from bot.testing.memory_files import InMemoryFiles
from bot.testing.model import ScriptedModel
from tests.e2e.conftest import OpenStore, run_verb
from tests.e2e.reminding import ANN, DAILY, DAY_S, HOUR_S, keep, talking
from tests.e2e.test_command_line import write_config
from tests.e2e.test_reminders_in_time import SleepyClock

BEGIN = datetime(2026, 10, 1, 8, 0, tzinfo=UTC)
DAY = timedelta(days=1)
SETTINGS = Config(access="open", conversation_max_age_days=5)
HOME = ChatAddress(channel="loopback", account="bot", chat="1001").session_key


def obliging(request: ModelRequest) -> str:
    if is_summary_request(request.system):
        return extractive_answer(request.messages[0].text)
    return "Certainly."


class Lives:
    """One store and one clock, through which processes come and go."""

    def __init__(self, open_store: OpenStore) -> None:
        self.clock = SleepyClock(BEGIN)
        self._open_store = open_store
        self._files = InMemoryFiles()
        self._channel = LoopbackChannel()

    def begin(self) -> Dialogue:
        return Dialogue(
            ScriptedModel(obliging),
            config=SETTINGS,
            store=self._open_store(),
            channel=self._channel,
            clock=self.clock,
            memory_files=self._files,
        )

    async def passes(self, duration: timedelta) -> None:
        for _ in range(round(duration / timedelta(hours=6))):
            await self.clock.advance(6 * HOUR_S)
            for _ in range(20):  # a summary is written down word by word
                await settle()


async def turns(store: Store) -> int:
    return len(await store.turns_between(HOME, 0, 10_000))


async def test_a_bot_that_was_away_counts_no_silence_meanwhile(
    open_store: OpenStore, caplog: pytest.LogCaptureFixture
) -> None:
    """Nor has it forgotten what came in: a platform that brings it again is not answered twice."""
    caplog.set_level(logging.INFO, "bot.runtime")
    lives = Lives(open_store)
    async with lives.begin() as first:
        await first.says("hello", chat="1001")
        await lives.passes(2 * DAY)
        await first.store.close()
    await lives.clock.advance(400 * DAY_S)

    async with lives.begin() as second:
        await lives.passes(2 * DAY)
        assert 1 == await turns(second.store)
        missed = [vars(each) for each in caplog.records if each.message == "attendance.missed"]
        assert [400 * DAY] == [
            datetime.fromisoformat(each["until"]) - datetime.fromisoformat(each["since"])
            for each in missed
        ]
        early = [vars(each) for each in caplog.records if "early_until" in vars(each)]
        assert BEGIN + 405 * DAY == datetime.fromisoformat(early[-1]["early_until"])

        await lives.passes(2 * DAY)  # the bot was there for five, and a night
        assert 0 == await turns(second.store)


@pytest.mark.parametrize("wrong_for", [timedelta(minutes=2), timedelta(hours=6), 3 * DAY])
async def test_a_clock_that_is_ahead_for_a_while_removes_nothing(
    open_store: OpenStore, wrong_for: timedelta, caplog: pytest.LogCaptureFixture
) -> None:
    lives = Lives(open_store)
    async with lives.begin() as dialogue:
        await dialogue.says("hello", chat="1001")
        await lives.passes(DAY)

        lives.clock.slept = 365 * DAY
        await lives.clock.advance(wrong_for.total_seconds())
        await dialogue.says("hello again", chat="2002")
        assert 1 == await turns(dialogue.store)
        lives.clock.slept = timedelta()
        await lives.passes(DAY)
        assert 1 == await turns(dialogue.store)
        jumps = [vars(each)["by_s"] for each in caplog.records if each.message == "clock.jumped"]
        assert [] == [by_s for by_s in jumps if abs(by_s) != 365 * DAY_S]

        await lives.passes(6 * DAY)  # all is as it would have been
        assert () == await dialogue.store.silent_since(datetime.max.replace(tzinfo=UTC))


async def test_what_is_put_back_goes_on_from_where_it_was(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A backup of forty days ago, put back and started."""
    lives = Lives(lambda: SqliteStore.open(tmp_path / "data" / "daybook.db", inline=True))
    (tmp_path / "data").mkdir(mode=0o700)
    config = write_config(tmp_path)
    async with lives.begin() as first:
        await first.says("hello", chat="1001")
        await lives.passes(2 * DAY)
    await first.store.close()
    backup = tmp_path / "forty-days-ago.tar"
    assert 0 == (await run_verb(capsys, config, "backup", str(backup)))[0]
    await lives.clock.advance(40 * DAY_S)
    assert 0 == (await run_verb(capsys, config, "restore", str(backup)))[0]

    async with lives.begin() as second:
        await lives.passes(2 * DAY)
        assert 1 == await turns(second.store)
        await lives.passes(2 * DAY)
        assert 0 == await turns(second.store)
    await second.store.close()


@pytest.mark.parametrize("is_restarted", [False, True])
async def test_a_clock_that_was_ahead_once_silences_no_reminder(
    open_store: OpenStore, is_restarted: bool
) -> None:
    clock, channel, store = SleepyClock(), LoopbackChannel(), open_store()
    await keep(store, DAILY)
    dialogue = talking(store, channel, clock)
    async with dialogue:
        await clock.advance(10)
        clock.slept = 365 * DAY
        await clock.advance(120)
        late = "⏰ Reminder (it was due on Monday, 2027-01-04 10:00 (UTC)): bread"
        assert [late] == channel.texts()
        if not is_restarted:
            clock.slept = timedelta()
            await clock.advance(10 * DAY_S)
    if is_restarted:
        await store.close()
        clock.slept = timedelta()
        async with talking(open_store(), channel, clock) as dialogue:
            await clock.advance(10 * DAY_S)

    # That of today is not lost: it came before the clock had proved right, and is told then.
    assert [late] + 10 * ["⏰ Reminder: bread"] == channel.texts()
    (daily,) = await dialogue.store.reminders_of(ANN.person_key)
    assert clock.now() < daily.due_at <= clock.now() + DAY


@pytest.mark.parametrize("ahead", [timedelta(hours=20), 365 * DAY])
async def test_what_is_first_due_far_ahead_stays_so(
    open_store: OpenStore, ahead: timedelta
) -> None:
    """Every day, beginning in three years: that is no clock's fault."""
    clock, channel, store = SleepyClock(), LoopbackChannel(), open_store()
    first = clock.now() + 1_000 * DAY
    await keep(store, replace(DAILY, due_at=first))
    async with talking(store, channel, clock):
        await clock.advance(10)
        clock.slept = ahead
        await clock.advance(2 * HOUR_S)
        clock.slept = timedelta()
        await clock.advance(3 * DAY_S)

        (kept,) = await store.reminders_of(ANN.person_key)
        assert (first, []) == (kept.due_at, channel.texts())


@pytest.mark.parametrize("behind", [timedelta(days=10), timedelta(days=2_000)])
async def test_a_clock_that_is_behind_at_the_start_tells_nothing_twice(
    open_store: OpenStore, behind: timedelta
) -> None:
    """Without a battery it shows a year long over until the network sets it."""
    clock, channel, store = SleepyClock(), LoopbackChannel(), open_store()
    await keep(store, DAILY)
    async with talking(store, channel, clock):
        await clock.advance(2 * DAY_S)
        assert 2 * ["⏰ Reminder: bread"] == channel.texts()
    await store.close()

    clock.slept = -behind
    async with talking(open_store(), channel, clock):
        await clock.advance(30)
        clock.slept = timedelta()
        await clock.advance(0.9 * HOUR_S)
        assert 2 == len(channel.texts())
        await clock.advance(2 * DAY_S)

    assert 4 * ["⏰ Reminder: bread"] == channel.texts()


async def test_nor_does_one_that_was_believed_meanwhile(
    open_store: OpenStore, caplog: pytest.LogCaptureFixture
) -> None:
    """Behind for longer than a clock is doubted; no moment of the reminder comes in that time."""
    caplog.set_level(logging.INFO, "bot.runtime.reminding")
    clock, channel, store = SleepyClock(BEGIN), LoopbackChannel(), open_store()
    await keep(store, DAILY)
    async with talking(store, channel, clock):
        await clock.advance(2 * DAY_S + 3 * HOUR_S)
        told = channel.texts()
    await store.close()

    clock.slept = -20 * DAY
    async with talking(open_store(), channel, clock) as dialogue:
        await clock.advance(2 * HOUR_S)
        (daily,) = await dialogue.store.reminders_of(ANN.person_key)
        assert daily.due_at < clock.now() + DAY  # it goes by that clock
        clock.slept = timedelta()
        await clock.advance(10 * HOUR_S)
        assert told == channel.texts()
        assert 1 == caplog.messages.count("reminder.passed_before")
        await clock.advance(DAY_S)

    assert [*told, "⏰ Reminder: bread"] == channel.texts()
