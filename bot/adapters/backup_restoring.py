"""Putting a backup in the place of the data there is, which is kept aside.

The law of this file: the data folder is exchanged once all of the backup lies beside it, was read
to its last byte, and is on the disk.
"""

from __future__ import annotations

import os
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from bot.adapters.backup_file import README, BackupReader, Manifest, Member
from bot.adapters.backup_making import Meter, TellProgress
from bot.adapters.memory_disk import Disk
from bot.adapters.store.copying import look_at_copy, require_space, skip_ids
from bot.adapters.store.folder import lock_data_folder
from bot.adapters.store.migrations import MIGRATIONS
from bot.adapters.store.switching import DATABASE, staging_in, switch
from bot.errors import DataError


@dataclass(frozen=True, slots=True, kw_only=True)
class Restored:
    """What was put back; ``aside`` is where the former data is, None where there was none."""

    manifest: Manifest
    aside: Path | None


def restore_backup(
    path: Path, data_dir: Path, knowledge_dir: Path, *, at: datetime, tell: TellProgress
) -> Restored:
    """Make the data that a backup holds that of the bot, which must not run.

    An older schema is left to the next start, which brings it up to date; so is the search index.

    Raises:
        DataFolderBusy: The bot runs.
        DataError: The backup is none, is damaged, or of a newer version; or the data cannot be
            written. What was there is as it was.
    """
    with BackupReader(path) as reader:
        manifest = reader.manifest
        if manifest.schema > len(MIGRATIONS):
            raise DataError(
                f"The backup {path} has schema {manifest.schema}, this version of the bot knows"
                f" {len(MIGRATIONS)}; update the bot."
            )
        with lock_data_folder(data_dir):
            size = sum(member.size for member in manifest.members)
            require_space(data_dir, size, "The restore")
            staged = staging_in(data_dir)
            try:
                _unpack(reader, staged, Meter(size, tell), at)
            except OSError as error:
                reason = error.strerror or str(error)
                raise DataError(f"{data_dir} cannot be written ({reason}).") from error
            aside = switch(data_dir, knowledge_dir, f"{at:%Y%m%d-%H%M%S}")
    return Restored(manifest=manifest, aside=aside)


def _unpack(reader: BackupReader, staged: Path, meter: Meter, at: datetime) -> None:
    meter.begin("unpacking")
    for member in reader.manifest.members:
        _write(reader, member, staged, meter)
    meter.begin("examining")
    database = staged / DATABASE
    if look_at_copy(database, meter.add) != reader.manifest.holding:
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
