"""A disk is known to take something by that it took it."""

import os
import resource
from pathlib import Path

import pytest

from bot.adapters.disk import PROBE, PROBE_BYTES, DataDisk, room_on

MUCH = 1 << 30
"""So much others may write meanwhile."""

FREE_FILES, FLAG = 7, 8
"""Where these stand in what :func:`os.statvfs` gives."""


async def test_a_disk_with_room_is_left_as_it_was(tmp_path: Path) -> None:
    state = await DataDisk(tmp_path).look()

    assert "" == state.trouble
    assert state.free_bytes > PROBE_BYTES
    assert [] == _names_in(tmp_path)


async def test_a_disk_that_takes_nothing_is_told(tmp_path: Path) -> None:
    """A limit of this process fails at the same call as a full disk does, and is lifted again."""
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (PROBE_BYTES // 2, hard))
    try:
        state = await DataDisk(tmp_path).look()
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
    after = await DataDisk(tmp_path).look()

    assert "nothing can be written to the data folder (File too large)" == state.trouble
    assert not (tmp_path / PROBE).exists()
    assert "" == after.trouble


async def test_a_folder_that_is_gone_is_told(tmp_path: Path) -> None:
    state = await DataDisk(tmp_path / "gone").look()

    assert "nothing can be written to the data folder (No such file or directory)" == state.trouble


def test_room_is_what_the_system_says(tmp_path: Path) -> None:
    said, room = os.statvfs(tmp_path), room_on(tmp_path)

    assert abs(said.f_bavail * said.f_frsize - room.free_bytes) < MUCH
    assert said.f_files == room.most_files
    assert room.free_files <= room.most_files
    assert bool(said.f_flag & os.ST_RDONLY) is room.is_read_only


@pytest.mark.parametrize("is_read_only", [True, False])
def test_a_disk_that_is_mounted_read_only_is_known(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, is_read_only: bool
) -> None:
    """None can be mounted here: what a system says of one is put in the place of that."""
    said = list(os.statvfs(tmp_path))
    said[FREE_FILES], said[FLAG] = 77, os.ST_RDONLY if is_read_only else 0
    monkeypatch.setattr(os, "statvfs", lambda _: os.statvfs_result(said))

    assert (is_read_only, 77) == (room_on(tmp_path).is_read_only, room_on(tmp_path).free_files)


def _names_in(folder: Path) -> list[str]:
    return [each.name for each in folder.iterdir()]
