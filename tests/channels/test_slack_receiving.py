"""Events are stored, then acknowledged; the connection is kept for ever."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator

import pytest

from bot.api import ChannelAuthError, Inbound, InboundMessage, SetAside
from bot.errors import StoreError
from bot.ports import Channel
from bot.testing.channels import RecordingInbox, WatchedClock, captured_logs, running
from bot.testing.slack_server import PretendedSlack
from channels.slack import Settings, build, socket_mode

DIRECT = "D1ADA"
ROOM = "C1ROOM"


class SlowInbox(RecordingInbox):
    """An inbox whose commits a test holds up, or lets fail."""

    def __init__(self) -> None:
        super().__init__()
        self.may_commit = asyncio.Event()
        self.entered = asyncio.Event()
        self.failures = 0

    async def receive(
        self, events: tuple[Inbound | SetAside, ...], *, cursor: str | None = None
    ) -> None:
        self.entered.set()
        if self.failures:
            self.failures -= 1
            raise StoreError("the disk is full")
        await self.may_commit.wait()
        await super().receive(events, cursor=cursor)


@pytest.fixture
async def slack() -> AsyncIterator[PretendedSlack]:
    async with PretendedSlack() as server:
        server.state.channels |= {DIRECT: "im", ROOM: "channel"}
        yield server


@pytest.fixture
def channel(slack: PretendedSlack, clock: WatchedClock) -> Channel:
    return build(Settings.model_validate(slack.settings), clock)


async def test_acknowledged_only_when_stored(slack: PretendedSlack, channel: Channel) -> None:
    inbox = SlowInbox()
    async with running(channel, inbox):
        await slack.says(DIRECT, "hello")
        await inbox.entered.wait()
        await slack.push({"type": "app_home_opened"})
        assert await slack.wait_for_acknowledged(1) == ("envelope-2",)
        inbox.may_commit.set()
        assert await slack.wait_for_acknowledged(2) == ("envelope-2", "envelope-1")
        assert len(inbox.events) == 1


async def test_what_was_not_stored_comes_again(slack: PretendedSlack, channel: Channel) -> None:
    inbox = SlowInbox()
    inbox.failures = 1
    inbox.may_commit.set()
    async with running(channel, inbox):
        await slack.says(DIRECT, "hello")
        await inbox.entered.wait()
        await slack.push({"type": "app_home_opened"})
        assert await slack.wait_for_acknowledged(1) == ("envelope-2",)
        assert inbox.events == []
        await slack.expire()
        assert await slack.wait_for_acknowledged(2) == ("envelope-2", "envelope-1")
    assert [message.text for message in inbox.messages] == ["hello"]


async def test_an_unanswered_store_does_not_hold_up_a_new_connection(
    slack: PretendedSlack, channel: Channel, clock: WatchedClock
) -> None:
    inbox = SlowInbox()
    async with running(channel, inbox):
        await slack.says(DIRECT, "hello")
        await inbox.entered.wait()
        await slack.drop()
        await clock.wait_for_naps(1)
        inbox.may_commit.set()
        await clock.advance(60)
        await slack.wait_for_acknowledged(1)
    first, again = inbox.messages
    assert first.event_id == again.event_id


@pytest.mark.parametrize(
    "event",
    [{"type": "something_new"}, {"type": "message", "channel": DIRECT}, "no event", None],
)
async def test_every_event_is_acknowledged(
    slack: PretendedSlack, channel: Channel, event: object
) -> None:
    inbox = RecordingInbox()
    async with running(channel, inbox):
        await slack.push(event)
        await slack.push(event, team={"id": 5}, authorizations=5, enterprise=7)
        await slack.wait_for_acknowledged(2)
    assert all(isinstance(each, SetAside) for each in inbox.events)


async def test_a_mention_is_one_event(slack: PretendedSlack, channel: Channel) -> None:
    inbox = RecordingInbox()
    async with running(channel, inbox):
        await slack.says(ROOM, "hello", mention=True)
        await slack.redeliver()
        await slack.wait_for_acknowledged(3)
    assert len(inbox.messages) == 3
    assert len({message.event_id for message in inbox.messages}) == 1


async def test_a_burst_keeps_its_order(slack: PretendedSlack, channel: Channel) -> None:
    inbox = RecordingInbox()
    async with running(channel, inbox):
        for number in range(50):
            await slack.says(DIRECT, str(number))
        await slack.wait_for_acknowledged(50)
    assert [message.text for message in inbox.messages] == [str(n) for n in range(50)]


async def test_only_the_channels_named_are_heard(slack: PretendedSlack) -> None:
    settings = Settings.model_validate(slack.settings | {"channels": [ROOM]})
    inbox = RecordingInbox()
    async with running(build(settings, WatchedClock()), inbox):
        await slack.says("C2ELSE", "elsewhere")
        await slack.says(ROOM, "here")
        await slack.says(DIRECT, "to you")
        await slack.wait_for_acknowledged(3)
    assert [message.text for message in inbox.messages] == ["here", "to you"]


async def test_an_announced_end_costs_no_wait(
    slack: PretendedSlack, channel: Channel, clock: WatchedClock
) -> None:
    inbox = RecordingInbox()
    async with running(channel, inbox):
        await slack.disconnect("warning")
        await slack.wait_until(lambda: slack.connections == 2 and slack.open_connections == 1)
        await slack.says(DIRECT, "hello")
        await slack.wait_for_acknowledged(1)
    assert clock.naps == []


async def test_the_old_connection_is_heard_until_there_is_a_new_one(
    slack: PretendedSlack, channel: Channel, clock: WatchedClock
) -> None:
    inbox = RecordingInbox()
    async with running(channel, inbox):
        slack.fail("link", "500")
        await slack.disconnect("refresh_requested")
        await clock.wait_for_naps(1)
        await slack.says(DIRECT, "over the old one")
        await slack.wait_for_acknowledged(1)
        await clock.advance(1)
        await slack.wait_until(lambda: slack.connections == 2 and slack.open_connections == 1)
        await slack.says(DIRECT, "over the new one")
        await slack.wait_for_acknowledged(2)


async def test_trouble_is_told_once_and_waits_grow(
    slack: PretendedSlack, channel: Channel, clock: WatchedClock
) -> None:
    inbox = RecordingInbox()
    with captured_logs() as lines:
        async with running(channel, inbox):
            slack.fail("apps.connections.open", "drop_before")
            slack.fail("apps.connections.open", "429", retry_after_s=20)
            slack.fail("link", "503")
            slack.fail("link", "no_hello")
            await slack.drop()
            for count, nap in enumerate([1.0, 1.5, 20.0, 3.375, 5.0625], start=1):
                await clock.wait_for_naps(count)
                assert clock.naps[-1] == pytest.approx(nap)
                await clock.advance(nap)
            await slack.wait_until(lambda: slack.connections == 2)
            await slack.says(DIRECT, "hello")
            await slack.wait_for_acknowledged(1)
    told = [line for line in lines() if "channel.slack" in line or "channels.slack" in line]
    assert [line.split()[1] for line in told] == ["channel.disconnected", "channel.connected"]


@pytest.mark.parametrize(
    ("method", "code", "setting"),
    [
        ("auth.test", "account_inactive", "bot_token"),
        ("apps.connections.open", "not_allowed_token_type", "app_token"),
        ("apps.connections.open", "missing_scope", "app_token"),
    ],
)
async def test_a_refused_token_ends_the_run(
    slack: PretendedSlack, channel: Channel, method: str, code: str, setting: str
) -> None:
    slack.fail(method, code)
    with pytest.raises(ChannelAuthError, match=f"channels.slack.{setting}"):
        await channel.run(RecordingInbox())
    await channel.close()


async def test_nothing_is_taken_from_the_environment_nor_warned_of(
    slack: PretendedSlack,
    channel: Channel,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
) -> None:
    for name in ("BOT_TOKEN", "SIGNING_SECRET", "CLIENT_ID", "CLIENT_SECRET"):
        monkeypatch.setenv(f"SLACK_{name}", "of another program")
    inbox = RecordingInbox()
    async with running(channel, inbox):
        await slack.says(DIRECT, "hello")
        await slack.wait_for_acknowledged(1)

    assert "hello" == inbox.messages[0].text
    assert [] == [each.getMessage() for each in caplog.records if each.levelno >= logging.WARNING]


async def test_frames_without_sense_are_passed_over(
    slack: PretendedSlack, channel: Channel
) -> None:
    inbox = RecordingInbox()
    async with running(channel, inbox):
        deep = f'{{"type": "events_api", "payload": {"[" * 5_000}{"]" * 5_000}}}'
        for frame in ("", "[]", '{"type": 5}', '{"envelope_id": "x"}', "{", deep):
            await slack.send_frame(frame)
        await slack.says(DIRECT, "hello")
        await slack.wait_for_acknowledged(1)
    assert [type(event) for event in inbox.events] == [InboundMessage]


async def test_a_connection_that_is_deaf_is_made_anew(
    slack: PretendedSlack,
    channel: Channel,
    clock: WatchedClock,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(socket_mode, "SILENCE_S", 0.1)
    inbox = RecordingInbox()
    async with running(channel, inbox):
        await clock.wait_for_naps(1)
        monkeypatch.setattr(socket_mode, "SILENCE_S", 60)
        await clock.advance(1)
        await slack.wait_until(lambda: slack.connections == 2)
        await slack.says(DIRECT, "hello")
        await slack.wait_for_acknowledged(1)
    assert inbox.troubles == ["Slack said nothing for 0.1 s", ""]
    assert len(inbox.messages) == 1


async def test_a_ping_of_slack_is_a_sign_of_life(
    slack: PretendedSlack, channel: Channel, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(socket_mode, "SILENCE_S", 0.2)
    loop = asyncio.get_running_loop()
    inbox = RecordingInbox()
    async with running(channel, inbox):
        until_s = loop.time() + 0.5
        while loop.time() < until_s:
            await slack.ping()
        connections = slack.connections
    assert (1, []) == (connections, inbox.troubles)


async def test_the_inbox_hears_when_the_connection_is_lost_and_when_it_is_back(
    slack: PretendedSlack, channel: Channel, clock: WatchedClock
) -> None:
    inbox = RecordingInbox()
    async with running(channel, inbox):
        slack.fail("link", "503")
        await slack.drop()
        for count in (1, 2):
            await clock.wait_for_naps(count)
            await clock.advance(clock.naps[-1])
        await slack.wait_until(lambda: slack.connections == 2)
        await slack.says(DIRECT, "hello")
        await slack.wait_for_acknowledged(1)
    lost, refused, back = inbox.troubles
    assert ("the connection was lost", "") == (lost, back)
    assert refused.startswith("Slack")
