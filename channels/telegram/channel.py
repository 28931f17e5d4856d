"""The channel's face to the bot; what needs the SDK is behind :meth:`TelegramChannel._connect`."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from pydantic import SecretStr

from bot.api import (
    Capabilities,
    ChatAddress,
    Clock,
    Inbox,
    Receipt,
    Reply,
    split_markdown,
)
from channels.telegram.cursor import read_cursor
from channels.telegram.first_look import take_first_look

if TYPE_CHECKING:
    from channels.telegram.client import Client

CAPABILITIES = Capabilities(
    max_text_length=4096,
    can_edit=True,
    shows_drafts=True,
    preview_interval_s=1.0,
    typing_interval_s=4.0,
)


class TelegramChannel:
    """:class:`bot.ports.Channel` for one Telegram bot."""

    def __init__(
        self, *, token: SecretStr, base_url: str, groups: frozenset[int] | None, clock: Clock
    ) -> None:
        self._token = token
        self._base_url = base_url
        self._groups = groups
        self._clock = clock
        self._client: Client | None = None
        self._connecting = asyncio.Lock()

    @property
    def name(self) -> str:
        """The platform's name in addresses and settings."""
        return "telegram"

    @property
    def capabilities(self) -> Capabilities:
        """What Telegram can do; drafts are shown in private chats only."""
        return CAPABILITIES

    async def run(self, inbox: Inbox) -> None:
        """Receive until cancelled.

        Raises:
            ChannelAuthError: The token is refused.
        """
        token = self._token.get_secret_value()
        offset = read_cursor(await inbox.cursor(), bot_id=int(token.partition(":")[0]))
        address = f"{self._base_url}/bot{token}"
        look = await take_first_look(address, offset)
        if look is not None:
            inbox.receiving()
        client = await self._connect()
        from channels.telegram.receive import Receiver  # imported by now, with the SDK

        await Receiver(client, inbox, self._clock, self._groups).run(offset, look)

    def split(self, text: str) -> tuple[str, ...]:
        """Cut Markdown so that each part fits into one message with all its formatting."""
        from channels.telegram.render import fits  # a tenth of a second at its first import

        return split_markdown(text, fits)

    async def send(self, reply: Reply) -> Receipt:
        """Send one message.

        Raises:
            ChannelAuthError: The token is refused.
            DeliveryError: It was not sent.
            FateUnknown: It may have been sent.
        """
        client = await self._connect()
        return Receipt(message_id=str(await client.send(reply)))

    async def edit(self, receipt: Receipt, reply: Reply) -> None:
        """Give a message that was sent another text.

        Raises:
            ChannelAuthError: The token is refused.
            DeliveryError: It was not changed, or not for sure; doing it again does no harm.
        """
        client = await self._connect()
        await client.edit(reply, int(receipt.message_id))

    async def find_sent(self, reply: Reply) -> Receipt | None:
        """Find nothing: a bot cannot read what stands in a chat."""
        return None

    async def show_draft(self, address: ChatAddress, draft_id: int, text: str) -> None:
        """Show an unfinished answer in a private chat, of a long one the end; else nothing.

        Raises:
            ChannelError: It was not shown, or Telegram asks for fewer requests in this chat.
        """
        if int(address.chat) < 0 or not text.strip():
            return
        client = await self._connect()
        from channels.telegram.render import fits

        shown = text if fits(text) else self.split(text)[-1]
        await client.show_draft(Reply(address=address, text=shown), draft_id)

    async def show_typing(self, address: ChatAddress) -> None:
        """Show for five seconds that something is being written.

        Raises:
            ChannelError: It was not shown, or Telegram asks for fewer requests in this chat.
        """
        client = await self._connect()
        await client.show_typing(address)

    async def close(self) -> None:
        """Close all connections; the channel could be used again."""
        async with self._connecting:
            client, self._client = self._client, None
        if client is not None:
            await client.close()

    async def _connect(self) -> Client:
        """Give the client, importing the SDK beside the event loop at the first call."""
        async with self._connecting:
            if self._client is None:
                self._client = await asyncio.to_thread(self._open_client)
            return self._client

    def _open_client(self) -> Client:
        from channels.telegram import receive  # noqa: F401 - so that run finds it imported
        from channels.telegram.client import Client

        return Client(self._token.get_secret_value(), self._base_url)
