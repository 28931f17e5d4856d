"""A disk is known to take something by that it took it."""

import resource
from pathlib import Path

from bot.adapters.disk import PROBE, PROBE_BYTES, DataDisk


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


def _names_in(folder: Path) -> list[str]:
    return [each.name for each in folder.iterdir()]
