"""What is only looked at stays as it is: memory files, the search index, a service's date."""

import asyncio
import sqlite3
from contextlib import closing
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from bot.adapters.memory_look import MemoryLook, look_at_memory
from bot.adapters.search.examining import IndexLook, look_at_index
from bot.adapters.search.file import VERSION, open_file
from bot.adapters.service_date import date_of
from bot.core.memory.marks import BEGIN, END, has_stray_marks
from bot.testing.anthropic_server import PretendedAnthropic


def tree_of(folder: Path) -> dict[str, bytes]:
    return {str(path): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def test_memory_files_are_told_apart_and_none_is_moved(tmp_path: Path) -> None:
    audience = tmp_path / "telegram~1~2"
    audience.mkdir()
    (audience / "2026-01-05.md").write_text("# day\n")
    (audience / "2026-01-06.md").write_bytes(b"\xff")
    (audience / "2026-01-07.md").mkdir()
    (audience / "2026-01-04.md.unreadable-1").write_bytes(b"\xff")
    (audience / "MEMORY.md").write_text(f"{BEGIN}\n{BEGIN}\n{END}\n")
    (audience / "notes.md").write_bytes(b"\xff")
    before = tree_of(tmp_path)

    look = look_at_memory(tmp_path)

    name = audience.name
    assert look == MemoryLook(
        files=4,
        unreadable=(f"{name}/2026-01-06.md", f"{name}/2026-01-07.md"),
        aside=(f"{name}/2026-01-04.md.unreadable-1",),
        stray=(f"{name}/MEMORY.md",),
    )
    assert before == tree_of(tmp_path)


def test_without_a_folder_there_are_no_memory_files(tmp_path: Path) -> None:
    assert MemoryLook() == look_at_memory(tmp_path / "none")


@pytest.mark.parametrize(("text", "is_stray"), [
    ("", False),
    ("notes", False),
    (f"notes\n{BEGIN}\n- a\n{END}\n", False),
    (f"{BEGIN}\r\n{END}\r\n", False),
    (BEGIN, True),
    (END, True),
    (f"{END}\n{BEGIN}\n", True),
    (f"{BEGIN}\n{END}\n{BEGIN}\n{END}\n", True),
])  # fmt: skip
def test_marks_come_in_one_pair(text: str, is_stray: bool) -> None:
    assert is_stray == has_stray_marks(text)


def test_an_index_that_is_not_there_is_not_made(tmp_path: Path) -> None:
    assert IndexLook(is_there=False) == look_at_index(tmp_path / "search.db")
    assert [] == list(tmp_path.iterdir())


def test_an_index_says_how_far_it_is(tmp_path: Path) -> None:
    path = tmp_path / "search.db"
    with closing(open_file(path)) as connection:
        fresh = look_at_index(path)
        connection.execute("INSERT INTO state VALUES ('seq', '7')")
        used = look_at_index(path)
        connection.execute(f"PRAGMA user_version = {VERSION + 1}")
        other = look_at_index(path)

    assert (IndexLook(), IndexLook(applied_seq=7)) == (fresh, used)
    assert IndexLook(fault="is of another version") == other


def test_an_index_of_another_program_or_none_at_all(tmp_path: Path) -> None:
    path = tmp_path / "search.db"
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute("CREATE TABLE something (else_ TEXT)")
    foreign = look_at_index(path)
    path.write_bytes(b"x" * 8_192)

    assert "is of another version" == foreign.fault
    assert "cannot be read" in look_at_index(path).fault


async def test_a_service_tells_the_time_whatever_else_it_says() -> None:
    async with PretendedAnthropic() as server:
        told = await _asked(server.base_url)

    assert told is not None
    assert abs(told - datetime.now(UTC)) < timedelta(seconds=30)  # noqa: TID251 - the server is real


async def test_where_nobody_answers_nobody_tells_the_time() -> None:
    assert await _asked("http://127.0.0.1:9") is None


async def _asked(address: str) -> datetime | None:
    return await asyncio.to_thread(date_of, address)
