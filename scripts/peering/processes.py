"""Child processes that end with the script, and nothing else's."""

from __future__ import annotations

import asyncio
import contextlib
import socket
import sys
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from subprocess import PIPE

ROOT = Path(__file__).resolve().parents[2]
PATIENCE_S = 30.0
LOOK_AGAIN_S = 0.02

_END_WITHIN_S = 25.0


def free_port() -> int:
    """Find a port that nobody listens on now."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


async def until(condition: Callable[[], bool], what: str) -> None:
    """Look again and again until a condition holds.

    Raises:
        TimeoutError: It did not within :data:`PATIENCE_S`; ``what`` says what was waited for.
    """
    try:
        async with asyncio.timeout(PATIENCE_S):
            while not condition():  # noqa: ASYNC110 - another process changes it
                await asyncio.sleep(LOOK_AGAIN_S)
    except TimeoutError:
        raise TimeoutError(f"waited {PATIENCE_S:.0f} s for {what}") from None


def listens(port: int) -> bool:
    """Say whether something accepts connections on a port of this machine."""
    with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", port), timeout=1):
        return True
    return False


@asynccontextmanager
async def server(command: list[str], port: int, log: Path) -> AsyncIterator[None]:
    """Run a server until the block is left; it listens when the block is entered."""
    with log.open("wb") as output:
        process = await asyncio.create_subprocess_exec(
            *command, cwd=log.parent, stdin=asyncio.subprocess.DEVNULL, stdout=output, stderr=output
        )
    try:
        await until(lambda: process.returncode is not None or listens(port), command[0])
        if process.returncode is not None:
            raise RuntimeError(f"{command[0]} ended; see {log}")
        yield
    finally:
        await _end(process)


class Daybook:
    """The real product as a process; its answers to ``ask`` come over its own terminal."""

    def __init__(self, process: asyncio.subprocess.Process, log: Path) -> None:
        self._process = process
        self._log = log
        self.output = ""

    @property
    def is_ready(self) -> bool:
        """Whether it said that it receives."""
        return any(line.startswith("ready: ") for line in self._log.read_text().splitlines())

    @property
    def has_ended(self) -> bool:
        """Whether the process is gone."""
        return self._process.returncode is not None

    def enter(self, line: str) -> None:
        """Write a line to its standard input."""
        if self._process.stdin is not None:
            self._process.stdin.write(f"{line}\n".encode())

    async def read(self) -> None:
        """Collect its standard output until it ends."""
        if self._process.stdout is not None:
            while piece := await self._process.stdout.read(65_536):
                self.output += piece.decode()


@asynccontextmanager
async def daybook(config: Path) -> AsyncIterator[Daybook]:
    """Run ``run.py`` with a configuration until the block is left; it is ready on entry.

    Raises:
        RuntimeError: It ended by itself.
    """
    log = config.with_suffix(".log")
    with log.open("wb") as errors:
        process = await asyncio.create_subprocess_exec(
            *(sys.executable, str(ROOT / "run.py"), "--config", str(config)),
            cwd=config.parent,
            stdin=PIPE,
            stdout=PIPE,
            stderr=errors,
        )
    product = Daybook(process, log)
    reading = asyncio.ensure_future(product.read())
    try:
        await until(lambda: product.is_ready or product.has_ended, "Daybook to be ready")
        if product.has_ended:
            raise RuntimeError(f"Daybook ended: {log.read_text().strip()}")
        yield product
    finally:
        await _end(process)
        await reading


async def _end(process: asyncio.subprocess.Process) -> None:
    if process.returncode is not None:
        return
    process.terminate()
    try:
        await asyncio.wait_for(process.wait(), _END_WITHIN_S)
    except TimeoutError:
        process.kill()
        await process.wait()
