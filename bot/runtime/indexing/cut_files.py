"""Files in pieces, read and cut again where they were touched: a search needs a few pieces of them.

The law of this file: what is held is as good as the file, or it is not given.
"""

from __future__ import annotations

import asyncio
from collections import OrderedDict
from dataclasses import dataclass
from datetime import datetime, tzinfo

from bot.core.memory.audience import Audience
from bot.core.memory.items import ItemRef, MemoryItem
from bot.core.memory.knowledge import knowledge_pieces
from bot.core.memory.marks import own_notes
from bot.core.memory.pieces import day_pieces, note_pieces
from bot.core.memory.versions import LASTING, day_of
from bot.ports import RecalledFiles, Redactor
from bot.runtime.indexing.clean_texts import CleanTexts

MOST_HELD = 30_000
"""Pieces over all files, some 30 MB: half a dozen large manuals."""

_NOON = 12


@dataclass(frozen=True, slots=True, kw_only=True)
class _Cut:
    """A file in pieces, as it was when it had its stamp."""

    stamp: str
    audience: Audience | None
    pieces: tuple[MemoryItem, ...]


class CutFiles:
    """Gives the pieces of files; those that were used last are held."""

    def __init__(self, files: RecalledFiles, redactor: Redactor, zone: tzinfo) -> None:
        self._files = files
        self._clean = CleanTexts(redactor)
        self._zone = zone
        self._held: OrderedDict[ItemRef, _Cut] = OrderedDict()

    async def of(self, ref: ItemRef, audience: Audience | None) -> tuple[MemoryItem, ...]:
        """Give the pieces of a file; ``audience`` is None for one of global knowledge.

        Raises:
            StoreError: It could not be read.
        """
        stamp = await self._files.stamp(ref)
        held = self._held.get(ref)
        if stamp and held is not None and (held.stamp, held.audience) == (stamp, audience):
            self._held.move_to_end(ref)
            return held.pieces
        text = await self._clean.of(ref, await self._files.read(ref))
        pieces = await asyncio.to_thread(_pieces, ref, text, audience, self._zone)
        self._hold(ref, _Cut(stamp=stamp, audience=audience, pieces=pieces))
        return pieces

    def _hold(self, ref: ItemRef, cut: _Cut) -> None:
        self._held.pop(ref, None)
        if cut.stamp and cut.pieces:
            self._held[ref] = cut
        while sum(len(each.pieces) for each in self._held.values()) > MOST_HELD:
            self._held.popitem(last=False)


def _pieces(
    ref: ItemRef, text: str, audience: Audience | None, zone: tzinfo
) -> tuple[MemoryItem, ...]:
    if audience is None:
        return knowledge_pieces(ref, text)
    name = ref.rpartition("/")[2]
    day = day_of(name)
    if day is not None:
        noon = datetime(day.year, day.month, day.day, _NOON, tzinfo=zone)
        return day_pieces(ref, text, audience, noon)
    return note_pieces(ref, own_notes(text) if name == LASTING else text, audience)
