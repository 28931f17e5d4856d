"""What was there is kept; a kill at any step leaves the old data or the new."""

import errno
import io
import shutil
import stat
from collections.abc import Callable
from pathlib import Path

import pytest

from bot.adapters.backup_file import BackupReader
from bot.adapters.backup_making import BackupSource
from bot.adapters.memory_disk import Disk
from bot.adapters.store.folder import lock_data_folder
from bot.adapters.store.sqlite_store import SqliteStore
from bot.errors import DataError, DataFolderBusy
from tests.adapters.backup_given import (
    Given,
    back_up,
    change,
    contents,
    data_like,
    killed_at,
    names_in,
    place_in,
    restore,
)
from tests.adapters.test_store_former import COPY, make_former


def test_what_was_there_is_kept_aside(given_backup: Given, tmp_path: Path) -> None:
    _, backup, said = given_backup
    source = data_like(given_backup[0], tmp_path)
    (source.knowledge_dir / "house" / "wifi.md").write_text("another network")
    (source.knowledge_dir / "own.md").write_text("mine")
    change(source)
    before = {key: value for key, value in contents(source).items() if "knowledge/" not in key}

    restored = restore(backup, source)
    again = restore(backup, source)

    assert tmp_path / "data.before-restore-20260105-090000" == restored.aside
    assert tmp_path / "data.before-restore-20260105-090000-2" == again.aside
    assert said | {"knowledge/own.md": b"mine"} == contents(source)
    former = BackupSource(data_dir=restored.aside, knowledge_dir=restored.aside / "knowledge")
    assert before | {"knowledge/house/wifi.md": b"another network"} == contents(former)
    assert "search.db" in names_in(restored.aside)
    assert "search.db" not in names_in(source.data_dir)
    assert 0o700 == stat.S_IMODE(restored.aside.stat().st_mode)


def test_a_data_folder_may_be_a_link(given_backup: Given, tmp_path: Path) -> None:
    source = data_like(given_backup[0], tmp_path / "disk")
    change(source)
    place = place_in(tmp_path)
    place.data_dir.symlink_to(source.data_dir)

    restored = restore(given_backup[1], place)

    assert tmp_path / "disk" / "data.before-restore-20260105-090000" == restored.aside
    assert given_backup[2] == contents(place)
    assert {"daybook.db", "daybook.lock", "memory"} == names_in(source.data_dir)


async def test_an_older_schema_is_brought_up_to_date_by_the_next_start(tmp_path: Path) -> None:
    source = place_in(tmp_path)
    lock_data_folder(source.data_dir).release()
    make_former(source.database)
    back_up(source, tmp_path / "b.tar")
    place = place_in(tmp_path / "new")
    restore(tmp_path / "b.tar", place)

    store = SqliteStore.open(place.database, inline=True)
    cursor = await store.cursor("telegram")
    await store.close()

    assert "17" == cursor
    assert {COPY, "daybook.db"} <= names_in(place.data_dir)


def test_a_running_bot_is_left_alone(given_backup: Given, tmp_path: Path) -> None:
    source = data_like(given_backup[0], tmp_path)
    said = contents(source)

    with lock_data_folder(source.data_dir), pytest.raises(DataFolderBusy):
        restore(given_backup[1], source)

    assert said == contents(source)


