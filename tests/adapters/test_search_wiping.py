"""What was removed from the search index leaves no bytes behind."""

from dataclasses import replace
from pathlib import Path

from bot.adapters.search.sqlite_index import SqliteSearchIndex
from bot.core.memory.items import ItemId, ItemRef
from bot.testing.search_index import found, piece, put
from tests.adapters.test_search_index import MARK, raw


async def test_prv_what_was_removed_leaves_no_bytes_once_it_is_wiped(tmp_path: Path) -> None:
    """Neither in the file nor in the log beside it, nor in FTS5's lists of words."""
    index = SqliteSearchIndex(tmp_path / "search.db")
    await put(index, *(piece(f"fact:{number}", f"talk {number}") for number in range(50)))
    await put(index, piece("fact:900", f"my {MARK} plan"), seq=2)
    await put(index, *(piece(f"fact:{number}", f"more {number}") for number in range(99)), seq=3)
    await index.replace((ItemRef("fact:900"),), (), seq=4)
    assert MARK in raw(tmp_path)

    while await index.wipe():
        pass

    assert MARK not in raw(tmp_path)
    assert ["fact:7"] == await found(index, "7")
    await index.close()


async def test_a_wipe_goes_on_where_a_process_left_it(tmp_path: Path) -> None:
    index = SqliteSearchIndex(tmp_path / "search.db")
    await put(index, piece("fact:1", f"my {MARK} plan"))
    await put(index, piece("fact:1", "my plan"), seq=2)
    await index.close()
    again = SqliteSearchIndex(tmp_path / "search.db")

    assert await again.wipe()
    while await again.wipe():
        pass

    assert MARK not in raw(tmp_path)
    await again.close()


async def test_what_only_came_back_needs_no_wipe(tmp_path: Path) -> None:
    """As the entries of a daily file, to which one more was written."""
    index = SqliteSearchIndex(tmp_path / "search.db")
    await put(index, piece("file:a/b.md", "first"))
    second = replace(piece("file:a/b.md", "second"), id=ItemId("file:a/b.md#2"))
    await put(index, piece("file:a/b.md", "first"), second, seq=2)

    assert not await index.wipe()
    await index.close()
