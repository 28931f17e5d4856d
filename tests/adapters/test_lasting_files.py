"""MEMORY.md and versions on a real disk, with a person who writes there too."""

import asyncio
import logging
import os
import stat
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bot.adapters.memory_files import MarkdownMemoryFiles
from bot.core.memory.daily import turns_in
from bot.core.memory.marks import BEGIN, END, block_lines, own_notes
from bot.core.memory.versions import LASTING, MOST_VERSIONS
from bot.core.turns import TurnId
from bot.testing.lasting_files import ADA_ASKS
from bot.testing.memory_files import ADA, DAY, GROUP, entry

TEA = ("## Preferences", "", "- 2026-11-30 Likes tea.")
COFFEE = ("## Preferences", "", "- 2026-12-01 Likes coffee.")


class Killed(Exception):
    """The process ends at this point."""


class Disk:
    """Memory files, and a person's editor beside them.

    Attributes:
        at_fsync: Is told the number of each time that something is forced to the disk, from 0.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder / "memory"
        self.path = self.folder / ADA.folder / LASTING
        self.at_fsync: Callable[[int], None] = lambda number: None
        self.fsyncs = 0
        self.files = MarkdownMemoryFiles(self.folder, fsync=self._fsync)

    @property
    def text(self) -> str:
        return self.path.read_bytes().decode() if self.path.exists() else ""

    def saves(self, text: str) -> None:
        """Save as most editors do: another file takes the name."""
        self.path.parent.mkdir(parents=True, exist_ok=True)
        fresh = self.path.with_name("editor")
        fresh.write_bytes(text.encode())
        fresh.replace(self.path)

    async def versions(self) -> list[str]:
        """Give the former texts, newest first."""
        history = await self.files.history(ADA_ASKS, LASTING)
        texts = [await self.files.read_version(ADA_ASKS, LASTING, each.stamp) for each in history]
        return [text for text in texts if text is not None]

    def all_bytes(self) -> bytes:
        files = (path for path in self.folder.rglob("*") if path.is_file())
        return b"".join(path.read_bytes() for path in files)

    def _fsync(self, descriptor: int) -> None:
        number, self.fsyncs = self.fsyncs, self.fsyncs + 1
        self.at_fsync(number)


@pytest.fixture
def disk(tmp_path: Path) -> Disk:
    return Disk(tmp_path)


async def test_mem_3_own_notes_stay_and_can_be_read(disk: Disk) -> None:
    disk.saves("\ufeffMine.\r\nNo end")
    await disk.files.write_lasting(ADA, TEA)
    await disk.files.write_lasting(ADA, COFFEE)

    assert disk.text.startswith("\ufeffMine.\r\nNo end\r\n\r\n<!-- daybook:begin")
    assert (await disk.files.notes_of(ADA)).strip("\ufeff\r\n") == "Mine.\r\nNo end"
    assert block_lines(disk.text) == (COFFEE[0], COFFEE[2])


async def test_nobody_else_can_look_in(disk: Disk) -> None:
    before = os.umask(0)
    try:
        for lines in (TEA, COFFEE):
            await disk.files.write_lasting(ADA, lines)
    finally:
        os.umask(before)

    modes = {path.is_dir(): set[int]() for path in (disk.folder, disk.path)}
    for path in disk.folder.rglob("*"):
        modes[path.is_dir()].add(stat.S_IMODE(path.stat().st_mode))
    assert modes == {True: {0o700}, False: {0o600}}


async def test_mem_3_what_a_person_saves_meanwhile_is_kept(disk: Disk) -> None:
    await disk.files.write_lasting(ADA, TEA)
    saved = disk.text

    def save(number: int) -> None:
        if "mine" not in disk.text:
            disk.saves(f"{saved}mine\n")

    disk.at_fsync = save
    await disk.files.write_lasting(ADA, COFFEE)

    assert disk.text.endswith(f"{END}\nmine\n")
    assert block_lines(disk.text) == (COFFEE[0], COFFEE[2])
    assert f"{saved}mine\n" in await disk.versions()


async def test_mem_3_what_a_person_writes_into_the_former_file_is_not_lost(disk: Disk) -> None:
    """An editor that writes in place, and ends when our file has taken the name."""
    await disk.files.write_lasting(ADA, TEA)

    with disk.path.open("ab") as editor:
        first = disk.path.stat().st_ino

        def write_late(number: int) -> None:
            if disk.path.stat().st_ino != first and not editor.closed:
                editor.write(b"mine\n")
                editor.close()

        disk.at_fsync = write_late
        await disk.files.write_lasting(ADA, COFFEE)

    assert disk.text.endswith(f"{END}\nmine\n")
    assert block_lines(disk.text) == (COFFEE[0], COFFEE[2])


async def test_mem_3_a_change_by_a_person_keeps_the_former_text(disk: Disk) -> None:
    disk.saves("first\n")
    await disk.files.write_lasting(ADA, TEA)
    noted = disk.text
    disk.saves("second\n")
    assert await disk.files.write_lasting(ADA, TEA)

    assert own_notes(disk.text).strip() == "second"
    assert await disk.versions() == [noted]  # what only grew is in the file still


async def test_mem_3_a_removed_file_can_be_brought_back(disk: Disk) -> None:
    disk.saves("mine\n")
    await disk.files.write_lasting(ADA, TEA)
    disk.path.unlink()
    await disk.files.write_lasting(ADA, COFFEE)
    (version,) = await disk.files.history(ADA_ASKS, LASTING)

    assert await disk.files.restore(ADA_ASKS, LASTING, version.stamp)

    assert disk.text.startswith("mine\n")


async def test_mem_3_words_between_the_marks_are_told_from_the_bots(disk: Disk) -> None:
    """Also when they look like a fact, and when an editor had been open for long."""
    await disk.files.write_lasting(ADA, TEA)
    in_editor = disk.text
    await disk.files.write_lasting(ADA, COFFEE)
    disk.saves(in_editor.replace(END, f"- 2026-11-30 Likes no milk.\n{END}"))
    await disk.files.write_lasting(ADA, COFFEE)

    assert block_lines(disk.text) == (COFFEE[0], COFFEE[2])
    assert own_notes(disk.text).strip() == "- 2026-11-30 Likes no milk."
    assert "tea" not in disk.text


async def test_mem_3_a_shrunk_block_is_told_of(
    disk: Disk, caplog: pytest.LogCaptureFixture
) -> None:
    await disk.files.write_lasting(ADA, TEA)
    before = disk.text
    with caplog.at_level(logging.INFO):
        await disk.files.write_lasting(ADA, ())

    assert [record.message for record in caplog.records] == [
        "memory.lasting_written",
        "memory.lasting_shrunk",
    ]
    assert "tea" not in caplog.text
    assert await disk.versions() == [before]
    assert block_lines(disk.text) == ()


async def test_mem_3_a_persons_old_notes_outlive_many_facts(disk: Disk) -> None:
    disk.saves("old notes\n")
    await disk.files.write_lasting(ADA, TEA)
    disk.saves("new notes\n")
    for number in range(MOST_VERSIONS * 2):
        await disk.files.write_lasting(ADA, (f"- 2026-11-30 Likes {number} cups.",))

    versions = await disk.versions()

    assert len(versions) == MOST_VERSIONS
    assert any(text.startswith("old notes\n") for text in versions)


async def test_mem_2_forgotten_bytes_are_nowhere(disk: Disk) -> None:
    """Also not in what a killed process left, or what was put aside."""
    secret = "lair" * 3
    disk.saves(f"{secret}\n")
    for lines in ((f"- 2026-11-30 Has a {secret}.",), COFFEE):
        await disk.files.write_lasting(ADA, lines)
    await disk.files.append((entry(1, f"- a {secret}"), entry(2)))
    disk.path.with_name(f".{LASTING}.new").write_text(f"half a {secret}")
    disk.path.with_name(f"{LASTING}.unreadable-1").write_bytes(
        f"{secret}\n\xe9\xff".encode("latin1")
    )
    with disk.path.open("rb") as former:
        await disk.files.forget_in_files(ADA, frozenset({TurnId(1)}), (secret, f"Has a {secret}."))

        assert secret.encode() not in disk.all_bytes()
        assert set(former.read()) == {0}
    assert disk.path.with_name(f"{LASTING}.unreadable-1").read_bytes() == b"\xe9\xff"
    assert not disk.path.with_name(f".{LASTING}.new").exists()
    assert block_lines(disk.text) == (COFFEE[0], COFFEE[2])


async def test_mem_2_what_was_taken_back_goes_from_versions_too(disk: Disk) -> None:
    """A daily file has versions where a person wrote something over."""
    await disk.files.append((entry(1, "- a lair"), entry(2)))
    day = disk.path.with_name(f"{DAY}.md")
    day.write_text(day.read_text("utf-8").replace("known: tea", "known: milk"), "utf-8")
    await disk.files.append((entry(3),))
    (kept,) = await disk.files.history(ADA_ASKS, day.name)
    await disk.files.append((entry(1, "- taken back", revision=1),))

    text = await disk.files.read_version(ADA_ASKS, day.name, kept.stamp) or ""
    assert turns_in(text) == {2}
    assert "known: tea" in text
    assert b"lair" not in disk.all_bytes()
    assert turns_in(await disk.files.read_day(ADA, DAY)) == {1, 2, 3}


async def test_mem_3_moved_files_bring_own_notes_and_versions(disk: Disk) -> None:
    disk.saves("mine\n")
    await disk.files.write_lasting(ADA, TEA)
    disk.saves(disk.text.replace(END, f"between\n{END}"))
    group = disk.folder / GROUP.folder / LASTING
    group.parent.mkdir()
    group.write_text("ours\n")
    await disk.files.write_lasting(GROUP, COFFEE)

    await disk.files.move(ADA, GROUP)
    await disk.files.write_lasting(GROUP, COFFEE)

    text = group.read_text()
    assert [line for line in own_notes(text).split("\n") if line] == ["mine", "between", "ours"]
    assert block_lines(text) == (COFFEE[0], COFFEE[2])
    assert "tea" not in text
    assert not disk.path.parent.exists()


def _write(disk: Disk) -> None:
    asyncio.run(_any(disk.files.write_lasting(ADA, COFFEE)))


def _restore(disk: Disk) -> None:
    async def restore() -> None:
        *_, oldest = await disk.files.history(ADA_ASKS, LASTING)
        await disk.files.restore(ADA_ASKS, LASTING, oldest.stamp)

    asyncio.run(restore())


def _forget(disk: Disk) -> None:
    asyncio.run(_any(disk.files.forget_in_files(ADA, frozenset(), ("Likes tea.",))))


async def _any(work: object) -> None:
    await work  # type: ignore[misc]  # whatever it gives


@pytest.mark.parametrize("work", [_write, _restore, _forget], ids=lambda work: work.__name__)
def test_mem_3_a_crash_leaves_the_old_file_or_the_new_one(
    work: Callable[[Disk], None], tmp_path: Path
) -> None:
    """Whenever the process ends, and doing it again ends as it should have."""
    whole = _prepared(tmp_path / "whole")
    before, first = whole.text, whole.fsyncs
    work(whole)
    after, steps = whole.text, whole.fsyncs - first
    assert steps > 3
    assert before != after

    for step in range(steps):
        disk = _prepared(tmp_path / str(step))
        with _killed_at(disk, disk.fsyncs + step):
            work(disk)
        assert disk.text in (before, after)
        assert "mine" in own_notes(disk.text)
        again = Disk(tmp_path / str(step))
        if work is not _restore:
            work(again)
            assert again.text == after
        if work is _forget:
            assert b"Likes tea" not in again.all_bytes()
        else:
            texts = [again.text, *asyncio.run(again.versions())]
            assert before in texts


def _prepared(folder: Path) -> Disk:
    disk = Disk(folder)
    disk.saves("mine\n")
    asyncio.run(_any(disk.files.write_lasting(ADA, ("- 2026-11-29 Likes water.",))))
    asyncio.run(_any(disk.files.write_lasting(ADA, TEA)))
    return disk


@contextmanager
def _killed_at(disk: Disk, step: int) -> Iterator[None]:
    def kill(number: int) -> None:
        if number == step:
            raise Killed

    disk.at_fsync = kill
    with suppress(Killed):
        yield


acts = st.lists(
    st.tuples(
        st.sampled_from(
            ("write", "above", "below", "between", "no marks", "half", "double", "stale", "restore")
        ),
        st.integers(0, 5),
    ),
    max_size=14,
)


@given(acts)
@settings(max_examples=40, deadline=None)
def test_mem_3_nothing_a_person_wrote_is_ever_lost(done: list[tuple[str, int]]) -> None:
    """In the file as it is at the end, or as it was before something was brought back."""
    with TemporaryDirectory() as folder:
        disk = Disk(Path(folder))
        wrote: set[str] = set()
        editor = ""
        for number, (act, choice) in enumerate(done):
            mine = f"note {number}"
            text = disk.text
            if act == "write":
                asyncio.run(_any(disk.files.write_lasting(ADA, (f"- 2026-11-30 Fact {choice}.",))))
                wrote_now = disk.text
                assert wrote_now.count(BEGIN) == wrote_now.count(END) == 1
                assert block_lines(wrote_now) == (f"- 2026-11-30 Fact {choice}.",)
                lost = [note for note in wrote if f"{note}\n" not in own_notes(wrote_now)]
                assert lost == []
                editor = wrote_now
            elif act == "restore":
                _bring_back(disk, choice)
                wrote = {note for note in wrote if f"{note}\n" in disk.text}
            else:
                edited = _edited(act, text, editor, mine)
                disk.saves(edited)
                wrote = {note for note in {*wrote, mine} if f"{note}\n" in edited}


def _edited(act: str, text: str, editor: str, mine: str) -> str:
    """Save something else: a line more, and the marks as they should not be."""
    above = f"{mine}\n{text}"
    match act:
        case "below":
            return f"{text}{'' if text.endswith(chr(10)) else chr(10)}{mine}\n"
        case "between":
            return text.replace(END, f"{mine}\n{END}")
        case "no marks":
            return above.replace(f"{BEGIN}\n", "").replace(f"{END}\n", "")
        case "half":
            return above.replace(f"{END}\n", "")
        case "double":
            return above + text
        case "stale":
            return f"{mine}\n{editor}"
        case _:
            return above


def _bring_back(disk: Disk, choice: int) -> None:
    async def restore() -> None:
        before = disk.text
        history = await disk.files.history(ADA_ASKS, LASTING)
        if history:
            stamp = history[choice % len(history)].stamp
            assert await disk.files.restore(ADA_ASKS, LASTING, stamp)
            assert before in ["", disk.text, *await disk.versions()]

    asyncio.run(restore())
