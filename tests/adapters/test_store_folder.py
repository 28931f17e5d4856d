"""The data folder belongs to one process."""

import stat
import subprocess
import sys
from pathlib import Path

import pytest

from bot.adapters.store.folder import LOCK_NAME, lock_data_folder
from bot.errors import DataError, DataFolderBusy
from bot.testing.patience import PATIENCE_S

HOLD = """
import sys
from pathlib import Path
from bot.adapters.store.folder import lock_data_folder
with lock_data_folder(Path(sys.argv[1])):
    print("held", flush=True)
    sys.stdin.read()
"""


def test_folder_is_made_for_its_owner_alone(tmp_path: Path) -> None:
    path = tmp_path / "deep" / "data"

    with lock_data_folder(path) as lock:
        assert lock.path == path
        assert stat.S_IMODE(path.stat().st_mode) == 0o700


def test_a_second_holder_is_refused_until_the_first_has_gone(tmp_path: Path) -> None:
    path = tmp_path / "data"
    with subprocess.Popen(
        [sys.executable, "-c", HOLD, str(path)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        cwd=Path(__file__).parents[2],
    ) as holder:
        assert holder.stdout is not None
        assert holder.stdout.readline() == b"held\n"

        with pytest.raises(DataFolderBusy) as caught:
            lock_data_folder(path)

        assert str(caught.value) == (
            f"The data folder {path} is in use by process {holder.pid};"
            " stop it or set another data_dir."
        )
        holder.kill()
        holder.wait(PATIENCE_S)

    with lock_data_folder(path):
        pass


def test_one_process_cannot_hold_it_twice(tmp_path: Path) -> None:
    with lock_data_folder(tmp_path), pytest.raises(DataFolderBusy):
        lock_data_folder(tmp_path)

    lock_data_folder(tmp_path).release()


@pytest.mark.parametrize("in_the_way", ["data", "data/" + LOCK_NAME])
def test_what_is_in_the_way_is_named(tmp_path: Path, in_the_way: str) -> None:
    path = tmp_path / "data"
    if in_the_way == "data":
        path.write_text("a file", encoding="utf-8")
    else:
        (tmp_path / in_the_way).mkdir(parents=True)

    with pytest.raises(DataError, match="set another data_dir") as caught:
        lock_data_folder(path)

    assert str(path) in str(caught.value)


def test_a_folder_that_was_open_to_others_is_closed(tmp_path: Path) -> None:
    (tmp_path / "data").mkdir(mode=0o755)

    with lock_data_folder(tmp_path / "data"):
        assert stat.S_IMODE((tmp_path / "data").stat().st_mode) == 0o700
