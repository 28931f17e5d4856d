"""A search index that keeps everything in memory and finds what has a word of the question."""

from __future__ import annotations

from bot.core.memory.audience import Viewer, may_recall
from bot.core.memory.items import Hit, ItemKind, ItemRef, MemoryItem
from bot.core.memory.question import Question
from bot.errors import SearchUnavailable


class PlainIndex:
    """Fills :class:`~bot.ports.SearchIndex`.

    Attributes:
        trouble: Set by a test: every call fails so from then on.
        crash_at: Set by a test: after so many calls of ``replace`` the next one fails before it
            did anything.
        replaced: The refs of each call of ``replace``, in order.
        begun: How often it was begun anew.
        wiped: How often it was asked to leave no bytes.
    """

    def __init__(self) -> None:
        self.trouble = ""
        self.crash_at: int | None = None
        self.replaced: list[tuple[ItemRef, ...]] = []
        self.begun = self.wiped = 0
        self._items: dict[ItemRef, tuple[MemoryItem, ...]] = {}
        self._marks: dict[ItemRef, str] = {}
        self._seq = 0
        self._is_lost = False

    @property
    def items(self) -> tuple[MemoryItem, ...]:
        """All pieces that it has."""
        return tuple(item for items in self._items.values() for item in items)

    @property
    def texts(self) -> set[str]:
        """What they say."""
        return {item.text for item in self.items}

    def remove(self) -> None:
        """Be as an index is whose file somebody removed."""
        self._items, self._marks, self._seq = {}, {}, 0
        self._is_lost = True

    async def search(
        self,
        question: Question,
        viewer: Viewer,
        *,
        limit: int,
        kinds: frozenset[ItemKind] = frozenset(),
    ) -> tuple[Hit, ...]:
        """Give pieces with a word of the question."""
        self._require_kept()
        words = question.text.casefold().split()
        found = (
            Hit(item=item, score=1.0, why="a word")
            for item in self.items
            if may_recall(viewer, item.origin)
            and (not kinds or item.kind in kinds)
            and any(word in item.text.casefold() for word in words)
        )
        return tuple(found)[:limit]

    async def applied_seq(self) -> int:
        """Say through which change it is."""
        self._require()
        return self._seq

    async def replace(
        self,
        refs: tuple[ItemRef, ...],
        items: tuple[MemoryItem, ...],
        *,
        seq: int,
        marks: tuple[str, ...] = (),
    ) -> None:
        """Put pieces in the place of all that it has of the refs."""
        self._require_kept()
        if self.crash_at is not None and len(self.replaced) >= self.crash_at:
            raise SearchUnavailable("the process ended")
        self.replaced.append(refs)
        self._seq = seq
        for ref in refs:
            self._items.pop(ref, None)
            self._marks.pop(ref, None)
        for item in items:
            self._items[item.ref] = (*self._items.get(item.ref, ()), item)
            self._marks[item.ref] = ""
        self._marks |= {ref: mark for ref, mark in zip(refs, marks, strict=False) if mark}

    async def add(self, ref: ItemRef, items: tuple[MemoryItem, ...], *, mark: str) -> None:
        """Put pieces beside those that it has of a ref, and give the ref a mark."""
        self._require_kept()
        self._items[ref] = (*self._items.get(ref, ()), *items)
        self._marks[ref] = mark

    async def wipe(self) -> bool:
        """Leave no bytes: there are none."""
        self._require()
        self.wiped += 1
        return False

    async def refs(self, beginning: str) -> dict[ItemRef, str]:
        """Give the refs that begin with a text, each with its mark."""
        self._require()
        return {ref: mark for ref, mark in self._marks.items() if ref.startswith(beginning)}

    async def begin_anew(self) -> None:
        """Empty it."""
        self._require()
        self.begun += 1
        self.remove()
        self._is_lost = False

    async def close(self) -> None:
        """Keep what it has: this same object is opened again."""

    def _require_kept(self) -> None:
        self._require()
        if self._is_lost:
            raise SearchUnavailable("it was lost, and is being made anew")

    def _require(self) -> None:
        if self.trouble:
            raise SearchUnavailable(self.trouble)
