"""The Bot API as this channel uses it, on python-telegram-bot."""

from __future__ import annotations

import asyncio
from pathlib import Path

from telegram.error import TelegramError, TimedOut
from telegram.request import HTTPXRequest

from bot.api import ChatAddress
from channels.telegram.connection import BoundedRequest, RawBot
from channels.telegram.failures import failure_of
from channels.telegram.files import Files
from channels.telegram.inbound import BotIdentity
from channels.telegram.limits import Limiter
from channels.telegram.outgoing import thread_of
from channels.telegram.posting import Poster
from channels.telegram.token import guard_logs

POLL_MARGIN_S = 10
"""How much longer than Telegram's own waiting an answer may stay silent; once more for the rest."""


class Client:
    """One bot's connections to Telegram.

    What serves receiving raises the SDK's ``TelegramError``, all else the bot's errors.
    """

    def __init__(
        self,
        token: str,
        base_url: str,
        limiter: Limiter,
        *,
        takes_rich: bool = False,
        server_files: Path | None = None,
    ) -> None:
        guard_logs()
        self._requests = (
            HTTPXRequest(connection_pool_size=2, connect_timeout=10),
            BoundedRequest(),
        )
        self._bot = RawBot(
            token=token,
            base_url=f"{base_url}/bot",
            base_file_url=f"{base_url}/file/bot",
            get_updates_request=self._requests[0],
            request=self._requests[1],
        )
        self._files = Files(self._bot, server_files)
        self._poster = Poster(self._bot, limiter, takes_rich=takes_rich)

    async def identity(self) -> BotIdentity:
        """Ask who the bot is."""
        return await self._bot.raw_identity()

    async def updates(self, offset: int | None, timeout_s: int) -> list[object]:
        """Fetch raw updates from ``offset`` on, waiting up to ``timeout_s`` for the first.

        A connection that says nothing, or goes on for ever without coming to an end, is given up:
        the SDK's limits are for each piece that arrives, and a proxy can keep sending pieces.
        """
        limit_s = timeout_s + 2 * POLL_MARGIN_S
        try:
            async with asyncio.timeout(limit_s):
                return await self._bot.raw_updates(
                    offset, timeout_s, read_timeout_s=timeout_s + POLL_MARGIN_S
                )
        except TimeoutError:
            raise TimedOut(f"no answer to a poll within {limit_s} s") from None

    async def call(self, method: str, parameters: dict[str, object]) -> object:
        """Call a method of the Bot API and give its result as it came."""
        return await self._bot.raw_result(method, parameters)

    async def ask(self, method: str, parameters: dict[str, object]) -> object:
        """Call a method for whoever does not receive; doing so twice must do no harm.

        Raises:
            ChannelError: There is no answer, or a refusal.
        """
        try:
            return await self.call(method, parameters)
        except TelegramError as error:
            raise failure_of(error, is_repeatable=True) from error

    async def delete_webhook(self) -> None:
        """Let updates be fetched; those that wait are kept."""
        await self._bot.delete_webhook(drop_pending_updates=False)

    @property
    def poster(self) -> Poster:
        """What brings messages to Telegram."""
        return self._poster

    async def show_typing(self, address: ChatAddress) -> None:
        """Show for some seconds that something is being written.

        Raises:
            ChannelError: It was not shown.
        """
        try:
            await self._bot.send_chat_action(
                int(address.chat), "typing", message_thread_id=thread_of(address.thread)
            )
        except TelegramError as error:
            raise failure_of(error, is_repeatable=True) from error

    async def fetch(self, file_id: str) -> bytes:
        """Give the content of a file.

        Raises:
            ChannelError: It cannot be had.
        """
        return await self._files.fetch(file_id)

    async def close(self) -> None:
        """Close all connections."""
        await self._files.close()
        for request in self._requests:
            await request.shutdown()
