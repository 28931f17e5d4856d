#!/usr/bin/env python3
"""Kill the bot at every point of a message's life, start it again, and see what people got.

Real processes, the real SQLite file, ``kill -9``; the platforms and the vendor are pretended and
outlive the bot. Starts are forks of a process that has the SDKs imported, which then runs the
ordinary command line; with ``--cold`` each start is a new interpreter. The exit code is 1 if
anything was lost, doubled or left over.
"""

from __future__ import annotations

import argparse
import asyncio
import os
import sys
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

import run  # noqa: E402 - found through the line above

WORLDS_PER_CORE = 4


def main() -> int:
    """Kill, print the table and what is wrong in it, and return the exit code."""
    run.enter(".venv", "requirements.txt", run.NEEDED)
    from bot.testing.crash_matrix import CHANNELS, Matrix
    from bot.testing.crash_processes import fork, start_cold
    from bot.testing.crashing import POINTS

    names = [point.name for point in POINTS]
    cores = os.cpu_count() or 1
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--kills", type=int, default=20, help="at each point, on each channel")
    parser.add_argument("--random", type=int, default=500, help="kills at any moment")
    parser.add_argument("--seed", type=int, default=0, help="the first of these")
    parser.add_argument("--points", nargs="+", choices=names, default=names, metavar="POINT")
    parser.add_argument("--channel", choices=CHANNELS, nargs="+", default=CHANNELS)
    parser.add_argument("--worlds", type=int, default=WORLDS_PER_CORE * cores, help="at a time")
    parser.add_argument("--cold", action="store_true", help="import everything at each start")
    options = parser.parse_args()
    start_process = start_cold if options.cold else fork
    matrix = Matrix(
        start_process=start_process, worlds=options.worlds, channels=tuple(options.channel)
    )

    async def kill() -> None:
        if options.kills:
            await matrix.kill_at_points(options.points, options.kills)
        if options.random:
            await matrix.kill_at_random(options.random, options.seed)

    began = time.monotonic()
    asyncio.run(kill())
    print(matrix.table)
    print(f"\n{matrix.kills} kills in {time.monotonic() - began:.0f} s on {cores} cores")
    print("\n".join(matrix.forbidden) or "Nothing lost, nothing doubled, nothing left over.")
    return 1 if matrix.forbidden else 0


if __name__ == "__main__":
    sys.exit(main())
