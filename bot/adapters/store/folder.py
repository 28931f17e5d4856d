"""The data folder and the lock that keeps a second process out of it."""

from __future__ import annotations

import errno
import logging
import os
import sys
from pathlib import Path
from types import TracebackType
from typing import BinaryIO, Self

from bot.adapters.store.switching import finish_switch
from bot.errors import DataError, DataFolderBusy

logger = logging.getLogger(__name__)

LOCK_NAME = "daybook.lock"

_HELD = (errno.EAGAIN, errno.EACCES, errno.EDEADLK)  # what systems say of a lock that is taken

if sys.platform == "win32":
    import msvcrt

    _FAR_BEHIND = 1 << 30  # Windows locks bytes against reading too: not those of the process id

    def _lock(file: BinaryIO) -> None:
        file.seek(_FAR_BEHIND)
        msvcrt.locking(file.fileno(), msvcrt.LK_NBLCK, 1)
        file.seek(0)
else:
    import fcntl

    def _lock(file: BinaryIO) -> None:
        fcntl.flock(file.fileno(), fcntl.LOCK_EX | fcntl.LOCK_NB)


class DataFolderLock:
    """Holds a data folder until released; the system releases it too when the process ends."""

    def __init__(self, path: Path, file: BinaryIO) -> None:
        self.path = path
        self._file = file

    def release(self) -> None:
        """Let others in; the file stays, since removing it could let two in at once."""
        self._file.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self.release()


def lock_data_folder(path: Path) -> DataFolderLock:
    """Make the folder, for its owner's eyes only, and take it for this process alone.

    A restore that was killed is finished first, or what it left removed.

    Raises:
        DataFolderBusy: Another process has it.
        DataError: It cannot be made or written.
    """
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.mkdir(mode=0o700, exist_ok=True)
        _close_to_others(path)
    except OSError as error:
        raise _unusable(path, error) from error
    lock = hold_data_folder(path)
    try:
        finish_switch(path)
    except BaseException:
        lock.release()
        raise
    return lock


def hold_data_folder(path: Path) -> DataFolderLock:
    """Take a folder that is there for this process alone, and leave it as it is otherwise.

    Raises:
        DataFolderBusy: Another process has it.
        DataError: It cannot be written.
    """
    try:
        handle = os.open(path / LOCK_NAME, os.O_RDWR | os.O_CREAT | os.O_APPEND, 0o600)
        file = os.fdopen(handle, "a+b", buffering=0)
    except OSError as error:
        raise _unusable(path, error) from error
    try:
        _lock(file)
        file.truncate(0)
        file.write(str(os.getpid()).encode())
    except OSError as error:
        holder = _read_holder(file)
        file.close()
        if error.errno in _HELD:
            raise DataFolderBusy(
                f"The data folder {path} is in use by process {holder};"
                " stop it or set another data_dir."
            ) from error
        raise _unusable(path, error) from error
    return DataFolderLock(path, file)


def _read_holder(file: BinaryIO) -> str:
    """Give the process id that the holder wrote, unless it has only just begun."""
    file.seek(0)
    return file.read(32).decode("ascii", "replace") or "(unknown)"


def _unusable(path: Path, error: OSError) -> DataError:
    return DataError(
        f"The data folder {path} cannot be used ({error.strerror});"
        " mend that or set another data_dir."
    )


def _close_to_others(path: Path) -> None:
    """Take a folder that was there already from everybody else; one of another owner stays."""
    try:
        path.chmod(0o700)
    except PermissionError as error:
        logger.warning("data_folder.open_to_others", extra={"why": error.strerror})
