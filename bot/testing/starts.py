"""Two ways of starting the bot's command line: a new interpreter, or a fork of a warm one.

Nearly all of a start is the import of the SDKs, two seconds of processor time. A fork server of the
standard library imports them once for a whole test run; every start is then a fork of it, and from
there on the ordinary command line. What an import itself depends on (settings of the network, the
environment at its time) is for a new interpreter.
"""

from __future__ import annotations

import asyncio
import contextlib
import functools
import io
import multiprocessing
import os
import signal
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from multiprocessing.connection import Connection
from multiprocessing.context import ForkServerContext
from multiprocessing.process import BaseProcess
from pathlib import Path
from typing import Protocol

ROOT = Path(__file__).resolve().parent.parent.parent

BOT = ("-m", "bot.cli")
"""What a new interpreter is given to become the command line."""

Files = tuple[int, int, int]
"""Descriptors of what becomes stdin, stdout and stderr; they stay the caller's."""

_PRELOADED = [
    "__main__",
    "bot.cli",
    "bot.adapters.anthropic_model.transport",
    "bot.adapters.control_server",
    "bot.adapters.search.sqlite_index",
    "bot.app.setup",
    "bot.testing.crashing",
    "channels.telegram.receive",
    "channels.telegram.client",
    "channels.telegram.render",
    "channels.slack.web",
    "channels.slack.posting",
    "channels.slack.receiver",
    "channels.slack.socket_mode",
]
"""What a fork finds imported; the product itself imports most of it late, when it is needed."""


def command_line() -> None:
    """Run the bot's command line to the process's end."""
    from bot.cli import run

    run()


@dataclass(frozen=True, slots=True, kw_only=True)
class Start:
    """What is started where.

    ``environ`` is all of its environment, but for the path on which a new interpreter finds us.
    """

    arguments: Sequence[str]
    environ: Mapping[str, str]
    folder: Path


class Process(Protocol):
    """One life of the bot; ``ended`` gives its exit code, minus the signal that ended it."""

    @property
    def pid(self) -> int:
        """Its process id, also when it is over."""
        ...

    def send_signal(self, number: int) -> None:
        """Send a signal; one that has ended gets none."""
        ...

    async def ended(self) -> int:
        """Wait for its end."""
        ...


async def fork(start: Start, files: Files, run: Callable[[], object] = command_line) -> Process:
    """Start from the warm server; the first call waits for its imports.

    ``run`` is called in the fork and finds the arguments in ``sys.argv``. It is a function of a
    module, for what is sent to the fork is its name.
    """
    return _Fork(await asyncio.to_thread(begin_fork, start, files, run))


async def start_cold(start: Start, files: Files, launcher: Sequence[str] = BOT) -> Process:
    """Start a new interpreter, as an operator would."""
    return _Cold(
        await asyncio.create_subprocess_exec(
            *(sys.executable, *launcher, *start.arguments),
            env={**start.environ, "PYTHONPATH": str(ROOT)},
            cwd=start.folder,
            stdin=files[0],
            stdout=files[1],
            stderr=files[2],
        )
    )


def begin_fork(
    start: Start,
    files: Files,
    run: Callable[[], object] = command_line,
    *,
    owns_terminal: bool = False,
) -> BaseProcess:
    """Do what :func:`fork` does, and block meanwhile.

    With ``owns_terminal`` stdin is a terminal, and becomes that of a session of its own.
    """
    given = [Connection(os.dup(each)) for each in files]
    process = _server().Process(target=_live, args=(start, given, run, owns_terminal), daemon=True)
    try:
        process.start()
    finally:
        for each in given:
            each.close()
    return process


class _Fork:
    def __init__(self, process: BaseProcess) -> None:
        assert process.pid is not None
        self.pid = process.pid
        self._process = process
        self._has_ended = asyncio.Event()
        asyncio.get_running_loop().add_reader(process.sentinel, self._end)

    def send_signal(self, number: int) -> None:
        if not self._has_ended.is_set():
            with contextlib.suppress(ProcessLookupError):
                os.kill(self.pid, number)

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
        self.pid = process.pid
        self._process = process

    def send_signal(self, number: int) -> None:
        with contextlib.suppress(ProcessLookupError):
            self._process.send_signal(number)

    async def ended(self) -> int:
        return await self._process.wait()


@functools.cache
def _server() -> ForkServerContext:
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload(_PRELOADED)
    return context


def _live(
    start: Start, files: Sequence[Connection], run: Callable[[], object], owns_terminal: bool
) -> None:
    """Become the process that ``start`` describes; runs in the fork."""
    if owns_terminal:
        os.setsid()
    for number, file in enumerate(files):
        os.dup2(file.fileno(), number)
        file.close()
    if owns_terminal:
        _take_terminal()
    _open_standard_files()
    os.environ.clear()
    os.environ.update(start.environ)
    os.chdir(start.folder)
    sys.argv[1:] = start.arguments
    signal.signal(signal.SIGINT, signal.default_int_handler)
    run()


def _open_standard_files() -> None:
    """Open them anew, as an interpreter does: how they buffer depends on what they lead to."""
    reader = io.BufferedReader(io.FileIO(0, closefd=False))
    sys.stdin = io.TextIOWrapper(reader, encoding="utf-8")
    sys.stdout, sys.stderr = (
        io.TextIOWrapper(
            io.BufferedWriter(io.FileIO(number, "w", closefd=False)),
            encoding="utf-8",
            line_buffering=number == 2 or os.isatty(number),
        )
        for number in (1, 2)
    )


def _take_terminal() -> None:
    """Make stdin the terminal of this session, so that Ctrl-C is one; other systems have none."""
    import fcntl
    import termios

    fcntl.ioctl(0, termios.TIOCSCTTY, 0)
