"""Copies of a database from before its schema was changed, beside it: ``daybook.db.before-m0007``.

They hold what was forgotten since: so they go with the next forgetting, and with pruning, after a
month.
"""

from __future__ import annotations

import logging
import os
from collections.abc import Iterator
from contextlib import suppress
from datetime import datetime
from pathlib import Path

from bot.adapters.memory_disk import Disk
from bot.adapters.store.copying import require_space, snapshot_of
from bot.errors import DataError

logger = logging.getLogger(__name__)

MOST_COPIES = 2

_MARK = ".before-m"
_UNFINISHED = ".new"


def keep_former(path: Path, version: int) -> None:
    """Copy the database at ``path`` before step number ``version`` changes its schema.

    The copy has its name once it is whole; of several the newest stay.

    Raises:
        DataError: It cannot be copied, or there is no space for that and for the change.
    """
    target = path.with_name(f"{path.name}{_MARK}{version:04}")
    try:
        _copy(path, target)
    except OSError as error:
        reason = error.strerror or str(error)
        raise DataError(
            f"The database {path} cannot be copied before it changes ({reason})."
        ) from (error)
    logger.info("store.copied_before_change", extra={"copy": target.name})


def drop_old(path: Path, before: datetime) -> None:
    """Remove copies that were made before a moment."""
    for former in _copies(path):
        with suppress(OSError):  # the next pruning tries again
            if _made_at(former) < before.timestamp():
                Disk(os.fsync).wipe(former)


def drop_unfinished(path: Path) -> None:
    """Remove a copy that was never finished."""
    for fresh in path.parent.glob(f"{path.name}{_MARK}*{_UNFINISHED}"):
        with suppress(OSError):  # the next start tries again
            Disk(os.fsync).wipe(fresh)


def drop_all(path: Path) -> None:
    """Remove the copies of a database from which something is to be gone.

    Raises:
        OSError: One of them stays.
    """
    for former in (*_copies(path), *path.parent.glob(f"{path.name}{_MARK}*{_UNFINISHED}")):
        Disk(os.fsync).wipe(former)
        logger.info("store.copy_removed", extra={"copy": former.name})


def _copy(path: Path, target: Path) -> None:
    fresh = target.with_name(f"{target.name}{_UNFINISHED}")
    with snapshot_of(path) as snapshot:
        purpose = f"Bringing the database {path} up to date"
        require_space(path.parent, 2 * snapshot.size_bytes, purpose)
        snapshot.copy_to(fresh)
    fresh.replace(target)
    disk = Disk(os.fsync)
    disk.force(path.parent)
    for former in sorted(_copies(path), key=_made_at, reverse=True)[MOST_COPIES:]:
        disk.wipe(former)


def _copies(path: Path) -> Iterator[Path]:
    beginning = f"{path.name}{_MARK}"
    for each in path.parent.glob(f"{beginning}*"):
        if each.name.removeprefix(beginning).isdecimal():
            yield each


def _made_at(former: Path) -> float:
    return former.stat().st_mtime
