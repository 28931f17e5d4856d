"""``restore`` as an operator uses it, and what one that was broken off means for other verbs."""

import os
import stat
import subprocess
import sys
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from bot.adapters.backup_making import BackupSource
from bot.testing.anthropic_server import PretendedAnthropic
from bot.testing.patience import PATIENCE_S
from bot.testing.processes import BotProcess
from bot.testing.starts import BOT, ROOT, command_line
from bot.testing.telegram_server import PretendedTelegram
from tests.adapters.backup_given import (
    Given,
    back_up,
    contents,
    data_in,
    data_like,
    killed_at,
    names_in,
    place_in,
    restore,
)
from tests.e2e.conftest import run_verb
from tests.e2e.test_command_line import write_config


@pytest.fixture(scope="module")
def given(tmp_path_factory: pytest.TempPathFactory) -> Given:
    source = data_in(tmp_path_factory.mktemp("given"))
    backup = tmp_path_factory.mktemp("backup") / "daybook.tar"
    back_up(source, backup)
    return source, backup, contents(source)


@pytest.fixture(scope="module")
def half(given: Given, tmp_path_factory: pytest.TempPathFactory) -> BackupSource:
    """Data in the middle of a restore that was killed: the old has gone, the new has not come."""
    for step in range(1_000):
        place = data_like(given[0], tmp_path_factory.mktemp("half"))
        assert killed_at(step, lambda place=place: restore(given[1], place))  # type: ignore[misc]  # bound now
        if (place.data_dir / "restore.json").exists() and not place.database.exists():
            return place
    raise AssertionError


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("backup", "b.tar"), "read again and sound"),
        (("export", "--person", "telegram:1001"), '"person"'),
        (("cleanup", "--dry-run"), "silent"),
        (("scrub", "--dry-run"), "texts were looked through"),
    ],
    ids=["backup", "export", "cleanup", "scrub"],
)
async def test_ops_4_every_verb_that_reads_data_finishes_a_restore_first(
    half: BackupSource,
    given: Given,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
    words: tuple[str, ...],
    said: str,
) -> None:
    place = data_like(half, tmp_path)
    config = write_config(tmp_path)
    monkeypatch.chdir(tmp_path)
    assert not place.database.exists()

    code, out, err = await run_verb(capsys, config, *words)

    assert (0, True) == (code, said in out), (out, err)
    assert given[2] == contents(place)
    assert names_in(place.data_dir) & {"restore.json", "restoring"} == set()


def run_verb_of_its_own(config: Path, *words: str, stdin: Path) -> subprocess.CompletedProcess[str]:
    """Run a verb in a process of its own, as a shell does: ``words < stdin``."""
    with stdin.open("rb") as file:
        return subprocess.run(
            [sys.executable, *BOT, "--config", config, *words],
            env={"PATH": os.environ["PATH"], "PYTHONPATH": str(ROOT)},
            cwd=config.parent,
            stdin=file,
            capture_output=True,
            text=True,
            timeout=PATIENCE_S,
        )


def test_a_backup_is_restored_from_standard_input(given: Given, tmp_path: Path) -> None:
    config, place = write_config(tmp_path), place_in(tmp_path)
    cut = tmp_path / "cut.tar"
    cut.write_bytes(given[1].read_bytes()[:-20_000])

    refused = run_verb_of_its_own(config, "restore", "-", stdin=cut)
    left = names_in(place.data_dir)
    done = run_verb_of_its_own(config, "restore", "-", stdin=given[1])

    assert (2, 0) == (refused.returncode, done.returncode), done.stderr
    assert "daybook: The backup (standard input) is damaged: " in refused.stderr
    assert {"daybook.lock"} == left
    assert "Restored to " in done.stdout
    assert given[2] == contents(place)


def test_pages_that_cannot_be_written_are_told_of(given: Given, tmp_path: Path) -> None:
    config, place = write_config(tmp_path), place_in(tmp_path)
    place.knowledge_dir.write_text("in the way")

    done = run_verb_of_its_own(config, "restore", "-", stdin=given[1])

    (pages,) = place.data_dir.glob("knowledge-*")
    told = f"The pages of knowledge are in {pages}, since {place.knowledge_dir} cannot be written"
    assert told in done.stdout
    assert "Heron" in (pages / "house" / "wifi.md").read_text()


def with_an_open_hand() -> None:
    """Run the command line where everything that is made is made for all."""
    os.umask(0)
    command_line()


@pytest.fixture
async def careless(
    tmp_path: Path, telegram: PretendedTelegram, vendor: PretendedAnthropic
) -> AsyncIterator[BotProcess]:
    async with BotProcess(tmp_path, telegram, vendor, run=with_an_open_hand) as process:
        yield process


async def test_whatever_the_umask_the_data_is_its_owners_alone(
    careless: BotProcess, telegram: PretendedTelegram
) -> None:
    await careless.start(until="http.listening")
    telegram.says(1001, "hello")
    await telegram.wait_until(lambda: bool(telegram.sent))
    await careless.says("recall.index_complete")
    found = {
        path.relative_to(careless.data_dir).as_posix(): stat.S_IMODE(path.stat().st_mode)
        for path in (careless.data_dir, *careless.data_dir.rglob("*"))
    }

    assert {"daybook.db", "daybook.lock", "starts.json", "search.db", "search.db-wal"} < set(found)
    assert {} == {name: oct(mode) for name, mode in found.items() if mode & 0o077}


async def test_the_doctor_names_each_file_that_is_open(
    given: Given, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    place = data_like(given[0], tmp_path)
    names = ("daybook.lock", "search.db", "search.db-wal", "starts.json")
    for name in names:
        (place.data_dir / name).touch()
        (place.data_dir / name).chmod(0o604)

    _, out, _ = await run_verb(capsys, write_config(tmp_path), "doctor")

    assert f"open to others on this machine: {', '.join(names)}" in out
