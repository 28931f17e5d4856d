#!/usr/bin/env python3
"""How long does the search index take to be made anew, and what does a crash in the middle cost?

Two processes in one: the first is ended when it has half of all turns, the second goes on. Printed
is how much each read, and whether anything is missing or was read twice.
"""

from __future__ import annotations

import argparse
import asyncio
import sys
import tempfile
import time
from datetime import UTC
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from bot.adapters.clock import SystemClock
from bot.adapters.recall_files import RecallFiles
from bot.adapters.redactor import RuleRedactor
from bot.adapters.search.sqlite_index import SqliteSearchIndex
from bot.adapters.search.use_embedder import UseEmbedder
from bot.adapters.store.sqlite_store import SqliteStore
from bot.runtime.indexing import CurrentItems, CurrentParts, Indexing, IndexingParts
from bot.testing.stores.given import begin, message
from bot.testing.stores.items import end

WORDS = "The {} of lot {} left the harbour at nine and nobody knows where it went after that."
LOOK_EVERY_S = 0.02


def main() -> None:
    """Fill a store, rebuild its index with and without a crash, and print what that took."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--turns", type=int, default=5_000, help="each has two pieces")
    parser.add_argument("--embedder", action="store_true", help="with the default embedder")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        asyncio.run(measure(Path(folder), options.turns, with_embedder=options.embedder))


async def measure(folder: Path, turns: int, *, with_embedder: bool) -> None:
    """Do it all in a folder."""
    store = SqliteStore.open(folder / "daybook.db", inline=True)
    for number in range(turns):
        turn = await begin(store, message(number, WORDS.format("ferry", number)))
        await end(store, turn, f"Lot {number} is noted.")
    await store.close()
    for name, halves in (("at once", False), ("with a crash at half", True)):
        path = folder / f"{name}.db"
        took_s = 0.0
        if halves:
            took_s, before = await follow(folder, path, turns // 2, with_embedder=with_embedder)
            print(f"{name}: the first process ended at {before} turns after {took_s:.1f} s")
        more_s, there = await follow(folder, path, turns, with_embedder=with_embedder)
        size = path.stat().st_size / 1e6
        print(f"{name}: {there} of {turns} turns in {took_s + more_s:.1f} s, {size:.1f} MB")


async def follow(folder: Path, path: Path, turns: int, *, with_embedder: bool) -> tuple[float, int]:
    """Follow until so many turns are there, then end at once; give the seconds and the turns."""
    clock, store = SystemClock(), SqliteStore.open(folder / "daybook.db")
    index = SqliteSearchIndex(path, UseEmbedder() if with_embedder else None)
    files = RecallFiles(folder / "memory", folder / "knowledge")
    items = CurrentItems(
        CurrentParts(kept=store, files=files, redactor=RuleRedactor(), clock=clock, timezone=UTC)
    )
    parts = IndexingParts(
        index=index, items=items, kept=store, files=files, clock=clock, zone="UTC"
    )
    started = time.perf_counter()
    task = asyncio.ensure_future(Indexing(parts).run())
    while (there := len(await index.refs("turn:"))) < turns:
        await clock.sleep(LOOK_EVERY_S)
    took_s = time.perf_counter() - started
    task.cancel()
    await asyncio.wait({task})
    await index.close()
    await store.close()
    return took_s, there


if __name__ == "__main__":
    main()
