"""Making a backup of data that may be in use, and seeing that it can be read, before it counts.

The law of this file: under the name that was asked for, nobody ever finds anything but a whole
backup. What is unfinished is ``FILE.tmp`` and ``FILE.tmp.db``, and goes with the next attempt.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, ExitStack, contextmanager, nullcontext, suppress
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Literal

from bot.adapters.backup_file import BackupReader, BackupWriter, Manifest, can_hold, is_backup
from bot.adapters.memory_disk import Disk, is_unfinished
from bot.adapters.store.copying import look_at_copy, require_space, snapshot_of
from bot.adapters.store.switching import DATABASE, KNOWLEDGE, MEMORY
from bot.errors import DataError

Phase = Literal["copying", "examining", "packing", "checking", "unpacking"]
"""What is being done: to the database, to its copy, to the archive, to the archive as it was
written; or, when it is restored, to its members."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Progress:
    """How far it is, in bytes of all phases together."""

    phase: Phase
    done: int
    total: int


TellProgress = Callable[[Progress], None]
"""Is told how far it is, some times a second; what it raises ends the work."""


@dataclass(frozen=True, slots=True, kw_only=True)
class BackupSource:
    """What a backup is made of.

    Attributes:
        data_dir: The data folder.
        knowledge_dir: The folder of pages that everybody may be told of; it need not exist.
        hold_files: Keeps the bot from writing memory files for as long as it is entered. With them
            as they were at the database's own moment, no file tells of a turn whose number the
            database will give to another one.
    """

    data_dir: Path
    knowledge_dir: Path
    hold_files: Callable[[], AbstractContextManager[object]] = nullcontext

    @property
    def database(self) -> Path:
        """The file of the database."""
        return self.data_dir / DATABASE

    def memory_files(self) -> tuple[tuple[str, Path], ...]:
        """Give the names and places of all memory files, hidden ones too."""
        folder = self.data_dir / MEMORY
        found = (path for path in _files_below(folder) if not is_unfinished(path))
        return tuple((_named(MEMORY, folder, path), path) for path in found)

    def pages(self) -> tuple[tuple[str, Path], ...]:
        """Give the names and places of what the bot reads as knowledge: ``*.md``, none hidden."""
        folder, data = self.knowledge_dir, self.data_dir.resolve()
        return tuple(
            (_named(KNOWLEDGE, folder, path), path)
            for path in _files_below(folder)
            if path.suffix == ".md"
            and not any(part.startswith(".") for part in path.relative_to(folder).parts)
            and not path.resolve().is_relative_to(data / MEMORY)
        )


class Meter:
    """Counts bytes through the phases of one piece of work."""

    def __init__(self, total: int, tell: TellProgress) -> None:
        self._total, self._done = total, 0
        self._tell = tell
        self._phase: Phase = "copying"

    def begin(self, phase: Phase) -> None:
        """Say what is done from now on."""
        self._phase = phase
        self.add(0)

    def add(self, more: int) -> None:
        """Count on."""
        self._done += more
        self._tell(Progress(phase=self._phase, done=self._done, total=self._total))


def make_backup(
    source: BackupSource,
    target: Path,
    *,
    version: str,
    now: Callable[[], datetime],
    tell: TellProgress,
) -> Manifest:
    """Write a backup, read it again, and give what it says of itself.

    ``now`` dates it. A backup that has the name is replaced, once the new one is whole.

    Raises:
        DataError: There is nothing to be backed up, it is damaged, or the file cannot be written.
    """
    require_place(source, target)
    draft, copy = _beside(target, ".tmp"), _beside(target, ".tmp.db")
    with _worded(target):
        for left in (draft, copy):
            left.unlink(missing_ok=True)
        try:
            with os.fdopen(os.open(draft, os.O_RDWR | os.O_CREAT | os.O_EXCL, 0o600), "wb") as file:
                writer = BackupWriter(file)
                meter, made_at = _collect(source, writer, copy, now, tell)
                meter.begin("examining")
                holding = look_at_copy(copy, meter.add, name=str(source.database))
                meter.begin("packing")
                writer.add_file(DATABASE, copy, meter.add)
                manifest = writer.finish(version=version, made_at=made_at, holding=holding)
                file.flush()
                os.fsync(file.fileno())
            meter.begin("checking")
            _check(draft, manifest, meter)
            draft.replace(target)
            Disk(os.fsync).force(target.parent)
        finally:
            for left in (draft, copy):
                with suppress(OSError):  # the next attempt removes it
                    left.unlink(missing_ok=True)
    return manifest


