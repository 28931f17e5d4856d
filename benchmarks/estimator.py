#!/usr/bin/env python3
"""How far are estimated tokens from those that a model reports, and what does estimating cost?

The model's side is played by an independent count. First every kind of text by itself, as it is
weighed before the model has said anything; then six chats, where what the model reported corrects
what is estimated next.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

import run  # noqa: E402 - found through the line above
from scripts import check  # noqa: E402 - likewise

TURNS = 200


def main() -> int:
    """Measure and print three tables."""
    run.enter(".venv-dev", "requirements-dev.txt", check.NEEDED)
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--turns", type=int, default=TURNS, help="of each chat")
    options = parser.parse_args()
    from benchmarks import estimates

    print(estimates.of_speeds(), estimates.of_chats(options.turns), estimates.of_kinds(), sep="\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
