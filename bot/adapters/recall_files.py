"""Memory files and global knowledge on the disk, as the search index reads them.

The law of this file: a ref names a file inside one of two folders, whatever it says. What leads out
of them, through dots or a link, is no file of ours.
"""

from __future__ import annotations

import asyncio
import logging
import os
import time
from collections.abc import Iterator, Mapping
from hashlib import sha256
from pathlib import Path

from bot.core.memory.items import FILE, KNOWLEDGE, ItemRef
from bot.errors import StoreError

logger = logging.getLogger(__name__)

MOST_BYTES = 4_000_000
"""A larger file is no page that somebody wrote; it is left out."""

_ENDING = ".md"
_DEPTH_OF_MEMORY = 2

_SETTLED_NS = 2_000_000_000
"""A file that was changed so shortly before it was read may change again unseen: file systems tell
two seconds apart, at the worst (FAT)."""

_UNSETTLED = "-"

_Found = os.DirEntry[str]


class RecallFiles:
    """Fills :class:`~bot.ports.RecalledFiles` from ``<memory>/<audience>/*.md`` and pages below.

    A file that was not touched is taken for the same; one that was is read, and is the same if it
    says the same.
    """

    def __init__(self, memory: Path, knowledge: Path) -> None:
        self._memory = memory
        self._knowledge = knowledge
        self._touched: dict[ItemRef, tuple[str, str]] = {}
        self._told: set[tuple[ItemRef, str]] = set()

    async def marks(self, known: Mapping[ItemRef, str]) -> dict[ItemRef, str]:
        """Give for every file by what its content is known.

        Raises:
            StoreError: A folder cannot be read.
        """
        return await asyncio.to_thread(self._marks, dict(known))

    async def read(self, ref: ItemRef) -> str:
        """Give a file's text, empty for one that is gone, or is no text.

        Raises:
            StoreError: It is there and cannot be read.
        """
        return await asyncio.to_thread(self._read, ref)

    async def stamp(self, ref: ItemRef) -> str:
        """Give by what a file is known to be untouched; empty where it has to be read.

        Raises:
            StoreError: Its folder cannot be read.
        """
        return await asyncio.to_thread(self._settled_stamp, ref)

    def _settled_stamp(self, ref: ItemRef) -> str:
        path = self._path_of(ref)
        try:
            stamp = "" if path is None else _stamp(path)
        except OSError as error:
            raise _worded(error) from error
        return stamp if stamp and _is_settled(stamp) else ""

    def _marks(self, known: dict[ItemRef, str]) -> dict[ItemRef, str]:
        marks: dict[ItemRef, str] = {}
        try:
            for ref, found in (*self._memory_files(), *self._pages()):
                # What no link leads to is inside: only of a link it has to be asked.
                if found.is_symlink() and self._path_of(ref) is None:
                    continue
                mark = self._mark(ref, Path(found.path), known.get(ref, ""))
                if mark:
                    marks[ref] = mark
        except OSError as error:
            raise _worded(error) from error
        self._touched = {ref: touched for ref, touched in self._touched.items() if ref in marks}
        return marks

    def _memory_files(self) -> Iterator[tuple[ItemRef, _Found]]:
        _, folders = _inside(self._memory)
        for folder in folders:
            for file in _inside(folder)[0]:
                yield ItemRef(f"{FILE}{folder.name}/{file.name}"), file

    def _pages(self) -> Iterator[tuple[ItemRef, _Found]]:
        waiting = [self._knowledge]
        while waiting:
            folder = waiting.pop()
            files, folders = _inside(folder)
            below = folder.relative_to(self._knowledge).as_posix()
            for file in files:
                name = file.name if below == "." else f"{below}/{file.name}"
                yield ItemRef(f"{KNOWLEDGE}{name}"), file
            waiting += folders

    def _mark(self, ref: ItemRef, path: Path, known: str) -> str:
        """Give the mark of a file; empty when it went meanwhile, or cannot be read."""
        stamp = _stamp(path)
        if not stamp:
            return ""
        if known.startswith(f"{stamp} ") or self._touched.get(ref) == (stamp, known):
            return known
        try:
            text = self._read(ref)
        except StoreError as error:
            if known:
                return known  # what cannot be read at this moment is not gone
            self._tell(ref, str(error))
            return ""
        digest = sha256(text.encode()).hexdigest()[:16]
        is_settled = _is_settled(stamp)
        if known.endswith(f" {digest}"):
            if is_settled:
                self._touched[ref] = (stamp, known)
            return known
        return f"{stamp if is_settled else _UNSETTLED} {digest}"

    def _read(self, ref: ItemRef) -> str:
        path = self._path_of(ref)
        if path is None:
            return ""
        try:
            with path.open("rb") as file:
                content = file.read(MOST_BYTES + 1)
        except (FileNotFoundError, IsADirectoryError, NotADirectoryError):
            return ""
        except OSError as error:
            raise _worded(error) from error
        if len(content) > MOST_BYTES:
            self._tell(ref, "too large")
            return ""
        try:
            return content.decode("utf-8")
        except UnicodeDecodeError:
            self._tell(ref, "not UTF-8")
            return ""

    def _path_of(self, ref: ItemRef) -> Path | None:
        kind, colon, name = ref.partition(":")
        parts = name.split("/")
        is_memory = kind + colon == FILE
        if not is_memory and kind + colon != KNOWLEDGE:
            return None
        if not all(map(_is_plain, parts)) or not name.endswith(_ENDING):
            return None
        if is_memory and len(parts) != _DEPTH_OF_MEMORY:
            return None
        root = self._memory if is_memory else self._knowledge
        path = root.joinpath(*parts)
        return path if path.resolve().is_relative_to(root.resolve()) else None

    def _tell(self, ref: ItemRef, why: str) -> None:
        if (ref, why) not in self._told:
            self._told.add((ref, why))
            logger.warning("recall.file_left_out", extra={"file": ref, "why": why})


def _inside(folder: Path) -> tuple[list[_Found], list[Path]]:
    """Give the files of ours and the folders in a folder, by name; nothing where there is none."""
    try:
        with os.scandir(folder) as scanned:
            found = sorted((each for each in scanned if _is_plain(each.name)), key=_name_of)
    except (FileNotFoundError, NotADirectoryError):
        return [], []
    files = [each for each in found if each.name.endswith(_ENDING) and each.is_file()]
    folders = [folder / each.name for each in found if each.is_dir(follow_symlinks=False)]
    return files, folders


def _name_of(found: _Found) -> str:
    return found.name


def _is_plain(name: str) -> bool:
    """Tell names of files from what leads elsewhere, and from what is hidden or being written."""
    return bool(name) and not name.startswith(".") and "\\" not in name and "\0" not in name


def _stamp(path: Path) -> str:
    try:
        found = path.stat()
    except (FileNotFoundError, NotADirectoryError):
        return ""
    return f"{found.st_ctime_ns}-{found.st_size}-{found.st_ino}"  # nobody sets that time back


def _is_settled(stamp: str) -> bool:
    return time.time_ns() - int(stamp.partition("-")[0]) > _SETTLED_NS


def _worded(error: OSError) -> StoreError:
    return StoreError(f"A file of memory or knowledge cannot be read: {error.strerror or error}")
