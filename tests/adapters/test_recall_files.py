"""Files that are searched: found, told apart when they change, and never outside their folders."""

import os
from pathlib import Path

import pytest

from bot.adapters import recall_files
from bot.adapters.recall_files import MOST_BYTES, RecallFiles
from bot.core.memory.items import ItemRef
from bot.errors import StoreError

LONG_AGO_S = 1_600_000_000
PAGE = ItemRef("knowledge:a/b.md")


@pytest.fixture
def files(tmp_path: Path) -> RecallFiles:
    _write(tmp_path / "knowledge" / "a" / "b.md", "Herons nest.")
    _write(tmp_path / "memory" / "folder" / "2026-01-05.md", "Mine.")
    return RecallFiles(tmp_path / "memory", tmp_path / "knowledge")


def _write(path: Path, text: str, at_s: int = LONG_AGO_S) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    os.utime(path, (at_s, at_s))


async def test_files_are_named_by_their_folders(files: RecallFiles, tmp_path: Path) -> None:
    _write(tmp_path / "memory" / "folder" / "MEMORY.md", "Notes.")
    for other in (
        "memory/stray.md",
        "memory/folder/.2026-01-05.md.new",
        "memory/folder/deep/c.md",
        "memory/.hidden/c.md",
        "knowledge/picture.png",
        "knowledge/.git/c.md",
    ):
        _write(tmp_path / other, "no")

    marks = await files.marks({})

    assert set(marks) == {
        PAGE,
        "file:folder/2026-01-05.md",
        "file:folder/MEMORY.md",
    }
    assert await files.read(PAGE) == "Herons nest."
    assert await files.read(ItemRef("file:folder/2026-01-05.md")) == "Mine."


async def test_only_another_content_is_another_mark(files: RecallFiles, tmp_path: Path) -> None:
    """A file that was only touched is the same, in this process and in the next."""
    path = tmp_path / "knowledge" / "a" / "b.md"
    first = await files.marks({})
    os.utime(path, (LONG_AGO_S + 9, LONG_AGO_S + 9))
    assert await files.marks(first) == first
    assert await files.marks(first) == first
    again = RecallFiles(tmp_path / "memory", tmp_path / "knowledge")
    assert await again.marks(first) == first

    _write(path, "Storks nest.", LONG_AGO_S + 9)
    second = await files.marks(first)
    assert second[PAGE] != first[PAGE]

    path.unlink()
    assert PAGE not in await files.marks(second)
    assert await files.read(PAGE) == ""


async def test_a_change_within_the_same_moment_is_seen(files: RecallFiles, tmp_path: Path) -> None:
    """Of the same length, in place, with the same time: file systems tell no better."""
    path = tmp_path / "knowledge" / "a" / "b.md"
    path.write_text("one")
    stamp = path.stat().st_mtime_ns
    first = await files.marks({})
    path.write_text("two")
    os.utime(path, ns=(stamp, stamp))

    assert (await files.marks(first))[PAGE] != first[PAGE]


@pytest.mark.parametrize(
    "ref",
    [
        "file:../knowledge/a/b.md",
        "file:folder/../../secret.md",
        "file:folder/deep/c.md",
        "file:secret.md",
        "file:folder/.hidden.md",
        "file:folder/link.md",
        "knowledge:../secret.md",
        "knowledge:/etc/hosts.md",
        "knowledge:a//b.md",
        "knowledge:a/b.txt",
        "knowledge:a\\..\\b.md",
        "knowledge:\0.md",
        "turn:12",
        "",
    ],
)
async def test_a_ref_leads_nowhere_else(ref: str, files: RecallFiles, tmp_path: Path) -> None:
    _write(tmp_path / "secret.md", "secret")
    _write(tmp_path / "memory" / "secret.md", "secret")
    (tmp_path / "memory" / "folder" / "link.md").symlink_to(tmp_path / "secret.md")

    assert await files.read(ItemRef(ref)) == ""
    assert "file:folder/link.md" not in await files.marks({})


async def test_what_is_no_text_is_left_out_and_told_once(
    files: RecallFiles, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    broken, large = tmp_path / "knowledge" / "broken.md", tmp_path / "knowledge" / "large.md"
    broken.write_bytes(b"\xff\xfe")
    large.write_bytes(b"a" * (MOST_BYTES + 1))

    for _ in range(2):
        assert await files.read(ItemRef("knowledge:broken.md")) == ""
        assert await files.read(ItemRef("knowledge:large.md")) == ""
    reasons = [getattr(record, "why", "") for record in caplog.records]
    assert sorted(reasons) == ["not UTF-8", "too large"]


async def test_what_cannot_be_read_at_this_moment_is_not_gone(
    files: RecallFiles, tmp_path: Path
) -> None:
    first = await files.marks({})
    path = tmp_path / "knowledge" / "a" / "b.md"
    _write(path, "Storks nest.", LONG_AGO_S + 9)
    path.chmod(0)
    if os.access(path, os.R_OK):
        pytest.skip("this user may read everything")

    assert await files.marks(first) == first
    with pytest.raises(StoreError):
        await files.read(PAGE)


async def test_a_stamp_is_of_a_file_that_was_left_alone(
    files: RecallFiles, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One that was written just now may be written again in the same moment."""
    path = tmp_path / "knowledge" / "a" / "b.md"
    assert await files.stamp(PAGE) == ""

    monkeypatch.setattr(recall_files, "_SETTLED_NS", 0)
    first = await files.stamp(PAGE)
    assert first != ""
    assert await files.stamp(PAGE) == first
    path.write_text("Storks nest, too.")
    assert await files.stamp(PAGE) not in ("", first)
    assert await files.stamp(ItemRef("knowledge:../secret.md")) == ""
    assert await files.stamp(ItemRef("knowledge:none.md")) == ""


async def test_a_link_inside_is_a_file(files: RecallFiles, tmp_path: Path) -> None:
    """Only what leads out is none of ours; nor is a folder that is somewhere else."""
    outside = tmp_path / "outside"
    _write(outside / "c.md", "secret")
    (tmp_path / "knowledge" / "same.md").symlink_to(tmp_path / "knowledge" / "a" / "b.md")
    (tmp_path / "knowledge" / "gone.md").symlink_to(tmp_path / "knowledge" / "none.md")
    (tmp_path / "knowledge" / "out").symlink_to(outside)
    (tmp_path / "memory" / "out").symlink_to(outside)

    assert set(await files.marks({})) == {PAGE, "knowledge:same.md", "file:folder/2026-01-05.md"}
    assert await files.read(ItemRef("knowledge:same.md")) == "Herons nest."
    assert await files.read(ItemRef("knowledge:out/c.md")) == ""


async def test_no_folders_are_no_files(tmp_path: Path) -> None:
    assert await RecallFiles(tmp_path / "none", tmp_path / "nothing").marks({}) == {}
