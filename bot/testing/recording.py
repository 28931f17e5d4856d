"""An inbox, a clock and a log that record, for tests of whatever receives.

What is waited for here is real I/O on loopback: always by events, and no longer than
:data:`~bot.testing.patience.PATIENCE_S`.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator, Callable, Iterator, Mapping
from contextlib import asynccontextmanager, contextmanager
from datetime import datetime

from bot.core.chat import ChatAddress, ChatKind, HeardChat, Inbound, InboundMessage, Sender
from bot.core.lifecycle import SetAside
from bot.core.screens import HomePage, SettingField
from bot.languages import Language, language_of
from bot.ports import Channel, Screens
from bot.testing.clock import FakeClock
from bot.testing.patience import PATIENCE_S


class WatchedClock(FakeClock):
    """A fake clock of which a test can await that somebody sleeps by it."""

    def __init__(self) -> None:
        super().__init__()
        self.naps: list[float] = []
        self._fell_asleep = asyncio.Condition()

    async def sleep(self, seconds: float) -> None:
        """Note the nap, then sleep as usual."""
        self.naps.append(seconds)
        async with self._fell_asleep:
            self._fell_asleep.notify_all()
        await super().sleep(seconds)

    async def wait_for_naps(self, count: int) -> None:
        """Wait until so many naps were begun altogether."""
        async with asyncio.timeout(PATIENCE_S), self._fell_asleep:
            await self._fell_asleep.wait_for(lambda: len(self.naps) >= count)


class NoScreens:
    """:class:`~bot.ports.Screens` that show nobody anything."""

    def settings(
        self, address: ChatAddress, sender: Sender, kind: ChatKind
    ) -> tuple[SettingField, ...] | None:
        """Show no settings."""
        return None

    def faults(self, values: Mapping[str, str]) -> dict[str, str]:
        """Find nothing wrong."""
        return {}

    async def home(self, address: ChatAddress, sender: Sender) -> HomePage:
        """Give a page with nothing on it."""
        return HomePage(sections=())

    def language(self, address: ChatAddress, sender: Sender) -> Language:
        """Speak as the platform tells."""
        return language_of(sender.language)


class RecordingInbox:
    """An :class:`~bot.ports.Inbox` that keeps what it got.

    Attributes:
        events: Everything received, oldest first, redeliveries included.
        cursors: The cursor of each call of ``receive``.
        troubles: Why the channel got nothing, each change once; an empty text where it was well
            again.
        screens: What people are shown beside the chat.
        heard: Conversations that a test says were held before, newest first.
        concerned: Chats of which a test says that all that is written there is for the bot.
    """

    def __init__(self, cursor: str | None = None) -> None:
        self.events: list[Inbound | SetAside] = []
        self.cursors: list[str | None] = []
        self.troubles: list[str] = []
        self.screens: Screens = NoScreens()
        self.heard: tuple[HeardChat, ...] = ()
        self.concerned: frozenset[str] = frozenset()
        self._cursor = cursor
        self._is_receiving = asyncio.Event()
        self._changed = asyncio.Condition()

    async def cursor(self) -> str | None:
        """Give the last cursor that was not None."""
        return self._cursor

    async def receive(
        self, events: tuple[Inbound | SetAside, ...], *, cursor: str | None = None
    ) -> None:
        """Keep the events and the cursor."""
        self.events.extend(events)
        self.cursors.append(cursor)
        self._cursor = cursor if cursor is not None else self._cursor
        async with self._changed:
            self._changed.notify_all()

    def receiving(self, *, again_in_s: float | None = None) -> None:
        """Note that the channel gets events from now on."""
        if self.troubles and self.troubles[-1]:
            self.troubles.append("")
        self._is_receiving.set()

    def failing(self, reason: str) -> None:
        """Note that the channel gets nothing for now."""
        if reason not in self.troubles[-1:]:
            self.troubles.append(reason)

    async def settled(self, address: ChatAddress) -> None:
        """Return at once: nothing is ever answered here."""

    async def concerns(self, message: InboundMessage) -> bool:
        """Say so of what is said to the bot, and where a test says so."""
        return message.is_addressed or message.address.chat in self.concerned

    async def heard_since(self, since: datetime, *, limit: int) -> tuple[HeardChat, ...]:
        """Give ``heard``, as far as it is asked for."""
        return tuple(chat for chat in self.heard if chat.heard_at >= since)[:limit]

    async def heard_in(self, address: ChatAddress, *, limit: int) -> tuple[HeardChat, ...]:
        """Give those of ``heard`` that are of a chat."""
        whole = address.whole_chat
        return tuple(chat for chat in self.heard if chat.address.whole_chat == whole)[:limit]

    async def received(self, address: ChatAddress, event_ids: tuple[str, ...]) -> frozenset[str]:
        """Give those of event ids that came in, at whatever address."""
        return frozenset(event_ids) & {event.event_id for event in self.events}

    @property
    def messages(self) -> tuple[InboundMessage, ...]:
        """The plain messages among the events."""
        return tuple(event for event in self.events if isinstance(event, InboundMessage))

    async def wait_until_receiving(self) -> None:
        """Wait until the channel said so."""
        async with asyncio.timeout(PATIENCE_S):
            await self._is_receiving.wait()

    async def wait_for(self, count: int) -> tuple[Inbound | SetAside, ...]:
        """Wait until so many events came altogether; give them all."""
        async with asyncio.timeout(PATIENCE_S), self._changed:
            await self._changed.wait_for(lambda: len(self.events) >= count)
        return tuple(self.events)


@asynccontextmanager
async def running(channel: Channel, inbox: RecordingInbox) -> AsyncIterator[asyncio.Task[None]]:
    """Run a channel until the block is left; it is receiving when the block is entered."""
    task = asyncio.create_task(channel.run(inbox))
    ready = asyncio.create_task(inbox.wait_until_receiving())
    try:
        await asyncio.wait({task, ready}, return_when=asyncio.FIRST_COMPLETED)
        if task.done():
            await task
        await ready
        yield task
    finally:
        ready.cancel()
        task.cancel()
        await asyncio.wait({task, ready}, timeout=PATIENCE_S)
        await channel.close()


@contextmanager
def captured_logs() -> Iterator[Callable[[], tuple[str, ...]]]:
    """Catch every record of every logger, formatted with its exception and its extras."""
    handler = _Keeper()
    root = logging.getLogger()
    level = root.level
    root.addHandler(handler)
    root.setLevel(logging.DEBUG)
    try:
        yield lambda: tuple(handler.lines)
    finally:
        root.setLevel(level)
        root.removeHandler(handler)


class _Keeper(logging.Handler):
    def __init__(self) -> None:
        super().__init__(logging.DEBUG)
        self.lines: list[str] = []
        self.setFormatter(logging.Formatter("%(name)s %(message)s"))

    def emit(self, record: logging.LogRecord) -> None:
        self.lines.append(f"{self.format(record)} {record.__dict__!r}")
