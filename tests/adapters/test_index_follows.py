"""The real index follows the real store: over crashes, and when its file is broken under it."""

import asyncio
import sqlite3
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager, closing
from dataclasses import dataclass
from datetime import UTC
from pathlib import Path

import pytest

from bot.adapters.clock import SystemClock
from bot.adapters.recall_files import RecallFiles
from bot.adapters.redactor import RuleRedactor
from bot.adapters.search.sqlite_index import SqliteSearchIndex
from bot.adapters.store.sqlite_store import SqliteStore
from bot.runtime.indexing import CurrentItems, CurrentParts, Indexing, IndexingParts
from bot.runtime.indexing import indexing as follower
from bot.runtime.recall import Recall, RecallParts
from bot.testing.patience import PATIENCE_S
from bot.testing.stores.given import begin, message
from bot.testing.stores.items import HERS, end

WORDS = ("heron", "stork", "crane", "egret", "ibis")


@dataclass(slots=True)
class Running:
    """A process, as far as memory goes."""

    store: SqliteStore
    index: SqliteSearchIndex
    indexing: Indexing
    recall: Recall

    async def finds(self, word: str) -> set[str]:
        """Give what is found and has a word; what stands around it is found too."""
        found = await self.recall.search(word, HERS, limit=200)
        return {hit.item.text for hit in found.hits if word in hit.item.text}


@asynccontextmanager
async def running(folder: Path) -> AsyncIterator[Running]:
    """Run until it is left, and then end as a crash does: in the middle of things."""
    clock, store = SystemClock(), SqliteStore.open(folder / "daybook.db")
    index = SqliteSearchIndex(folder / "search.db")
    files = RecallFiles(folder / "memory", folder / "knowledge")
    items = CurrentItems(
        CurrentParts(kept=store, files=files, redactor=RuleRedactor(), clock=clock, timezone=UTC)
    )
    indexing = Indexing(
        IndexingParts(index=index, items=items, kept=store, files=files, clock=clock, zone="UTC")
    )
    parts = RecallParts(
        index=index, items=items, clock=clock, timezone=UTC, on_trouble=indexing.wake
    )
    task = asyncio.ensure_future(indexing.run())
    try:
        yield Running(store, index, indexing, Recall(parts))
    finally:
        task.cancel()
        await asyncio.wait({task})
        await index.close()
        await store.close()


async def until(holds: Callable[[], Awaitable[bool]]) -> None:
    """Wait, in real time, for what is sure to come."""

    async def look() -> None:
        while not await holds():
            await asyncio.to_thread(int)

    await asyncio.wait_for(look(), PATIENCE_S)


async def have_turns(store: SqliteStore, first: int, count: int) -> None:
    """Go through turns, each with a bird and a number."""
    for number in range(first, first + count):
        text = f"{WORDS[number % len(WORDS)]} number {number}"
        await end(store, await begin(store, message(number, text)), f"seen {number}")


async def _is_complete(bot: Running) -> bool:
    await bot.store.newest_seq()
    is_there = await bot.index.applied_seq() == await bot.store.newest_seq()
    return is_there and not bot.indexing.is_rebuilding and not bot.indexing.trouble


@pytest.mark.parametrize("steps", [1, 3])
async def test_a_rebuild_goes_on_where_a_crash_left_it(
    steps: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(follower, "REFS_A_STEP", 10)
    store = SqliteStore.open(tmp_path / "daybook.db")
    await have_turns(store, 0, 60)
    await store.close()
    async with running(tmp_path) as bot:
        await until(lambda: _has_walked(bot, steps * 10))
    async with running(tmp_path) as bot:
        await have_turns(bot.store, 60, 2)
        await until(lambda: _is_complete(bot))
        assert await _walked(bot) == 62
        assert await bot.finds("heron") == {f"heron number {n}" for n in range(0, 62, 5)}


async def test_a_crash_between_the_commit_and_the_index_loses_nothing(tmp_path: Path) -> None:
    async with running(tmp_path) as bot:
        await have_turns(bot.store, 0, 5)
        await until(lambda: _is_complete(bot))
    store = SqliteStore.open(tmp_path / "daybook.db")
    await have_turns(store, 5, 5)
    await store.close()
    async with running(tmp_path) as bot:
        await until(lambda: _is_complete(bot))
        assert await bot.finds("stork") == {"stork number 1", "stork number 6"}


async def test_a_file_removed_under_it_is_made_again(tmp_path: Path) -> None:
    async with running(tmp_path) as bot:
        await have_turns(bot.store, 0, 5)
        await until(lambda: _is_complete(bot))
        _each_file(tmp_path, Path.unlink)
        await have_turns(bot.store, 5, 1)
        await until(lambda: _has_walked(bot, 6))
        await until(lambda: _is_complete(bot))
        assert await bot.finds("heron") == {"heron number 0", "heron number 5"}


async def test_a_damaged_file_is_made_again(tmp_path: Path) -> None:
    async with running(tmp_path) as bot:
        await have_turns(bot.store, 0, 5)
        await until(lambda: _is_complete(bot))
    _each_file(tmp_path, lambda path: path.write_bytes(b"no database at all" * 500))
    async with running(tmp_path) as bot:
        await until(lambda: _has_walked(bot, 5))
        await until(lambda: _is_complete(bot))
        assert await bot.finds("heron") == {"heron number 0"}


async def test_a_locked_file_holds_no_turn_up(tmp_path: Path) -> None:
    """Searches say so meanwhile; afterwards all is there."""
    async with running(tmp_path) as bot:
        await have_turns(bot.store, 0, 5)
        await until(lambda: _is_complete(bot))
        with closing(sqlite3.connect(tmp_path / "search.db", isolation_level=None)) as other:
            other.execute("BEGIN EXCLUSIVE")
            await have_turns(bot.store, 5, 5)
            await until(lambda: _is_in_trouble(bot))
            other.execute("ROLLBACK")
        bot.indexing.wake()
        await until(lambda: _is_complete(bot))
        assert await bot.finds("heron") == {"heron number 0", "heron number 5"}


def _each_file(folder: Path, do: Callable[[Path], object]) -> None:
    for path in folder.glob("search.db*"):
        do(path)


async def _is_in_trouble(bot: Running) -> bool:
    await bot.store.newest_seq()
    return bool(bot.indexing.trouble)


async def _walked(bot: Running) -> int:
    return len(await bot.index.refs("turn:"))


async def _has_walked(bot: Running, turns: int) -> bool:
    return await _walked(bot) >= turns
