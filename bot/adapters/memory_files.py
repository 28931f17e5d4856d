"""Memory files on disk: ``<folder>/<audience>/YYYY-MM-DD.md``, never seen half written.

The law of this file: what a person writes into a daily file, also while entries are added to it,
is kept. What cannot be read as a daily file is put aside under another name, not overwritten.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
import os
import stat
import threading
from collections.abc import Callable
from dataclasses import dataclass
from datetime import date
from itertools import count, groupby
from pathlib import Path

from bot.core.memory.audience import Audience
from bot.core.memory.daily import joined, with_entries
from bot.core.memory.jobs import MemoryEntry
from bot.errors import StoreError

logger = logging.getLogger(__name__)

MOST_BYTES = 16 * 1024 * 1024
"""A daily file that is larger was not made by this program; it is put aside."""

_MOST_TRIES = 10

_Version = tuple[int, int, int]
"""What differs when somebody else wrote a file: inode, time of the change, size."""


class MarkdownMemoryFiles:
    """Fills :class:`~bot.ports.MemoryFiles`; folders have mode 0700, files 0600.

    ``fsync`` forces what was written through a descriptor to the disk.
    """

    def __init__(self, folder: Path, *, fsync: Callable[[int], None] = os.fsync) -> None:
        self._folder = folder
        self._fsync = fsync
        # Not asyncio's: a thread goes on writing when whoever waited for it is cancelled.
        self._lock = threading.Lock()

    async def append(self, entries: tuple[MemoryEntry, ...]) -> None:
        """Add entries to their daily files, each turn once.

        Raises:
            StoreError: A file could not be written; all others were.
        """
        await asyncio.to_thread(self._append, entries)

    async def read_day(self, audience: Audience, day: date) -> str:
        """Give a daily file, empty when there is none."""
        return await asyncio.to_thread(self._read_day, audience, day)

    async def move(self, old: Audience, new: Audience) -> None:
        """Make the files of one audience those of another.

        Raises:
            StoreError: It is not done; doing it again goes on with it.
        """
        await asyncio.to_thread(self._move, old, new)

    def _append(self, entries: tuple[MemoryEntry, ...]) -> None:
        failures: list[StoreError] = []
        with self._lock:
            for (folder, _), group in groupby(sorted(entries, key=_place), key=_place):
                of_file = tuple(group)
                try:
                    self._add(folder, of_file[0].day, of_file)
                except OSError as error:
                    failures.append(_worded(error, "written"))
                except StoreError as error:
                    failures.append(error)
        if failures:
            raise failures[0]

    def _read_day(self, audience: Audience, day: date) -> str:
        with self._lock:
            try:
                return _read(self._path(audience.folder, day)).text
            except OSError as error:
                raise _worded(error, "read") from error

    def _move(self, old: Audience, new: Audience) -> None:
        source, target = self._folder / old.folder, self._folder / new.folder
        with self._lock:
            try:
                if source == target or not source.is_dir():
                    return
                self._make_folder(target)
                for path in sorted(source.iterdir()):
                    self._move_file(path, target / path.name)
                source.rmdir()
                self._force_to_disk(target)
                self._force_to_disk(self._folder)
            except OSError as error:
                raise _worded(error, "moved") from error

    def _move_file(self, path: Path, target: Path) -> None:
        """Move a file to where none is; else a day goes before that day, all else beside it."""
        day = _day_of(path)
        if not target.exists():
            path.rename(target)
        elif day is None:
            path.rename(_unused(target, "moved"))
        else:
            self._join(path, target, day)

    def _join(self, path: Path, target: Path, day: date) -> None:
        for _ in range(_MOST_TRIES):
            first, second = _read(path), _read(target)
            text = joined(first.text, second.text, day)
            if text == second.text or self._replace(target, text, instead_of=second.version):
                path.unlink(missing_ok=True)  # what could not be read was put aside
                return
        raise StoreError(f"The memory file {target.name} is being written by somebody else")

    def _add(self, folder: str, day: date, entries: tuple[MemoryEntry, ...]) -> None:
        path = self._path(folder, day)
        for _ in range(_MOST_TRIES):
            found = _read(path)
            wanted = with_entries(found.text, day, entries)
            if wanted == found.text:
                return
            self._make_folder(path.parent)
            if self._replace(path, wanted, instead_of=found.version):
                return
        raise StoreError(f"The memory file {path.name} is being written by somebody else")

    def _make_folder(self, folder: Path) -> None:
        for each in (self._folder, folder):
            if not each.is_dir():
                each.mkdir(mode=0o700, exist_ok=True)
                self._force_to_disk(each.parent)

    def _replace(self, path: Path, text: str, *, instead_of: _Version | None) -> bool:
        """Write beside a file, force it to the disk, and rename it into its place.

        False, and nothing is done, if another version stands there by now.
        """
        fresh = path.with_name(f".{path.name}.new")
        try:
            descriptor = os.open(fresh, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
            with os.fdopen(descriptor, "wb") as file:
                file.write(text.encode())
                file.flush()
                self._fsync(file.fileno())
            is_as_read = _version(path) == instead_of
            if is_as_read:
                fresh.replace(path)
        except OSError:
            _remove(fresh)
            raise
        if not is_as_read:
            _remove(fresh)
            return False
        self._force_to_disk(path.parent)
        return True

    def _force_to_disk(self, folder: Path) -> None:
        """Make a new name in a folder outlast a power cut."""
        descriptor = os.open(folder, os.O_RDONLY)
        try:
            self._fsync(descriptor)
        finally:
            os.close(descriptor)

    def _path(self, folder: str, day: date) -> Path:
        return self._folder / folder / f"{day.isoformat()}.md"


@dataclass(frozen=True, slots=True, kw_only=True)
class _Found:
    text: str = ""
    version: _Version | None = None


def _place(entry: MemoryEntry) -> tuple[str, date]:
    return entry.audience.folder, entry.day


def _worded(error: OSError, verb: str) -> StoreError:
    return StoreError(f"A memory file cannot be {verb}: {error.strerror or error}")


def _version(path: Path) -> _Version | None:
    """Say which version of a file stands there; None for no file."""
    try:
        found = path.stat()
    except FileNotFoundError:
        return None
    return found.st_ino, found.st_mtime_ns, found.st_size


def _read(path: Path) -> _Found:
    """Read a daily file as it is, line ends too."""
    version = _version(path)
    if version is None:
        return _Found()
    if not stat.S_ISREG(path.stat().st_mode):
        return _put_aside(path, "no file")
    if version[2] > MOST_BYTES:
        return _put_aside(path, "too large")
    try:
        return _Found(text=path.read_bytes().decode("utf-8"), version=version)
    except UnicodeDecodeError:
        return _put_aside(path, "not UTF-8")


def _put_aside(path: Path, why: str) -> _Found:
    """Keep what cannot be read under another name; there is no daily file then."""
    aside = _unused(path, "unreadable")
    path.rename(aside)
    logger.warning("memory.file_set_aside", extra={"file": aside.name, "why": why})
    return _Found()


def _unused(path: Path, mark: str) -> Path:
    names = (path.with_name(f"{path.name}.{mark}-{number}") for number in count(1))
    return next(each for each in names if not each.exists())


def _day_of(path: Path) -> date | None:
    """Say which day a daily file is of; None for any other file."""
    try:
        return date.fromisoformat(path.stem) if path.suffix == ".md" else None
    except ValueError:
        return None


def _remove(path: Path) -> None:
    with contextlib.suppress(OSError):
        path.unlink()
