"""One file holds all data as it was at one moment; what is restored is that."""

import io
import json
import os
import sqlite3
import stat
import tarfile
from contextlib import closing
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

import pytest

from bot.adapters.backup_making import BackupSource, Progress, make_backup
from bot.adapters.store.copying import look_at_copy, snapshot_of
from bot.adapters.store.folder import lock_data_folder
from bot.adapters.store.migrations import MIGRATIONS
from bot.adapters.store.sqlite_store import SqliteStore
from bot.errors import DataError
from bot.testing.clock import START
from bot.testing.stores.given import HOME, begin, message, saying
from tests.adapters.backup_given import (
    Given,
    back_up,
    change,
    contents,
    data_in,
    names_in,
    place_in,
    restore,
)


def test_ops_4_what_was_backed_up_is_what_is_restored(given_backup: Given, tmp_path: Path) -> None:
    _, backup, said = given_backup
    place = place_in(tmp_path)

    restored = restore(backup, place)

    assert said == contents(place)
    assert restored.aside is None
    assert {"daybook.db", "daybook.lock", "memory"} == names_in(place.data_dir)
    assert {"data", "knowledge"} == names_in(tmp_path)
    modes = {stat.S_IMODE(path.stat().st_mode) for path in place.data_dir.rglob("*")}
    assert {0o600, 0o700} == modes


def test_a_backup_is_its_owners_and_anybodys_tar(given_backup: Given) -> None:
    _, backup, said = given_backup

    with tarfile.open(backup) as archive:
        names = archive.getnames()
        manifest = json.load(archive.extractfile("manifest.json") or io.BytesIO())

    assert 0o600 == stat.S_IMODE(backup.stat().st_mode)
    assert {"daybook.tar"} == names_in(backup.parent)
    assert ("README.txt", "manifest.json") == (names[0], names[-1])
    assert {"knowledge/house/wifi.md", "daybook.db"} < set(names)
    assert not any("search.db" in name or "notes.txt" in name for name in names)
    assert (len(MIGRATIONS), "1.2.3") == (manifest["schema"], manifest["version"])
    assert manifest["rows"]["turn"] == len(said["turn"])  # type: ignore[arg-type]  # its rows


def test_a_copy_is_of_one_moment_however_much_is_written_meanwhile(tmp_path: Path) -> None:
    """Each step of the copying sees a write; begun anew at each, it would never end."""
    path, copy = tmp_path / "busy.db", tmp_path / "copy.db"
    with closing(sqlite3.connect(path, isolation_level=None)) as writer:
        writer.execute("PRAGMA journal_mode = wal")
        writer.execute("CREATE TABLE migration (version INTEGER, name TEXT)")
        for table in ("one", "two"):
            writer.execute(f"CREATE TABLE {table} (filling BLOB)")
            writer.execute(f"INSERT INTO {table} VALUES (zeroblob(30000000))")
        steps: list[int] = []

        def write(more: int) -> None:
            steps.append(more)
            writer.execute("BEGIN")
            for table in ("one", "two"):
                writer.execute(f"INSERT INTO {table} VALUES (randomblob(1000))")
            writer.execute("COMMIT")

        with snapshot_of(path) as snapshot:
            size = snapshot.size_bytes
            snapshot.copy_to(copy, write)

        written = writer.execute("SELECT COUNT(*) FROM one").fetchone()
    assert {"migration": 0, "one": 1, "two": 1} == look_at_copy(copy).rows
    assert (len(steps) + 1,) == written
    assert len(steps) > 4
    assert size == sum(steps) == copy.stat().st_size


def test_no_memory_file_tells_of_what_the_database_has_not(tmp_path: Path) -> None:
    """Files are read, and the database's moment is fixed, while nobody may write files."""
    source = data_in(tmp_path)
    held: list[str] = []

    class Holding:
        def __enter__(self) -> None:
            held.append("held")

        def __exit__(self, *error: object) -> None:
            change(source)
            (source.data_dir / "memory" / "late.md").write_text("of a turn that came later")
            held.append("let go")

    watched = BackupSource(
        data_dir=source.data_dir, knowledge_dir=source.knowledge_dir, hold_files=Holding
    )
    before = contents(source)
    back_up(watched, tmp_path / "backup.tar")
    place = place_in(tmp_path / "other")
    restore(tmp_path / "backup.tar", place)

    assert ["held", "let go"] == held
    assert before == contents(place)
    assert before != contents(source)


