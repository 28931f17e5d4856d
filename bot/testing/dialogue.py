"""The whole application on fakes, spoken to like a person would."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Mapping
from pathlib import Path
from types import TracebackType

from bot.adapters.redactor import RuleRedactor
from bot.adapters.token_counter import TiktokenCounter
from bot.app import App, Outside, Store
from bot.config import Config
from bot.core.chat import ChatKind, Inbound
from bot.core.lifecycle import address_of
from bot.ports import (
    Channel,
    Clock,
    Disk,
    MemoryFiles,
    ModelClient,
    ModelDirectory,
    RecalledFiles,
    Redactor,
    SearchIndex,
    Timer,
)
from bot.runtime.health import StoreWatch
from bot.testing.clock import FakeClock, settle
from bot.testing.loopback import LoopbackChannel
from bot.testing.store import InMemoryStore

_COUNTER = TiktokenCounter()
"""One for all dialogues of a process: each would take 0.2 s to load the same vocabulary."""


class Dialogue:
    """An ``async with`` block in which the application runs.

    Attributes:
        channel: The loopback channel people speak through.
        announced: The lines the operator was shown.
        store_watch: What a store may tell of its work.
    """

    def __init__(  # noqa: PLR0913 - each is for few tests
        self,
        model: ModelClient,
        *,
        config: Config,
        store: Store | None = None,
        channel: LoopbackChannel | None = None,
        clock: Clock | None = None,
        others: Mapping[str, Channel] | None = None,
        memory_files: MemoryFiles | None = None,
        search_index: SearchIndex | None = None,
        recalled_files: RecalledFiles | None = None,
        model_name: str = "scripted",
        disk: Disk | None = None,
        timer: Timer | None = None,
        redactor: Redactor | None = None,
        model_directory: ModelDirectory | None = None,
        data_dir: Path | None = None,
    ) -> None:
        self.channel = channel or LoopbackChannel()
        self.clock = clock or FakeClock()
        self.store = store or InMemoryStore()
        self.store_watch = StoreWatch()
        self.announced: list[str] = []
        outside = Outside(
            store=self.store,
            model=model,
            model_name=model_name,
            model_directory=model_directory,
            data_dir=data_dir,
            channels={self.channel.name: self.channel, **(others or {})},
            clock=self.clock,
            announce=self.announced.append,
            store_watch=self.store_watch,
            counter=_COUNTER,
            memory_files=memory_files,
            search_index=search_index,
            recalled_files=recalled_files,
            disk=disk,
            redactor=redactor or RuleRedactor(),
            timer=timer,
        )
        self.app = App(config, outside)
        self._running: asyncio.Task[int] | None = None

    async def __aenter__(self) -> Dialogue:
        self._running = asyncio.ensure_future(self.app.run())
        await settle()
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        assert self._running is not None
        if kind is None:
            self.app.stop()
            assert await self._running in (0, 2)
        else:
            self._running.cancel()
            await asyncio.wait({self._running})

    async def says(self, *texts: str, chat: str = "1001", user: str = "1001") -> list[str]:
        """Say these one after the other, each once the one before is answered; return answers."""
        before = len(self.channel.texts(chat))
        for text in texts:
            message = self.channel.message(text, chat=chat, user=user)
            self.channel.push(message)
            await settle()
            await self.app.settled(message.address)
        return self.channel.texts(chat)[before:]

    async def presses(
        self, label: str, *, chat: str = "1001", user: str = "1001", kind: ChatKind = "private"
    ) -> list[str]:
        """Press the newest button of this label, and give what stands in the chat then."""
        press = self.channel.press(label, chat=chat, user=user, kind=kind)
        await self.together(press)
        return self.channel.texts(chat)

    async def happens(self, events: Iterable[Inbound]) -> None:
        """Let events happen without waiting for answers."""
        for event in events:
            self.channel.push(event)
        await settle()

    async def together(self, *events: Inbound) -> None:
        """Let events come in one batch, as those do that waited, and the last one's chat settle."""
        self.channel.push(*events)
        await settle()
        await self.app.settled(address_of(events[-1]))

    async def crash(self) -> None:
        """End the process's part at once, as a kill would: nothing is drained or told."""
        assert self._running is not None
        self._running.cancel()
        await asyncio.wait({self._running})
