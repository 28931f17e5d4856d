"""The disk is searched byte by byte, by a process that harms nobody's locks."""

import asyncio
import json
import os
import sqlite3
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bot.adapters import raw_reader
from bot.adapters.raw_reader import Needle, Reader, Sieve
from bot.adapters.raw_search import DiskSearch
from bot.adapters.store.sqlite_store import SqliteStore
from bot.core.memory.forgetting import Trace
from bot.errors import StoreError
from bot.testing.stores.given import begin, message

NEEDLE = "the violet heron nests by the pond"


class Stalling(DiskSearch):
    """A search whose processes are broken off in one file, as on a disk that does not answer."""

    def __init__(self, folder: Path, *, stalls_at: str) -> None:
        super().__init__(folder)
        self._stalls_at = stalls_at

    def _run(self, order: bytes) -> bytes:
        answer = super()._run(order)
        lines = answer.splitlines(keepends=True)
        for number, line in enumerate(lines[1:], start=1):
            if json.loads(line)[0] == self._stalls_at:
                cut = b"".join(lines[:number]) + line[:3]
                raise subprocess.TimeoutExpired("reader", 1.0, output=cut)
        return answer


async def test_a_needle_is_found_in_every_form_and_file(tmp_path: Path) -> None:
    (tmp_path / "memory" / "a").mkdir(parents=True)
    (tmp_path / "plain.db").write_bytes(b"\0\1" + NEEDLE.encode() + b"\xff")
    (tmp_path / "memory" / "a" / "x.md").write_text(f"- {NEEDLE}\n")
    (tmp_path / "escaped.json").write_text('"\\u9ad8\\u5c71\\u6d41\\u6c34\\u77e5\\u97f3"')
    (tmp_path / "other.txt").write_text("nothing of it")

    found = await DiskSearch(tmp_path).find((NEEDLE, "高山流水知音", "is not there"))

    assert {
        Trace(needle="高山流水知音", file="escaped.json"),
        Trace(needle=NEEDLE, file="memory/a/x.md"),
        Trace(needle=NEEDLE, file="plain.db"),
    } == set(found)
    assert () == await DiskSearch(tmp_path).find(())


def test_a_needle_over_the_border_of_two_pieces_is_found(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(raw_reader, "PIECE_BYTES", 10)
    for before in range(25):
        (tmp_path / "file").write_bytes(b"x" * before + NEEDLE.encode() + b"y" * 9)

        reader = Reader([Needle((NEEDLE.encode(),))])
        assert [("file", [0])] == list(raw_reader.find(str(tmp_path), ["file"], reader))


def test_what_is_no_file_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "dangling").symlink_to(tmp_path / "nowhere")
    os.mkfifo(tmp_path / "pipe")

    names = raw_reader.files_below(str(tmp_path))
    read = dict(raw_reader.find(str(tmp_path), names, Reader([Needle((NEEDLE.encode(),))])))
    assert ["dangling", "pipe"] == sorted(read)
    assert [[], []] == list(read.values())


async def test_a_search_that_is_broken_off_is_no_proof(tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(b"x")

    with pytest.raises(StoreError, match="could not be searched"):
        await DiskSearch(tmp_path, within_s=0.0001).find((NEEDLE,))


async def test_what_cannot_be_read_in_time_is_named_and_the_rest_is_read(tmp_path: Path) -> None:
    """A file that does not end holds up no other, and what was read is not read again."""
    for name in ("a", "c"):
        (tmp_path / name).write_text(NEEDLE)
    (tmp_path / "b").write_text(NEEDLE)

    found = await Stalling(tmp_path, stalls_at="b").find((NEEDLE,))

    assert [
        Trace(needle="", file="b"),
        Trace(needle=NEEDLE, file="a"),
        Trace(needle=NEEDLE, file="c"),
    ] == sorted(found, key=lambda each: (each.needle, each.file))


@pytest.mark.parametrize(
    ("text", "is_found"),
    [
        ("Has epilepsy.", True),
        ("- 2026-01-05 Has epilepsy.\n", True),
        ("- 2026-01-05 Ann: Has epilepsy. (unverified since 2026-01-01)\n", True),
        ('{"text":"Has epilepsy."}', True),
        ("a\n- Has epilepsy.\r\nb", True),
        ("Who Has epilepsy. and walks", False),
        ("Has epilepsy.x", False),
    ],
)
def test_a_short_text_counts_where_it_stands_alone_and_in_the_database_anywhere(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, text: str, *, is_found: bool
) -> None:
    (tmp_path / "note.md").write_text(text)
    (tmp_path / "daybook.db").write_text(f"keyHas epilepsy.told{text}")
    short = Needle((b"Has epilepsy.",), is_long=False)
    for piece_bytes in (raw_reader.PIECE_BYTES, 5):
        monkeypatch.setattr(raw_reader, "PIECE_BYTES", piece_bytes)
        reader = Reader([short], database="daybook.db")
        found = dict(raw_reader.find(str(tmp_path), ["daybook.db", "note.md"], reader))

        assert {"daybook.db": [0], "note.md": [0] if is_found else []} == found


@settings(max_examples=100)
@given(
    piece=st.binary(max_size=80).map(lambda each: bytes(sign % 3 for sign in each)),
    forms=st.lists(
        st.binary(min_size=7, max_size=30).map(lambda each: bytes(sign % 3 for sign in each)),
        max_size=6,
    ),
    cut=st.integers(0, 70),
)
def test_what_stands_in_a_piece_is_found_and_nothing_else(
    piece: bytes, forms: list[bytes], cut: int
) -> None:
    """As a plain search finds it, by every width, at every place."""
    forms = [*forms, piece[cut : cut + 20]]
    for sieve in (Sieve(8, "Q", 2), Sieve(8, "Q", 1), Sieve(4, "I", 1)):
        wanted = [form for form in forms if len(form) >= sieve.least]
        for form in wanted:
            sieve.add(form)

        assert {each for each in wanted if each in piece} == {form for _, form in sieve.find(piece)}
        assert all(piece.startswith(form, start) for start, form in sieve.find(piece))


async def test_locks_of_the_database_outlast_a_search(tmp_path: Path) -> None:
    """Closing a file takes away all locks that its process has on it: so another one reads."""
    path = tmp_path / "daybook.db"
    writer = sqlite3.connect(path, isolation_level=None)
    writer.execute("CREATE TABLE t (x)")
    writer.execute("BEGIN EXCLUSIVE")
    await DiskSearch(tmp_path).find((NEEDLE,))
    program = (
        f"import sqlite3; sqlite3.connect({str(path)!r}, timeout=0).execute('BEGIN IMMEDIATE')"
    )

    command = [sys.executable, "-c", program]
    second = await asyncio.to_thread(subprocess.run, command, capture_output=True, text=True)
    writer.execute("ROLLBACK")
    writer.close()

    assert "database is locked" in second.stderr


@pytest.mark.parametrize("is_whole", [False, True])
async def test_nothing_is_left_in_the_log_once_it_was_wiped(
    tmp_path: Path, *, is_whole: bool
) -> None:
    """Beside other work, in its order, and with that nothing is lost."""
    store = SqliteStore.open(tmp_path / "daybook.db")
    await begin(store, message(1, NEEDLE))
    await store.wipe(is_whole=is_whole)
    (trace,) = await DiskSearch(tmp_path).find((NEEDLE,))
    log = tmp_path / "daybook.db-wal"
    size = log.stat().st_size
    open_turns = (await store.unfinished()).claims
    await store.close()

    assert "daybook.db" == trace.file
    assert 0 == size
    assert [NEEDLE] == [claim.turn.request.text for claim in open_turns]
