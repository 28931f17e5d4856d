"""The disk with the data folder, looked at: what it has room for, and by writing to it.

Not into the database: what was blanked there is gone from its log once that has been left alone.
"""

from __future__ import annotations

import asyncio
import os
import shutil
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from bot.ports.health import DiskState

PROBE = ".probe"
PROBE_BYTES = 4_096
"""A block, so that a disk without one is found out."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Room:
    """What a disk has room for.

    Attributes:
        free_files: How many more files.
        most_files: Of so many at most; 0 where there is no limit.
        is_read_only: Whether it is mounted so that nothing can be written.
    """

    free_bytes: int
    free_files: int = 0
    most_files: int = 0
    is_read_only: bool = False


RoomOn = Callable[[Path], Room]
"""Says what the disk with a folder has room for; raises OSError where there is no such folder."""


def room_on(folder: Path) -> Room:
    """Fill :data:`RoomOn`; where a system tells of free bytes alone, there is no other limit."""
    free_bytes = shutil.disk_usage(folder).free
    if not hasattr(os, "statvfs"):
        return Room(free_bytes=free_bytes)
    found = os.statvfs(folder)
    return Room(
        free_bytes=free_bytes,
        free_files=found.f_favail,
        most_files=found.f_files,
        is_read_only=bool(found.f_flag & os.ST_RDONLY),
    )


class DataDisk:
    """Fills :class:`~bot.ports.health.Disk`."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    async def look(self) -> DiskState:
        """Write and remove a small file in a thread, and ask what is free."""
        return await asyncio.to_thread(self._look)

    def _look(self) -> DiskState:
        try:
            free_bytes = shutil.disk_usage(self._folder).free
        except OSError as error:
            return DiskState(free_bytes=0, trouble=_worded(error))
        path = self._folder / PROBE
        try:
            try:
                _write(path)
            finally:
                path.unlink(missing_ok=True)
        except OSError as error:
            return DiskState(free_bytes=free_bytes, trouble=_worded(error))
        return DiskState(free_bytes=free_bytes)


def _write(path: Path) -> None:
    """Write a block and have it on the disk.

    Raises:
        OSError: It cannot be written.
    """
    with path.open("wb") as file:  # buffered: unbuffered, a part would be written and count as all
        file.write(b"\0" * PROBE_BYTES)
        file.flush()
        os.fsync(file.fileno())


def _worded(error: OSError) -> str:
    return f"nothing can be written to the data folder ({error.strerror or error})"
