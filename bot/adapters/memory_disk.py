"""Single files on a disk: read whole, replaced whole, or as they were.

The law of this file: a file is never seen half written, and what somebody else wrote into it in the
meantime is never written over.
"""

from __future__ import annotations

import contextlib
import logging
import os
import stat
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import count
from pathlib import Path
from typing import BinaryIO

logger = logging.getLogger(__name__)

MOST_BYTES = 16 * 1024 * 1024
"""A file that is larger was not made by this program; it is put aside."""

Version = tuple[int, int, int]
"""What differs when somebody else wrote a file: inode, time of the change, size."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Found:
    """A file as it was read; without a version there was none."""

    text: str = ""
    version: Version | None = None


class Disk:
    """Writes with folders of mode 0700 and files of 0600.

    ``fsync`` forces what was written through a descriptor to the disk.
    """

    def __init__(self, fsync: Callable[[int], None]) -> None:
        self._fsync = fsync

    def make_folder(self, folder: Path) -> None:
        """Make a folder and those that it stands in, so that they outlast a power cut."""
        missing = [each for each in (folder, *folder.parents) if not each.is_dir()]
        for each in reversed(missing):
            each.mkdir(mode=0o700, exist_ok=True)
            self.force(each.parent)

    def write(self, path: Path, text: str) -> None:
        """Put a text in the place of whatever a file says."""
        with _removed_if_it_fails(_fresh(path)) as fresh:
            self._fill(fresh, text.encode())
            fresh.replace(path)
        self.force(path.parent)

    def replace(
        self, path: Path, content: bytes, *, instead_of: Version | None, wipes: bool = False
    ) -> bool:
        """Write beside a file, force it to the disk, and rename it into its place.

        False if another version stands there by now, and that one is left or put back.

        Args:
            path: The file.
            content: All of it.
            instead_of: What was read there; None for no file.
            wipes: Whether the former bytes are overwritten, too, unless another name has them.
        """
        with contextlib.ExitStack() as held:
            former = held.enter_context(path.open("r+b" if wipes else "rb")) if instead_of else None
            with _removed_if_it_fails(_fresh(path)) as fresh:
                self._fill(fresh, content)
                is_as_read = version_of(path) == instead_of
                if is_as_read:
                    fresh.replace(path)
            if not is_as_read:
                remove(fresh)
                return False
            self.force(path.parent)
            return former is None or self._let_go(former, path, instead_of, wipes=wipes)

    def wipe(self, path: Path) -> None:
        """Remove a file and overwrite what it said."""
        with contextlib.suppress(FileNotFoundError), path.open("r+b") as file:
            path.unlink()
            self._overwrite(file)
            self.force(path.parent)

    def force(self, folder: Path) -> None:
        """Make a new name in a folder outlast a power cut."""
        descriptor = os.open(folder, os.O_RDONLY)
        try:
            self._fsync(descriptor)
        finally:
            os.close(descriptor)

    def _fill(self, fresh: Path, content: bytes) -> None:
        descriptor = os.open(fresh, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
        with os.fdopen(descriptor, "wb") as file:
            file.write(content)
            file.flush()
            self._fsync(file.fileno())

    def _let_go(
        self, former: BinaryIO, path: Path, instead_of: Version | None, *, wipes: bool
    ) -> bool:
        """Be done with a file that lost its name, unless somebody was still writing into it."""
        if _told(os.fstat(former.fileno())) != instead_of:
            with _removed_if_it_fails(_fresh(path)) as fresh:
                self._fill(fresh, former.read())
                fresh.replace(path)
            self.force(path.parent)
            return False
        if wipes:
            self._overwrite(former)
        return True

    def _overwrite(self, file: BinaryIO) -> None:
        found = os.fstat(file.fileno())
        if found.st_nlink == 0:
            file.seek(0)
            for start in range(0, found.st_size, MOST_BYTES):
                file.write(bytes(min(MOST_BYTES, found.st_size - start)))
            file.flush()
            self._fsync(file.fileno())


def version_of(path: Path) -> Version | None:
    """Say which version of a file stands there; None for no file."""
    try:
        return _told(path.stat())
    except FileNotFoundError:
        return None


def read_file(path: Path) -> Found:
    """Read a file as it is, line ends too; what cannot be read is put aside, and there is none."""
    version = version_of(path)
    if version is None:
        return Found()
    if not stat.S_ISREG(path.stat().st_mode):
        return _put_aside(path, "no file")
    if version[2] > MOST_BYTES:
        return _put_aside(path, "too large")
    try:
        return Found(text=path.read_bytes().decode("utf-8"), version=version)
    except UnicodeDecodeError:
        return _put_aside(path, "not UTF-8")


def unused(path: Path, mark: str) -> Path:
    """Give a name beside a file that nothing has yet: ``2026-11-30.md.moved-1``."""
    names = (path.with_name(f"{path.name}.{mark}-{number}") for number in count(1))
    return next(each for each in names if not each.exists())


def is_unfinished(path: Path) -> bool:
    """Say whether a file is what a killed process left of one it was writing."""
    return path.name.startswith(".") and path.name.endswith(".new")


def remove(path: Path) -> None:
    """Remove a file if that can be done."""
    with contextlib.suppress(OSError):
        path.unlink()


def _put_aside(path: Path, why: str) -> Found:
    """Keep what cannot be read under another name."""
    aside = unused(path, "unreadable")
    path.rename(aside)
    logger.warning("memory.file_set_aside", extra={"file": aside.name, "why": why})
    return Found()


def _fresh(path: Path) -> Path:
    return path.with_name(f".{path.name}.new")


@contextlib.contextmanager
def _removed_if_it_fails(fresh: Path) -> Iterator[Path]:
    try:
        yield fresh
    except OSError:
        remove(fresh)
        raise


def _told(found: os.stat_result) -> Version:
    return found.st_ino, found.st_mtime_ns, found.st_size
