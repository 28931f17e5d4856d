"""The follower: brings the search index to where the database and the files are, step by step.

The law of this file: what was done stands in the index itself, in the same transaction. So each
step is decided anew by what stands there, and a process that ends between two steps, or in the
middle of one, loses nothing and does nothing twice.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Iterable
from dataclasses import dataclass, replace

from bot.core.memory.items import OF_FOLDERS, ItemChange, ItemRef, MemoryItem
from bot.errors import SearchUnavailable, StoreError
from bot.ports import Clock, KeptItems, RecalledFiles, SearchIndex
from bot.runtime.indexing.current import CurrentItems
from bot.runtime.waiting import either

logger = logging.getLogger(__name__)

REFS_A_STEP = 16
"""So many facts or turns are read at once: while the embedder reads them, some hundred
milliseconds, what was said meanwhile waits to be found."""

PIECES_A_STEP = 100
"""Likewise of a file: one that is large is taken in while people go on talking and searching."""

LOOK_AT_FILES_EVERY_S = 60.0
"""So long at most a person waits until the bot knows what they wrote into a file."""

WIPE_EVERY_S = 60.0
"""So long at most, and until nothing else is to be done, what was removed leaves bytes on the disk:
wiping goes through all lists of words."""

RETRY_S = 5.0
LONGEST_RETRY_S = 60.0

FORM = 3
"""Of pieces: an index with pieces of another form is made anew."""

_DONE = "done"
_AFTER = "after "


@dataclass(frozen=True, slots=True, kw_only=True)
class IndexingParts:
    """What following works with.

    Attributes:
        zone: The name of the time zone by which pieces are told to be of one day.
    """

    index: SearchIndex
    items: CurrentItems
    kept: KeptItems
    files: RecalledFiles
    clock: Clock
    zone: str


@dataclass(frozen=True, slots=True, kw_only=True)
class _BeingRead:
    """A large file that is being taken in: pieces that are not there yet, and its mark then."""

    ref: ItemRef
    mark: str
    rest: tuple[MemoryItem, ...]


class Indexing:
    """Follows for ever; no turn waits for it, and searches are answered meanwhile.

    Attributes:
        is_rebuilding: Whether old memory is still being read into it.
        has_gaps: Whether something is missed by that: what was found before, or more than is read
            in a moment. What a new bot has is there before anybody could ask.
    """

    def __init__(self, parts: IndexingParts) -> None:
        self._parts = parts
        self._woken = asyncio.Event()
        self._stepping = asyncio.Lock()
        self._name = ItemRef("")
        self._left_at: tuple[int, str] | None = None
        self._changed_files: list[tuple[ItemRef, str]] = []
        self._being_read: _BeingRead | None = None
        self._wipe_at_s = parts.clock.monotonic()
        self._look_at_s = parts.clock.monotonic()
        self._failures = 0
        self._index_trouble = self._file_trouble = ""
        self._was_whole = self._is_long = False
        self.is_rebuilding = self.has_gaps = False

    @property
    def trouble(self) -> str:
        """Why the index is not where it should be; empty when it is, or is on its way."""
        return self._index_trouble or self._file_trouble

    def wake(self) -> None:
        """Look for what changed, or how the index is: something happened."""
        self._woken.set()

    def look_at_files(self) -> None:
        """Look now which files were changed: one of ours was."""
        self._look_at_s = self._parts.clock.monotonic()
        self.wake()

    async def rebuild(self) -> None:
        """Throw the index away, and have it made anew in the background.

        Raises:
            SearchUnavailable: It could not be thrown away.
        """
        async with self._stepping:
            await self._parts.index.begin_anew()
            self.is_rebuilding = self.has_gaps = True
        self.wake()

    async def run(self) -> None:
        """Catch up with what happened before, then follow, for ever."""
        self._parts.kept.watch_changes(self.wake)
        while True:
            self._woken.clear()
            pause_s = await self._catch_up()
            await either(self._woken.wait(), self._parts.clock.sleep(pause_s))

    async def _catch_up(self) -> float:
        """Take steps until nothing is left to do; say after how long to look again."""
        try:
            while await self._step():
                self._recover()
        except (SearchUnavailable, StoreError) as error:
            return self._fail(str(error))
        self._recover()
        return max(0.0, self._look_at_s - self._parts.clock.monotonic())

    async def _step(self) -> bool:
        """Do what is to be done next; False when there is nothing."""
        index, kept = self._parts.index, self._parts.kept
        async with self._stepping:
            self._name = self._name or await self._name_of_database()
            applied, newest = await index.applied_seq(), await kept.newest_seq()
            walked = await self._walked_through(applied)
            if walked is None or applied > newest:
                await self._begin(newest)
                return True
            self.is_rebuilding = walked != _DONE
            self.has_gaps = self.is_rebuilding and (self._was_whole or self._is_long)
            self._was_whole = self._was_whole or not self.is_rebuilding
            changes = await kept.changes_after(applied, limit=REFS_A_STEP)
            if changes:
                await self._apply(changes)
            elif self._parts.clock.monotonic() >= self._look_at_s:
                await self._look_at_files(applied)
            elif self._being_read is not None:
                await self._go_on_reading(self._being_read)
            elif self._changed_files:
                await self._read_file(applied)
            elif self.is_rebuilding:
                await self._walk(walked.removeprefix(_AFTER), applied)
            elif self._parts.clock.monotonic() >= self._wipe_at_s:
                await self._wipe()
            else:
                return False
        return True

    async def _walked_through(self, applied: int) -> str | None:
        """Say how far all that there is was read into the index; None for none of this database.

        Only an index that is where it was left needs not be asked.
        """
        if self._left_at is None or self._left_at[0] != applied or not applied:
            walked = (await self._parts.index.refs(self._name)).get(self._name)
            self._left_at = None if walked is None else (applied, walked)
        return None if self._left_at is None else self._left_at[1]

    async def _name_of_database(self) -> ItemRef:
        """Say of what the index is to be; one of anything else is worth nothing."""
        return ItemRef(
            f"database:{await self._parts.kept.installation()} {FORM} {self._parts.zone}"
        )

    async def _begin(self, newest: int) -> None:
        """Begin with an empty index: all changes so far are seen to by reading all there is."""
        logger.info("recall.index_begun")
        self.has_gaps = self._was_whole
        await self._parts.index.begin_anew()
        self._changed_files.clear()
        self._being_read = None
        self._look_at_s = self._parts.clock.monotonic()
        await self._parts.index.replace((self._name,), (), seq=newest, marks=(_AFTER,))
        self._left_at = None

    async def _apply(self, changes: tuple[ItemChange, ...]) -> None:
        refs = tuple(change.ref for change in changes)
        of_database = tuple(ref for ref in refs if not ref.startswith(OF_FOLDERS))
        if len(of_database) < len(refs):
            self._look_at_s = self._parts.clock.monotonic()
        await self._replace(of_database, seq=changes[-1].seq)
        self._left_at = None

    async def _look_at_files(self, applied: int) -> None:
        """Find which files were changed since they were read; those that are gone go at once."""
        parts = self._parts
        await parts.items.learn_audiences()
        self._look_at_s = parts.clock.monotonic() + LOOK_AT_FILES_EVERY_S
        self._file_trouble = ""
        known: dict[ItemRef, str] = {}
        for beginning in OF_FOLDERS:
            known |= await parts.index.refs(beginning)
        try:
            marks = await parts.files.marks(known)
        except StoreError as error:
            self._note_unreadable(error)
            return
        marks = {ref: mark for ref, mark in marks.items() if parts.items.is_known(ref)}
        gone = tuple(ref for ref in known if ref not in marks)
        if gone:
            await parts.index.replace(gone, (), seq=applied)
        reading = self._being_read
        if reading is not None and marks.get(reading.ref) == reading.mark:
            known[reading.ref] = reading.mark
        else:
            self._being_read = None
        self._changed_files = [(ref, mark) for ref, mark in marks.items() if known.get(ref) != mark]
        if gone or self._changed_files:
            logger.info(
                "recall.files_changed",
                extra={"changed": len(self._changed_files), "gone": len(gone)},
            )

    async def _read_file(self, applied: int) -> None:
        """Begin to read a file; one that cannot be read is tried again at the next look."""
        ref, mark = self._changed_files.pop(0)
        try:
            items = await self._parts.items.pieces_of((ref,))
        except StoreError as error:
            self._note_unreadable(error)
            return
        first, rest = items[:PIECES_A_STEP], items[PIECES_A_STEP:]
        marks = ("",) if rest else (mark,)
        await self._parts.index.replace((ref,), first, seq=applied, marks=marks)
        self._being_read = _BeingRead(ref=ref, mark=mark, rest=rest) if rest else None

    async def _go_on_reading(self, reading: _BeingRead) -> None:
        """Take in the next pieces of a file, which has its mark once all of them are there."""
        some, rest = reading.rest[:PIECES_A_STEP], reading.rest[PIECES_A_STEP:]
        self._being_read = None  # what fails is begun again at the next look
        await self._parts.index.add(reading.ref, some, mark="" if rest else reading.mark)
        self._being_read = replace(reading, rest=rest) if rest else None

    async def _wipe(self) -> None:
        """Go on to leave no bytes of what was removed; once it is done, not again for a while."""
        if not await self._parts.index.wipe():
            self._wipe_at_s = self._parts.clock.monotonic() + WIPE_EVERY_S

    def _note_unreadable(self, error: StoreError) -> None:
        self._file_trouble = str(error)
        logger.warning("recall.file_failed", extra={"why": str(error)})

    async def _walk(self, after: str, applied: int) -> None:
        """Read the next of all that there is."""
        refs = await self._parts.kept.all_refs(after, limit=REFS_A_STEP)
        mark = f"{_AFTER}{refs[-1]}" if refs else _DONE
        self._is_long = len(refs) == REFS_A_STEP
        await self._replace((*refs, self._name), seq=applied, marks=[*[""] * len(refs), mark])
        self._left_at = (applied, mark)
        if not refs:
            logger.info("recall.index_complete")

    async def _replace(
        self, refs: Iterable[ItemRef], *, seq: int, marks: list[str] | None = None
    ) -> None:
        refs = tuple(refs)
        items = await self._parts.items.pieces_of(refs)
        marks = [""] * len(refs) if marks is None else marks
        await self._parts.index.replace(refs, items, seq=seq, marks=tuple(marks))

    def _fail(self, reason: str) -> float:
        if not self._index_trouble:
            logger.warning("recall.index_failed", extra={"why": reason})
        self._index_trouble = reason
        self._failures += 1
        return min(RETRY_S * (1 << (self._failures - 1)), LONGEST_RETRY_S)

    def _recover(self) -> None:
        if self._index_trouble:
            logger.info("recall.index_mended")
        self._index_trouble, self._failures = "", 0
