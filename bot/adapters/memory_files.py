"""Memory files on disk: ``<folder>/<audience>/YYYY-MM-DD.md`` and ``MEMORY.md``, with versions.

The law of this file: what a person writes into a memory file, also while the bot writes it, is
kept. What cannot be read as one is put aside under another name, not overwritten.
"""

from __future__ import annotations

import asyncio
import logging
import os
import threading
from collections.abc import Callable
from contextlib import AbstractContextManager
from datetime import UTC, date, datetime
from itertools import groupby
from pathlib import Path
from typing import TypeVar

from bot.adapters.memory_disk import Disk, is_unfinished, read_file, unused, version_of
from bot.adapters.memory_versions import SEEN, VERSIONS, WRITTEN, Versions
from bot.adapters.redactor import RuleRedactor
from bot.core.memory.audience import Audience, Viewer
from bot.core.memory.daily import joined, with_entries, without_turns
from bot.core.memory.jobs import MemoryEntry
from bot.core.memory.marks import (
    block_lines,
    is_shrunk,
    merged,
    own_notes,
    with_block,
    without_lines,
)
from bot.core.memory.versions import (
    LASTING,
    FilesForgotten,
    FileVersion,
    MemoryFile,
    VersionStamp,
    day_of,
    has_versions,
)
from bot.core.turns import TurnId
from bot.errors import StoreError

logger = logging.getLogger(__name__)

_MOST_TRIES = 10
_REDACTOR = RuleRedactor()

_Value = TypeVar("_Value")


def _utc_now() -> datetime:
    return datetime.now(UTC)


