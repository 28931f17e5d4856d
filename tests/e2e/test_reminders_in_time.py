"""Reminders are told once each, whatever clock, process, machine or chat do meanwhile."""

import asyncio
from collections import Counter
from dataclasses import replace
from datetime import datetime, timedelta
from pathlib import Path

import pytest

from bot.adapters.clock import SystemClock
from bot.adapters.store.sqlite_store import SqliteStore
from bot.app import Store
from bot.config import Config
from bot.core.chat import (
    ChatAddress,
    ChatMoved,
    InboundMessage,
    Reply,
)
from bot.core.lifecycle import OutboxItem
from bot.core.reminders import Reminder
from bot.testing.anthropic_server import PretendedAnthropic
from bot.testing.clock import FakeClock
from bot.testing.dialogue import Dialogue
from bot.testing.loopback import LoopbackChannel
from bot.testing.model import ScriptedModel, calling
from bot.testing.processes import BotProcess
from bot.testing.telegram_server import PretendedTelegram
from bot.testing.telegram_state import Call
from tests.e2e.conftest import OpenStore, passes
from tests.e2e.reminding import (
    ANN,
    BREAD,
    CONFIG,
    DAILY,
    DAY_S,
    GROUP,
    HOME,
    HOUR_S,
    at,
    keep,
    talking,
    times_told,
    times_told_around,
)


@pytest.mark.parametrize(
    ("zone", "begin", "local", "moments"),
    [
        (
            "Europe/Berlin",
            "2026-03-28T00:00",
            "02:30",
            ("03-28T01:30", "03-29T01:00", "03-30T00:30", "03-31T00:30"),
        ),
        (
            "Europe/Berlin",
            "2026-10-24T00:00",
            "02:30",
            ("10-24T00:30", "10-25T00:30", "10-26T01:30", "10-27T01:30"),
        ),
        (
            "America/New_York",
            "2026-03-07T06:00",
            "02:30",
            ("03-07T07:30", "03-08T07:00", "03-09T06:30", "03-10T06:30"),
        ),
        (
            "America/New_York",
            "2026-10-31T05:00",
            "01:30",
            ("10-31T05:30", "11-01T05:30", "11-02T06:30", "11-03T06:30"),
        ),
        (
            "Australia/Lord_Howe",
            "2026-10-02T15:00",
            "02:10",
            ("10-02T15:40", "10-03T15:30", "10-04T15:10", "10-05T15:10"),
        ),
        (
            "America/Santiago",
            "2026-09-05T00:00",
            "00:20",
            ("09-05T04:20", "09-06T04:00", "09-07T03:20", "09-08T03:20"),
        ),
    ],
)
async def test_every_day_has_its_reminder_once_over_a_change_to_summer_time_and_back(
    zone: str, begin: str, local: str, moments: tuple[str, ...]
) -> None:
    clock = FakeClock(at(begin))
    config = Config(access="open", plugins=("reminders",), timezone=zone)
    async with Dialogue(ScriptedModel(), config=config, clock=clock) as dialogue:
        await dialogue.says(f"/remind every day {local} take the pill")
        for number, moment in enumerate(moments):
            told = await times_told_around(dialogue, at(f"2026-{moment}"), "take the pill")
            assert (number, number + 1) == told


@pytest.mark.parametrize(
    ("zone", "now", "local", "moment"),
    [
        ("Europe/Berlin", "2026-03-28T20:00", "2026-03-29T02:30", "2026-03-29T01:00"),
        ("Europe/Berlin", "2026-10-24T20:00", "2026-10-25T02:30", "2026-10-25T00:30"),
        ("America/New_York", "2026-03-07T20:00", "2026-03-08T02:30", "2026-03-08T07:00"),
        ("America/New_York", "2026-10-31T20:00", "2026-11-01T01:30", "2026-11-01T05:30"),
    ],
)
async def test_a_single_reminder_in_the_hour_that_is_none_or_two_is_told_once(
    zone: str, now: str, local: str, moment: str
) -> None:
    clock = FakeClock(at(now))
    model = ScriptedModel([calling("remind", text="go", at_local=local), "Yes."])
    config = Config(access="open", plugins=("reminders",), timezone=zone)
    async with Dialogue(model, config=config, clock=clock) as dialogue:
        await dialogue.says("remind me")
        assert (0, 1) == await times_told_around(dialogue, at(moment), "go")
        await clock.advance(12 * HOUR_S)

        assert 1 == times_told(dialogue, "go")


