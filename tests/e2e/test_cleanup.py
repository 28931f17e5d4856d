"""Midnights and clean-ups of a bot that lives for weeks, and the operator's ``cleanup``."""

import logging
import os
import random
import signal
from collections import Counter
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest

from bot.adapters.clock import SystemClock
from bot.adapters.store.folder import lock_data_folder
from bot.adapters.store.sqlite_store import SqliteStore
from bot.config import Config
from bot.core.chat import ChatAddress, SessionKey
from bot.core.lifecycle import Received
from bot.core.llm import ModelRequest
from bot.core.memory.daily import turns_in
from bot.core.window.summary.extract import extractive_answer, is_summary_request
from bot.ports import EVERYWHERE
from bot.testing.clock import START, FakeClock, settle
from bot.testing.dialogue import Dialogue
from bot.testing.loopback import LoopbackChannel
from bot.testing.memory_files import InMemoryFiles
from bot.testing.model import ScriptedModel
from bot.testing.processes import BotProcess
from bot.testing.stores.given import entry_of, message
from tests.e2e.conftest import OpenStore, run_verb
from tests.e2e.test_command_line import write_config

DAY_S = 86_400.0
BERLIN = ZoneInfo("Europe/Berlin")
BEGIN = datetime(2026, 10, 1, 8, 0, tzinfo=UTC)
"""In the fourth week the clock is put back."""

SETTINGS = Config(access="open", timezone="Europe/Berlin", agent_max_context_turns=6)


def obliging(request: ModelRequest) -> str:
    if is_summary_request(request.system):
        return extractive_answer(request.messages[0].text)
    return "Certainly."


class Lives:
    """One store, one clock and one memory, through which processes come and go.

    Attributes:
        days_of_turns: The local day on which each turn was opened.
    """

    def __init__(self, open_store: OpenStore, seed: int) -> None:
        self.clock = FakeClock(BEGIN)
        self.files = InMemoryFiles()
        self._channel = LoopbackChannel()
        self.days_of_turns: list[date] = []
        self._open_store = open_store
        self._dice = random.Random(seed)
        self._next_life_at = BEGIN
        self.dialogue: Dialogue | None = None

    async def pass_until(self, moment: datetime) -> None:
        """Let time pass; every few days, at any moment, a process ends somehow."""
        while self.clock.now() < moment:
            if self.clock.now() >= self._next_life_at:
                await self.end()
                await self._advance(self._dice.choice((0, 60, 7 * 3_600)))
                await self._begin()
                self._next_life_at = self.clock.now() + timedelta(days=self._dice.uniform(0, 5))
            stop = min(moment, self._next_life_at)
            await self._advance((stop - self.clock.now()).total_seconds())

    async def says(self, text: str, chat: str) -> None:
        assert self.dialogue is not None
        assert ["Certainly."] == await self.dialogue.says(text, chat=chat)
        self.days_of_turns.append(self.clock.now().astimezone(BERLIN).date())

    async def end(self) -> None:
        """End the process, as told or by a kill."""
        if self.dialogue is None:
            return
        if self._dice.random() < 0.5:
            await self.dialogue.crash()
        else:
            await self.dialogue.__aexit__(None, None, None)
        await self.dialogue.store.close()
        self.dialogue = None

    async def turns_of(self, session_key: SessionKey) -> int:
        assert self.dialogue is not None
        return len(await self.dialogue.store.turns_between(session_key, 0, 10_000))

    async def _begin(self) -> None:
        self.dialogue = Dialogue(
            ScriptedModel(obliging),
            config=SETTINGS,
            store=self._open_store(),
            channel=self._channel,
            clock=self.clock,
            memory_files=self.files,
        )
        await self.dialogue.__aenter__()

    async def _advance(self, seconds: float) -> None:
        await self.clock.advance(seconds)
        for _ in range(20):  # a summary is written down word by word
            await settle()


async def test_forty_days_with_restarts_at_any_moment(
    open_store: OpenStore, caplog: pytest.LogCaptureFixture
) -> None:
    """One chat talks daily, one talked once: each midnight is seen to, each turn noted, once."""
    caplog.set_level(logging.INFO, "bot.runtime")
    lives = Lives(open_store, seed=1)
    talking, silent = (
        ChatAddress(channel="loopback", account="bot", chat=chat).session_key
        for chat in ("1001", "2002")
    )
    await lives.pass_until(BEGIN + timedelta(seconds=1))
    await lives.says("once and never again", "2002")
    gone_on: list[date] = []
    for day in range(40):
        noon = BEGIN + timedelta(days=day, hours=4)
        await lives.pass_until(noon)
        await lives.says(f"day {day}", "1001")
        if await lives.turns_of(silent) == 0 and not gone_on:
            gone_on.append(lives.clock.now().astimezone(BERLIN).date())
    await lives.pass_until(BEGIN + timedelta(days=41))

    slots = [
        datetime.fromisoformat(vars(record)["slot"]).astimezone(BERLIN).date()
        for record in caplog.records
        if record.message == "job.done" and vars(record)["job"] == "rollover"
    ]
    assert [date(2026, 10, 2) + timedelta(days=each) for each in range(41)] == sorted(slots)
    assert "task.failed" not in caplog.messages
    assert 40 == await lives.turns_of(talking)
    assert [date(2026, 11, 1)] == gone_on
    noted = Counter(day for (_, day), text in lives.files.texts.items() for _ in turns_in(text))
    assert Counter(lives.days_of_turns) == noted
    await lives.end()


