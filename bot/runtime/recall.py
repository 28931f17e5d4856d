"""Searching memory: the index finds, what is kept says whether it is so and who may see it."""

from __future__ import annotations

import logging
from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import tzinfo

from bot.core.memory.audience import Viewer
from bot.core.memory.items import OF_FOLDERS, Hit, ItemId, ItemKind, MemoryItem
from bot.core.memory.question import Question
from bot.errors import SearchUnavailable, StoreError
from bot.ports import Clock, MemoryItems, SearchIndex
from bot.runtime.waiting import within

logger = logging.getLogger(__name__)

WITHIN_S = 1.5
"""Longest search: a person waits for an answer, and can have one without memory."""

SPARE_HITS = 8
"""So many more are asked for, since what changed or went meanwhile is left out."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Found:
    """What a search gave.

    Attributes:
        trouble: Why there may be more, a phrase for the operator; empty where all was searched.
        is_being_made: Whether the index is, so that there may be more before long.
    """

    hits: tuple[Hit, ...] = ()
    trouble: str = ""
    is_being_made: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class RecallParts:
    """What searching works with.

    Attributes:
        timezone: Where it is today.
        on_trouble: Called when the index failed: it is to be looked after.
        is_being_made: Says whether the index does not have all there is yet.
    """

    index: SearchIndex
    items: MemoryItems
    clock: Clock
    timezone: tzinfo
    on_trouble: Callable[[], None]
    is_being_made: Callable[[], bool] = lambda: False


class Recall:
    """Searches memory for viewers; a failing index costs what it would have found, and no more.

    Attributes:
        trouble: Why the last search failed; empty when it did not.
    """

    def __init__(self, parts: RecallParts) -> None:
        self._parts = parts
        self.trouble = ""

    async def search(
        self,
        text: str,
        viewer: Viewer,
        *,
        limit: int,
        kinds: frozenset[ItemKind] = frozenset(),
        asked_by: str = "",
    ) -> Found:
        """Give what memory has about some words, best first, as it is at this moment.

        What the viewer may not recall is not among it, whatever the index says. ``asked_by`` is the
        name of who *I* is in the text. Never raises for an index or a file that fails.
        """
        clock = self._parts.clock
        today = clock.now().astimezone(self._parts.timezone).date()
        question = Question(text=text, asked_on=today, asked_by=asked_by)
        try:
            found = await within(clock, WITHIN_S, self._search(question, viewer, limit, kinds))
        except TimeoutError:
            found = Found(trouble="no answer in time")
        except (SearchUnavailable, StoreError) as error:
            found = Found(trouble=str(error))
        self._note(found.trouble)
        return found

    async def _search(
        self, question: Question, viewer: Viewer, limit: int, kinds: frozenset[ItemKind]
    ) -> Found:
        most = limit + SPARE_HITS
        hits = await self._parts.index.search(question, viewer, limit=most, kinds=kinds)
        items, trouble = await self._current(tuple(hit.item.id for hit in hits), viewer)
        current = {item.id: item for item in items}
        checked = (
            replace(hit, item=current[hit.item.id]) for hit in hits if hit.item.id in current
        )
        return Found(
            hits=tuple(checked)[:limit], trouble=trouble, is_being_made=self._parts.is_being_made()
        )

    async def _current(
        self, ids: tuple[ItemId, ...], viewer: Viewer
    ) -> tuple[tuple[MemoryItem, ...], str]:
        """Give pieces as they are now, and why there may be more: a file that cannot be read."""
        recallable = self._parts.items.recallable
        try:
            return await recallable(ids, viewer), ""
        except StoreError as error:
            of_database = tuple(each for each in ids if not each.startswith(OF_FOLDERS))
            if of_database == ids:
                raise
            return await recallable(of_database, viewer), str(error)

    def _note(self, trouble: str) -> None:
        if trouble and not self.trouble:
            logger.warning("recall.failed", extra={"why": trouble})
        if self.trouble and not trouble:
            logger.info("recall.works_again")
        self.trouble = trouble
        if trouble:
            self._parts.on_trouble()
