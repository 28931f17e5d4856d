"""What stands before a message, and what was written while nobody listened."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import timedelta
from functools import partial

import pytest

from bot.api import Channel, ChannelError, ChatAddress, HeardChat
from bot.testing.channels import RecordingInbox, WatchedClock, captured_logs, running
from bot.testing.clock import START
from bot.testing.slack_server import PretendedSlack
from channels.slack import Settings, build, reading
from channels.slack.missed import MARGIN, PACE_S
from channels.slack.tiers import AT_ONCE, TIER_3

DIRECT = "D1ADA"
ROOM = "C1ROOM"


@pytest.fixture
async def slack() -> AsyncIterator[PretendedSlack]:
    async with PretendedSlack() as server:
        server.state.channels |= {DIRECT: "im", ROOM: "channel"}
        server.state.began_at = int(START.timestamp())
        yield server


def channel_of(slack: PretendedSlack, clock: WatchedClock, **changed: object) -> Channel:
    return build(Settings.model_validate(slack.settings | changed), clock)


@asynccontextmanager
async def asking(slack: PretendedSlack, clock: WatchedClock) -> AsyncIterator[Channel]:
    """Open a channel that receives nothing."""
    channel = channel_of(slack, clock)
    try:
        yield channel
    finally:
        await channel.close()


def at(chat: str, thread: str = "") -> ChatAddress:
    return ChatAddress(channel="slack", account="T0TEAM", chat=chat, thread=thread)


def write(slack: PretendedSlack, text: str, *, user: str = "U2BOB", thread: str = "") -> str:
    """Let somebody write in the room without the bot being told."""
    return str(slack.state.write(ROOM, text, user=user, thread_ts=thread)["ts"])


async def test_the_thread_before_a_mention(slack: PretendedSlack, clock: WatchedClock) -> None:
    root = write(slack, "shall we?")
    write(slack, "elsewhere")
    for number in range(30):
        write(slack, f"reply {number}", user="U1ADA", thread=root)
    mention = write(slack, "<@U0BOT> decide", thread=root)
    write(slack, "too late", thread=root)
    async with asking(slack, clock) as channel:
        few = await channel.earlier(at(ROOM, root), mention, limit=2)
        all_ = await channel.earlier(at(ROOM, root), mention, limit=99)

    assert ["reply 28", "reply 29"] == [each.text for each in few]
    assert ["Ada", "Ada"] == [each.author for each in few]
    assert ["shall we?", *(f"reply {n}" for n in range(30))] == [each.text for each in all_]
    assert f"message:T0TEAM:{ROOM}:{root}" == all_[0].event_id


async def test_the_channel_before_a_mention(slack: PretendedSlack, clock: WatchedClock) -> None:
    told = [write(slack, f"message {number}") for number in range(5)]
    write(slack, "in a thread", thread=told[0])
    slack.state.change(ROOM, told[1], text="<@U0BOT> you there")
    mention = write(slack, "<@U0BOT> who is right?")
    async with asking(slack, clock) as channel:
        found = await channel.earlier(at(ROOM, mention), mention, limit=4)

    assert ["you there", "message 2", "message 3", "message 4"] == [each.text for each in found]
    assert [True, False, False, False] == [each.is_named for each in found]


async def test_the_talk_of_yesterday_is_another_one(
    slack: PretendedSlack, clock: WatchedClock
) -> None:
    root = write(slack, "yesterday")
    slack.state.began_at += int(reading.LOOKED_BACK_S)
    write(slack, "today", thread=root)
    mention = write(slack, "<@U0BOT> hello")
    async with asking(slack, clock) as channel:
        assert () == await channel.earlier(at(ROOM, mention), mention, limit=9)
        thread = await channel.earlier(at(ROOM, root), mention, limit=9)
    assert ["yesterday", "today"] == [each.text for each in thread]


async def test_a_thread_of_many_pages(
    slack: PretendedSlack, clock: WatchedClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(reading, "MOST_A_PAGE", 3)
    root = write(slack, "root")
    for number in range(10):
        write(slack, f"reply {number}", thread=root)
    mention = write(slack, "<@U0BOT>", thread=root)
    async with asking(slack, clock) as channel:
        found = await channel.earlier(at(ROOM, root), mention, limit=2)
    assert ["reply 8", "reply 9"] == [each.text for each in found]
    assert 4 == slack.calls.count("conversations.replies")


async def test_where_the_bot_may_not_look(slack: PretendedSlack, clock: WatchedClock) -> None:
    slack.fail("conversations.replies", "not_in_channel")
    root = write(slack, "root")
    async with asking(slack, clock) as channel:
        with pytest.raises(ChannelError, match="not_in_channel"):
            await channel.earlier(at(ROOM, root), "9.0", limit=2)


async def test_the_tier_and_the_delay_that_slack_asks_for_are_kept(
    slack: PretendedSlack, clock: WatchedClock
) -> None:
    root = write(slack, "root")
    async with asking(slack, clock) as channel:
        for _ in range(AT_ONCE):
            await channel.earlier(at(ROOM, root), "9.0", limit=2)
        assert [] == clock.naps
        slack.fail("conversations.replies", "429", retry_after_s=30)

        asked = asyncio.create_task(channel.earlier(at(ROOM, root), "9.0", limit=2))
        await clock.wait_for_naps(1)
        await clock.advance(60 / TIER_3)
        await clock.wait_for_naps(2)
        await clock.advance(30)
        assert () == await asked
        assert [pytest.approx(60 / TIER_3), pytest.approx(30)] == clock.naps


class Scene:
    """A bot that lost its connection, and what was written meanwhile."""

    def __init__(self, slack: PretendedSlack, clock: WatchedClock) -> None:
        self.slack = slack
        self.clock = clock
        self.inbox = RecordingInbox()

    def heard(self, *places: ChatAddress, ago: timedelta = timedelta(0)) -> None:
        at = self.clock.now() - ago
        self.inbox.heard = tuple(HeardChat(address=each, heard_at=at) for each in places)

    async def loses_connection(self) -> None:
        await self.slack.wait_until(lambda: not self.slack.open_envelopes)
        naps = len(self.clock.naps)
        await self.slack.drop()
        await self.clock.wait_for_naps(naps + 1)

    async def looks(self, calls: int) -> None:
        """Let it connect again, and look until it has made so many calls."""
        done = self._looks()
        await self.clock.advance(1)
        for _ in range(calls):
            done += 1
            await self.slack.wait_until(partial(self._has_looked, done))
            naps = len(self.clock.naps)
            await self.clock.wait_for_naps(naps if self.clock.sleepers else naps + 1)
            await self.clock.advance(PACE_S)

    def _has_looked(self, times: int) -> bool:
        return self._looks() >= times

    def _looks(self) -> int:
        methods = ("conversations.history", "conversations.replies")
        return sum(self.slack.calls.count(method) for method in methods)


async def test_what_was_missed_in_a_thread_is_taken_in_after_a_gap(
    slack: PretendedSlack, clock: WatchedClock
) -> None:
    scene = Scene(slack, clock)
    async with running(channel_of(slack, clock), scene.inbox):
        before = write(slack, "not for the bot")
        root = await slack.says(ROOM, "hello", mention=True)
        await scene.inbox.wait_for(2)
        scene.heard(at(ROOM, root))
        await scene.loses_connection()
        write(slack, "and what about me?", thread=root)
        write(slack, "<@U2BOB> never mind", thread=root, user="U1ADA")
        write(slack, "to nobody", thread=before)
        write(slack, "<@U0BOT> over here")
        slack.state.write(ROOM, "beep", user="U9APP", thread_ts=root)["bot_id"] = "B9"
        await scene.looks(2)
        await scene.inbox.wait_for(5)
    missed = scene.inbox.messages[2:]
    assert [
        ("over here", True),
        ("and what about me?", False),
        ("@Bob never mind", False),
    ] == [(message.text, message.is_addressed) for message in missed]
    assert [True, False] == [message.is_follow_up for message in missed[1:]]
    assert "Bob" == missed[1].sender.name


async def test_all_that_was_missed_where_the_group_is_listened_to(
    slack: PretendedSlack, clock: WatchedClock
) -> None:
    scene = Scene(slack, clock)
    async with running(channel_of(slack, clock), scene.inbox):
        await slack.says(ROOM, "hello", mention=True)
        await scene.inbox.wait_for(2)
        scene.inbox.concerned = frozenset({ROOM})
        scene.heard(at(ROOM, scene.inbox.messages[0].address.thread))
        await scene.loses_connection()
        write(slack, "to nobody by name")
        await scene.looks(2)
        await scene.inbox.wait_for(3)
    assert "to nobody by name" == scene.inbox.messages[2].text


async def test_what_came_in_is_not_taken_in_again(
    slack: PretendedSlack, clock: WatchedClock
) -> None:
    scene = Scene(slack, clock)
    async with running(channel_of(slack, clock), scene.inbox):
        root = await slack.says(ROOM, "hello", mention=True)
        await slack.says(ROOM, "go on", thread_ts=root)
        await slack.says(DIRECT, "hello")
        await scene.inbox.wait_for(4)
        scene.heard(at(ROOM, root), at(DIRECT))
        await scene.loses_connection()
        missed = slack.state.write(DIRECT, "still there?", user="U1ADA")
        await scene.looks(3)
        await scene.inbox.wait_for(5)
    assert 5 == len(scene.inbox.events)
    assert missed["ts"] == scene.inbox.messages[-1].message_id


async def test_what_was_said_before_the_gap_is_no_follow_up(
    slack: PretendedSlack, clock: WatchedClock
) -> None:
    """The bot heard it then, and it was not meant for it."""
    scene = Scene(slack, clock)
    async with running(channel_of(slack, clock), scene.inbox):
        root = write(slack, "shall we?")
        write(slack, "I say no", thread=root, user="U1ADA")
        await slack.says(ROOM, "decide", thread_ts=root, mention=True)
        await scene.inbox.wait_for(2)
        scene.heard(at(ROOM, root))
        await scene.loses_connection()
        await scene.looks(2)
        await slack.says(DIRECT, "done")
        await scene.inbox.wait_for(3)
    assert ["decide", "decide", "done"] == [message.text for message in scene.inbox.messages]


@pytest.mark.parametrize("ago", [timedelta(hours=1), timedelta(days=9)])
async def test_a_start_follows_a_gap(
    slack: PretendedSlack, clock: WatchedClock, ago: timedelta
) -> None:
    """Also in a workspace where nobody has said anything for long."""
    scene = Scene(slack, clock)
    missed = slack.state.write(DIRECT, "are you up?", user="U1ADA")
    scene.heard(at(DIRECT), ago=ago)
    async with running(channel_of(slack, clock), scene.inbox):
        await scene.inbox.wait_for(1)
    assert missed["ts"] == scene.inbox.messages[0].message_id


async def test_an_announced_end_is_no_gap(slack: PretendedSlack, clock: WatchedClock) -> None:
    scene = Scene(slack, clock)
    async with running(channel_of(slack, clock), scene.inbox):
        scene.heard(at(DIRECT))
        await slack.disconnect("refresh_requested")
        await slack.wait_until(lambda: slack.connections == 2 and slack.open_connections == 1)
        await slack.says(DIRECT, "hello")
        await scene.inbox.wait_for(1)
    assert "conversations.history" not in slack.calls


async def test_a_chat_that_cannot_be_read_does_not_hide_the_others(
    slack: PretendedSlack, clock: WatchedClock
) -> None:
    scene = Scene(slack, clock)
    slack.fail("conversations.history", "channel_not_found")
    slack.state.write(DIRECT, "are you up?", user="U1ADA")
    scene.heard(at("C9GONE", "1.1"), at(DIRECT))
    with captured_logs() as lines:
        async with running(channel_of(slack, clock), scene.inbox):
            await clock.wait_for_naps(1)
            await clock.advance(PACE_S)
            await scene.inbox.wait_for(1)
    assert 1 == sum("missed.not_looked_for" in line for line in lines())


async def test_what_is_older_than_a_gap_can_be_is_left(
    slack: PretendedSlack, clock: WatchedClock
) -> None:
    slack.state.began_at -= int(timedelta(days=4).total_seconds())
    slack.state.write(DIRECT, "long ago", user="U1ADA")
    slack.state.began_at += int(timedelta(days=4).total_seconds())
    slack.state.write(DIRECT, "today", user="U1ADA")
    scene = Scene(slack, clock)
    scene.heard(at(DIRECT), ago=timedelta(hours=70))
    async with running(channel_of(slack, clock), scene.inbox):
        await scene.inbox.wait_for(1)
    assert ["today"] == [message.text for message in scene.inbox.messages]


async def test_a_thread_of_which_nothing_is_known_is_read_from_when_it_was_heard(
    slack: PretendedSlack, clock: WatchedClock
) -> None:
    """The newest message that it has may lie before what is looked at."""
    scene = Scene(slack, clock)
    root = write(slack, "<@U0BOT> hello")
    write(slack, "to Ada", thread=root)
    await clock.advance(2)
    scene.heard(at(ROOM, root))
    slack.state.began_at += int(MARGIN.total_seconds()) // 2
    write(slack, "are you up?", thread=root)
    async with running(channel_of(slack, clock), scene.inbox):
        await clock.wait_for_naps(1)
        await clock.advance(PACE_S)
        await scene.inbox.wait_for(1)
    assert "are you up?" == scene.inbox.messages[-1].text


async def test_a_thread_in_the_assistants_pane_is_greeted(
    slack: PretendedSlack, clock: WatchedClock
) -> None:
    thread = {"channel_id": DIRECT, "thread_ts": "1767603500.000001", "user_id": "U1ADA"}
    started = {"type": "assistant_thread_started", "assistant_thread": thread}
    async with running(channel_of(slack, clock), RecordingInbox()):
        slack.fail("assistant.threads.setSuggestedPrompts", "500")
        await slack.push(started)
        await slack.push(started)
        await slack.push(started | {"assistant_thread": {"channel_id": 5}})
        await slack.wait_for_acknowledged(3)
        await slack.wait_until(lambda: bool(slack.state.suggested))
    (shown,) = slack.state.suggested
    assert (DIRECT, "1767603500.000001") == (shown["channel_id"], shown["thread_ts"])


async def test_several_connections(slack: PretendedSlack, clock: WatchedClock) -> None:
    inbox = RecordingInbox()
    slack.spreads = True
    async with running(channel_of(slack, clock, connections=3), inbox):
        await slack.wait_until(lambda: slack.open_connections == 3)
        for number in range(9):
            await slack.says(DIRECT, str(number))
        await slack.wait_for_acknowledged(9)
        for _ in range(3):
            await slack.redeliver()
        await slack.wait_for_acknowledged(12)
    assert 9 == len({event.event_id for event in inbox.events})
    assert [] == inbox.troubles


async def test_one_of_several_connections_is_no_loss(
    slack: PretendedSlack, clock: WatchedClock
) -> None:
    scene = Scene(slack, clock)
    async with running(channel_of(slack, clock, connections=2), scene.inbox):
        await slack.wait_until(lambda: slack.open_connections == 2)
        scene.heard(at(DIRECT))
        await slack.drop(1)
        await clock.wait_for_naps(1)
        await slack.says(DIRECT, "hello")
        await scene.inbox.wait_for(1)
        await clock.advance(1)
        await slack.wait_until(lambda: slack.open_connections == 2)
    assert [] == scene.inbox.troubles
    assert "conversations.history" not in slack.calls
