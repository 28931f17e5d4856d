"""What memory is searched with, and what keeps the search index where it should be."""

from __future__ import annotations

from dataclasses import dataclass
from zoneinfo import ZoneInfo

from bot.app.outside import Outside
from bot.app.recalling import MemorySearch, NothingToSearch
from bot.config import Config
from bot.runtime.indexing import CurrentItems, CurrentParts, Indexing, IndexingParts
from bot.runtime.recall import Recall, RecallParts
from bot.runtime.workers import Keep


@dataclass(frozen=True, slots=True, kw_only=True)
class SearchedMemory:
    """What memory is searched with, and the follower of its index.

    Attributes:
        recall: None where there is no index, as is ``indexing``.
    """

    search: MemorySearch
    recall: Recall | None = None
    indexing: Indexing | None = None

    def start(self, keep: Keep) -> None:
        """Begin to follow."""
        if self.indexing is not None:
            keep("indexing", self.indexing.run)

    def look_at_files(self) -> None:
        """Have memory files looked at now: one was written."""
        if self.indexing is not None:
            self.indexing.look_at_files()

    @property
    def trouble(self) -> str:
        """Why memory is not searched as it should be; empty when it is."""
        if self.indexing is None or self.recall is None:
            return ""
        return self.indexing.trouble or self.recall.trouble

    @property
    def is_rebuilding(self) -> bool:
        """Whether searches do not find all there is yet."""
        return self.indexing is not None and self.indexing.is_rebuilding


def build_search(config: Config, outside: Outside) -> SearchedMemory:
    """Build what memory is searched with; without an index nothing is found."""
    index, files = outside.search_index, outside.recalled_files
    if index is None or files is None:
        nothing = NothingToSearch()
        return SearchedMemory(search=MemorySearch(items=nothing, recall=nothing))
    clock, zone = outside.clock, ZoneInfo(config.timezone)
    items = CurrentItems(
        CurrentParts(
            kept=outside.store,
            files=files,
            redactor=outside.redactor,
            clock=clock,
            timezone=zone,
        )
    )
    indexing = Indexing(
        IndexingParts(
            index=index,
            items=items,
            kept=outside.store,
            files=files,
            clock=clock,
            zone=config.timezone,
        )
    )
    recall = Recall(
        RecallParts(
            index=index,
            items=items,
            clock=clock,
            timezone=zone,
            on_trouble=indexing.wake,
            is_being_made=lambda: indexing.has_gaps,
        )
    )
    search = MemorySearch(items=items, recall=recall)
    return SearchedMemory(search=search, recall=recall, indexing=indexing)