async def test_replies_get_ids_that_the_former_bot_never_gave(tmp_path: Path) -> None:
    """What is open keeps its id, and can be looked up by it."""
    source = place_in(tmp_path / "old")
    lock_data_folder(source.data_dir).release()
    store = SqliteStore.open(source.database, inline=True)
    turn = await begin(store, message(1))
    (waiting,) = await store.finish_turn(turn.id, "answered", (saying("one"),), at=START)
    back_up(source, tmp_path / "backup.tar")
    turn = await begin(store, message(2))
    (after,) = await store.finish_turn(turn.id, "answered", (saying("two"),), at=START)
    await store.close()
    place = place_in(tmp_path / "new")
    restore(tmp_path / "backup.tar", place)

    store = SqliteStore.open(place.database, inline=True)
    (still,) = [item for item in (await store.unfinished()).outbox if item.id == waiting.id]
    turn = await begin(store, message(3))
    (fresh,) = await store.finish_turn(turn.id, "answered", (saying("three"),), at=START)
    await store.close()

    assert waiting == still
    assert len({waiting.reply.key, after.reply.key, fresh.reply.key}) == 3
    assert fresh.id > after.id
    assert HOME == fresh.reply.address


@pytest.mark.parametrize(
    "where", ["data/b.tar", "knowledge/b.tar", "nowhere/b.tar", "letter", "to", "", "a\0b"]
)
def test_a_backup_is_written_where_it_harms_nothing(tmp_path: Path, where: str) -> None:
    source = data_in(tmp_path)
    (tmp_path / "letter").write_text("dear Ann")
    (tmp_path / "to").symlink_to(tmp_path / "letter")
    before = sorted(tmp_path.rglob("*"))

    with pytest.raises(DataError):
        back_up(source, tmp_path / where)

    assert before == sorted(tmp_path.rglob("*"))
    assert "dear Ann" == (tmp_path / "letter").read_text()


def test_a_backup_of_damaged_data_is_none(tmp_path: Path) -> None:
    """Better told now than when it is needed; the backup of yesterday stays."""
    source = data_in(tmp_path)
    back_up(source, tmp_path / "backup.tar")
    yesterday = (tmp_path / "backup.tar").read_bytes()
    content = bytearray(source.database.read_bytes())
    content[-4096:] = b"\x55" * 4096
    source.database.write_bytes(content)

    with pytest.raises(DataError, match=rf"database {source.database} is damaged"):
        back_up(source, tmp_path / "backup.tar")

    assert yesterday == (tmp_path / "backup.tar").read_bytes()
    assert {"backup.tar", "data", "knowledge"} == names_in(tmp_path)


def test_a_file_whose_name_hides_something_is_named(tmp_path: Path) -> None:
    """Left out it would be missing, put in it would make a backup that is refused."""
    source = data_in(tmp_path)
    (source.data_dir / "memory" / "a\nb.md").write_text("")

    with pytest.raises(DataError, match=r"/data/memory has a file 'a\\nb\.md', which needs"):
        back_up(source, tmp_path / "backup.tar")

    assert {"data", "knowledge"} == names_in(tmp_path)


def test_a_full_disk_is_told_before_anything_is_written(
    given_backup: Given, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("shutil.disk_usage", lambda _: _Usage(free=1_000_000))
    source, backup, _ = given_backup

    with pytest.raises(DataError, match=r"needs \d+ MiB in .*, 0 MiB are free"):
        back_up(source, tmp_path / "backup.tar")
    with pytest.raises(DataError, match=r"needs \d+ MiB"):
        restore(backup, place_in(tmp_path / "new"))

    assert not (tmp_path / "backup.tar").exists()
    assert {"daybook.lock"} == names_in(tmp_path / "new" / "data")


@dataclass(frozen=True)
class _Usage:
    free: int


def test_progress_goes_forward_to_its_end(given_backup: Given, tmp_path: Path) -> None:
    source, _, _ = given_backup
    seen: list[Progress] = []

    make_backup(source, tmp_path / "b.tar", version="1", now=lambda: START, tell=seen.append)

    assert ["copying", "examining", "packing", "checking"] == list(
        dict.fromkeys(each.phase for each in seen)
    )
    assert all(first.done <= then.done for first, then in pairwise(seen))
    assert seen[-1].total == seen[-1].done


def test_odd_names_and_bytes_of_memory_come_back(tmp_path: Path) -> None:
    source = data_in(tmp_path)
    folder = source.data_dir / "memory" / ("deep" * 20) / ("er" * 40)
    folder.mkdir(parents=True)
    for name in ("Käse 日記.md", "a:b\\c.md", os.fsdecode(b"broken-\xff.md"), ".seen"):
        (folder / name).write_bytes(os.urandom(600))
    (folder / ".x.md.new").write_text("unfinished")
    (source.data_dir / "memory" / "link.md").symlink_to(source.database)
    said = contents(source)

    back_up(source, tmp_path / "backup.tar")
    place = place_in(tmp_path / "new")
    restore(tmp_path / "backup.tar", place)

    assert said == contents(place)
    assert 4 == len(list((place.data_dir / folder.relative_to(source.data_dir)).iterdir()))