class KilledAtTheClaim:
    """Lets a process end before or after a moment is claimed, as ``kill -9`` would.

    Attributes:
        reached: The process is there, and goes no further.
    """

    def __init__(self, store: Store, monkeypatch: pytest.MonkeyPatch, *, is_after: bool) -> None:
        self.reached = asyncio.Event()
        passing, is_first = store.pass_slot, True

        async def pass_slot(
            reminder: Reminder,
            *,
            following: datetime | None,
            at: datetime,
            replies: tuple[Reply, ...] = (),
            message: InboundMessage | None = None,
        ) -> tuple[OutboxItem, ...] | None:
            nonlocal is_first
            if not is_first:
                return await passing(
                    reminder, following=following, at=at, replies=replies, message=message
                )
            is_first = False
            if is_after:
                await passing(
                    reminder, following=following, at=at, replies=replies, message=message
                )
            self.reached.set()
            await asyncio.Event().wait()
            return None

        monkeypatch.setattr(store, "pass_slot", pass_slot)


@pytest.mark.parametrize("is_after", [False, True])
@pytest.mark.parametrize("kind", ["words", "prompt"])
async def test_killed_before_or_after_the_claim_it_happens_once(
    open_store: OpenStore, monkeypatch: pytest.MonkeyPatch, kind: str, is_after: bool
) -> None:
    store, channel, clock = open_store(), LoopbackChannel(), FakeClock()
    await keep(store, replace(DAILY, kind="prompt" if kind == "prompt" else "words"))
    killed = KilledAtTheClaim(store, monkeypatch, is_after=is_after)
    first = talking(store, channel, clock)
    await first.__aenter__()
    await clock.advance(HOUR_S)
    await killed.reached.wait()
    await first.crash()
    await store.close()
    assert [] == channel.texts()

    model = ScriptedModel(["The news."])
    async with talking(open_store(), channel, clock, model=model) as second:
        await second.app.settled(HOME)
        await clock.advance(HOUR_S)

        scheduled = "⏰ Scheduled for Monday, 2026-01-05 10:00 (UTC): bread"
        expected = [scheduled, "The news."] if kind == "prompt" else ["⏰ Reminder: bread"]
        assert expected == channel.texts()


async def test_what_was_missed_is_told_once_late_with_the_due_time(open_store: OpenStore) -> None:
    store, channel, clock = open_store(), LoopbackChannel(), FakeClock()
    await keep(store, DAILY)
    await keep(store, replace(BREAD, text="leave", origin="test 2"))
    first = talking(store, channel, clock)
    await first.__aenter__()
    await first.crash()
    await store.close()
    await clock.advance(3 * DAY_S + 2 * HOUR_S)

    async with talking(open_store(), channel, clock) as second:
        await second.app.settled(HOME)
        assert [
            "⏰ Reminder (it was due on Thursday, 2026-01-08 10:00 (UTC)): bread",
            "⏰ Reminder (it was due on Monday, 2026-01-05 10:00 (UTC)): leave",
        ] == channel.texts()
        await clock.advance(DAY_S)
        assert "⏰ Reminder: bread" == channel.texts()[-1]
        assert 3 == len(channel.texts())


class SleepyClock(FakeClock):
    """A clock of a machine that may sleep: then the time of the wall alone goes on."""

    slept = timedelta()

    def now(self) -> datetime:
        return super().now() + self.slept


async def test_a_machine_that_was_asleep_tells_it_when_it_wakes(open_store: OpenStore) -> None:
    clock, channel, store = SleepyClock(), LoopbackChannel(), open_store()
    await keep(store, DAILY)
    async with talking(store, channel, clock):
        await clock.advance(10)
        clock.slept = timedelta(days=2, hours=2)
        await clock.advance(HOUR_S)

        late = "⏰ Reminder (it was due on Wednesday, 2026-01-07 10:00 (UTC)): bread"
        assert [late] == channel.texts()
        await clock.advance(DAY_S)
        assert [late, "⏰ Reminder: bread"] == channel.texts()


