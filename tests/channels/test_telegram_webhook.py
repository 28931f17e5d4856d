"""The webhook: stored before acknowledged, deaf to strangers, told when Telegram is deaf."""

import asyncio
import json
import logging
import socket

import aiohttp
import pytest
from pydantic import SecretStr

from bot.api import Channel, ChannelAuthError, Inbound, SetAside
from bot.testing.channels import RecordingInbox, WatchedClock, running
from bot.testing.recording import captured_logs
from bot.testing.telegram_server import PretendedTelegram
from channels.telegram import Settings, build, webhook
from channels.telegram.updates import ALLOWED_UPDATES
from channels.telegram.webhook import CHECK_S, SECRET_HEADER
from channels.telegram.webhook_place import secret_for

ADA, BEN = 1001, 1002


@pytest.fixture
def port() -> int:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        number: int = free.getsockname()[1]
        return number


def settings(telegram: PretendedTelegram, port: int, **changes: object) -> Settings:
    values: dict[str, object] = {
        "token": telegram.token,
        "base_url": telegram.base_url,
        "mode": "webhook",
        "webhook_url": f"http://127.0.0.1:{port}/hook",
        "webhook_port": port,
    }
    return Settings.model_validate(values | changes)


@pytest.fixture
def channel(telegram: PretendedTelegram, clock: WatchedClock, port: int) -> Channel:
    return build(settings(telegram, port), clock)


def texts(inbox: RecordingInbox) -> list[str]:
    return [message.text for message in inbox.messages]


async def call(
    port: int, body: bytes, *, secret: str = "", method: str = "POST", path: str = "/hook"
) -> int:
    """Call the webhook as anybody could; give the status."""
    headers = {SECRET_HEADER: secret} if secret else {}
    address = f"http://127.0.0.1:{port}{path}"
    async with (
        aiohttp.ClientSession() as session,
        session.request(method, address, data=body, headers=headers) as response,
    ):
        return response.status


async def test_what_waited_is_brought_in_its_order_and_nothing_dropped(
    telegram: PretendedTelegram, channel: Channel, port: int
) -> None:
    for number in range(5):
        telegram.says(ADA, f"{number}")
    inbox = RecordingInbox(cursor="77000077:1001")
    async with running(channel, inbox):
        await inbox.wait_for(5)
        telegram.says(BEN, "later")
        await inbox.wait_for(6)
    (wanted,) = telegram.state.called("setWebhook")
    assert texts(inbox) == ["0", "1", "2", "3", "4", "later"]
    assert inbox.cursors == ["webhook", *[None] * 6]
    assert wanted.params == {
        "url": f"http://127.0.0.1:{port}/hook",
        "secret_token": secret_for(telegram.token).get_secret_value(),
        "allowed_updates": ALLOWED_UPDATES,
        "max_connections": "40",
        "drop_pending_updates": "false",
    }
    assert telegram.polls == ()


async def test_a_webhook_that_is_right_is_not_set_again(
    telegram: PretendedTelegram, clock: WatchedClock, port: int
) -> None:
    for _ in range(2):
        async with running(build(settings(telegram, port), clock), RecordingInbox()):
            pass
    assert len(telegram.state.called("setWebhook")) == 1
    async with running(build(settings(telegram, port, webhook_url=_url(port)), clock), _inbox()):
        pass
    assert [each.params["url"] for each in telegram.state.called("setWebhook")][1:] == [_url(port)]


def _url(port: int) -> str:
    return f"http://127.0.0.1:{port}/other"


def _inbox() -> RecordingInbox:
    return RecordingInbox(cursor=webhook.CURSOR)


async def test_an_update_is_acknowledged_once_it_is_stored(
    telegram: PretendedTelegram, channel: Channel
) -> None:
    class Slow(RecordingInbox):
        def __init__(self) -> None:
            super().__init__(cursor=webhook.CURSOR)
            self.began, self.may_end = asyncio.Event(), asyncio.Event()

        async def receive(
            self, events: tuple[Inbound | SetAside, ...], *, cursor: str | None = None
        ) -> None:
            self.began.set()
            await self.may_end.wait()
            await super().receive(events, cursor=cursor)

    inbox = Slow()
    telegram.says(ADA, "one")
    async with running(channel, inbox):
        await inbox.began.wait()
        assert telegram.has_waiting
        inbox.may_end.set()
        await telegram.wait_until(lambda: not telegram.has_waiting)
    assert texts(inbox) == ["one"]


