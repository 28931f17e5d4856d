"""Daily files on a real disk: what every MemoryFiles must do, and what a disk can do to them."""

import asyncio
import errno
import logging
import os
import stat
import threading
from collections.abc import Callable
from pathlib import Path

import pytest

from bot.adapters.memory_disk import MOST_BYTES
from bot.adapters.memory_files import MarkdownMemoryFiles
from bot.adapters.memory_versions import VERSIONS
from bot.core.memory.daily import turns_in
from bot.errors import StoreError
from bot.testing import lasting_files, memory_files
from bot.testing.memory_files import ADA, DAY, GROUP, Check, InMemoryFiles, entry
from bot.testing.patience import PATIENCE_S

CONTRACT = (*memory_files.CONTRACT, *lasting_files.CONTRACT)


def _name(check: Check) -> str:
    return getattr(check, "__name__", repr(check))


@pytest.mark.parametrize("check", CONTRACT, ids=_name)
async def test_markdown_files(check: Check, tmp_path: Path) -> None:
    await check(lambda: MarkdownMemoryFiles(tmp_path / "memory"))


@pytest.mark.parametrize("check", CONTRACT, ids=_name)
async def test_in_memory_files(check: Check) -> None:
    files = InMemoryFiles()
    await check(lambda: files)


class Disk:
    """A folder of memory files and what stands in it.

    Attributes:
        meanwhile: Happens where a new file is whole, but not yet in its place.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.meanwhile: Callable[[], None] = _nothing
        self.files = MarkdownMemoryFiles(folder, fsync=self._fsync)
        self.day = folder / ADA.folder / "2026-01-05.md"

    def has(self) -> set[str]:
        return {path.name for path in self.day.parent.iterdir()} - {VERSIONS}

    async def turns(self) -> frozenset[int]:
        return turns_in(await self.files.read_day(ADA, DAY))

    def person_saves(self) -> None:
        self.day.write_text(self.day.read_text("utf-8") + "mine\n", "utf-8")

    def _fsync(self, descriptor: int) -> None:
        os.fsync(descriptor)
        if stat.S_ISREG(os.fstat(descriptor).st_mode):
            self.meanwhile()


def _nothing() -> None:
    """Let the disk be."""


@pytest.fixture
def disk(tmp_path: Path) -> Disk:
    return Disk(tmp_path / "memory")


async def test_nobody_else_can_look_in(disk: Disk) -> None:
    before = os.umask(0)
    try:
        await disk.files.append((entry(1),))
    finally:
        os.umask(before)

    modes = [stat.S_IMODE(path.stat().st_mode) for path in (disk.folder, disk.day.parent, disk.day)]
    assert modes == [0o700, 0o700, 0o600]
    assert disk.has() == {"2026-01-05.md"}


async def test_what_is_there_is_not_written_again(disk: Disk) -> None:
    await disk.files.append((entry(1),))
    before = disk.day.stat()
    await disk.files.append((entry(1),))

    assert (before.st_ino, before.st_mtime_ns) == (
        disk.day.stat().st_ino,
        disk.day.stat().st_mtime_ns,
    )


async def test_a_persons_file_keeps_its_line_ends(disk: Disk) -> None:
    disk.day.parent.mkdir(parents=True)
    disk.day.write_bytes(b"\xef\xbb\xbfmine\r\n\ttabs  \r\n")
    await disk.files.append((entry(1),))

    assert disk.day.read_bytes().startswith(b"\xef\xbb\xbfmine\r\n\ttabs  \r\n\n<!-- turn 1 ")


@pytest.mark.parametrize(
    ("content", "why"),
    [(b"caf\xe9\n", "not UTF-8"), (b"a" * (MOST_BYTES + 1), "too large"), (None, "no file")],
)
async def test_what_is_no_daily_file_is_put_aside(
    disk: Disk, content: bytes | None, why: str, caplog: pytest.LogCaptureFixture
) -> None:
    disk.day.parent.mkdir(parents=True)
    for number in (1, 2):
        if content is None:
            disk.day.mkdir()
        else:
            disk.day.write_bytes(content)
        with caplog.at_level(logging.WARNING):
            await disk.files.append((entry(number),))
        if number == 1:
            disk.day.unlink()

    assert await disk.turns() == {2}
    assert disk.has() == {
        "2026-01-05.md",
        "2026-01-05.md.unreadable-1",
        "2026-01-05.md.unreadable-2",
    }
    assert [vars(record)["why"] for record in caplog.records] == [why, why]
    if content is not None:
        assert disk.day.with_name("2026-01-05.md.unreadable-2").read_bytes() == content


async def test_what_a_person_saves_meanwhile_is_kept(disk: Disk) -> None:
    await disk.files.append((entry(1),))

    def save_once() -> None:
        disk.meanwhile = _nothing
        disk.person_saves()

    disk.meanwhile = save_once
    await disk.files.append((entry(2),))

    assert "mine\n" in disk.day.read_text("utf-8")
    assert await disk.turns() == {1, 2}
    assert disk.has() == {"2026-01-05.md"}


async def test_who_never_stops_saving_is_told(disk: Disk) -> None:
    await disk.files.append((entry(1),))

    disk.meanwhile = disk.person_saves
    with pytest.raises(StoreError, match="is being written by somebody else"):
        await disk.files.append((entry(2),))

    assert await disk.turns() == {1}
    assert disk.has() == {"2026-01-05.md"}


async def test_a_full_disk_leaves_the_file_as_it_was(disk: Disk) -> None:
    await disk.files.append((entry(1),))
    before = disk.day.read_bytes()

    def fail() -> None:
        raise OSError(errno.ENOSPC, "No space left on device", str(disk.day))

    disk.meanwhile = fail
    with pytest.raises(StoreError) as caught:
        await disk.files.append((entry(2),))

    assert str(caught.value) == "A memory file cannot be written: No space left on device"
    assert disk.day.read_bytes() == before
    assert disk.has() == {"2026-01-05.md"}
    disk.meanwhile = _nothing
    await disk.files.append((entry(2),))
    assert await disk.turns() == {1, 2}


async def test_a_file_that_cannot_be_written_does_not_hold_up_the_others(disk: Disk) -> None:
    disk.folder.mkdir()
    disk.day.parent.write_text("where a folder should be", "utf-8")

    for _ in range(2):
        with pytest.raises(StoreError, match="cannot be written"):
            await disk.files.append((entry(1), entry(2, audience=GROUP)))
    with pytest.raises(StoreError, match="cannot be read"):
        await disk.files.read_day(ADA, DAY)

    assert turns_in(await disk.files.read_day(GROUP, DAY)) == {2}


async def test_the_rest_of_a_killed_write_is_no_obstacle(disk: Disk) -> None:
    disk.day.parent.mkdir(parents=True)
    disk.day.with_name(".2026-01-05.md.new").write_bytes(b"half an ent")
    await disk.files.append((entry(1),))

    assert await disk.turns() == {1}
    assert disk.has() == {"2026-01-05.md"}


async def test_whoever_is_cancelled_leaves_no_second_writer(disk: Disk) -> None:
    """The thread goes on; who comes next waits for it."""
    is_writing, may_go_on = threading.Event(), threading.Event()

    def wait() -> None:
        disk.meanwhile = _nothing
        is_writing.set()
        assert may_go_on.wait(timeout=PATIENCE_S)

    disk.meanwhile = wait
    first = asyncio.create_task(disk.files.append((entry(1),)))
    await asyncio.to_thread(is_writing.wait, 10)
    first.cancel()
    second = asyncio.create_task(disk.files.append((entry(2),)))
    await asyncio.wait({first})
    may_go_on.set()
    await second

    assert first.cancelled()
    assert await disk.turns() == {1, 2}