async def leave_chats(data_dir: Path, away_for: timedelta = timedelta(0)) -> datetime:
    """Have two chats that fell silent 40 days ago, and one of today; give when the first did.

    For so long the bot was away then.
    """
    now = SystemClock().now()
    silent_at = (now - timedelta(days=40)).replace(second=0, microsecond=0)
    lock_data_folder(data_dir).release()  # which makes the folder
    store = SqliteStore.open(data_dir / "daybook.db", inline=True)
    for chat, turns, at in (("1", 2, silent_at), ("22", 1, silent_at), ("3", 1, now)):
        address = ChatAddress(channel="telegram", account="7", chat=chat)
        for number in range(turns):
            event = Received(inbound=message(number, address=address), route="turn")
            await store.receive((event,), cursor=None, at=at)
            claim = await store.claim(address.session_key, at=at)
            assert claim is not None
            await store.finish_turn(claim.turn.id, "answered", (), at=at)
    await store.attend(silent_at, at=silent_at)
    await store.attend(silent_at + away_for, at=now)
    await store.ask_to_remember(now + timedelta(days=1), at=now)
    for job in await store.due_jobs(now, limit=9):
        turns_of_chat = await store.unremembered(job, limit=9)
        entries = tuple(entry_of(turn.id, moment=turn.started_at) for turn in turns_of_chat)
        await store.remember(job, entries, is_done=True)
        await store.mark_written(entries)
    await store.close()
    memory = data_dir / "memory" / "telegram.7.1"
    memory.mkdir(parents=True)
    (memory / f"{silent_at.date()}.md").write_text("# what was said\n")
    return silent_at


def said(silent_at: datetime, verb: str) -> str:
    since = silent_at.strftime("%Y-%m-%d %H:%M")
    return (
        f"telegram:7:1:   2 turns, silent since {since}\n"
        f"telegram:7:22:  1 turn, silent since {since}\n"
        f"2 chats with 3 turns, silent for 30 days: {verb}.\n"
    )


WOULD_GO = "would be removed"
GONE = "removed; their memory files are kept"
NOTHING = "Nothing to remove: no chat has been silent for 30 days.\n"


async def test_a_running_bot_cleans_up_when_it_is_told(bot: BotProcess) -> None:
    """The same words for the dry run and for what is done; no second process opens its data."""
    silent_at = await leave_chats(bot.data_dir)
    await bot.start(until="http.listening")

    looked = [await bot.run("cleanup", "--dry-run") for _ in range(2)]
    removed = await bot.run("cleanup")
    again = await bot.run("cleanup")
    bot.signal(signal.SIGTERM)
    assert 0 == await bot.ended()

    assert [(0, said(silent_at, WOULD_GO), "")] * 2 == looked
    assert (0, said(silent_at, GONE), "") == removed
    assert (0, NOTHING, "") == again
    assert [path.read_text() for path in bot.data_dir.rglob("*.md")] == ["# what was said\n"]
    assert any("store.cleaned_up" in line for line in bot.lines)


async def test_without_a_running_bot_the_data_is_cleaned_up_all_the_same(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    silent_at = await leave_chats(tmp_path / "data")
    config = write_config(tmp_path)

    assert (0, said(silent_at, WOULD_GO), "") == await run_verb(
        capsys, config, "cleanup", "--dry-run"
    )
    assert (0, said(silent_at, GONE), "") == await run_verb(capsys, config, "cleanup")
    assert (0, NOTHING, "") == await run_verb(capsys, config, "cleanup")
    assert list((tmp_path / "data" / "memory").rglob("*.md"))


async def test_the_operator_cleans_up_by_the_calendar_and_is_told_of_it(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Of 40 silent days the bot was away for 25: 15 count in the night, and 15 are to come."""
    silent_at = await leave_chats(tmp_path / "data", timedelta(days=25))
    config, day = write_config(tmp_path), (SystemClock().now() + timedelta(days=15)).date()
    *rows, total = said(silent_at, WOULD_GO).splitlines(keepends=True)
    why = "since the bot was away for a part of their silence."

    _, would_go, _ = await run_verb(capsys, config, "cleanup", "--dry-run")
    assert [
        *rows,
        total,
        f"Of these the nightly clean-up would keep 2 until {day} at the latest, {why}\n",
    ] == would_go.splitlines(keepends=True)

    _, gone, _ = await run_verb(capsys, config, "cleanup")
    assert "Of these the nightly clean-up would have kept 2 until" in gone
    assert f"2 chats with 3 turns, silent for 30 days: {GONE}.\n" in gone


async def test_what_admins_set_holds_for_the_operator_too(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    await leave_chats(tmp_path / "data")
    store = SqliteStore.open(tmp_path / "data" / "daybook.db", inline=True)
    await store.override("conversation_max_age_days", "50", scope=EVERYWHERE, by="ann", at=START)
    await store.close()

    code, out, _ = await run_verb(capsys, write_config(tmp_path), "cleanup", "--dry-run")

    assert (0, NOTHING.replace("30", "50")) == (code, out)


async def test_data_that_another_process_holds_is_left_alone(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A terminal chat, or a bot that does not answer."""
    await leave_chats(tmp_path / "data")
    config = write_config(tmp_path)

    with lock_data_folder(tmp_path / "data"):
        code, out, err = await run_verb(capsys, config, "cleanup")

    assert (1, "") == (code, out)
    assert f"in use by process {os.getpid()}" in err
    assert "cannot be asked" in err
    assert 1 == len(err.splitlines())


async def test_where_there_is_no_data_none_is_made(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert (0, NOTHING, "") == await run_verb(capsys, write_config(tmp_path), "cleanup")
    assert not (tmp_path / "data").exists()