async def test_a_clock_that_is_put_back_tells_nothing_twice(open_store: OpenStore) -> None:
    clock, channel, store = SleepyClock(), LoopbackChannel(), open_store()
    await keep(store, DAILY)
    async with talking(store, channel, clock):
        await clock.advance(HOUR_S)
        clock.slept = -timedelta(hours=2)
        await clock.advance(12 * HOUR_S)

        assert ["⏰ Reminder: bread"] == channel.texts()


async def test_two_processes_on_one_store_tell_it_once(tmp_path: Path) -> None:
    path, clock = tmp_path / "daybook.db", FakeClock()
    stores = SqliteStore.open(path, inline=True), SqliteStore.open(path, inline=True)
    channels = LoopbackChannel(), LoopbackChannel()
    await keep(stores[0], DAILY)
    async with talking(stores[0], channels[0], clock), talking(stores[1], channels[1], clock):
        await clock.advance(DAY_S + HOUR_S)
        posts = [text for channel in channels for text in channel.texts()]
    for store in stores:
        await store.close()

    assert 2 == len(posts)


async def test_reminders_go_with_a_group_that_moves(open_store: OpenStore) -> None:
    store = open_store()
    await keep(store, replace(BREAD, address=GROUP, chat_kind="group"))
    async with Dialogue(ScriptedModel(), config=CONFIG, store=store) as dialogue:
        old = GROUP.whole_chat
        await dialogue.together(ChatMoved(event_id="moved:1", address=old, new_chat="-1009"))
        await passes(dialogue, HOUR_S)

        (post,) = dialogue.channel.posts
        assert replace(GROUP, chat="-1009") == post.address
        assert "⏰ Reminder for Ann: bread" == post.text


async def test_what_is_told_in_another_channel_keeps_nobody_waiting(open_store: OpenStore) -> None:
    store = open_store()
    await keep(store, replace(BREAD, address=replace(HOME, channel="gone"), origin="test 2"))
    await keep(store, BREAD)
    async with Dialogue(ScriptedModel(), config=CONFIG, store=store) as dialogue:
        await passes(dialogue, DAY_S)

        assert ["⏰ Reminder: bread"] == dialogue.channel.texts()
        assert 1 == len(await store.reminders_of(ANN.person_key))


async def test_killed_again_and_again_while_many_are_due_each_is_told_once(tmp_path: Path) -> None:
    """With ``kill -9``, for real: of what was just being sent a copy may come, marked as such."""
    chats = [str(2_000 + number) for number in range(6)]
    async with (
        PretendedTelegram() as telegram,
        PretendedAnthropic() as vendor,
        BotProcess(tmp_path, telegram, vendor) as bot,
    ):
        bot.settings["plugins"] = ["reminders"]
        bot.data_dir.mkdir()
        store = SqliteStore.open(bot.data_dir / "daybook.db")
        account = telegram.token.partition(":")[0]
        for chat in chats:
            telegram.state.chat(int(chat), "private")
            address = ChatAddress(channel="telegram", account=account, chat=chat)
            author = replace(ANN, channel="telegram", user_id=chat)
            theirs = replace(BREAD, author=author, address=address, origin=chat)
            await keep(store, replace(theirs, due_at=SystemClock().now() - timedelta(days=1)))
        await store.close()

        for count in (1, 4):
            await bot.start()
            await telegram.wait_for_sent(count)
            await bot.kill()
        await bot.start()
        await telegram.wait_until(lambda: {text_of(each)[0] for each in telegram.sent} == {*chats})
        await bot.kill()
        told = Counter(text_of(call) for call in telegram.sent)

    assert all(1 == times for (_, text), times in told.items() if "(Sent again" not in text), told
    assert all("(it was due on " in text and ": bread" in text for _, text in told), told
    store = SqliteStore.open(bot.data_dir / "daybook.db")
    assert await store.next_reminder_at(frozenset({"telegram"})) is None
    await store.close()


def text_of(call: Call) -> tuple[str, str]:
    """Give the chat and the text of a message that Telegram was given."""
    return str(call.chat_id), call.text
