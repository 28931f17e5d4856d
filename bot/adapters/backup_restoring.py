"""Putting a backup in the place of the data there is, which is kept aside.

The law of this file: the data folder is exchanged once all of the backup lies beside it, was read
to its last byte, and is on the disk.
"""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import BinaryIO

from bot.adapters.backup_file import PIECE_BYTES, README, BackupReader, Manifest, Member
from bot.adapters.backup_making import Meter, TellProgress
from bot.adapters.memory_disk import Disk
from bot.adapters.store.copying import look_at_copy, require_space, skip_ids
from bot.adapters.store.folder import lock_data_folder
from bot.adapters.store.migrations import MIGRATIONS
from bot.adapters.store.switching import DATABASE, staging_in, switch
from bot.errors import DataError

STREAM_NAME = "(standard input)"
"""How a backup is called that comes through a stream."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Restored:
    """What was put back.

    Attributes:
        manifest: What the backup says of itself.
        aside: Where the former data is; None where there was none.
        pages: Where its pages of knowledge are, since their folder cannot be written; None where
            they are in it.
    """

    manifest: Manifest
    aside: Path | None
    pages: Path | None


def restore_backup(
    source: Path | BinaryIO,
    data_dir: Path,
    knowledge_dir: Path,
    *,
    at: datetime,
    tell: TellProgress,
) -> Restored:
    """Make the data that a backup holds that of the bot, which must not run.

    An older schema is left to the next start, which brings it up to date; so is the search index.
    A backup that comes through a stream is kept until it is done with, on the disk of the data.

    Raises:
        DataFolderBusy: The bot runs.
        DataError: The backup is none, is damaged, or of a newer version; or the data cannot be
            written. What was there is as it was.
    """
    if isinstance(source, Path):
        with _opened(source) as reader, lock_data_folder(data_dir):
            return _put_back(reader, data_dir, knowledge_dir, at, tell)
    with lock_data_folder(data_dir), _kept(source, data_dir) as file, _opened(file) as reader:
        return _put_back(reader, data_dir, knowledge_dir, at, tell)


def _opened(source: Path | BinaryIO) -> BackupReader:
    """Open a backup that this version can read.

    Raises:
        DataError: It is none, or of a newer version.
    """
    reader = BackupReader(source, str(source) if isinstance(source, Path) else STREAM_NAME)
    if (schema := reader.manifest.schema) > (newest := len(MIGRATIONS)):
        reader.close()
        raise DataError(
            f"The backup {reader.name} has schema {schema}, this version of the bot knows {newest};"
            " update the bot."
        )
    return reader


@contextmanager
def _kept(stream: BinaryIO, folder: Path) -> Iterator[BinaryIO]:
    """Give all that comes through a stream as a file without a name, which no kill leaves behind.

    Raises:
        DataError: It cannot be read or written.
    """
    with _worded(folder), tempfile.TemporaryFile(dir=folder) as file:
        shutil.copyfileobj(stream, file, PIECE_BYTES)
        file.flush()
        yield file


def _put_back(
    reader: BackupReader, data_dir: Path, knowledge_dir: Path, at: datetime, tell: TellProgress
) -> Restored:
    size = sum(member.size for member in reader.manifest.members)
    require_space(data_dir, size, "The restore")
    with _worded(data_dir), staging_in(data_dir) as staged:
        _unpack(reader, staged, Meter(size, tell), at)
        switched = switch(data_dir, knowledge_dir, f"{at:%Y%m%d-%H%M%S}")
    return Restored(manifest=reader.manifest, aside=switched.aside, pages=switched.pages)


@contextmanager
def _worded(folder: Path) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        reason = error.strerror or str(error)
        raise DataError(f"{folder} cannot be written ({reason}).") from error


def _unpack(reader: BackupReader, staged: Path, meter: Meter, at: datetime) -> None:
    meter.begin("unpacking")
    for member in reader.manifest.members:
        _write(reader, member, staged, meter)
    meter.begin("examining")
    database = staged / DATABASE
    name = f"of the backup {reader.name}"
    if look_at_copy(database, meter.add, name=name) != reader.manifest.holding:
        raise DataError("The backup's database does not hold what its manifest says.")
    skip_ids(database, at)
    with database.open("r+b") as file:
        os.fsync(file.fileno())
    disk = Disk(os.fsync)
    for place, _, _ in os.walk(staged):
        disk.force(Path(place))


def _write(reader: BackupReader, member: Member, staged: Path, meter: Meter) -> None:
    if member.name == README:
        for _ in reader.read(member):
            meter.add(0)  # nobody needs it; but a byte that is wrong there is told, too
        return
    target = staged.joinpath(*member.name.split("/"))
    for folder in reversed(target.relative_to(staged).parents):
        (staged / folder).mkdir(mode=0o700, exist_ok=True)
    handle = os.open(target, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with os.fdopen(handle, "wb") as file:
        for piece in reader.read(member):
            file.write(piece)
            meter.add(len(piece))
        file.flush()
        os.fsync(file.fileno())
