"""What is no backup, was damaged, or means harm, changes nothing."""

import io
import json
import sqlite3
import tarfile
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bot.adapters.store.migrations import MIGRATIONS
from bot.errors import DataError
from tests.adapters.backup_given import (
    Given,
    contents,
    data_like,
    names_in,
    place_in,
    repacked,
    restore,
)


@given(data=st.data())
@settings(max_examples=60)
def test_a_wrong_byte_is_refused_or_changes_nothing(
    given_backup: Given, tmp_path_factory: pytest.TempPathFactory, data: st.DataObject
) -> None:
    _, backup, said = given_backup
    whole = bytearray(backup.read_bytes())
    folder = tmp_path_factory.mktemp("wrong")
    place = data.draw(
        st.one_of(
            st.integers(0, len(whole) - 1),
            st.sampled_from(_interesting(backup)).flatmap(
                lambda start: st.integers(start, min(start + 511, len(whole) - 1))
            ),
        )
    )
    if data.draw(st.booleans(), label="cut off"):
        del whole[place:]
    else:
        whole[place] ^= data.draw(st.integers(1, 255))
    (folder / "wrong.tar").write_bytes(whole)
    target = place_in(folder)

    is_refused = False
    try:
        restore(folder / "wrong.tar", target)
    except DataError:
        is_refused = True

    if is_refused:
        assert not target.data_dir.exists() or {"daybook.lock"} == names_in(target.data_dir)
    else:
        assert said == contents(target)


def _interesting(backup: Path) -> list[int]:
    """Give where headers begin, and the manifest."""
    with tarfile.open(backup) as archive:
        return [place for each in archive for place in (each.offset, each.offset_data)]


def link(kind: bytes) -> tarfile.TarInfo:
    header = tarfile.TarInfo("memory/link.md")
    header.type, header.linkname = kind, "../../../outside"
    return header


def hole() -> tarfile.TarInfo:
    """A file of a petabyte, of which the archive has nothing."""
    header = tarfile.TarInfo("memory/hole.md")
    header.pax_headers = {
        "GNU.sparse.major": "1",
        "GNU.sparse.minor": "0",
        "GNU.sparse.name": "memory/hole.md",
        "GNU.sparse.realsize": str(1 << 50),
    }
    return header


def long(size: int) -> tarfile.TarInfo:
    header = tarfile.TarInfo("memory/long.md")
    header.size = size
    return header


NAMES = (
    "../outside",
    "memory/../../outside",
    "/tmp/outside",
    "memory//tmp/outside",
    "memory",
    "memory/",
    "memory/.",
    "memory/a\nb.md",
    "memory/\x1b[2J.md",
    "memory/\x7f.md",
    "knowledge/\x9b2J.md",
    "daybook.lock",
    "restore.json",
    "restoring/x",
    "config.json",
)


def named(name: str) -> Callable[[dict[str, bytes]], list[tarfile.TarInfo]]:
    def change(members: dict[str, bytes]) -> list[tarfile.TarInfo]:
        members[name] = b"harm"
        return []

    return change


def without(name: str) -> Callable[[dict[str, bytes]], list[tarfile.TarInfo]]:
    def change(members: dict[str, bytes]) -> list[tarfile.TarInfo]:
        del members[name]
        return []

    return change


HOSTILE: dict[str, Callable[[dict[str, bytes]], list[tarfile.TarInfo]]] = {
    **{f"name {name!r}": named(name) for name in NAMES},
    "symbolic link": lambda members: [link(tarfile.SYMTYPE)],
    "hard link": lambda members: [link(tarfile.LNKTYPE)],
    "device": lambda members: [link(tarfile.CHRTYPE)],
    "pipe": lambda members: [link(tarfile.FIFOTYPE)],
    "folder": lambda members: [link(tarfile.DIRTYPE)],
    "hole": lambda members: [hole()],
    "longer than the archive": lambda members: [long(1 << 40)],
    "a name twice": lambda members: [tarfile.TarInfo("README.txt")],
    "not in the manifest": lambda members: [tarfile.TarInfo("memory/extra.md")],
    "a file that is a folder": lambda members: (
        members.update({"memory/x": b"", "memory/x/y.md": b""}) or []
    ),
    "no database": without("daybook.db"),
    "no database of ours": lambda members: members.update({"daybook.db": b"x" * 5000}) or [],
    "another database": lambda members: members.update({"daybook.db": foreign()}) or [],
    "an empty database": lambda members: members.update({"daybook.db": b""}) or [],
}


