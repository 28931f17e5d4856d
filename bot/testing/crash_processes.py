"""The bot's processes in crash tests: forked or cold, and all they write is appended to a log."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Protocol

from bot.testing import starts
from bot.testing.starts import Files, Process, Start


class StartProcess(Protocol):
    """A way of starting the bot."""

    async def __call__(self, start: Start, log: Path) -> Process:
        """Start it; what it needs to get ready is not waited for."""
        ...


async def fork(start: Start, log: Path) -> Process:
    """Fork from the warm server; the first call waits for its imports."""
    with _files(log) as files:
        return await starts.fork(start, files, crash_line)


async def start_cold(start: Start, log: Path) -> Process:
    """Start a new interpreter, as an operator would."""
    with _files(log) as files:
        return await starts.start_cold(start, files, ("-m", "bot.testing.crashing"))


def crash_line() -> None:
    """Run the command line of crash tests to the process's end."""
    from bot.testing.crashing import main

    sys.exit(main())


@contextmanager
def _files(log: Path) -> Iterator[Files]:
    nothing = os.open(os.devnull, os.O_RDONLY)
    written = os.open(log, os.O_WRONLY | os.O_CREAT | os.O_APPEND)
    try:
        yield nothing, written, written
    finally:
        os.close(nothing)
        os.close(written)
