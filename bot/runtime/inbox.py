"""The inbox as one channel sees it."""

from __future__ import annotations

import asyncio
import contextlib
import logging
from collections import deque
from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass
from datetime import datetime
from typing import Protocol

from bot.core.chat import ChatAddress, HeardChat, Inbound, InboundMessage, SessionKey
from bot.core.lifecycle import SetAside, address_of
from bot.errors import StoreError, StoreLost
from bot.ports import Clock, Lifecycle, Screens
from bot.runtime.activity import Activity
from bot.runtime.health import ChannelBook
from bot.runtime.storing import STORE_RETRY_S

logger = logging.getLogger(__name__)


class Receive(Protocol):
    """Stores what happened in a channel, and its cursor, in one transaction."""

    async def __call__(
        self, channel: str, events: tuple[Inbound | SetAside, ...], cursor: str | None
    ) -> None:
        """Return after the commit."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class InboxParts:
    """What the inboxes of all channels work with.

    Attributes:
        overhears: Says of a message whether it stands where the bot listens to all.
    """

    receive: Receive
    overhears: Callable[[InboundMessage], bool]
    lifecycle: Lifecycle
    clock: Clock
    activity: Activity
    book: ChannelBook
    screens: Screens


class ChannelInbox:
    """:class:`bot.ports.Inbox` for one channel.

    What the store refuses is held here until it is stored: a platform repeats an event only so
    often, and is told of none before. What comes meanwhile waits behind it. Events of one chat are
    stored in the order in which they came, and so are cursors; chats are stored side by side, which
    the store commits together.
    """

    def __init__(self, channel: str, parts: InboxParts) -> None:
        self._channel = channel
        self._receive = parts.receive
        self._overhears = parts.overhears
        self._lifecycle = parts.lifecycle
        self._clock = parts.clock
        self._activity = parts.activity
        self._book = parts.book
        self._screens = parts.screens
        self._unstored = asyncio.Lock()
        self._lines = _Lines()

    @property
    def screens(self) -> Screens:
        """What people are shown beside the chat."""
        return self._screens

    async def cursor(self) -> str | None:
        """Read how far the channel had got."""
        return await self._lifecycle.cursor(self._channel)

    async def receive(
        self, events: tuple[Inbound | SetAside, ...], *, cursor: str | None = None
    ) -> None:
        """Store what happened; only after that may the platform be told.

        Raises:
            StoreLost: It will never be stored.
        """
        lines = {
            None if isinstance(event, SetAside) else address_of(event).session_key
            for event in events
        }
        async with self._lines.stand(lines if cursor is None else {*lines, None}):
            if not self._unstored.locked() and await self._is_stored(events, cursor):
                return
            async with self._unstored:
                while not await self._is_stored(events, cursor):
                    await self._clock.sleep(STORE_RETRY_S)

    def receiving(self, *, again_in_s: float | None = None) -> None:
        """Take note that the channel gets events."""
        self._book.note(self._channel, "receiving", again_in_s=again_in_s)

    def failing(self, reason: str) -> None:
        """Take note that the channel gets none."""
        self._book.note(self._channel, "failing", reason)

    async def settled(self, address: ChatAddress) -> None:
        """Wait until everything received in a chat is answered and delivered."""
        await self._activity.idle(address.session_key)

    async def concerns(self, message: InboundMessage) -> bool:
        """Say whether a message may be for the bot."""
        if message.is_addressed or self._overhears(message):
            return True
        return message.is_follow_up and await self._lifecycle.takes_part(
            message.address.session_key
        )

    async def heard_since(self, since: datetime, *, limit: int) -> tuple[HeardChat, ...]:
        """Give conversations of which something came in since a moment, newest first."""
        return await self._lifecycle.heard_since(self._channel, since, limit=limit)

    async def heard_in(self, address: ChatAddress, *, limit: int) -> tuple[HeardChat, ...]:
        """Give the conversations of a chat, newest first."""
        return await self._lifecycle.heard_in(address, limit=limit)

    async def received(self, address: ChatAddress, event_ids: tuple[str, ...]) -> frozenset[str]:
        """Give those of event ids that came in at an address."""
        return await self._lifecycle.received(address, event_ids)

    async def _is_stored(self, events: tuple[Inbound | SetAside, ...], cursor: str | None) -> bool:
        try:
            await self._receive(self._channel, events, cursor)
        except StoreLost:
            raise
        except StoreError as error:
            if not self._unstored.locked():  # one line an outage, not one an attempt
                about = {"channel": self._channel, "events": len(events), "why": str(error)}
                logger.error("inbox.not_stored", extra=about)  # noqa: TRY400 - no traceback needed
            return False
        return True


class _Lines:
    """A line for each chat, and one for what belongs to none; who came first is first in all."""

    def __init__(self) -> None:
        self._lines: dict[SessionKey | None, deque[asyncio.Event]] = {}

    @contextlib.asynccontextmanager
    async def stand(self, keys: set[SessionKey | None]) -> AsyncIterator[None]:
        """Wait at the end of these lines, and leave them after the block."""
        at_front = asyncio.Event()
        lines = {key: self._lines.setdefault(key, deque()) for key in keys}
        for line in lines.values():
            line.append(at_front)
        try:
            while any(line[0] is not at_front for line in lines.values()):
                at_front.clear()
                await at_front.wait()
            yield
        finally:
            for key, line in lines.items():
                line.remove(at_front)
                if line:
                    line[0].set()
                else:
                    del self._lines[key]
