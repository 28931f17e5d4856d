"""All that can be recalled as it is now: of the database, of memory files, of global knowledge."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from datetime import datetime, tzinfo

from bot.core.memory.audience import Audience, Viewer, may_recall
from bot.core.memory.facts import unverified_since
from bot.core.memory.items import FILE, KNOWLEDGE, OF_FOLDERS, ItemId, ItemRef, MemoryItem
from bot.core.memory.pieces import ref_of
from bot.ports import Clock, KeptItems, RecalledFiles, Redactor
from bot.runtime.indexing.cut_files import CutFiles


@dataclass(frozen=True, slots=True, kw_only=True)
class CurrentParts:
    """Where it is kept; ``timezone`` says where the days of daily files begin and end."""

    kept: KeptItems
    files: RecalledFiles
    redactor: Redactor
    clock: Clock
    timezone: tzinfo


class CurrentItems:
    """Fills :class:`~bot.ports.MemoryItems`."""

    def __init__(self, parts: CurrentParts) -> None:
        self._parts = parts
        self._cut = CutFiles(parts.files, parts.redactor, parts.timezone)
        self._audiences: dict[str, Audience] = {}

    async def learn_audiences(self) -> None:
        """Read whose the folders of memory files are; those of nobody have no pieces."""
        known = await self._parts.kept.audiences()
        self._audiences = {audience.folder: audience for audience in known}

    def is_known(self, ref: ItemRef) -> bool:
        """Say whether anybody could recall what is made of a file."""
        return not ref.startswith(FILE) or _folder_of(ref) in self._audiences

    async def pieces_of(self, refs: tuple[ItemRef, ...]) -> tuple[MemoryItem, ...]:
        """Give the pieces of refs, for the index alone.

        Raises:
            StoreError: The database or a file could not be read.
        """
        of_database = _of_database(refs)
        pieces = list(await self._parts.kept.pieces_of(of_database)) if of_database else []
        for ref in refs:
            if ref.startswith(KNOWLEDGE):
                pieces += await self._cut.of(ref, None)
            elif ref.startswith(FILE) and (audience := self._audiences.get(_folder_of(ref))):
                pieces += await self._cut.of(ref, audience)
        return tuple(pieces)

    async def recallable(self, ids: tuple[ItemId, ...], viewer: Viewer) -> tuple[MemoryItem, ...]:
        """Give those of the pieces that a viewer may recall, as they are now.

        Raises:
            StoreError: The database or a file could not be read.
        """
        of_files = {ref_of(each) for each in ids if each.startswith(OF_FOLDERS)}
        of_database = tuple(each for each in ids if ref_of(each) not in of_files)
        found = list(await self._parts.kept.recallable(of_database, viewer))
        for ref in of_files:
            # What stands in a file names nobody: only those whose folder it is can recall it.
            if ref.startswith(KNOWLEDGE):
                found += await self._cut.of(ref, None)
            elif _folder_of(ref) == viewer.audience.folder:
                found += await self._cut.of(ref, viewer.audience)
        by_id = {item.id: item for item in found if may_recall(viewer, item.origin)}
        now = self._parts.clock.now()
        chosen = (_judged(by_id[each], now) for each in dict.fromkeys(ids) if each in by_id)
        return await self._with_chats(tuple(chosen))

    async def _with_chats(self, items: tuple[MemoryItem, ...]) -> tuple[MemoryItem, ...]:
        """Say of entries of daily files in which thread of their chat their turns were."""
        turn_ids = frozenset(each.first for each in items if each.kind == "day" and each.first)
        chats = await self._parts.kept.chats_of(turn_ids) if turn_ids else {}
        return tuple(
            replace(each, session_key=chats[each.first])
            if each.kind == "day" and each.first in chats
            else each
            for each in items
        )


def _judged(item: MemoryItem, now: datetime) -> MemoryItem:
    """Say of a fact since when it is unverified, which depends on the time alone."""
    if item.kind != "fact" or item.moment is None:
        return item
    return replace(item, unverified_since=unverified_since(item.moment, now))


def _of_database(refs: Iterable[ItemRef]) -> tuple[ItemRef, ...]:
    return tuple(ref for ref in refs if not ref.startswith(OF_FOLDERS))


def _folder_of(ref: ItemRef) -> str:
    return ref.removeprefix(FILE).partition("/")[0]
