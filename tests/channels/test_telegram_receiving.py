"""Polling: stored before confirmed, stopped by nothing, patient with a network that fails."""

import asyncio
import contextlib
import logging
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest
from pydantic import SecretStr, ValidationError

from bot.api import Channel, ChannelAuthError, Inbound, InboundMessage, SetAside
from bot.testing.channels import RecordingInbox, WatchedClock, running
from bot.testing.telegram_rules import Json
from bot.testing.telegram_server import Fault, PretendedTelegram
from channels.telegram import Settings, build, client, first_look
from channels.telegram.cursor import read_cursor, write_cursor
from channels.telegram.updates import ALLOWED_UPDATES, OLDER_UPDATES

ADA = 1001


@pytest.fixture
def channel(telegram: PretendedTelegram, clock: WatchedClock) -> Channel:
    return build(Settings(token=SecretStr(telegram.token), base_url=telegram.base_url), clock)


@asynccontextmanager
async def started(channel: Channel, inbox: RecordingInbox) -> AsyncIterator[None]:
    """Run a channel that need not be receiving yet."""
    run = asyncio.create_task(channel.run(inbox))
    try:
        yield
    finally:
        run.cancel()
        await asyncio.wait({run})
        await channel.close()


def texts(inbox: RecordingInbox) -> list[str]:
    return [message.text for message in inbox.messages]


async def test_what_waited_is_fetched_at_once_and_confirmed_after_storing(
    telegram: PretendedTelegram, channel: Channel
) -> None:
    telegram.says(ADA, "one")
    telegram.says(ADA, "two")
    inbox = RecordingInbox()
    async with running(channel, inbox):
        await inbox.wait_for(2)
        first, second = (await telegram.wait_for_polls(2))[:2]
    assert inbox.cursors == ["77000077:1002"]
    assert "offset" not in first.params
    assert (second.params["offset"], second.params["timeout"]) == ("1002", "15")
    assert first.params["allowed_updates"] == ALLOWED_UPDATES


async def test_nothing_is_confirmed_that_could_not_be_stored(
    telegram: PretendedTelegram, channel: Channel
) -> None:
    class FullDisk(RecordingInbox):
        async def receive(
            self, events: tuple[Inbound | SetAside, ...], *, cursor: str | None = None
        ) -> None:
            raise OSError("no space left")

    telegram.says(ADA, "one")
    with pytest.raises(OSError, match="no space left"):
        await channel.run(FullDisk())
    assert ["offset" in poll.params for poll in telegram.polls] == [False]
    inbox = RecordingInbox()
    async with running(channel, inbox):
        await inbox.wait_for(1)
    assert texts(inbox) == ["one"]


async def test_a_restart_goes_on_behind_the_cursor(
    telegram: PretendedTelegram, channel: Channel
) -> None:
    telegram.says(ADA, "stored before the crash")
    telegram.says(ADA, "new")
    inbox = RecordingInbox(cursor="77000077:1001")
    async with running(channel, inbox):
        await inbox.wait_for(1)
    assert texts(inbox) == ["new"]
    assert telegram.polls[0].params["offset"] == 1001


@pytest.mark.parametrize("waits_at_start", [True, False])
async def test_an_update_that_cannot_be_parsed_stops_nothing(
    telegram: PretendedTelegram, channel: Channel, clock: WatchedClock, waits_at_start: bool
) -> None:
    inbox = RecordingInbox()
    poison = {"message": {"message_id": 1, "chat": {"id": ADA}, "text": "no date, no type"}}
    if waits_at_start:
        telegram.push(poison)
    async with running(channel, inbox):
        polls = len(await telegram.wait_for_polls(1))
        if not waits_at_start:
            polls = len(await telegram.wait_for_polls(2))
            telegram.push(poison)
        aside = (await inbox.wait_for(1))[0]
        telegram.says(ADA, "still there?")
        await inbox.wait_for(2)
        await telegram.wait_for_polls(polls + 2)
    assert isinstance(aside, SetAside)
    assert (aside.event_id, aside.channel) == ("update:77000077:1000", "telegram")
    assert texts(inbox) == ["still there?"]
    assert len(telegram.polls) <= polls + 2
    assert clock.naps == []


async def test_what_is_no_update_stops_nothing(
    telegram: PretendedTelegram, channel: Channel, clock: WatchedClock
) -> None:
    telegram.push_as_is(None)
    telegram.push_as_is({"message": "without a number"})
    telegram.push({"message": ["of an unknown form"]})
    telegram.says(ADA, "hello")
    inbox = RecordingInbox()
    async with running(channel, inbox):
        await inbox.wait_for(4)
        await telegram.wait_for_polls(2)
    assert [type(event) for event in inbox.events] == [SetAside, SetAside, SetAside, InboundMessage]
    assert clock.naps == []