def require_place(source: BackupSource, target: Path) -> None:
    """See that a backup may be written under a name.

    Raises:
        DataError: It may not; the text says why.
    """
    if not target.is_absolute() or not target.name or "\0" in target.name:
        raise DataError(f"{str(target)!r} is no name for a file.")
    if not target.parent.is_dir():
        raise DataError(f"There is no folder {target.parent}.")
    real = target.parent.resolve() / target.name
    for folder in (source.data_dir, source.knowledge_dir):
        if real.is_relative_to(folder.resolve()):
            raise DataError(f"A backup in {folder} would be lost with it; name another folder.")
    if target.is_symlink() or (target.exists() and not is_backup(target)):
        raise DataError(f"{target} is there, and is no backup; name another file.")


def _collect(
    source: BackupSource,
    writer: BackupWriter,
    copy: Path,
    now: Callable[[], datetime],
    tell: TellProgress,
) -> tuple[Meter, datetime]:
    """Take hold of one moment of the data: files into the archive, the database into a copy."""
    with ExitStack() as held:
        with source.hold_files():
            snapshot = held.enter_context(snapshot_of(source.database))
            made_at, size = now(), snapshot.size_bytes
            files = (*source.memory_files(), *source.pages())
            require_space(copy.parent, 2 * size + _size_of(files), "A backup")
            _add_files(writer, files)
        meter = Meter(3 * size, tell)  # copied, packed and read again
        meter.begin("copying")
        snapshot.copy_to(copy, meter.add)
    return meter, made_at


def _add_files(writer: BackupWriter, files: tuple[tuple[str, Path], ...]) -> None:
    for name, path in files:
        if not can_hold(name):
            raise DataError(f"{path.parent} has a file {path.name!r}, which needs a plainer name.")
        with suppress(FileNotFoundError):  # somebody removed it meanwhile
            writer.add_bytes(name, path.read_bytes())


def _check(draft: Path, manifest: Manifest, meter: Meter) -> None:
    """Read what was written as a restore would."""
    with BackupReader(draft) as reader:
        if reader.manifest != manifest:
            raise DataError(f"The backup {draft} does not say what was written.")
        for member in reader.manifest.members:
            for piece in reader.read(member):
                meter.add(len(piece) if member.name == DATABASE else 0)


def _files_below(folder: Path) -> list[Path]:
    """List ordinary files; a folder that is not there has none, and no link is followed."""
    found = (
        Path(place) / name
        for place, _, names in os.walk(folder, onerror=_unless_gone)
        for name in names
    )
    return sorted(path for path in found if path.is_file() and not path.is_symlink())


def _unless_gone(error: OSError) -> None:
    """Leave nothing out because it cannot be read."""
    if not isinstance(error, FileNotFoundError):
        raise error


def _named(beginning: str, folder: Path, path: Path) -> str:
    return f"{beginning}/{path.relative_to(folder).as_posix()}"


def _size_of(files: tuple[tuple[str, Path], ...]) -> int:
    size = 0
    for _, path in files:
        with suppress(FileNotFoundError):
            size += path.stat().st_size
    return size


def _beside(target: Path, ending: str) -> Path:
    return target.with_name(f"{target.name}{ending}")


@contextmanager
def _worded(target: Path) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        reason = error.strerror or str(error)
        raise DataError(f"The backup {target} cannot be written ({reason}).") from error