def test_where_a_move_fails_everything_is_as_it_was(
    given_backup: Given, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A memory folder that is a volume of its own cannot be renamed."""
    source = data_like(given_backup[0], tmp_path)
    said, rename = contents(source), Path.rename

    def rename_unless_mounted(path: Path, target: Path) -> Path:
        if path == source.data_dir / "memory":
            raise OSError(errno.EBUSY, "Device or resource busy")
        return rename(path, target)

    monkeypatch.setattr(Path, "rename", rename_unless_mounted)
    with pytest.raises(DataError, match=r"cannot be exchanged .*busy"):
        restore(given_backup[1], source)

    assert said == contents(source)
    assert {"data", "knowledge"} == names_in(tmp_path)
    assert names_in(source.data_dir) & {"restoring", "restore.json"} == set()


def test_what_can_be_neither_done_nor_undone_is_done_by_the_next_start(
    given_backup: Given, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    source = data_like(given_backup[0], tmp_path)
    change(source)

    rename = Path.rename

    def rename_up_to_a_fault(path: Path, target: Path) -> Path:
        if path.name == "memory" or "before-restore" in str(path):
            raise OSError(errno.EIO, "Input/output error")
        return rename(path, target)

    with monkeypatch.context() as broken:
        broken.setattr(Path, "rename", rename_up_to_a_fault)
        with pytest.raises(DataError, match=r"neither be exchanged .* nor be put back .*error"):
            restore(given_backup[1], source)
    lock_data_folder(source.data_dir).release()

    assert given_backup[2] == contents(source)
    assert names_in(source.data_dir) & {"restoring", "restore.json"} == set()


@pytest.mark.parametrize(
    ("owner", "verb", "is_hit"),
    [
        (Path, "iterdir", lambda place, plan: "before-restore" in place.name),
        (Path, "unlink", lambda place, plan: place == plan),
        (Disk, "force", lambda place, plan: not plan.exists()),
    ],
    ids=["looking aside", "removing the plan", "forcing that"],
)
def test_where_only_tidying_up_fails_the_new_data_stands(
    given_backup: Given,
    tmp_path: Path,
    caplog: pytest.LogCaptureFixture,
    owner: type,
    verb: str,
    is_hit: Callable[[Path, Path], bool],
) -> None:
    source = data_like(given_backup[0], tmp_path)
    change(source)
    done = getattr(owner, verb)

    def attempt(*given: Path, **how: object) -> object:
        is_tidying = source.database.exists() and not (source.data_dir / "restoring").exists()
        if is_tidying and is_hit(given[-1], source.data_dir / "restore.json"):
            raise OSError(errno.EIO, "Input/output error")
        return done(*given, **how)

    with pytest.MonkeyPatch.context() as broken:
        broken.setattr(owner, verb, attempt)
        restored = restore(given_backup[1], source)
    assert restored.aside is not None
    told, stood = list(caplog.messages), contents(source)
    shutil.rmtree(restored.aside)  # an operator who saw that all is well
    lock_data_folder(source.data_dir).release()

    assert ["data_folder.not_tidied_up"] == told
    assert given_backup[2] == stood == contents(source)
    assert names_in(source.data_dir) & {"restoring", "restore.json"} == set()


def test_in_a_volume_the_former_data_stays_inside(
    given_backup: Given, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nothing can be moved out of it by a rename, and what is beside it may not last."""
    source = data_like(given_backup[0], tmp_path)
    monkeypatch.setattr(Path, "is_mount", lambda path: path == source.data_dir)

    restored = restore(given_backup[1], source)
    again = restore(given_backup[1], source)

    kept = (restored.aside, again.aside)
    name = "before-restore-20260105-090000"
    assert (source.data_dir / name, source.data_dir / f"{name}-2") == kept
    assert all("daybook.db" in names_in(each) for each in kept if each is not None)
    assert given_backup[2] == contents(source)


def test_no_page_is_written_through_a_link(given_backup: Given, tmp_path: Path) -> None:
    """It goes where pages go that cannot be written."""
    source, said = data_like(given_backup[0], tmp_path), "untouched"
    (tmp_path / "outside").mkdir()
    (tmp_path / "outside" / "wifi.md").write_text(said)
    (source.knowledge_dir / "house" / "wifi.md").unlink()
    (source.knowledge_dir / "house").rmdir()
    (source.knowledge_dir / "house").symlink_to(tmp_path / "outside")

    restored = restore(given_backup[1], source)

    assert said == (tmp_path / "outside" / "wifi.md").read_text()
    assert source.data_dir / "knowledge-20260105-090000" == restored.pages


def test_pages_that_cannot_be_written_are_put_into_the_data_folder(
    given_backup: Given, tmp_path: Path
) -> None:
    place = place_in(tmp_path)
    place.knowledge_dir.write_text("no folder, whoever may write to it")

    restored = restore(given_backup[1], place)
    again = restore(given_backup[1], place)

    name = "knowledge-20260105-090000"
    kept = (restored.pages, again.pages)
    assert (place.data_dir / name, place.data_dir / f"{name}-2") == kept
    assert all(
        given_backup[2] == contents(BackupSource(data_dir=place.data_dir, knowledge_dir=each))
        for each in kept
        if each is not None
    )
    assert "no folder, whoever may write to it" == place.knowledge_dir.read_text()


def test_where_no_page_can_be_written_anywhere_nothing_of_them_is_left(
    given_backup: Given, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    source = data_like(given_backup[0], tmp_path)
    (source.knowledge_dir / "house" / "wifi.md").unlink()
    (source.knowledge_dir / "house").rmdir()
    (source.knowledge_dir / "house").write_text("in the way")
    before, mkdir = contents(source), Path.mkdir

    def mkdir_while_there_is_space(path: Path, *args: object, **keys: object) -> None:
        if path.name == "house" and path.parent.parent == source.data_dir:
            raise OSError(errno.ENOSPC, "No space left on device")
        mkdir(path, *args, **keys)  # type: ignore[arg-type]  # as it was called

    monkeypatch.setattr(Path, "mkdir", mkdir_while_there_is_space)
    with pytest.raises(DataError, match="No space left"):
        restore(given_backup[1], source)

    assert before == contents(source)
    assert not [each for each in names_in(source.data_dir) if each.startswith("knowledge")]


def test_pages_that_are_there_already_need_no_place(given_backup: Given, tmp_path: Path) -> None:
    source = data_like(given_backup[0], tmp_path)
    (tmp_path / "elsewhere").mkdir()
    (source.knowledge_dir / "house").rename(tmp_path / "elsewhere" / "house")
    (source.knowledge_dir / "house").symlink_to(tmp_path / "elsewhere" / "house")

    assert restore(given_backup[1], source).pages is None


def test_a_backup_may_come_through_a_stream(given_backup: Given, tmp_path: Path) -> None:
    place = place_in(tmp_path)

    restored = restore(io.BytesIO(given_backup[1].read_bytes()), place)

    assert given_backup[2] == contents(place)
    assert restored.aside is None
    assert {"daybook.db", "daybook.lock", "memory"} == names_in(place.data_dir)


@pytest.mark.parametrize("content", [b"", b"dear Ann, " * 2_000])
def test_a_stream_of_something_else_is_refused(tmp_path: Path, content: bytes) -> None:
    place = place_in(tmp_path)

    with pytest.raises(DataError, match=r"\(standard input\) is no backup of this bot"):
        restore(io.BytesIO(content), place)

    assert {"daybook.lock"} == names_in(place.data_dir)


@pytest.mark.parametrize("text", ["{", "[]", '{"moves": [1], "aside": "x", "knowledge_dir": "y"}'])
def test_a_plan_that_makes_no_sense_is_named(tmp_path: Path, text: str) -> None:
    (tmp_path / "restore.json").write_text(text)

    for _ in range(2):  # the lock was let go
        with pytest.raises(DataError, match=r"restore\.json is none of this bot's"):
            lock_data_folder(tmp_path)


@pytest.mark.parametrize("first", range(4))
def test_ops_4_a_kill_at_any_step_of_a_backup_leaves_the_one_before(
    given_backup: Given, tmp_path: Path, first: int
) -> None:
    source, _, _ = given_backup
    target = tmp_path / "backup.tar"
    back_up(source, target)
    step = first
    while killed_at(step, lambda: back_up(source, target)):
        with BackupReader(target) as reader:
            for member in reader.manifest.members:
                assert member.size == sum(map(len, reader.read(member)))
        step += 4

    assert step >= 20
    assert {"backup.tar"} == names_in(tmp_path)


@pytest.mark.parametrize("first", range(4))
def test_ops_4_a_kill_at_any_step_of_a_restore_leaves_the_old_data_or_the_new(
    given_backup: Given, tmp_path: Path, first: int
) -> None:
    _, backup, new = given_backup
    model = data_like(given_backup[0], tmp_path / "model")
    change(model)
    (model.knowledge_dir / "house" / "wifi.md").write_text("another network")
    old, step, outcomes = contents(model), first, set[str]()

    while True:
        folder = tmp_path / str(step)
        place = data_like(model, folder)
        is_killed = killed_at(step, lambda place=place: restore(backup, place))  # type: ignore[misc]  # bound now
        lock_data_folder(place.data_dir).release()
        found = contents(place)
        is_new = found == new
        outcomes.add("new" if is_new else "old")
        assert is_new or found == old
        assert names_in(place.data_dir) & {"restoring", "restore.json"} == set()
        if is_new:
            (aside,) = folder.glob("data.before-restore-*")
            former = BackupSource(data_dir=aside, knowledge_dir=aside / "knowledge")
            assert old == contents(former)
        if not is_killed:
            break
        step += 4

    assert {"old", "new"} == outcomes
    assert step >= 20
