"""A running bot may answer bit by bit, and is heard so."""

import asyncio
import re
from collections.abc import AsyncGenerator, Callable
from pathlib import Path

from bot.adapters.control_client import Contact, follow, left_in
from bot.adapters.control_server import ControlServer, Pages, Stream
from bot.errors import BotError, DataError
from bot.testing.patience import PATIENCE_S
from tests.adapters.test_control import TOKEN, fetched


async def count_down(text: str) -> AsyncGenerator[dict[str, object], None]:
    """Say numbers down to zero, which cannot be said; 13 is what nobody foresaw."""
    for number in range(int(text), -1, -1):
        if number == 13:
            raise KeyError(number)
        if number == 0:
            raise DataError("zero cannot be said")
        yield {"number": number}


async def readiness() -> tuple[bool, dict[str, object]]:
    return True, {}


async def metrics() -> tuple[bytes, str]:
    return b"", "text/plain"


def server_of(begin: Callable[[str], AsyncGenerator[dict[str, object], None]]) -> ControlServer:
    return ControlServer(
        "127.0.0.1",
        0,
        token=TOKEN,
        pages=Pages(readiness=readiness, metrics=metrics),
        answers={("POST", "/count"): Stream(begin=begin)},
    )


def follow_all(folder: Path, question: str, text: str) -> tuple[list[object], str]:
    said: list[object] = []
    try:
        said.extend(follow(folder, question, text=text))
    except BotError as error:
        return said, f"{type(error).__name__}: {error}"
    return said, ""


async def test_what_is_said_bit_by_bit_is_heard_so_and_its_end_is_known(tmp_path: Path) -> None:
    """A bot that breaks off in the middle is told from one that has come to its end."""
    async with server_of(count_down) as server:
        with left_in(tmp_path, Contact(address=server.address, token=TOKEN, pid=1)):
            failed = await asyncio.to_thread(follow_all, tmp_path, "/count", "2")
            whole = await asyncio.to_thread(follow_all, tmp_path, "/count", "-1")
            broken = await asyncio.to_thread(follow_all, tmp_path, "/count", "14")
            older = await asyncio.to_thread(follow_all, tmp_path, "/unheard-of", "")
        code, _ = await fetched(f"{server.address}/count", "wrong", "POST")
    gone = await asyncio.to_thread(follow_all, tmp_path, "/count", "1")

    two, one = {"number": 2}, {"number": 1}
    assert ([two, one], "BotError: zero cannot be said") == failed
    assert ([], "") == whole
    assert [{"number": 14}] == broken[0]
    assert re.fullmatch(
        r"BotError: something went wrong \(incident \w+\); the log says more", broken[1]
    )
    assert older[1].startswith("NotRunning: another program, or an older bot")
    assert gone[1].startswith("NotRunning")
    assert 401 == code


async def test_who_hangs_up_is_noticed(tmp_path: Path) -> None:
    is_closed = asyncio.Event()

    async def go_on(_: str) -> AsyncGenerator[dict[str, object], None]:
        try:
            while True:
                yield {"filling": "x" * 100_000}
        finally:
            is_closed.set()

    def hear_one() -> object:
        return next(follow(tmp_path, "/count"))

    async with server_of(go_on) as server:
        with left_in(tmp_path, Contact(address=server.address, token=TOKEN, pid=1)):
            await asyncio.to_thread(hear_one)
            await asyncio.wait_for(is_closed.wait(), PATIENCE_S)
