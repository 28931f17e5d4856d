"""The bot as an operator runs it: a process of its own, with settings and signals."""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import signal
import sys
from pathlib import Path
from typing import Self

from bot.testing.anthropic_server import PretendedAnthropic
from bot.testing.telegram_server import PretendedTelegram

ROOT = Path(__file__).resolve().parent.parent.parent

PATIENCE_S = 30.0
"""How long a start, with all its imports, may take on a busy machine."""


class BotProcess:
    """``python -m bot.cli``; an async context manager that leaves no process behind.

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
        launcher: tuple[str, ...] = ("-m", "bot.cli"),
    ) -> None:
        """Prepare; ``launcher`` is what Python is given before the command line's arguments."""
        self._launcher = launcher
        self.data_dir = folder / "data"
        self.lines: list[str] = []
        self.settings: dict[str, object] = {
            "data_dir": str(self.data_dir),
            "access": "open",
            "plugins": ["clock"],
            "anthropic": {"api_key": "k" * 20, "base_url": vendor.base_url},
            "channels": {"telegram": {"token": telegram.token, "base_url": telegram.base_url}},
            "http": {"port": 0},
        }
        self._file = folder / "config.json"
        self._process: asyncio.subprocess.Process | None = None
        self._reading: asyncio.Task[None] | None = None
        self._changed = asyncio.Condition()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *error: object) -> None:
        await self.kill()

    async def start(self, *arguments: str, until: str = "ready:") -> None:
        """Start it and wait for a line on stderr that holds ``until``; it begins with none."""
        self.lines.clear()
        self._process = await self._begin(*arguments)
        self._reading = asyncio.create_task(self._read(self._process))
        await self.says(until)

    async def run(self, *arguments: str) -> tuple[int, str, str]:
        """Run a verb beside it; give the exit code, what it wrote to stdout and to stderr."""
        process = await self._begin(*arguments)
        out, err = await asyncio.wait_for(process.communicate(), PATIENCE_S)
        assert process.returncode is not None
        return process.returncode, out.decode(), err.decode()

    async def says(self, text: str) -> str:
        """Wait for a line on stderr that holds ``text``; give it."""

        def found() -> str | None:
            return next((line for line in self.lines if text in line), None)

        async with asyncio.timeout(PATIENCE_S), self._changed:
            await self._changed.wait_for(lambda: found() or self._has_ended())
        line = found()
        assert line is not None, self.lines
        return line

    @property
    def pid(self) -> int:
        """Its process id."""
        assert self._process is not None
        return self._process.pid

    def signal(self, number: signal.Signals) -> None:
        """Send it a signal."""
        assert self._process is not None
        self._process.send_signal(number)

    async def ended(self) -> int:
        """Wait for its end; give its exit code."""
        assert self._process is not None
        assert self._reading is not None
        async with asyncio.timeout(PATIENCE_S):
            await self._reading
            return await self._process.wait()

    async def kill(self) -> None:
        """End it as ``kill -9`` does, if it still runs."""
        if self._process is None:
            return
        with contextlib.suppress(ProcessLookupError):
            self._process.kill()
        await self.ended()

    async def _begin(self, *arguments: str) -> asyncio.subprocess.Process:
        self._file.write_text(json.dumps(self.settings), encoding="utf-8")
        return await asyncio.create_subprocess_exec(
            *(sys.executable, *self._launcher, "--config", str(self._file), *arguments),
            env={"PATH": os.environ.get("PATH", ""), "PYTHONPATH": str(ROOT)},
            cwd=self._file.parent,
            stdin=asyncio.subprocess.PIPE,  # open to the end, and nothing in it
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.PIPE,
        )

    async def _read(self, process: asyncio.subprocess.Process) -> None:
        assert process.stderr is not None
        while line := await process.stderr.readline():
            self.lines.append(line.decode().rstrip("\n"))
            await self._tell()
        await process.wait()
        await self._tell()

    async def _tell(self) -> None:
        async with self._changed:
            self._changed.notify_all()

    def _has_ended(self) -> bool:
        return self._process is not None and self._process.returncode is not None
