#!/usr/bin/env python3
"""How soon is the bot there, how soon does it answer, and how much memory does it take?

The time runs from the command to the first request for updates, and to the answer to a message
that was waiting. The environment is warm: all is installed, and compiled by the runs before.
"""

from __future__ import annotations

import argparse
import asyncio
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from typing import TYPE_CHECKING

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

import run  # noqa: E402 - found through the line above

if TYPE_CHECKING:
    from benchmarks.bench import Kind

IDLE_S = 2.0
"""How long after the last event the memory is read."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Start:
    """One start; times in seconds, memory in MiB."""

    first_poll: float
    first_answer: float
    rss_idle: float
    rss_after: float


def main() -> int:
    """Start both bots some times and print the table."""
    run.enter(".venv", "requirements.txt", run.NEEDED)
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--starts", type=int, default=7)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="daybook-bench-") as folder:
        starts, imports = asyncio.run(_all(Path(folder), options.starts))
    print(table(starts["daybook"], starts["naive"], imports))
    return 0


async def _all(folder: Path, count: int) -> tuple[dict[Kind, list[Start]], list[float]]:
    starts: dict[Kind, list[Start]] = {"daybook": [], "naive": []}
    imports: list[float] = []
    for kind in starts:
        await _start(kind, folder)  # which compiles what is not compiled yet
    for _ in range(count):
        for kind, done in starts.items():
            done.append(await _start(kind, folder))
        imports.append(await asyncio.to_thread(_import_telegram))
    return starts, imports


async def _start(kind: Kind, folder: Path) -> Start:
    from benchmarks.bench import CHAT, running

    async with running(kind, folder) as bench:
        poll = await bench.called("getUpdates")
        await bench.loaded()
        await asyncio.sleep(IDLE_S)
        rss_idle = bench.rss_mib
        await bench.turn("mark-0-0")
        await asyncio.sleep(IDLE_S)
        rss_after, first_poll = bench.rss_mib, poll.at - bench.started_at
    async with running(kind, folder) as bench:
        bench.telegram.says(CHAT, "mark-0-0")
        answer = await bench.called("sendMessage")
        return Start(
            first_poll=first_poll,
            first_answer=answer.at - bench.started_at,
            rss_idle=rss_idle,
            rss_after=rss_after,
        )


def _import_telegram() -> float:
    began = time.monotonic()
    subprocess.run([sys.executable, "-c", "import telegram.ext"], check=True)
    return time.monotonic() - began


def table(ours: Sequence[Start], naive: Sequence[Start], imports: Sequence[float]) -> str:
    """Lay the medians out as Markdown."""

    def row(title: str, of: Callable[[Start], float], form: str) -> str:
        left, right = median(map(of, ours)), median(map(of, naive))
        return f"| {title} | {left:{form}} | {right:{form}} | {left / right:.2f} |"

    importing = median(imports)
    ratio = median(one.first_poll for one in ours) / importing
    rows = [
        "| | Daybook | naive bot | ratio |",
        "|---|---|---|---|",
        row("command to first getUpdates (s)", lambda one: one.first_poll, ".2f"),
        f"| the same against `import telegram.ext` alone | | {importing:.2f} | {ratio:.2f} |",
        row("command to the answer to what was waiting (s)", lambda one: one.first_answer, ".2f"),
        row("memory idle (MiB)", lambda one: one.rss_idle, ".0f"),
        row("memory after a turn (MiB)", lambda one: one.rss_after, ".0f"),
    ]
    return "\n".join(rows)


if __name__ == "__main__":
    sys.exit(main())