class MarkdownMemoryFiles:
    """Fills :class:`~bot.ports.MemoryFiles`; folders have mode 0700, files 0600.

    ``fsync`` forces what was written through a descriptor to the disk; ``now`` dates versions, and
    ``redact`` takes secrets out of them.
    """

    def __init__(
        self,
        folder: Path,
        *,
        fsync: Callable[[int], None] = os.fsync,
        now: Callable[[], datetime] = _utc_now,
        redact: Callable[[str], str] = _REDACTOR.redact,
    ) -> None:
        self._folder = folder
        self._disk = Disk(fsync)
        self._now = now
        self._redact = redact
        # Not asyncio's: a thread goes on writing when whoever waited for it is cancelled.
        self._lock = threading.Lock()
        self._cleanings = 0

    def held(self) -> AbstractContextManager[object]:
        """Give a block in which no file is written; who wants to write one meanwhile waits."""
        return self._lock

    @property
    def cleanings(self) -> int:
        """How often something was forgotten in files."""
        return self._cleanings

    async def append(self, entries: tuple[MemoryEntry, ...], *, since: int | None = None) -> None:
        """Add entries to their daily files, each turn once.

        Raises:
            StoreError: A file could not be written; all others were.
        """
        await asyncio.to_thread(self._append, entries, since)

    async def read_day(self, audience: Audience, day: date) -> str:
        """Give a daily file, empty when there is none."""
        path = self._path(audience, f"{day.isoformat()}.md")
        return await self._carry_out("read", lambda: read_file(path).text)

    async def move(self, old: Audience, new: Audience) -> None:
        """Make the files of one audience those of another.

        Raises:
            StoreError: It is not done; doing it again goes on with it.
        """
        await self._carry_out("moved", lambda: self._move(old, new))

    async def write_lasting(
        self, audience: Audience, lines: tuple[str, ...], *, since: int | None = None
    ) -> bool:
        """Put lines between the marks of ``MEMORY.md``; False when they stand there.

        Raises:
            StoreError: The file could not be written.
        """

        def write() -> bool:
            self._require_current(since)
            return self._write_lasting(audience, lines)

        return await self._carry_out("written", write)

    async def notes_of(self, audience: Audience) -> str:
        """Give what a person wrote into ``MEMORY.md``."""
        path = self._path(audience, LASTING)
        return await self._carry_out("read", lambda: own_notes(read_file(path).text))

    async def history(self, viewer: Viewer, name: str) -> tuple[FileVersion, ...]:
        """Give the versions of a file of the viewer's audience, newest first."""
        versions = self._versions_of(viewer, name)
        return () if versions is None else await self._carry_out("read", versions.history)

    async def read_version(self, viewer: Viewer, name: str, stamp: VersionStamp) -> str | None:
        """Give a version; None where there is none."""
        versions = self._versions_of(viewer, name)
        if versions is None:
            return None
        return await self._carry_out("read", lambda: versions.read(stamp))

    async def restore(self, viewer: Viewer, name: str, stamp: VersionStamp) -> bool:
        """Make a version the text of its file again; the present one becomes a version.

        Raises:
            StoreError: The file could not be written.
        """
        versions = self._versions_of(viewer, name)
        if versions is None:
            return False
        path = self._path(viewer.audience, name)

        def restore() -> bool:
            text = versions.read(stamp)
            if text is not None:
                self._rewrite(path, lambda present: text)
            return text is not None

        return await self._carry_out("written", restore)

    async def files_of(self, viewer: Viewer) -> tuple[MemoryFile, ...]:
        """Give all files of the viewer's audience with their versions, by name."""
        folder = self._folder / viewer.audience.folder

        def read_all() -> tuple[MemoryFile, ...]:
            return tuple(
                MemoryFile(
                    name=path.relative_to(folder).as_posix(),
                    text=path.read_bytes().decode("utf-8", "replace"),
                )
                for path in _files_below(folder)
                if path.name not in (SEEN, WRITTEN) and not is_unfinished(path)
            )

        return await self._carry_out("read", read_all)

    async def forget_in_files(
        self, audience: Audience, turn_ids: frozenset[TurnId], lines: tuple[str, ...]
    ) -> FilesForgotten:
        """Remove the entries of turns, and lines, from all files and versions of an audience.

        Raises:
            StoreError: Something is left; doing it again goes on with it.
        """
        return await self._carry_out(
            "forgotten in", lambda: self._forget(audience, turn_ids, lines)
        )

    async def _carry_out(self, verb: str, work: Callable[[], _Value]) -> _Value:
        """Do work on files in a thread, alone."""

        def work_alone() -> _Value:
            with self._lock:
                try:
                    return work()
                except OSError as error:
                    raise _worded(error, verb) from error

        return await asyncio.to_thread(work_alone)

    def _require_current(self, since: int | None) -> None:
        if since not in (None, self._cleanings):
            raise StoreError("Something was forgotten meanwhile: this is to be read once more.")

    def _append(self, entries: tuple[MemoryEntry, ...], since: int | None) -> None:
        failures: list[StoreError] = []
        with self._lock:
            self._require_current(since)
            for _, group in groupby(sorted(entries, key=_place), key=_place):
                try:
                    self._add(tuple(group))
                except OSError as error:
                    failures.append(_worded(error, "written"))
                except StoreError as error:
                    failures.append(error)
        if failures:
            raise failures[0]

    def _add(self, entries: tuple[MemoryEntry, ...]) -> None:
        """Add entries to their file; of those that others take the place of, no version is kept."""
        day = entries[0].day
        path = self._path(entries[0].audience, f"{day.isoformat()}.md")
        changed = frozenset(each.turn_id for each in entries if each.revision)
        self._rewrite(path, lambda text: with_entries(text, day, entries), taken_back=changed)

    def _write_lasting(self, audience: Audience, lines: tuple[str, ...]) -> bool:
        path = self._path(audience, LASTING)
        versions = self._versions(path)
        written = versions.written_lines()
        before: tuple[str, ...] = ()
        moved_out = 0

        def place(text: str) -> str:
            nonlocal before, moved_out
            before = block_lines(text)
            placed = with_block(text, lines, written)
            moved_out = placed.moved_out
            return placed.text

        if lines:
            versions.will_write(lines)
        if not self._rewrite(path, place):
            return False
        about = {"folder": audience.folder, "lines": len(lines)}
        logger.info("memory.lasting_written", extra=about | {"moved_out": moved_out})
        if is_shrunk(before, lines):
            logger.warning("memory.lasting_shrunk", extra=about | {"before": len(before)})
        return True

    def _rewrite(
        self,
        path: Path,
        change: Callable[[str], str],
        *,
        taken_back: frozenset[int] = frozenset(),
    ) -> bool:
        """Change a file and keep what it said, unless it grew only; False if nothing changed."""
        versions = self._versions(path)
        for _ in range(_MOST_TRIES):
            found = read_file(path)
            wanted = change(found.text)
            if found.version is None and not wanted:
                return False
            versions.notice(found.text)
            if taken_back:
                versions.take_back(taken_back)
            if wanted == found.text:
                return False
            self._disk.make_folder(path.parent)
            if not taken_back and not wanted.startswith(found.text):
                versions.keep(found.text)
            if self._disk.replace(path, wanted.encode(), instead_of=found.version):
                versions.saw(wanted)
                return True
        raise StoreError(f"The memory file {path.name} is being written by somebody else")

    def _move(self, old: Audience, new: Audience) -> None:
        source, target = self._folder / old.folder, self._folder / new.folder
        if source == target or not source.is_dir():
            return
        self._disk.make_folder(target)
        for path in sorted(source.iterdir()):
            if path.name == VERSIONS:
                self._move_versions(path, target / VERSIONS)
            else:
                self._move_file(path, target / path.name)
        source.rmdir()
        self._disk.force(target)
        self._disk.force(self._folder)

    def _move_file(self, path: Path, target: Path) -> None:
        """Move a file to where none is; else a day or notes go before those, all else beside it."""
        if not target.exists():
            path.rename(target)
        elif has_versions(path.name):
            self._join(path, target)
        else:
            path.rename(unused(target, "moved"))

    def _join(self, path: Path, target: Path) -> None:
        first, day = read_file(path).text, day_of(path.name)
        if day is None:
            written = self._versions(path).written_lines()
            first = with_block(first, (), written).text
            self._rewrite(target, lambda text: merged(first, text))
        else:
            self._rewrite(target, lambda text: joined(first, text, day))
        path.unlink(missing_ok=True)  # what could not be read was put aside

    def _move_versions(self, source: Path, target: Path) -> None:
        self._disk.make_folder(target)
        for folder in sorted(source.iterdir()):
            place = target / folder.name
            if place.exists():
                self._versions(target.parent / folder.name).take_in(folder)
            else:
                folder.rename(place)
        source.rmdir()

    def _forget(
        self, audience: Audience, turn_ids: frozenset[TurnId], lines: tuple[str, ...]
    ) -> FilesForgotten:
        self._cleanings += 1
        folder = self._folder / audience.folder
        names: list[str] = []
        removed: dict[str, None] = {}
        for path in _files_below(folder):
            if is_unfinished(path):
                self._disk.wipe(path)
            elif gone := self._forget_in(path, turn_ids, lines):
                removed |= dict.fromkeys(gone)
                if path.name not in (SEEN, WRITTEN):
                    names.append(path.relative_to(folder).as_posix())
        return FilesForgotten(files=tuple(names), lines=tuple(removed))

    def _forget_in(
        self, path: Path, turn_ids: frozenset[TurnId], lines: tuple[str, ...]
    ) -> tuple[str, ...]:
        """Remove from one file, whatever its bytes are; give the lines that went."""
        for _ in range(_MOST_TRIES):
            version = version_of(path)
            text = path.read_bytes().decode("utf-8", "surrogateescape")
            left, entries = without_turns(text, turn_ids)
            left, others = without_lines(left, lines)
            if left == text:
                return ()
            content = left.encode("utf-8", "surrogateescape")
            if self._disk.replace(path, content, instead_of=version, wipes=True):
                return entries + others
        raise StoreError(f"The memory file {path.name} is being written by somebody else")

    def _versions_of(self, viewer: Viewer, name: str) -> Versions | None:
        if not has_versions(name):
            return None
        return self._versions(self._path(viewer.audience, name))

    def _versions(self, path: Path) -> Versions:
        return Versions(path, self._disk, self._now, self._redact)

    def _path(self, audience: Audience, name: str) -> Path:
        return self._folder / audience.folder / name


def _files_below(folder: Path) -> list[Path]:
    """List the files of an audience, hidden ones too; no folder has none."""
    return sorted(path for path in folder.rglob("*") if path.is_file() and not path.is_symlink())


def _place(entry: MemoryEntry) -> tuple[str, date]:
    return entry.audience.folder, entry.day


def _worded(error: OSError, verb: str) -> StoreError:
    return StoreError(f"A memory file cannot be {verb}: {error.strerror or error}")
