"""The bot as an operator runs it: a process of its own, with settings and signals."""

from __future__ import annotations

import asyncio
import contextlib
import io
import json
import os
import signal
from collections.abc import Awaitable, Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Self

from bot.testing.anthropic_server import PretendedAnthropic
from bot.testing.patience import PATIENCE_S
from bot.testing.starts import Files, Process, Start, command_line, fork, start_cold
from bot.testing.telegram_server import PretendedTelegram


class BotProcess:
    """The bot and verbs beside it; an async context manager that leaves no process behind.

    Attributes:
        data_dir: Its data folder.
        lines: What it has written to stderr.
    """

    def __init__(
        self,
        folder: Path,
        telegram: PretendedTelegram,
        vendor: PretendedAnthropic,
        *,
        launcher: Sequence[str] = (),
        run: Callable[[], object] = command_line,
    ) -> None:
        """Prepare.

        Args:
            folder: Gets its settings and its data.
            telegram: What it finds in Telegram's place.
            vendor: What it finds in the vendor's place.
            launcher: What a new interpreter is given before the command line's arguments; by
                default every process is a fork.
            run: What is called in a fork.
        """
        self._launcher = launcher
        self._run = run
        self.data_dir = folder / "data"
        self.lines: list[str] = []
        self.settings: dict[str, object] = {
            "data_dir": str(self.data_dir),
            "access": "open",
            "plugins": ["clock"],
            "anthropic": {"api_key": "k" * 20, "base_url": vendor.base_url},
            "channels": {"telegram": {"token": telegram.token, "base_url": telegram.base_url}},
            "http": {"port": 0},
            "embedder": "none",  # it would load its 160 MB before the first answer
        }
        self._file = folder / "config.json"
        self._life: _Life | None = None
        self._has_ended = False
        self._reading: asyncio.Task[None] | None = None
        self._changed = asyncio.Condition()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *error: object) -> None:
        await self.kill()

    async def start(self, *arguments: str, until: str = "ready:") -> None:
        """Start it and wait for a line on stderr that holds ``until``; it begins with none."""
        self.lines.clear()
        self._has_ended = False
        self._life = await self._begin(*arguments)
        self._reading = asyncio.create_task(self._read(self._life))
        await self.says(until)

    async def run(self, *arguments: str, lines: Iterable[str] = ()) -> tuple[int, str, str]:
        """Run a verb beside it; give the exit code, what it wrote to stdout and to stderr.

        It reads ``lines``, and then the end.
        """
        async with asyncio.timeout(PATIENCE_S):
            return await (await self._begin(*arguments)).through(lines)

    async def says(self, text: str) -> str:
        """Wait for a line on stderr that holds ``text``; give it."""

        def found() -> str | None:
            return next((line for line in self.lines if text in line), None)

        async with asyncio.timeout(PATIENCE_S), self._changed:
            await self._changed.wait_for(lambda: found() or self._has_ended)
        line = found()
        assert line is not None, self.lines
        return line

    @property
    def pid(self) -> int:
        """Its process id."""
        assert self._life is not None
        return self._life.process.pid

    def signal(self, number: signal.Signals) -> None:
        """Send it a signal."""
        assert self._life is not None
        self._life.process.send_signal(number)

    async def ended(self) -> int:
        """Wait for its end; give its exit code."""
        assert self._life is not None
        assert self._reading is not None
        async with asyncio.timeout(PATIENCE_S):
            await self._reading
            return await self._life.process.ended()

    async def kill(self) -> None:
        """End it as ``kill -9`` does, if it still runs."""
        if self._life is None:
            return
        self._life.process.send_signal(signal.SIGKILL)
        await self.ended()

    async def _begin(self, *arguments: str) -> _Life:
        self._file.write_text(json.dumps(self.settings), encoding="utf-8")
        start = Start(
            arguments=("--config", str(self._file), *arguments),
            environ={"PATH": os.environ.get("PATH", "")},
            folder=self._file.parent,
        )
        if self._launcher:
            return await _begin(partial(start_cold, start, launcher=self._launcher))
        return await _begin(partial(fork, start, run=self._run))

    async def _read(self, life: _Life) -> None:
        while line := await life.err.readline():
            self.lines.append(line.decode().rstrip("\n"))
            await self._tell()
        await life.out.read()
        await life.process.ended()
        life.give("")
        self._has_ended = True
        await self._tell()

    async def _tell(self) -> None:
        async with self._changed:
            self._changed.notify_all()


async def run_through(
    start: Start, lines: Iterable[str], run: Callable[[], object] = command_line
) -> tuple[int, str, str]:
    """Let a fork read lines; give its exit code, what it wrote to stdout and to stderr."""
    return await (await _begin(partial(fork, start, run=run))).through(lines)


@dataclass(frozen=True, slots=True)
class _Life:
    """A process and our ends of its pipes; ``stdin`` is open, with nothing in it, until told."""

    process: Process
    stdin: int
    out: asyncio.StreamReader
    err: asyncio.StreamReader

    def give(self, text: str) -> None:
        """Let it read a text and then the end."""
        with contextlib.suppress(BrokenPipeError):
            os.write(self.stdin, text.encode())
        os.close(self.stdin)

    async def through(self, lines: Iterable[str]) -> tuple[int, str, str]:
        """Let it read lines, and wait for its end."""
        self.give("".join(f"{line}\n" for line in lines))
        out, err = await asyncio.gather(self.out.read(), self.err.read())
        return await self.process.ended(), out.decode(), err.decode()


async def _begin(begin: Callable[[Files], Awaitable[Process]]) -> _Life:
    stdin, stdout, stderr = os.pipe(), os.pipe(), os.pipe()
    files = (stdin[0], stdout[1], stderr[1])
    try:
        process = await begin(files)
    finally:
        for each in files:
            os.close(each)
    return _Life(process, stdin[1], await _reader(stdout[0]), await _reader(stderr[0]))


async def _reader(descriptor: int) -> asyncio.StreamReader:
    reader = asyncio.StreamReader()
    pipe = io.FileIO(descriptor)  # which its transport closes
    await asyncio.get_running_loop().connect_read_pipe(
        lambda: asyncio.StreamReaderProtocol(reader), pipe
    )
    return reader