def foreign() -> bytes:
    with closing(sqlite3.connect(":memory:")) as connection:
        connection.execute("CREATE TABLE session (id INTEGER)")
        return connection.serialize()


@pytest.mark.parametrize("case", HOSTILE)
def test_an_archive_that_means_harm_is_refused(
    case: str, given_backup: Given, tmp_path: Path
) -> None:
    source = data_like(given_backup[0], tmp_path)
    said, beside = contents(source), names_in(tmp_path)
    hostile = repacked(given_backup[1], tmp_path / "hostile.tar", HOSTILE[case])

    with pytest.raises(DataError):
        restore(hostile, source)

    assert said == contents(source)
    assert beside | {"hostile.tar"} == names_in(tmp_path)
    assert "restoring" not in names_in(source.data_dir)
    assert not (tmp_path.parent / "outside").exists()


def changed_manifest(given_backup: Given, target: Path, **keys: object) -> Path:
    with tarfile.open(given_backup[1]) as archive, tarfile.open(target, "w") as other:
        for each in archive:
            content = (archive.extractfile(each) or io.BytesIO()).read()
            if each.name == "manifest.json":
                content = json.dumps(json.loads(content) | keys).encode()
                each.size = len(content)
            other.addfile(each, io.BytesIO(content))
    return target


@pytest.mark.parametrize(
    ("keys", "said"),
    [
        ({"format": 2}, "newer version"),
        ({"schema": len(MIGRATIONS) + 1}, "update the bot"),
        ({"schema": len(MIGRATIONS) - 1}, "does not hold what"),
        ({"rows": {}}, "does not hold what"),
        ({"made_at": "yesterday"}, "moment"),
        ({"made_at": "2026-11-30T12:00:00"}, "moment"),
        ({"members": [1]}, "makes no sense"),
        ({"rows": {"turn": "many"}}, "makes no sense"),
        ({"format": "1"}, "makes no sense"),
    ],
)
def test_a_manifest_is_not_believed(
    given_backup: Given, tmp_path: Path, keys: dict[str, object], said: str
) -> None:
    backup = changed_manifest(given_backup, tmp_path / "changed.tar", **keys)

    with pytest.raises(DataError, match=said):
        restore(backup, place_in(tmp_path))

    assert not place_in(tmp_path).database.exists()


def _gzipped(path: Path) -> None:
    with tarfile.open(path, "w:gz") as archive:
        archive.addfile(tarfile.TarInfo("README.txt"))


def _another_tar(path: Path) -> None:
    with tarfile.open(path, "w") as archive:
        archive.addfile(tarfile.TarInfo("holiday.jpg"))


@pytest.mark.parametrize(
    "make",
    [
        lambda path: path.write_bytes(b""),
        lambda path: path.write_bytes(b"\0" * 10_240),
        lambda path: path.write_text("a letter, " * 1_000),
        _gzipped,
        _another_tar,
    ],
    ids=["empty", "zeros", "text", "compressed", "another tar"],
)
def test_what_is_no_backup_is_named_so(tmp_path: Path, make: Callable[[Path], object]) -> None:
    make(tmp_path / "letter")

    with pytest.raises(DataError, match="letter is no backup of this bot"):
        restore(tmp_path / "letter", place_in(tmp_path))

    assert {"letter"} == names_in(tmp_path)


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (lambda whole: whole + b"x", "something stands behind its end"),
        (lambda whole: whole + b"\0" * 10_240, "something stands behind its end"),
        (lambda whole: whole[:-1] + b"x", "something stands behind its end"),
        (lambda whole: whole[:-1], "its end is cut off"),
    ],
    ids=["longer", "more zeros", "no zero", "shorter"],
)
def test_it_ends_with_the_zeros_that_end_a_tar(
    given_backup: Given, tmp_path: Path, change: Callable[[bytes], bytes], said: str
) -> None:
    (tmp_path / "b.tar").write_bytes(change(given_backup[1].read_bytes()))

    with pytest.raises(DataError, match=said):
        restore(tmp_path / "b.tar", place_in(tmp_path))


def test_of_a_damaged_database_the_backup_is_named(given_backup: Given, tmp_path: Path) -> None:
    hostile = repacked(given_backup[1], tmp_path / "b.tar", HOSTILE["another database"])

    with pytest.raises(
        DataError, match=r"database of the backup /\S+/b\.tar is of another program"
    ):
        restore(hostile, place_in(tmp_path))


def test_a_backup_that_is_not_there_is_named(tmp_path: Path) -> None:
    for name in ("nowhere.tar", "."):
        with pytest.raises(DataError, match="cannot be read"):
            restore(tmp_path / name, place_in(tmp_path / "x"))
