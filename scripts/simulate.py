#!/usr/bin/env python3
"""Play many seeds of the simulator: the whole bot in a world where everything goes wrong.

One seed is one history. A seed whose history breaks a promise is printed with what was wrong and
the command that replays it. Exit code 0: nothing was found; 1: something was.
"""

from __future__ import annotations

import argparse
import os
import sys
import time
from collections.abc import Iterable, Iterator
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

import run  # noqa: E402 - found through the line above

if TYPE_CHECKING:
    from bot.testing.simulator import Verdict

PROGRESS_EVERY_S = 5.0
SEEDS_AT_ONCE = 8
"""What one process takes at a time: starting a piece of work costs more than sending it."""


def main() -> int:
    """Play the seeds and return the exit code."""
    run.enter(".venv", "requirements.txt", run.NEEDED)
    from bot.testing.simulator import SABOTAGES, simulate

    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--seeds", type=int, default=200, help="how many seeds (default 200)")
    parser.add_argument("--from", type=int, default=0, dest="first", help="the first of them")
    parser.add_argument("--seed", type=int, help="play this one alone")
    parser.add_argument("--verbose", action="store_true", help="print the whole history")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1, help="processes at work")
    parser.add_argument(
        "--break", choices=sorted(SABOTAGES), default="", dest="sabotage", help="break a promise"
    )
    options = parser.parse_args()
    seeds = range(options.first, options.first + options.seeds)
    if options.seed is not None:
        seeds = range(options.seed, options.seed + 1)
    play = partial(simulate, sabotage=options.sabotage, keeps_lines=options.verbose)
    jobs = min(options.jobs, len(seeds))
    if jobs < 2:
        return _report(map(play, seeds), len(seeds), options.sabotage)
    with ProcessPoolExecutor(jobs) as pool:
        verdicts = pool.map(play, seeds, chunksize=SEEDS_AT_ONCE)
        return _report(verdicts, len(seeds), options.sabotage)


def _report(verdicts: Iterable[Verdict], count: int, sabotage: str) -> int:
    """Print what was found as it is found, and a line about all of it at the end."""
    began = time.monotonic()
    played = broken = turns = processes = 0
    for verdict in _with_progress(verdicts, count):
        played += 1
        turns += verdict.turns
        processes += verdict.processes
        for line in verdict.lines:
            print(line)
        if count == 1:
            print(f"seed {verdict.seed}: history {verdict.digest}")
        if verdict.faults:
            broken += 1
            again = f" --break {sabotage}" if sabotage else ""
            print(f"seed {verdict.seed}: {len(verdict.faults)} faults")
            print(*(f"    {fault}" for fault in verdict.faults), sep="\n")
            print(f"    replay: python3 scripts/simulate.py --seed {verdict.seed} --verbose{again}")
    rate = played / max(time.monotonic() - began, 1e-9)
    print(
        f"{played} seeds, {turns} turns, {processes} processes, {rate:.1f} seeds/s:"
        f" {broken or 'none'} with faults"
    )
    return 1 if broken else 0


def _with_progress(verdicts: Iterable[Verdict], count: int) -> Iterator[Verdict]:
    began = told = time.monotonic()
    for number, verdict in enumerate(verdicts, start=1):
        yield verdict
        now = time.monotonic()
        if now - told >= PROGRESS_EVERY_S:
            told = now
            rate = number / (now - began)
            print(f"... {number} of {count}, {rate:.1f} seeds/s", file=sys.stderr, flush=True)


if __name__ == "__main__":
    sys.exit(main())
