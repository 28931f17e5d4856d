"""Random chats of all sizes and kinds: does every request to the model fit?

    python3 scripts/fit_chats.py --chats 20000

Prints what was seen, and exits with 1 when anything was that should never be, or when a request was
further over its limit than the published error of the estimate, by a count that is not the
product's (``bot/testing/independent_count.py``).
"""

from __future__ import annotations

import argparse
import asyncio
import sys
import time
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from bot.core.tokens import SAFETY
from bot.testing.fitting import Findings, drive
from bot.testing.independent_count import count_request

AT_ONCE = 200


def drive_some(first: int) -> Findings:
    """Drive a bundle of chats in a process of its own."""
    return asyncio.run(drive(range(first, first + AT_ONCE), count_request))


def main() -> int:
    """Drive so many chats."""
    parser = argparse.ArgumentParser(description="Drive random chats and look at each request.")
    parser.add_argument("--chats", type=int, default=20_000)
    parser.add_argument("--first", type=int, default=0, help="seed of the first chat")
    asked = parser.parse_args()
    started = time.monotonic()
    total = Findings()
    firsts = range(asked.first, asked.first + asked.chats, AT_ONCE)
    with ProcessPoolExecutor(max_workers=2) as pool:
        for found in pool.map(drive_some, firsts):
            total.requests += found.requests
            total.refused += found.refused
            total.compactions += found.compactions
            total.over = max(total.over, found.over)
            for fault in found.faults or ():
                total.fault(fault)
    for fault in (total.faults or ())[:20]:
        print(fault)
    print(
        f"{len(firsts) * AT_ONCE} chats, {total.requests} requests, {total.compactions} "
        f"compactions, {total.refused} could not fit alone; furthest over the limit by the "
        f"independent count: {total.over:+.1%} (published: {SAFETY:.0%}); "
        f"{len(total.faults or ())} faults; {time.monotonic() - started:.0f} s"
    )
    return 1 if total.faults or total.over > SAFETY else 0


if __name__ == "__main__":
    sys.exit(main())
