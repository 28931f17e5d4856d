"""Writing the operator's own files: both or neither, whole, and for their owner's eyes only."""

from __future__ import annotations

import contextlib
import os
import tempfile
from collections.abc import Iterator, Mapping
from pathlib import Path

from bot.config.layers import dotenv_file, local_file, read_text
from bot.config.own_files import OwnFiles
from bot.errors import ConfigError


def read_own_files(settings_file: Path) -> OwnFiles:
    """Read both files as they are.

    Raises:
        ConfigError: One of them cannot be read.
    """
    return OwnFiles(
        settings_file=settings_file,
        local=read_text(local_file(settings_file)),
        dotenv=read_text(dotenv_file(settings_file)),
    )


def check_place(files: OwnFiles) -> None:
    """See whether the files could be written, before anybody takes pains with what is in them.

    Raises:
        ConfigError: They could not.
    """
    for path in files.texts:
        folder = _target(path).parent
        if not os.access(folder, os.W_OK | os.X_OK):
            raise ConfigError(f"{path}: cannot be written ({folder} is not for you to write to)")


def write_own_files(files: OwnFiles, *, instead_of: OwnFiles) -> tuple[Path, ...]:
    """Write what differs from what was read, and name what was written: both files, or neither.

    Raises:
        ConfigError: A file cannot be written, or somebody else wrote one since it was read.
    """
    if read_own_files(files.settings_file) != instead_of:
        raise ConfigError(
            f"{local_file(files.settings_file)} or .env beside it was changed by somebody else"
            " meanwhile; nothing was written"
        )
    changed = {
        path: text
        for path, text in files.texts.items()
        if text is not None and text != instead_of.texts[path]
    }
    try:
        _replace_all(changed, instead_of.texts)
    except OSError as error:
        place = error.filename or files.settings_file.parent
        raise ConfigError(f"{place}: cannot be written ({error.strerror})") from None
    return tuple(changed)


def _replace_all(texts: Mapping[Path, str], former: Mapping[Path, str | None]) -> None:
    """Write all beside their places, then put all in place; the first back if the second fails."""
    with contextlib.ExitStack() as unplaced:
        fresh = {
            path: unplaced.enter_context(_written_beside(path, text))
            for path, text in texts.items()
        }
        placed: list[Path] = []
        try:
            for path, draft in fresh.items():
                placed.append(path)
                draft.replace(_target(path))
        except BaseException:
            for path in placed:
                _put_back(path, former[path])
            raise
    for folder in {_target(path).parent for path in texts}:
        _force(folder)


@contextlib.contextmanager
def _written_beside(path: Path, text: str) -> Iterator[Path]:
    """Have a file with this text beside its place; what is not renamed by then is removed."""
    target = _target(path)
    handle, name = tempfile.mkstemp(dir=target.parent, prefix=f"{path.name}.")  # mode 0600
    draft = Path(name)
    try:
        with os.fdopen(handle, "w", encoding="utf-8", newline="\n") as file:
            file.write(text)
            file.flush()
            _give_to_owner(file.fileno(), target)
            os.fsync(file.fileno())
        yield draft
    finally:
        draft.unlink(missing_ok=True)


def _put_back(path: Path, text: str | None) -> None:
    if text is None:
        path.unlink(missing_ok=True)
        return
    with _written_beside(path, text) as draft:
        draft.replace(_target(path))


def _target(path: Path) -> Path:
    """Follow a link, so that it stays one."""
    return path.resolve() if path.is_symlink() else path


def _give_to_owner(handle: int, path: Path) -> None:
    """Let whoever owns the place own the file: the bot need not run as root as the set-up did."""
    if hasattr(os, "geteuid") and os.geteuid() == 0:
        owner = (path if path.exists() else path.parent).stat()
        os.fchown(handle, owner.st_uid, owner.st_gid)


def _force(folder: Path) -> None:
    """Have what was renamed outlast a power cut, where folders can be forced to the disk."""
    with contextlib.suppress(OSError):
        handle = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)
