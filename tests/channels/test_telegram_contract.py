"""Telegram keeps the contract of channels."""

import socket
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from pydantic import SecretStr

from bot.api import Channel, ChatAddress, Inbound, SetAside
from bot.testing.channels import RETRY_AFTER_S, ChannelContract, Failure, WatchedClock
from bot.testing.clock import START
from bot.testing.telegram_rules import Json, person
from bot.testing.telegram_server import PretendedTelegram
from channels.telegram import Settings, build
from channels.telegram.inbound import BotIdentity
from channels.telegram.intake import read_update
from channels.telegram.webhook import CHECK_S

PERSON = 1001
GROUP = -100200
PAYLOADS = Path(__file__).parent.parent / "data" / "channels" / "telegram"
THREADS = {"one": 11, "two": 12}


class TelegramHarness:
    """People on the pretended Telegram."""

    def __init__(self, telegram: PretendedTelegram) -> None:
        self._telegram = telegram
        self._token = telegram.token
        self.clock = WatchedClock()
        self.secrets = (telegram.token, telegram.token.split(":")[1])
        self.payloads = PAYLOADS
        self.address = ChatAddress(
            channel="telegram", account=str(telegram.bot["id"]), chat=str(PERSON)
        )
        telegram.state.chat(PERSON, "private")

    def channel(self) -> Channel:
        settings = Settings(
            token=SecretStr(self._token), base_url=self._telegram.base_url, messages_per_second=0
        )
        return build(settings, self.clock)

    async def says(self, text: str, *, thread: str = "") -> str:
        if thread:
            update = self._telegram.says(
                GROUP,
                f"@daybook_bot {text}",
                chat_type="supergroup",
                thread=THREADS[thread],
                sender=person(PERSON),
            )
        else:
            update = self._telegram.says(PERSON, text)
        return message_id_of(update)

    async def edits(self, message_id: str, text: str) -> None:
        self._telegram.edits_message(PERSON, int(message_id), text)

    async def deletes(self, message_id: str) -> bool:
        return False

    async def makes_noise(self) -> None:
        other: Json = {"id": 555, "is_bot": True, "first_name": "Other"}
        for sender in (other, self._telegram.bot):
            self._telegram.says(GROUP, "@daybook_bot hi", chat_type="supergroup", sender=sender)
        self._telegram.says(GROUP, "", chat_type="supergroup", new_chat_members=[other])

    async def redeliver(self) -> None:
        self._telegram.redeliver()

    async def fail_next(self, kind: Failure) -> None:
        match kind:
            case "rate_limited":
                self._telegram.fail("sendMessage", "rate_limited", retry_after_s=RETRY_AFTER_S)
            case "unauthorised_send":
                self._telegram.fail("sendMessage", "unauthorised")
            case "unauthorised_run":
                self._telegram.fail("getUpdates", "unauthorised")
            case "disconnect":
                self._telegram.fail("getUpdates", "drop_before")

    def delivered(self) -> tuple[str, ...]:
        return tuple(call.text for call in self._telegram.sent)

    def read(self, raw: object) -> Inbound | None:
        read = read_update(raw, BotIdentity(id=77_000_077, username="daybook_bot"), START)
        assert not isinstance(read, SetAside)
        return read


def message_id_of(update: Json) -> str:
    message = update["message"]
    assert isinstance(message, dict)
    return str(message["message_id"])


class TestTelegram(ChannelContract):
    """All of the contract."""

    @pytest.fixture
    async def harness(self) -> AsyncIterator[TelegramHarness]:
        async with PretendedTelegram() as telegram:
            yield TelegramHarness(telegram)


class WebhookHarness(TelegramHarness):
    """The same people, with a bot that is called."""

    def __init__(self, telegram: PretendedTelegram) -> None:
        super().__init__(telegram)
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self._port: int = free.getsockname()[1]

    def channel(self) -> Channel:
        settings = Settings(
            token=SecretStr(self._token),
            base_url=self._telegram.base_url,
            messages_per_second=0,
            mode="webhook",
            webhook_url=f"http://127.0.0.1:{self._port}/hook",
            webhook_port=self._port,
        )
        return build(settings, self.clock)

    async def fail_next(self, kind: Failure) -> None:
        match kind:
            case "unauthorised_run":
                self._telegram.fail("getWebhookInfo", "unauthorised")
            case "disconnect":
                await self.clock.wait_for_naps(1)
                self._telegram.fail("getWebhookInfo", "drop_before")
                await self.clock.advance(CHECK_S)
            case _:
                await super().fail_next(kind)


class TestTelegramByWebhook(ChannelContract):
    """All of it again."""

    @pytest.fixture
    async def harness(self) -> AsyncIterator[TelegramHarness]:
        async with PretendedTelegram() as telegram:
            yield WebhookHarness(telegram)
