"""The bot's processes in crash tests: forked from one that has everything imported, or cold.

Nearly all of a start is the import of three SDKs, about a second of processor time. A fork server
of the standard library imports them once; every start is then a fork of it that runs
:func:`bot.testing.crashing.main`, as ``python -m bot.testing.crashing`` does when started cold.
"""

from __future__ import annotations

import asyncio
import contextlib
import functools
import multiprocessing
import os
import signal
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from multiprocessing.context import ForkServerContext
from pathlib import Path
from typing import Protocol

ROOT = Path(__file__).resolve().parent.parent.parent

_PRELOADED = [
    "__main__",
    "bot.cli",
    "bot.testing.crashing",
    "bot.adapters.anthropic_model.transport",
    "channels.telegram.receive",
    "channels.telegram.client",
    "channels.telegram.render",
    "channels.slack.web",
    "channels.slack.posting",
    "channels.slack.receiver",
    "channels.slack.socket_mode",
]
"""What a fork finds imported; the product itself imports most of it late, when it is needed."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Start:
    """How a process is started; what it writes is appended to ``log``."""

    arguments: tuple[str, ...]
    environ: Mapping[str, str]
    folder: Path
    log: Path


class Process(Protocol):
    """One life of the bot; ``ended`` gives its exit code, minus the signal that ended it."""

    def send_signal(self, number: int) -> None:
        """Send a signal; one that has ended gets none."""
        ...

    async def ended(self) -> int:
        """Wait for its end."""
        ...


class StartProcess(Protocol):
    """A way of starting the bot."""

    async def __call__(self, start: Start) -> Process:
        """Start it; what it needs to get ready is not waited for."""
        ...


async def fork(start: Start) -> Process:
    """Start from the warm fork server; the first call waits for its imports."""
    process = _fork_server().Process(target=_live, args=(start,), daemon=True)
    await asyncio.to_thread(process.start)
    return _Fork(process)


async def start_cold(start: Start) -> Process:
    """Start a new interpreter, as an operator would."""
    with start.log.open("ab") as log:
        process = await asyncio.create_subprocess_exec(
            *(sys.executable, "-m", "bot.testing.crashing", *start.arguments),
            env={**start.environ, "PYTHONPATH": str(ROOT)},
            cwd=start.folder,
            stdin=asyncio.subprocess.DEVNULL,
            stdout=log,
            stderr=log,
        )
    return _Cold(process)


class _Fork:
    def __init__(self, process: multiprocessing.process.BaseProcess) -> None:
        self._process = process
        self._has_ended = asyncio.Event()
        asyncio.get_running_loop().add_reader(process.sentinel, self._end)

    def send_signal(self, number: int) -> None:
        if not self._has_ended.is_set() and self._process.pid is not None:
            with contextlib.suppress(ProcessLookupError):
                os.kill(self._process.pid, number)

    async def ended(self) -> int:
        await self._has_ended.wait()
        code = self._process.exitcode
        assert code is not None
        return code

    def _end(self) -> None:
        asyncio.get_running_loop().remove_reader(self._process.sentinel)
        self._process.join()
        self._has_ended.set()


class _Cold:
    def __init__(self, process: asyncio.subprocess.Process) -> None:
        self._process = process

    def send_signal(self, number: int) -> None:
        with contextlib.suppress(ProcessLookupError):
            self._process.send_signal(number)

    async def ended(self) -> int:
        return await self._process.wait()


@functools.cache
def _fork_server() -> ForkServerContext:
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload(_PRELOADED)
    return context


def _live(start: Start) -> None:
    """Become the process that ``start`` describes; runs in the fork."""
    log = os.open(start.log, os.O_WRONLY | os.O_CREAT | os.O_APPEND)
    for output in (1, 2):
        os.dup2(log, output)
    os.close(log)
    os.environ.clear()
    os.environ.update(start.environ)
    os.chdir(start.folder)
    signal.signal(signal.SIGINT, signal.default_int_handler)
    sys.exit(_run(start.arguments))


def _run(arguments: Sequence[str]) -> int:
    from bot.testing.crashing import main

    return main(arguments)
