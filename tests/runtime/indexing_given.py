"""A follower on fakes, and ways to fill what it follows."""

import asyncio
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from datetime import UTC

from bot.adapters.redactor import RuleRedactor
from bot.core.memory.items import ItemRef
from bot.errors import StoreError
from bot.ports import KeptItems, Redactor, SearchIndex
from bot.runtime.indexing import CurrentItems, CurrentParts, Indexing, IndexingParts
from bot.runtime.recall import Recall, RecallParts
from bot.testing.clock import FakeClock
from bot.testing.plain_index import PlainIndex
from bot.testing.store import InMemoryStore


@dataclass(slots=True)
class Pages:
    """Files in a dict; ``trouble`` makes them unreadable, ``is_unsettled`` is of new ones."""

    texts: dict[str, str] = field(default_factory=dict)
    trouble: str = ""
    is_unsettled: bool = False
    read_refs: list[ItemRef] = field(default_factory=list)

    async def marks(self, known: Mapping[ItemRef, str]) -> dict[ItemRef, str]:
        return {ItemRef(ref): self.mark_of(ref) for ref in self.texts}

    def mark_of(self, ref: str) -> str:
        """Give by what a file is known."""
        return f"m{hash(self.texts[ref])}"

    async def read(self, ref: ItemRef) -> str:
        if self.trouble:
            raise StoreError(self.trouble)
        self.read_refs.append(ref)
        return self.texts.get(ref, "")

    async def stamp(self, ref: ItemRef) -> str:
        is_unknown = ref not in self.texts or self.is_unsettled or self.trouble
        return "" if is_unknown else self.mark_of(ref)


@dataclass(slots=True)
class World:
    """What is followed, and by what."""

    store: InMemoryStore = field(default_factory=InMemoryStore)
    index: PlainIndex = field(default_factory=PlainIndex)
    files: Pages = field(default_factory=Pages)
    redactor: Redactor = field(default_factory=RuleRedactor)
    clock: FakeClock = field(default_factory=FakeClock)

    def items(self, kept: KeptItems | None = None) -> CurrentItems:
        return CurrentItems(
            CurrentParts(
                kept=kept or self.store,
                files=self.files,
                redactor=self.redactor,
                clock=self.clock,
                timezone=UTC,
            )
        )

    def indexing(self, kept: KeptItems | None = None, zone: str = "UTC") -> Indexing:
        return Indexing(
            IndexingParts(
                index=self.index,
                items=self.items(kept),
                kept=kept or self.store,
                files=self.files,
                clock=self.clock,
                zone=zone,
            )
        )

    def recall(self, indexing: Indexing | None = None, index: SearchIndex | None = None) -> Recall:
        return Recall(
            RecallParts(
                index=index or self.index,
                items=self.items(),
                clock=self.clock,
                timezone=UTC,
                on_trouble=(lambda: None) if indexing is None else indexing.wake,
            )
        )


@asynccontextmanager
async def following(indexing: Indexing) -> AsyncIterator[Indexing]:
    """Let a follower run, from where it has caught up."""
    task = asyncio.ensure_future(indexing.run())
    try:
        await settle(task)
        yield indexing
    finally:
        task.cancel()
        await asyncio.wait({task})


async def settle(task: "asyncio.Task[None] | None" = None) -> None:
    """Let everything run that can run without time passing, threads too."""
    for _ in range(40):
        await asyncio.to_thread(int)
        for _ in range(10):
            await asyncio.wait({asyncio.ensure_future(_nothing())})
    if task is not None and task.done():
        task.result()


async def _nothing() -> None:
    pass
