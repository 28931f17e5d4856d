#!/usr/bin/env python3
"""Hold a conversation with the real Daybook against servers that nobody here wrote.

Installs them into a folder outside the checkout, runs everything on loopback, prints what was said
and a verdict for each peer. Exit code 0: all passed; 1: something did not.
"""

from __future__ import annotations

import argparse
import asyncio
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

import run  # noqa: E402 - found through the line above


def main() -> int:
    """Install the peers, talk, and return the exit code."""
    run.enter(".venv", "requirements.txt", run.NEEDED)
    from scripts.peering.trial import Trial

    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--folder", type=Path, help="where to install and run (kept)")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="daybook-peers-") as scratch:
        folder = (options.folder or Path(scratch)).resolve()
        folder.mkdir(parents=True, exist_ok=True)
        return asyncio.run(Trial(folder).hold())


if __name__ == "__main__":
    sys.exit(main())
