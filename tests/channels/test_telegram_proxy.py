"""What stands between the bot and Telegram is named where it fails, and the token never."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest
from pydantic import SecretStr

from bot.api import ChannelError
from bot.testing.channels import RecordingInbox, WatchedClock
from bot.testing.company_proxy import CompanyProxy
from channels.telegram import Settings, build
from channels.telegram.client import Client
from channels.telegram.examine import Subject, examine
from channels.telegram.limits import Limiter

TOKEN = "7:" + "a" * 35
AWAY = 'the proxy cannot be reached: look at "proxy"'


@asynccontextmanager
async def one_that_hangs_up() -> AsyncIterator[str]:
    """Serve as a proxy that takes leave as soon as it has said that there is a connection."""

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readuntil(b"\r\n\r\n")
        writer.write(b"HTTP/1.1 200 Connection established\r\n\r\n")
        writer.close()

    server = await asyncio.start_server(serve, "127.0.0.1", 0)
    async with server:
        yield f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}"


@pytest.fixture
def behind(monkeypatch: pytest.MonkeyPatch) -> pytest.MonkeyPatch:
    for name in ("no_proxy", "NO_PROXY", "all_proxy", "ALL_PROXY"):
        monkeypatch.delenv(name, raising=False)
    for name in ("http_proxy", "https_proxy", "HTTP_PROXY", "HTTPS_PROXY"):
        monkeypatch.setenv(name, "http://127.0.0.1:9")
    return monkeypatch


async def told(clock: WatchedClock, base_url: str = "https://telegram.example") -> str:
    client = Client(TOKEN, base_url, Limiter(clock, 0))
    try:
        with pytest.raises(ChannelError) as raised:
            await client.ask("getMe", {})
    finally:
        await client.close()
    assert TOKEN not in str(raised.value)
    return str(raised.value)


async def test_a_proxy_that_is_not_there(behind: pytest.MonkeyPatch, clock: WatchedClock) -> None:
    assert await told(clock) == f"Telegram: {AWAY}"


async def test_receiving_says_so_in_the_log_and_where_health_is_asked_for(
    behind: pytest.MonkeyPatch, clock: WatchedClock, caplog: pytest.LogCaptureFixture
) -> None:
    settings = Settings(token=SecretStr(TOKEN), base_url="https://telegram.example")
    channel, inbox = build(settings, clock), RecordingInbox()
    run = asyncio.create_task(channel.run(inbox))
    with caplog.at_level(logging.WARNING):
        await clock.wait_for_naps(1)
    run.cancel()
    await asyncio.wait({run})
    await channel.close()

    assert inbox.troubles == [f"Telegram: {AWAY}"]
    assert [each.__dict__["reason"] for each in caplog.records] == [f"Telegram: {AWAY}"]


async def test_doctor_says_so(behind: pytest.MonkeyPatch, clock: WatchedClock) -> None:
    subject = Subject(address=f"https://telegram.example/bot{TOKEN}")
    (found,) = await examine(subject, clock)

    assert ("reach", "broken") == (found.check, found.grade)
    assert found.seen == f"Telegram cannot be reached ({AWAY})"


async def test_a_proxy_that_refuses(behind: pytest.MonkeyPatch, clock: WatchedClock) -> None:
    async with CompanyProxy({}, user="bot", password="p" * 9) as proxy:
        behind.setenv("https_proxy", f"http://{proxy.place}")
        behind.setenv("HTTPS_PROXY", f"http://{proxy.place}")
        answer = 'the proxy answers "407 Proxy Authentication Required": look at "proxy"'

        assert await told(clock) == f"Telegram: {answer}"


async def test_a_proxy_that_breaks_off_is_not_one_that_is_away(
    behind: pytest.MonkeyPatch, clock: WatchedClock
) -> None:
    async with one_that_hangs_up() as address:
        behind.setenv("https_proxy", address)
        behind.setenv("HTTPS_PROXY", address)

        assert 'the proxy broke the connection off: look at "proxy"' in await told(clock)


async def test_without_a_proxy_none_is_blamed(
    behind: pytest.MonkeyPatch, clock: WatchedClock
) -> None:
    behind.setenv("no_proxy", "127.0.0.1")

    assert "proxy" not in await told(clock, "http://127.0.0.1:9")
