"""The store's verbs on what can be recalled, and on what the search index follows."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, tzinfo

from bot.adapters.store import audiences, changes, items
from bot.adapters.store.verbs import Verbs
from bot.core.chat import SessionKey
from bot.core.memory.audience import Audience, Viewer
from bot.core.memory.items import ItemChange, ItemId, ItemRef, MemoryItem


class ItemVerbs(Verbs):
    """A part of the store, told apart by what it is about; it fills the port KeptItems.

    Attributes:
        zone: Where the days of chats begin and end.
    """

    def __init__(self) -> None:
        super().__init__()
        self.zone: tzinfo = UTC
        self._watchers: list[Callable[[], None]] = []

    def watch_changes(self, wake: Callable[[], None]) -> None:
        """Have one more function called after each commit that noted a change."""
        if wake not in self._watchers:
            self._watchers.append(wake)

    async def changes_after(self, seq: int, *, limit: int) -> tuple[ItemChange, ...]:
        """Give what changed behind a number."""
        return await self._read(changes.changes_after, seq, limit)

    async def newest_seq(self) -> int:
        """Give the number of the newest change."""
        return await self._read(changes.newest_seq)

    async def all_refs(self, after: str, *, limit: int) -> tuple[ItemRef, ...]:
        """Give every ref of the database, behind the last one that was given."""
        return await self._read(items.all_refs, after, limit)

    async def chats_of(self, turn_ids: frozenset[int]) -> dict[int, SessionKey]:
        """Give for turns in which chat each was."""
        return await self._read(items.chats_of, turn_ids)

    async def installation(self) -> str:
        """Give the name of the database."""
        return await self._read(items.installation)

    async def audiences(self) -> tuple[Audience, ...]:
        """Give the audiences of all chats that there ever were."""
        return await self._read(audiences.audiences)

    async def audiences_of(self, refs: tuple[ItemRef, ...]) -> dict[ItemRef, Audience]:
        """Give the audiences of facts and records, of facts that ended too."""
        return await self._read(items.audiences_of, refs)

    async def pieces_of(self, refs: tuple[ItemRef, ...]) -> tuple[MemoryItem, ...]:
        """Give the pieces of refs of the database, for the index alone."""
        return await self._read(items.pieces_of, refs, self.zone)

    async def recallable(self, ids: tuple[ItemId, ...], viewer: Viewer) -> tuple[MemoryItem, ...]:
        """Give those of pieces that are there and may be recalled, as they are now."""
        return await self._read(items.recallable, ids, viewer, self.zone)

    def _tell_watchers(self) -> None:
        for wake in self._watchers:
            wake()