async def test_what_cannot_be_stored_in_time_is_asked_for_again(
    telegram: PretendedTelegram, channel: Channel, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Stuck(RecordingInbox):
        tries = 0

        async def receive(
            self, events: tuple[Inbound | SetAside, ...], *, cursor: str | None = None
        ) -> None:
            self.tries += 1
            if self.tries <= 2:
                await asyncio.Event().wait()
            await super().receive(events, cursor=cursor)

    monkeypatch.setattr(webhook, "STORE_LIMIT_S", 0.05)
    inbox = Stuck(cursor=webhook.CURSOR)
    telegram.says(ADA, "one")
    telegram.says(ADA, "two")
    async with running(channel, inbox):
        await inbox.wait_for(2)
    assert texts(inbox) == ["one", "two"]
    assert telegram.state.webhook.failure == "Wrong response from the webhook: 503"


async def test_a_store_that_breaks_is_no_acknowledgement(
    telegram: PretendedTelegram, channel: Channel
) -> None:
    class Broken(RecordingInbox):
        tries = 0

        async def receive(
            self, events: tuple[Inbound | SetAside, ...], *, cursor: str | None = None
        ) -> None:
            self.tries += 1
            if self.tries == 1:
                raise OSError("no space left")
            await super().receive(events, cursor=cursor)

    inbox = Broken(cursor=webhook.CURSOR)
    telegram.says(ADA, "one")
    async with running(channel, inbox):
        await inbox.wait_for(1)
    assert telegram.state.webhook.failure == "Wrong response from the webhook: 500"


async def test_what_makes_no_sense_is_set_aside_and_acknowledged(
    telegram: PretendedTelegram, channel: Channel, port: int
) -> None:
    secret = secret_for(telegram.token).get_secret_value()
    telegram.push({"message": {"message_id": 1, "chat": {"id": ADA}, "text": "no date"}})
    telegram.says(ADA, "still there?")
    inbox = RecordingInbox(cursor=webhook.CURSOR)
    async with running(channel, inbox):
        await inbox.wait_for(2)
        statuses = [
            await call(port, body, secret=secret)
            for body in (b"{", b"7", b"\xff\xfe", b"", b"[" * 100_000)
        ]
    assert statuses == [200] * 5
    kinds = [type(event).__name__ for event in inbox.events]
    assert kinds == ["SetAside", "InboundMessage", *["SetAside"] * 5]


async def test_strangers_are_not_heard(
    telegram: PretendedTelegram, channel: Channel, port: int
) -> None:
    secret = secret_for(telegram.token).get_secret_value()
    update = json.dumps({"update_id": 1}).encode()
    inbox = RecordingInbox(cursor=webhook.CURSOR)
    async with running(channel, inbox):
        assert await call(port, update) == 403
        assert await call(port, update, secret=secret[:-1]) == 403
        assert await call(port, update, secret="\u00e9") == 403
        assert await call(port, update, secret=secret, method="GET") == 405
        assert await call(port, update, secret=secret, path="/") == 404
        assert await call(port, b"x" * (webhook.MAX_BODY_BYTES + 1), secret=secret) == 413
        assert await call(port, update, secret=secret) == 200
    assert inbox.events == []


async def test_a_header_that_is_no_text_is_a_strangers(
    telegram: PretendedTelegram, channel: Channel, port: int
) -> None:
    async with running(channel, _inbox()):
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        head = b"POST /hook HTTP/1.1\r\nHost: a\r\nContent-Length: 0\r\nConnection: close\r\n"
        writer.write(head + SECRET_HEADER.encode() + b": \xff\xfe\r\n\r\n")
        status = await reader.readline()
        writer.close()
        await writer.wait_closed()
    assert b" 403 " in status


async def test_the_secret_is_in_no_log(telegram: PretendedTelegram, channel: Channel) -> None:
    secret = secret_for(telegram.token).get_secret_value()
    telegram.says(ADA, "one")
    inbox = RecordingInbox()
    with captured_logs() as lines:
        async with running(channel, inbox):
            await inbox.wait_for(1)
    assert [line for line in lines() if secret in line or telegram.token in line] == []


async def test_a_press_is_answered(telegram: PretendedTelegram, channel: Channel) -> None:
    telegram.says(ADA, "one")
    telegram.presses(ADA, 1, "Tok3n")
    async with running(channel, _inbox()):
        await telegram.wait_until(lambda: bool(telegram.state.called("answerCallbackQuery")))
    assert telegram.state.open_presses == set()


async def test_trouble_is_told_and_its_end(
    telegram: PretendedTelegram,
    channel: Channel,
    clock: WatchedClock,
    caplog: pytest.LogCaptureFixture,
) -> None:
    class Broken(RecordingInbox):
        is_broken = True

        async def receive(
            self, events: tuple[Inbound | SetAside, ...], *, cursor: str | None = None
        ) -> None:
            if self.is_broken:
                raise OSError("no space left")
            await super().receive(events, cursor=cursor)

    inbox = Broken(cursor=webhook.CURSOR)
    async with running(channel, inbox):
        await clock.wait_for_naps(1)
        telegram.says(ADA, "one")
        await telegram.wait_until(lambda: bool(telegram.state.webhook.failure))
        await clock.advance(CHECK_S)
        await clock.wait_for_naps(2)
        inbox.is_broken = False
        await inbox.wait_for(1)
        await telegram.wait_until(lambda: not telegram.has_waiting)
        await clock.advance(1)
        await clock.wait_for_naps(3)
    trouble = "Telegram cannot deliver to the webhook: Wrong response from the webhook: 500"
    assert inbox.troubles == [trouble, ""]
    assert clock.naps == [CHECK_S, 1.0, CHECK_S]
    assert "telegram.webhook_failing" in caplog.messages


async def test_a_proxy_that_refuses_for_good_is_told_and_stays_told(
    telegram: PretendedTelegram, clock: WatchedClock, port: int
) -> None:
    """The webhook is set anew each time, and by that Telegram forgets the failure."""

    async def refuse(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readuntil(b"\r\n\r\n")
        writer.write(b"HTTP/1.1 403 Forbidden\r\nContent-Length: 0\r\nConnection: close\r\n\r\n")
        await writer.drain()
        writer.close()

    inbox = _inbox()
    async with await asyncio.start_server(refuse, "127.0.0.1", 0) as proxy:
        url = f"http://127.0.0.1:{proxy.sockets[0].getsockname()[1]}/hook"
        async with running(build(settings(telegram, port, webhook_url=url), clock), inbox):
            await clock.wait_for_naps(1)
            telegram.says(ADA, "one")
            await telegram.wait_until(lambda: bool(telegram.state.webhook.failure))
            for naps in range(2, 6):
                await clock.advance(CHECK_S)
                await clock.wait_for_naps(naps)
    assert len(telegram.state.called("setWebhook")) > 1
    trouble = "Telegram cannot deliver to the webhook: Wrong response from the webhook: 403"
    assert inbox.troubles == [trouble]


async def test_a_webhook_that_somebody_took_away_is_set_again(
    telegram: PretendedTelegram,
    channel: Channel,
    clock: WatchedClock,
    caplog: pytest.LogCaptureFixture,
) -> None:
    caplog.set_level(logging.INFO, "channels.telegram")
    inbox = _inbox()
    async with running(channel, inbox):
        await clock.wait_for_naps(1)
        telegram.state.webhook.url = ""
        telegram.says(ADA, "one")
        await clock.advance(CHECK_S)
        await inbox.wait_for(1)
    assert texts(inbox) == ["one"]
    ours = [each.message for each in caplog.records if each.name.startswith("channels.telegram")]
    assert ours == ["telegram.webhook_set", "telegram.webhook_lost", "telegram.webhook_set"]


async def test_an_outage_at_the_start_is_waited_out(
    telegram: PretendedTelegram, channel: Channel, clock: WatchedClock
) -> None:
    telegram.fail("getMe", "server_error")
    telegram.fail("setWebhook", "rate_limited", retry_after_s=9)
    telegram.says(ADA, "one")
    inbox = _inbox()
    run = asyncio.create_task(channel.run(inbox))
    await clock.wait_for_naps(1)
    await clock.advance(1)
    await clock.wait_for_naps(2)
    await clock.advance(9)
    await inbox.wait_for(1)
    run.cancel()
    await asyncio.wait({run})
    await channel.close()
    assert clock.naps[:2] == [1.0, 9.0]


async def test_a_place_that_is_taken_is_waited_for(
    telegram: PretendedTelegram, channel: Channel, clock: WatchedClock, port: int
) -> None:
    inbox = _inbox()
    with socket.socket() as other:
        other.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        other.bind(("127.0.0.1", port))
        other.listen()
        run = asyncio.create_task(channel.run(inbox))
        await clock.wait_for_naps(1)
    await clock.advance(1)
    await inbox.wait_until_receiving()
    run.cancel()
    await asyncio.wait({run})
    await channel.close()
    assert inbox.troubles[0].startswith(f"cannot listen at 127.0.0.1:{port}: ")


async def test_a_refused_token_ends_the_run(telegram: PretendedTelegram, channel: Channel) -> None:
    telegram.fail("getWebhookInfo", "unauthorised")
    with pytest.raises(ChannelAuthError, match=r"channels\.telegram\.token"):
        await channel.run(_inbox())
    await channel.close()


async def test_back_to_polling_the_webhook_goes_and_nothing_else(
    telegram: PretendedTelegram, channel: Channel, clock: WatchedClock
) -> None:
    inbox = RecordingInbox()
    telegram.says(ADA, "one")
    async with running(channel, inbox):
        await inbox.wait_for(1)
    telegram.says(ADA, "two")
    settings = Settings(token=SecretStr(telegram.token), base_url=telegram.base_url)
    polling = build(settings, clock)
    run = asyncio.create_task(polling.run(inbox))
    await telegram.wait_until(lambda: bool(telegram.state.called("deleteWebhook")))
    await clock.wait_for_naps(2)
    await clock.advance(1)
    await inbox.wait_for(2)
    run.cancel()
    await asyncio.wait({run})
    await polling.close()
    assert texts(inbox) == ["one", "two"]
    assert inbox.cursors == ["webhook", None, "77000077:1002"]
