"""Data of a bot on a disk, what it says, and archives that nobody should believe."""

import asyncio
import io
import json
import os
import shutil
import signal
import sqlite3
import sys
import tarfile
from collections.abc import Callable
from contextlib import closing
from hashlib import sha256
from pathlib import Path
from typing import BinaryIO

from bot.adapters.backup_making import BackupSource, Progress, make_backup
from bot.adapters.backup_restoring import Restored, restore_backup
from bot.adapters.memory_files import MarkdownMemoryFiles
from bot.adapters.store.folder import lock_data_folder
from bot.adapters.store.sqlite_store import SqliteStore
from bot.testing.clock import START
from tests.runtime.forgetting_given import fill

Given = tuple[BackupSource, Path, dict[str, object]]
"""Data, a backup of it, and what both say."""

STEPS = ("open", "os.rename", "os.remove", "os.rmdir", "sqlite3.connect")
"""What Python tells of before it is done; a kill falls between two of these."""


def silent(progress: Progress) -> None:
    """Take no notice."""


def data_in(folder: Path) -> BackupSource:
    """Make a data folder with something in every layer, and pages of knowledge beside it."""

    async def make() -> None:
        store = SqliteStore.open(folder / "data" / "daybook.db", inline=True)
        await fill(store, MarkdownMemoryFiles(folder / "data" / "memory"))
        await store.close()

    lock_data_folder(folder / "data").release()
    asyncio.run(make())
    source = place_in(folder)
    (source.knowledge_dir / "house").mkdir(parents=True)
    (source.knowledge_dir / "house" / "wifi.md").write_text("The guests' network is Heron.\n")
    (source.knowledge_dir / "notes.txt").write_text("no page\n")
    (source.data_dir / "search.db").write_bytes(b"made anew by the next start")
    return source


def place_in(folder: Path) -> BackupSource:
    """Name where data and knowledge are, or will be."""
    return BackupSource(data_dir=folder / "data", knowledge_dir=folder / "knowledge")


def data_like(source: BackupSource, folder: Path) -> BackupSource:
    """Copy data that nobody works on."""
    place = place_in(folder)
    shutil.copytree(source.data_dir, place.data_dir)
    shutil.copytree(source.knowledge_dir, place.knowledge_dir)
    return place


def change(source: BackupSource) -> None:
    """Write something into the database."""
    with closing(sqlite3.connect(source.database)) as writer, writer:
        writer.execute("INSERT INTO model_limit VALUES ('another', 1000, 0)")


def back_up(source: BackupSource, target: Path) -> None:
    """Make a backup that nobody watches."""
    make_backup(source, target, version="1.2.3", now=lambda: START, tell=silent)


def restore(backup: Path | BinaryIO, place: BackupSource) -> Restored:
    """Restore a backup while nobody watches."""
    return restore_backup(backup, place.data_dir, place.knowledge_dir, at=START, tell=silent)


def contents(source: BackupSource) -> dict[str, object]:
    """Say all that the data is: rows of each table, and the bytes of each file."""
    with closing(sqlite3.connect(source.database)) as connection:
        names = [
            str(name)
            for (name,) in connection.execute(
                "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%'"
            )
        ]
        rows: dict[str, object] = {
            name: connection.execute(f"SELECT * FROM {name}").fetchall() for name in names
        }
    files = dict((*source.memory_files(), *source.pages()))
    return rows | {name: path.read_bytes() for name, path in files.items()}


def names_in(folder: Path) -> set[str]:
    """Name what lies in a folder."""
    return {path.name for path in folder.iterdir()}


def repacked(
    backup: Path, target: Path, change: Callable[[dict[str, bytes]], list[tarfile.TarInfo]]
) -> Path:
    """Write another archive: ``change`` may change the members, and gives headers to be added.

    The manifest is made to fit, as somebody would who means harm.
    """
    with tarfile.open(backup) as archive:
        members = {
            each.name: (archive.extractfile(each) or io.BytesIO()).read() for each in archive
        }
    manifest = json.loads(members.pop("manifest.json"))
    added = change(members)
    manifest["members"] = [
        {"name": name, "size": len(content), "sha256": sha256(content).hexdigest()}
        for name, content in members.items()
    ]
    members["manifest.json"] = json.dumps(manifest).encode()
    with tarfile.open(target, "w", format=tarfile.PAX_FORMAT) as archive:
        for name, content in members.items():
            header = tarfile.TarInfo(name)
            header.size = len(content)
            archive.addfile(header, io.BytesIO(content))
            while added and name == "README.txt":
                archive.addfile(added.pop())
    return target


def _wait_for_nothing(descriptor: object) -> None:
    """Leave the disk alone: a process that dies takes nothing along that the system was given."""


def killed_at(step: int, work: Callable[[], object]) -> bool:
    """Do work in a process of its own that dies at one step; False when it came to its end."""
    process = os.fork()
    if process == 0:
        left = step

        def die_in_time(event: str, _: object) -> None:
            nonlocal left
            left -= event in STEPS
            if left < 0 and event in STEPS:  # the kill is an event, too
                os.kill(os.getpid(), signal.SIGKILL)

        sys.addaudithook(die_in_time)
        os.fsync = _wait_for_nothing  # type: ignore[assignment]  # takes any descriptor
        code = 1
        try:
            work()
            code = 0
        finally:
            os._exit(code)
    _, status = os.waitpid(process, 0)
    if os.WIFSIGNALED(status):
        return True
    assert os.WEXITSTATUS(status) == 0
    return False
