#!/usr/bin/env python3
"""How long does a backup take, and does the bot feel it? How long a restore?

A store of the given size is written to all the time, each write waiting for the one before; printed
is what a write took beside no backup and beside one, and how long each phase lasted.
"""

from __future__ import annotations

import argparse
import asyncio
import os
import sqlite3
import statistics
import sys
import tempfile
import time
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from bot.adapters.backup_making import BackupSource, Progress, make_backup
from bot.adapters.backup_restoring import restore_backup
from bot.adapters.store.folder import lock_data_folder
from bot.adapters.store.sqlite_store import SqliteStore

TURN_BYTES = 20_000


class Phases:
    """Notes when each phase began."""

    def __init__(self) -> None:
        self._began: dict[str, float] = {}

    def see(self, progress: Progress) -> None:
        """Note it the first time."""
        self._began.setdefault(progress.phase, time.perf_counter())

    def __str__(self) -> str:
        names, moments = list(self._began), [*self._began.values(), time.perf_counter()]
        spans = zip(names, moments, moments[1:], strict=False)
        return ", ".join(f"{name} {after - before:.2f} s" for name, before, after in spans)


def main() -> None:
    """Fill a store, back it up under writes, restore it, and print what that took."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--mebibytes", type=int, default=200, help="size of the database")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        asyncio.run(measure(Path(folder), options.mebibytes))


async def measure(folder: Path, mebibytes: int) -> None:
    """Do it all in a folder."""
    source = BackupSource(data_dir=folder / "data", knowledge_dir=folder / "knowledge")
    lock_data_folder(source.data_dir).release()
    await SqliteStore.open(source.database, inline=True).close()
    fill(source.database, mebibytes * 1024 * 1024 // TURN_BYTES)
    store = SqliteStore.open(source.database)
    quiet = await writes(store, asyncio.ensure_future(asyncio.sleep(3)))
    phases, began = Phases(), time.perf_counter()
    working = asyncio.ensure_future(asyncio.to_thread(back_up, source, folder / "b.tar", phases))
    busy = await writes(store, working)
    print(f"backup of {source.database.stat().st_size >> 20} MiB: ", end="")
    print(f"{time.perf_counter() - began:.2f} s ({await working})")
    for name, took in (("beside nothing", quiet), ("beside the backup", busy)):
        median, slowest = statistics.median(took) * 1e3, max(took) * 1e3
        p99 = statistics.quantiles(took, n=100)[98] * 1e3
        print(f"a write {name}: p50 {median:.1f} ms, p99 {p99:.1f} ms, slowest {slowest:.1f} ms")
    await store.close()
    phases, began = Phases(), time.perf_counter()
    now = datetime.now(UTC)
    restore_backup(folder / "b.tar", source.data_dir, source.knowledge_dir, at=now, tell=phases.see)
    print(f"restore: {time.perf_counter() - began:.2f} s ({phases})")


def fill(path: Path, turns: int) -> None:
    """Have a long past."""
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute("INSERT INTO session (key) VALUES ('telegram:1:2:')")
        connection.executemany(
            "INSERT INTO turn (session_key, generation, request, started_at, outcome)"
            " VALUES ('telegram:1:2:', 0, ?, 0, 'answered')",
            ((os.urandom(TURN_BYTES // 2).hex(),) for _ in range(turns)),
        )


def back_up(source: BackupSource, target: Path, phases: Phases) -> str:
    """Make a backup; give how long its phases lasted."""
    make_backup(source, target, version="0", now=lambda: datetime.now(UTC), tell=phases.see)
    return str(phases)


async def writes(
    store: SqliteStore, until: asyncio.Future[str] | asyncio.Future[None]
) -> list[float]:
    """Write again and again; give how long each write took."""
    took: list[float] = []
    while not until.done():
        began = time.perf_counter()
        await store.learn_window(f"model {len(took) % 7}", 1_000, at=datetime.now(UTC))
        took.append(time.perf_counter() - began)
    return took


if __name__ == "__main__":
    main()
