"""The Slack channel: what the bot sees of Slack."""

from __future__ import annotations

import asyncio
import importlib
import logging
from typing import TYPE_CHECKING

from bot.api import (
    Capabilities,
    Channel,
    ChannelAuthError,
    ChannelError,
    ChatAddress,
    Clock,
    Inbox,
    Receipt,
    Reply,
)
from channels.slack.names import NameBook
from channels.slack.settings import CHANNEL, Settings
from channels.slack.text import COMMAND_PREFIX, MAX_MARKDOWN_CHARS, split

if TYPE_CHECKING:
    from channels.slack.web import WebApi

logger = logging.getLogger(__name__)

STATUS = "is thinking…"

_SDK_MODULES = ("channels.slack.web", "channels.slack.receiver", "channels.slack.socket_mode")
"""The modules that import the SDK, which takes most of a second."""


class SlackChannel:
    """One workspace, seen by one bot."""

    def __init__(self, settings: Settings, clock: Clock) -> None:
        self._settings = settings
        self._clock = clock
        self._web: WebApi | None = None
        self._opening = asyncio.Lock()

    @property
    def name(self) -> str:
        """``slack``."""
        return CHANNEL

    @property
    def capabilities(self) -> Capabilities:
        """Messages can be edited and found; a status stands for "is typing", two minutes long."""
        return Capabilities(
            max_text_length=MAX_MARKDOWN_CHARS,
            can_edit=True,
            command_prefix=COMMAND_PREFIX,
            preview_interval_s=1.5,
            typing_interval_s=60.0,
            finds_sent=True,
        )

    async def run(self, inbox: Inbox) -> None:
        """Receive until cancelled.

        Raises:
            ChannelAuthError: Slack refused one of the tokens.
        """
        web = await self._api()
        from channels.slack.receiver import Receiver, StoreFirst
        from channels.slack.socket_mode import Persistence, SocketMode

        persistence = Persistence(self._clock, inbox.failing)
        identity = await persistence.succeed(web.identify)
        try:
            async with asyncio.TaskGroup() as background:
                names = NameBook(web.name_of, self._clock)
                listened = self._settings.channels
                channels = None if listened is None else frozenset(listened)
                receiver = Receiver(web, StoreFirst(inbox, identity, names, background, channels))
                socket_mode = SocketMode(web, persistence, background)
                await socket_mode.serve(receiver.take, inbox.receiving)
        except BaseExceptionGroup as group:  # a task group wraps what its body raises
            refused = group.subgroup(ChannelAuthError)
            if refused is None:
                raise
            raise refused.exceptions[0] from None

    def split(self, text: str) -> tuple[str, ...]:
        """Cut CommonMark into texts of one message each, losing nothing."""
        return split(text)

    async def send(self, reply: Reply) -> Receipt:
        """Post one message; in a channel it stands in the thread of the conversation."""
        web = await self._api()
        return Receipt(message_id=await web.post(reply.address, reply.text, reply.key))

    async def edit(self, receipt: Receipt, reply: Reply) -> None:
        """Change a message that was posted."""
        web = await self._api()
        await web.update(reply.address, receipt.message_id, reply.text)

    async def find_sent(self, reply: Reply) -> Receipt | None:
        """Look for a reply among what was written last; no clock has a say in it."""
        web = await self._api()
        ts = await web.find(reply.address, reply.key)
        return None if ts is None else Receipt(message_id=ts)

    async def show_draft(self, address: ChatAddress, draft_id: int, text: str) -> None:
        """Do nothing: Slack shows no text without leaving a message."""

    async def show_typing(self, address: ChatAddress) -> None:
        """Show a status where Slack has a place for it: in a thread."""
        if not address.thread:
            return
        web = await self._api()
        try:
            await web.set_status(address, STATUS)
        except ChannelError as error:
            logger.debug("typing.not_shown", extra={"channel": CHANNEL, "reason": str(error)})

    async def close(self) -> None:
        """Give the connections back; what is being sent is cut off."""
        async with self._opening:
            web, self._web = self._web, None
        if web is not None:
            await web.close()

    async def _api(self) -> WebApi:
        async with self._opening:
            if self._web is None:
                for module in _SDK_MODULES:
                    await asyncio.to_thread(importlib.import_module, module)
                from channels.slack.web import WebApi

                self._web = WebApi(self._settings)
            return self._web


def build(settings: Settings, clock: Clock) -> Channel:
    """Make the channel; nothing is imported, connected or checked yet."""
    return SlackChannel(settings, clock)