async def test_a_batch_that_comes_again_and_again_does_not_spin(
    telegram: PretendedTelegram,
    channel: Channel,
    clock: WatchedClock,
    caplog: pytest.LogCaptureFixture,
) -> None:
    caplog.set_level(logging.INFO, "channels.telegram")
    telegram.push_as_is("no update, so that no offset can confirm it")
    inbox = RecordingInbox()
    async with running(channel, inbox):
        await clock.wait_for_naps(1)
        polls = len(telegram.polls)
        await clock.advance(1)
        await clock.wait_for_naps(2)
        telegram.says(ADA, "the way out")
        await clock.advance(1.5)
        await telegram.wait_until(lambda: telegram.polls[-1].params.get("offset") == "1002")
    assert polls <= 3
    assert clock.naps == [1.0, 1.5]
    assert len({event.event_id for event in inbox.events}) == 2
    assert texts(inbox) == ["the way out"]
    told = [message for message in caplog.messages if message != "telegram.set_aside"]
    assert told == ["telegram.stuck", "telegram.connected"]


async def test_a_server_that_refuses_a_newer_kind_is_asked_without_it(
    telegram: PretendedTelegram, channel: Channel, clock: WatchedClock
) -> None:
    description = "Bad Request: Invalid allowed_updates"
    telegram.fail("getUpdates", "bad_request", times=2, description=description)
    telegram.says(ADA, "hello")
    inbox = RecordingInbox()
    async with running(channel, inbox):
        await inbox.wait_for(1)
    asked = [poll.params["allowed_updates"] for poll in telegram.polls[:3]]
    assert asked == [ALLOWED_UPDATES, ALLOWED_UPDATES, OLDER_UPDATES]
    assert clock.naps == []


async def test_two_pollers_of_one_token_are_told_of_each_other(
    telegram: PretendedTelegram,
    channel: Channel,
    clock: WatchedClock,
    caplog: pytest.LogCaptureFixture,
) -> None:
    settings = Settings(token=SecretStr(telegram.token), base_url=telegram.base_url)
    async with running(channel, RecordingInbox()):
        await telegram.wait_for_polls(2)
        async with started(build(settings, WatchedClock()), RecordingInbox()):
            await clock.wait_for_naps(1)
    assert "telegram.conflict" in caplog.messages


async def test_messages_for_others_cost_no_commit(
    telegram: PretendedTelegram, channel: Channel
) -> None:
    inbox = RecordingInbox()
    bot: Json = {"id": 5, "is_bot": True, "first_name": "Other"}
    telegram.says(-2, "beep", chat_type="group", sender=bot)
    async with running(channel, inbox):
        second = (await telegram.wait_for_polls(2))[1]
    assert inbox.cursors == []
    assert second.params["offset"] == "1001"


@pytest.mark.parametrize("fault", ["drop_before", "server_error", "conflict", "garbage"])
async def test_an_outage_is_waited_out(
    telegram: PretendedTelegram,
    channel: Channel,
    clock: WatchedClock,
    caplog: pytest.LogCaptureFixture,
    fault: Fault,
) -> None:
    caplog.set_level(logging.INFO, "channels.telegram")
    telegram.fail("getUpdates", fault, times=4)
    inbox = RecordingInbox()
    async with started(channel, inbox):
        for number in range(1, 4):
            await clock.wait_for_naps(number)
            await clock.advance(clock.naps[-1])
        telegram.says(ADA, "at last")
        await inbox.wait_for(1)
    assert clock.naps == [1.0, 1.5, 2.25]
    began = "telegram.conflict" if fault == "conflict" else "telegram.unreachable"
    ours = [record.message for record in caplog.records if record.name.startswith("channels.")]
    assert ours == [began, "telegram.connected"]


@asynccontextmanager
async def stuck_server(*, trickles: bool, to_all: bool = False) -> AsyncIterator[str]:
    """Answer polls with silence or a byte now and then; the first look with a failure."""
    over = asyncio.Event()

    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        head = await reader.readuntil(b"\r\n\r\n")
        if b"python-urllib" in head.lower() and not to_all:
            writer.write(b"HTTP/1.1 500 No\r\nContent-Length: 0\r\nConnection: close\r\n\r\n")
        elif b"/getme" in head.lower() and not to_all:
            body = b'{"ok": true, "result": {"id": 77, "is_bot": true, "first_name": "B"}}'
            writer.write(b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n" % len(body) + body)
        elif trickles:
            writer.write(b"HTTP/1.1 200 OK\r\n\r\n[")
            while not over.is_set() and not writer.is_closing():
                writer.write(b" ")
                await writer.drain()
                with contextlib.suppress(TimeoutError):
                    async with asyncio.timeout(0.02):
                        await over.wait()
        else:
            await over.wait()
        writer.close()

    async with await asyncio.start_server(answer, "127.0.0.1", 0) as server:
        yield f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}"
        over.set()


@pytest.mark.parametrize("trickles", [False, True])
async def test_a_poll_that_does_not_come_back_is_given_up(
    telegram: PretendedTelegram,
    clock: WatchedClock,
    monkeypatch: pytest.MonkeyPatch,
    trickles: bool,
) -> None:
    """A connection that hangs, and one on which pieces go on arriving without an end."""
    monkeypatch.setattr(client, "POLL_MARGIN_S", 0.1)
    inbox = RecordingInbox()
    async with stuck_server(trickles=trickles) as base_url:
        channel = build(Settings(token=SecretStr(telegram.token), base_url=base_url), clock)
        async with started(channel, inbox):
            await clock.wait_for_naps(1)
    assert inbox.troubles in (
        ["Telegram: Timed out"],
        ["Telegram: no answer to a poll within 0.2 s"],
    )


