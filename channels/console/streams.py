"""Standard input and output without blocking the event loop, whatever kind of file they are.

Each blocking call has a daemon thread of its own. The threads of asyncio's pool are joined at exit,
so that a read of a terminal at which nobody types would hold the process up for ever; and asyncio's
pipe transports refuse regular files.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import select
import threading
from collections.abc import AsyncGenerator, Callable
from typing import TypeVar

_CHUNK_BYTES = 65_536

_T = TypeVar("_T")


async def read_lines(fd: int) -> AsyncGenerator[str]:
    """Give line by line without their ends, until the input ends or fails.

    The next piece is read only when the lines before it were taken.
    """
    line: list[bytes] = []
    with contextlib.suppress(OSError):  # closed, hung up, a folder: there is no more to read
        while chunk := await _off_the_loop(lambda: _read(fd)):
            first, *others = chunk.split(b"\n")
            line.append(first)
            for other in others:
                yield _decode(line)
                line = [other]
    if any(line):
        yield _decode(line)


async def write_all(fd: int, data: bytes) -> None:
    """Write everything.

    Raises:
        OSError: It cannot be written; part of it may have been.
    """
    await _off_the_loop(lambda: _write(fd, data))


def _decode(line: list[bytes]) -> str:
    return b"".join(line).removesuffix(b"\r").decode("utf-8", errors="replace")


def _read(fd: int) -> bytes:
    while True:
        try:
            return os.read(fd, _CHUNK_BYTES)
        except BlockingIOError:  # whoever started us left it in non-blocking mode
            select.select([fd], [], [])


def _write(fd: int, data: bytes) -> None:
    rest = memoryview(data)
    while rest:
        try:
            rest = rest[os.write(fd, rest) :]
        except BlockingIOError:
            select.select([], [fd], [])


async def _off_the_loop(call: Callable[[], _T]) -> _T:
    """Await a blocking call that raises nothing but OSError."""
    loop = asyncio.get_running_loop()
    outcome: asyncio.Future[_T] = loop.create_future()

    def succeed(result: _T) -> None:
        if not outcome.done():
            outcome.set_result(result)

    def fail(error: OSError) -> None:
        if not outcome.done():
            outcome.set_exception(error)

    def work() -> None:
        with contextlib.suppress(RuntimeError):  # the loop is closed: nobody waits any more
            try:
                result = call()
            except OSError as error:
                loop.call_soon_threadsafe(fail, error)
            else:
                loop.call_soon_threadsafe(succeed, result)

    threading.Thread(target=work, name="console", daemon=True).start()
    return await outcome
