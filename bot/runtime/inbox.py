"""The inbox as one channel sees it."""

from __future__ import annotations

import asyncio
import contextlib
import logging
from collections import deque
from collections.abc import AsyncIterator
from typing import Protocol

from bot.core.chat import ChatAddress, Inbound, SessionKey
from bot.core.lifecycle import SetAside, address_of
from bot.errors import StoreError, StoreLost
from bot.ports import Clock, Lifecycle
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


class ChannelInbox:
    """:class:`bot.ports.Inbox` for one channel.

    What the store refuses is held here until it is stored: a platform repeats an event only so
    often, and is told of none before. What comes meanwhile waits behind it. Events of one chat are
    stored in the order in which they came, and so are cursors; chats are stored side by side, which
    the store commits together.
    """

    def __init__(
        self,
        channel: str,
        receive: Receive,
        lifecycle: Lifecycle,
        clock: Clock,
        activity: Activity,
        book: ChannelBook,
    ) -> None:
        self._channel = channel
        self._receive = receive
        self._lifecycle = lifecycle
        self._clock = clock
        self._activity = activity
        self._book = book
        self._unstored = asyncio.Lock()
        self._lines = _Lines()

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

    def receiving(self) -> None:
        """Take note that the channel gets events."""
        self._book.note(self._channel, "receiving")

    def failing(self, reason: str) -> None:
        """Take note that the channel gets none."""
        self._book.note(self._channel, "failing", reason)

    async def settled(self, address: ChatAddress) -> None:
        """Wait until everything received in a chat is answered and delivered."""
        await self._activity.idle(address.session_key)

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