async def test_a_first_look_that_never_ends_is_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(first_look, "TIMEOUT_S", 0.1)
    async with stuck_server(trickles=True, to_all=True) as base_url:
        assert await first_look.take_first_look(f"{base_url}/bot1:x", None) is None


async def test_the_inbox_hears_of_an_outage_and_of_its_end(
    telegram: PretendedTelegram, channel: Channel, clock: WatchedClock
) -> None:
    inbox = RecordingInbox()
    async with running(channel, inbox):
        await telegram.wait_for_polls(2)
        telegram.fail("getUpdates", "server_error", times=2)
        for count in (1, 2):
            await clock.wait_for_naps(count)
            await clock.advance(clock.naps[-1])
        telegram.says(ADA, "at last")
        await inbox.wait_for(1)
    assert len(inbox.troubles) == 2
    assert inbox.troubles[-1] == ""


async def test_the_delay_grows_to_half_a_minute_and_obeys_the_platform(
    telegram: PretendedTelegram, channel: Channel, clock: WatchedClock
) -> None:
    telegram.fail("getUpdates", "server_error", times=12)
    telegram.fail("getUpdates", "rate_limited", retry_after_s=77)
    inbox = RecordingInbox()
    async with started(channel, inbox):
        for number in range(1, 13):
            await clock.wait_for_naps(number)
            await clock.advance(clock.naps[-1])
        await inbox.wait_until_receiving()
    assert clock.naps[-3:] == [30.0, 30.0, 77.0]


async def test_the_bot_learns_its_name_late_when_the_first_look_failed(
    telegram: PretendedTelegram, channel: Channel, clock: WatchedClock
) -> None:
    telegram.fail("getMe", "server_error", times=2)
    telegram.says(-2, "@daybook_bot hello", chat_type="group")
    inbox = RecordingInbox()
    async with started(channel, inbox):
        await clock.wait_for_naps(1)
        await clock.advance(1)
        await inbox.wait_for(1)
    assert texts(inbox) == ["hello"]


async def test_a_webhook_that_stays_is_no_end(
    telegram: PretendedTelegram, channel: Channel, clock: WatchedClock
) -> None:
    telegram.state.webhook.url = "https://example.org/hook"
    telegram.fail("deleteWebhook", "server_error")
    telegram.says(ADA, "hello")
    inbox = RecordingInbox()
    async with started(channel, inbox):
        for number in (1, 2):
            await clock.wait_for_naps(number)
            await clock.advance(clock.naps[-1])
        await inbox.wait_for(1)
    assert texts(inbox) == ["hello"]


async def test_a_webhook_of_former_days_is_removed(
    telegram: PretendedTelegram, channel: Channel, clock: WatchedClock
) -> None:
    telegram.state.webhook.url = "https://example.org/hook"
    telegram.says(ADA, "hello")
    inbox = RecordingInbox()
    async with started(channel, inbox):
        await clock.wait_for_naps(1)
        await clock.advance(1)
        await inbox.wait_for(1)
    assert texts(inbox) == ["hello"]
    assert [call.params for call in telegram.state.called("deleteWebhook")] == [
        {"drop_pending_updates": "false"}
    ]


@pytest.mark.parametrize("fault", ["unauthorised", "not_found"])
@pytest.mark.parametrize("after", [0, 1])
async def test_a_refused_token_ends_the_run_and_names_the_mend(
    telegram: PretendedTelegram, channel: Channel, fault: Fault, after: int
) -> None:
    inbox = RecordingInbox()
    if after:
        async with running(channel, inbox) as run:
            await telegram.wait_for_polls(2)
            telegram.fail("getUpdates", fault)
            with pytest.raises(ChannelAuthError, match=r"channels\.telegram\.token"):
                await run
    else:
        telegram.fail("getUpdates", fault)
        with pytest.raises(ChannelAuthError, match=r"channels\.telegram\.token"):
            await channel.run(inbox)
        await channel.close()


def test_settings_refuse_what_cannot_work_without_showing_it() -> None:
    secret = "no token at all " + "x" * 20
    with pytest.raises(ValidationError) as refused:
        Settings(token=SecretStr(secret))
    assert secret not in str(refused.value)
    with pytest.raises(ValidationError):
        Settings(token=SecretStr("1" * 8 + ":" + "a" * 35), base_url="ftp://example.org")
    with pytest.raises(ValidationError, match="tokn"):
        Settings.model_validate({"tokn": ""})


@pytest.mark.parametrize("cursor", ["88:5000", "1002", "77000077:", "nonsense", ""])
def test_the_offset_of_another_bot_is_not_ours(cursor: str) -> None:
    assert read_cursor(cursor, 77_000_077) is None


def test_the_own_offset_comes_back() -> None:
    assert read_cursor(write_cursor(77_000_077, 1002), 77_000_077) == 1002
