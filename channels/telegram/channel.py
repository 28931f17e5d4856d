"""The channel's face to the bot; what needs the SDK is behind :meth:`TelegramChannel._connect`."""

from __future__ import annotations

import asyncio
import importlib
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from pydantic import SecretStr

from bot.api import (
    Attachment,
    Capabilities,
    ChatAddress,
    Clock,
    EarlierMessage,
    Finding,
    Inbox,
    MenuEntry,
    Receipt,
    Reply,
    Role,
    Sender,
    split_markdown,
)
from channels.telegram.cursor import read_cursor
from channels.telegram.first_look import take_first_look
from channels.telegram.limits import OVERALL_PER_S, Limiter
from channels.telegram.menu import Menu
from channels.telegram.outage import AGAIN_IN_S
from channels.telegram.roles import Roles
from channels.telegram.webhook_place import WebhookPlace

if TYPE_CHECKING:
    from channels.telegram.client import Client

CAPABILITIES = Capabilities(
    max_text_length=4096,
    can_edit=True,
    shows_drafts=True,
    preview_interval_s=1.0,
    typing_interval_s=4.0,
    has_buttons=True,
    sends_files=True,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Manner:
    """How messages are sent, and files fetched.

    Attributes:
        per_second: Over all chats; 0 for a server without limits.
        server_files: The folder on this machine's disk in which the server keeps files, if it does.
    """

    per_second: int = OVERALL_PER_S
    takes_rich: bool = False
    server_files: Path | None = None


class TelegramChannel:
    """:class:`bot.ports.Channel` for one Telegram bot."""

    def __init__(
        self,
        *,
        token: SecretStr,
        base_url: str,
        groups: frozenset[int] | None,
        clock: Clock,
        webhook: WebhookPlace | None = None,
        manner: Manner = Manner(),
    ) -> None:
        self._token = token
        self._base_url = base_url
        self._groups = groups
        self._webhook = webhook
        self._clock = clock
        self._manner = manner
        self._limiter = Limiter(clock, manner.per_second)
        self._client: Client | None = None
        self._connecting = asyncio.Lock()
        self._roles = Roles(self._ask, clock)
        self._menu = Menu(self._ask)

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
        if self._webhook is not None:
            await self._listen(inbox, self._webhook)
            return
        offset = read_cursor(await inbox.cursor(), bot_id=int(token.partition(":")[0]))
        address = f"{self._base_url}/bot{token}"
        look = await take_first_look(address, offset)
        if look is not None:
            inbox.receiving(again_in_s=AGAIN_IN_S)
        client = await self._connect()
        from channels.telegram.intake import open_intake  # imported by now, with the SDK
        from channels.telegram.receive import Receiver

        async with open_intake(client, inbox, self._clock, self._groups) as intake:
            await Receiver(client, intake, inbox, self._clock).run(offset, look)

    async def _listen(self, inbox: Inbox, place: WebhookPlace) -> None:
        client = await self._connect()
        await asyncio.to_thread(importlib.import_module, "channels.telegram.webhook")
        from channels.telegram.intake import open_intake
        from channels.telegram.webhook import WebhookReceiver

        async with open_intake(client, inbox, self._clock, self._groups) as intake:
            await WebhookReceiver(client, place, intake, inbox, self._clock).run()

    def split(self, text: str) -> tuple[str, ...]:
        """Cut Markdown so that each part fits into one message with all its formatting."""
        from channels.telegram.render import fits  # a tenth of a second at its first import

        return split_markdown(text, fits)

    async def ready(self, address: ChatAddress) -> None:
        """Wait until Telegram's limits let a message into a chat, and keep its place for it."""
        await self._limiter.reserve(int(address.chat))

    async def send(self, reply: Reply) -> Receipt:
        """Send one message.

        Raises:
            ChannelAuthError: The token is refused.
            DeliveryError: It was not sent.
            FateUnknown: It may have been sent.
        """
        client = await self._connect()
        return Receipt(message_id=str(await client.poster.send(reply)))

    async def edit(self, receipt: Receipt, reply: Reply) -> None:
        """Give a message that was sent another text.

        Raises:
            ChannelAuthError: The token is refused.
            DeliveryError: It was not changed, or not for sure; doing it again does no harm.
        """
        client = await self._connect()
        await client.poster.edit(reply, int(receipt.message_id))

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
        await client.poster.show_draft(Reply(address=address, text=shown), draft_id)

    async def show_typing(self, address: ChatAddress) -> None:
        """Show for five seconds that something is being written.

        Raises:
            ChannelError: It was not shown, or Telegram asks for fewer requests in this chat.
        """
        client = await self._connect()
        await client.show_typing(address)

    async def fetch(self, attachment: Attachment) -> bytes:
        """Give the content of a file that came with a message.

        Raises:
            ChannelAuthError: The token is refused.
            FileTooLarge: It has more than ``MOST_FILE_BYTES``.
            DeliveryError: It cannot be had, now or ever.
        """
        client = await self._connect()
        return await client.fetch(attachment.handle)

    async def earlier(
        self, address: ChatAddress, message_id: str, *, limit: int
    ) -> tuple[EarlierMessage, ...]:
        """Give nothing: a bot cannot read what stands in a chat."""
        return ()

    async def role_of(self, address: ChatAddress, sender: Sender) -> Role:
        """Say what somebody is in a group, as it was within the last minutes.

        Raises:
            ChannelError: Telegram does not say.
        """
        return await self._roles.role_of(address, sender)

    async def offer_commands(
        self,
        entries: tuple[MenuEntry, ...],
        admins: tuple[ChatAddress, ...],
        *,
        former: tuple[ChatAddress, ...] = (),
    ) -> None:
        """Set what Telegram lists at the ``/``, as far as it changed since the last time.

        Raises:
            ChannelError: Not all of it could be set.
        """
        await self._menu.offer(entries, admins, former)

    async def examine(self, *, is_running: bool) -> tuple[Finding, ...]:
        """Look at token, clock, groups, the way of receiving and the menu; a poll takes 4 s."""
        from channels.telegram.examine import Subject, examine

        subject = Subject(
            address=f"{self._base_url}/bot{self._token.get_secret_value()}",
            webhook_url=None if self._webhook is None else self._webhook.url,
            groups=self._groups,
            is_running=is_running,
        )
        return await examine(subject, self._clock)

    async def close(self) -> None:
        """Close all connections; the channel could be used again."""
        async with self._connecting:
            client, self._client = self._client, None
        if client is not None:
            await client.close()

    async def _ask(self, method: str, parameters: dict[str, object]) -> object:
        client = await self._connect()
        return await client.ask(method, parameters)

    async def _connect(self) -> Client:
        """Give the client, importing the SDK beside the event loop at the first call."""
        async with self._connecting:
            if self._client is None:
                self._client = await asyncio.to_thread(self._open_client)
            return self._client

    def _open_client(self) -> Client:
        from channels.telegram import receive  # noqa: F401 - so that run finds it imported
        from channels.telegram.client import Client

        return Client(
            self._token.get_secret_value(),
            self._base_url,
            self._limiter,
            takes_rich=self._manner.takes_rich,
            server_files=self._manner.server_files,
        )
