"""What comes to the door of a running bot: names that are not its own, and what is no question."""

from __future__ import annotations

import asyncio
import io
import json
import logging
from collections.abc import Iterator
from pathlib import Path

import pytest

from bot.adapters.control_client import Contact, ask, left_in
from bot.adapters.control_server import ControlServer, Pages
from bot.errors import BotError, DataError, NotRunning
from bot.runtime.log import QUIET_LOGGERS, set_up
from bot.testing.patience import PATIENCE_S

TOKEN = "t" * 43
READING = "r" * 20


def door(reading_token: str | None = None, host: str = "127.0.0.1") -> ControlServer:
    """A server with a page for monitors, and one question that takes a number."""

    async def readiness() -> tuple[bool, dict[str, object]]:
        return True, {"status": "ok"}

    async def metrics() -> tuple[bytes, str]:
        return b"cost 1\n", "text/plain"

    async def halve(text: str) -> dict[str, object]:
        if not text.isdecimal():
            raise DataError("that is no number")
        return {"half": 1 / int(text)}

    return ControlServer(
        host,
        0,
        token=TOKEN,
        pages=Pages(readiness=readiness, metrics=metrics, token=reading_token),
        answers={("POST", "/halve"): halve},
    )


async def said(server: ControlServer, request: str, body: bytes = b"") -> tuple[int, str]:
    """Send the lines of a request as they stand; gives the status and the body of the answer."""
    port = int(server.address.rpartition(":")[2])
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    writer.write(request.encode() + f"Content-Length: {len(body)}\r\n\r\n".encode() + body)
    await writer.drain()
    head, _, text = (
        (await asyncio.wait_for(reader.read(), PATIENCE_S)).decode().partition("\r\n\r\n")
    )
    writer.close()
    return int(head.split()[1]), text


def asking(page: str, *hosts: str) -> str:
    lines = "".join(f"Host: {host}\r\n" for host in hosts)
    return f"GET {page} HTTP/1.1\r\n{lines}Connection: close\r\n"


OWN = ("127.0.0.1:8787", "127.0.0.1", "localhost", "LocalHost:1", "[::1]:8787", "10.0.0.5:80")
FOREIGN = (
    *("evil.example", "evil.example:8787", "127.0.0.1.evil.example", "localhost.evil.example"),
    *("127.0.0.1@evil.example", "evil.example@127.0.0.1", "[evil.example]", "localhost:x", ""),
)


@pytest.mark.parametrize("page", ["/readyz", "/metrics"])
async def test_a_page_for_everybody_is_not_for_who_gave_this_machine_a_name(page: str) -> None:
    async with door() as server:
        own = {host: (await said(server, asking(page, host)))[0] for host in OWN}
        foreign = {host: await said(server, asking(page, host)) for host in FOREIGN}
        old_program, _ = await said(server, f"GET {page} HTTP/1.0\r\n")

    assert dict.fromkeys(OWN, 200) == own
    assert {421} == {code for code, _ in foreign.values()}
    assert {"error"} == {key for _, text in foreign.values() for key in json.loads(text)}
    assert 200 == old_program


async def test_the_name_that_is_listened_on_is_its_own() -> None:
    async with door(host="localhost") as server:
        codes = [(await said(server, asking("/readyz", host)))[0] for host in ("localhost", "box")]

    assert [200, 421] == codes


async def test_who_brings_the_token_may_call_it_what_they_like() -> None:
    async with door(READING) as server:
        bearer = f"Authorization: Bearer {READING}\r\n"
        scraped, _ = await said(server, asking("/metrics", "bot.internal:8787") + bearer)
        without, _ = await said(server, asking("/metrics", "127.0.0.1"))
        alive, _ = await said(server, asking("/healthz", "bot.internal:8787"))

    assert (200, 401, 200) == (scraped, without, alive)


@pytest.fixture
def log() -> Iterator[io.StringIO]:
    """What an operator sees at the level ``info``; afterwards logging is as it was."""
    root = logging.getLogger()
    handlers, level = root.handlers[:], root.level
    levels = {name: logging.getLogger(name).level for name in QUIET_LOGGERS}
    stream = io.StringIO()
    set_up("info", stream, as_json=True)
    yield stream
    root.handlers[:] = handlers
    root.setLevel(level)
    for name, former in levels.items():
        logging.getLogger(name).setLevel(former)
    logging.captureWarnings(capture=False)


NO_REQUESTS = {
    "a long address": f"GET /{'x' * 9000} HTTP/1.1\r\nHost: a\r\n",
    "a long header": f"GET / HTTP/1.1\r\nHost: a\r\nX: {'x' * 20000}\r\n",
    "no protocol": "GET / \x01\r\n",
    "two lengths": "GET / HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\n",
    "no length": "POST /halve HTTP/1.1\r\nHost: a\r\nContent-Length: x\r\n",
    "a way that there is not": "BREW / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n",
}


@pytest.mark.parametrize("case", NO_REQUESTS)
async def test_what_is_no_request_is_refused_and_fills_no_log(case: str, log: io.StringIO) -> None:
    async with door() as server:
        code, _ = await said(server, NO_REQUESTS[case])
        quiet = log.getvalue()
        logging.getLogger().setLevel(logging.DEBUG)
        await said(server, NO_REQUESTS["a long address"])
        logging.getLogger().setLevel(logging.INFO)

    assert 400 <= code < 500
    assert "" == quiet
    found = [json.loads(line) for line in log.getvalue().splitlines()]
    assert [("aiohttp.server", "debug")] == [
        (each["logger"], each["level"]) for each in found if "LineTooLong" in each["exception"]
    ]


def telling() -> str:
    return (
        "POST /halve HTTP/1.1\r\nHost: a\r\nConnection: close\r\n"
        f"Content-Type: text/plain; charset=unheard-of\r\nAuthorization: Bearer {TOKEN}\r\n"
    )


BROKEN = {
    "no pieces": ("Transfer-Encoding: chunked", b"zz\r\n"),
    "the end in the middle": ("Content-Length: 9", b"1"),
    "not packed as it says": ("Content-Encoding: gzip\r\nContent-Length: 4", b"junk"),
}


@pytest.mark.parametrize("case", BROKEN)
async def test_a_text_that_breaks_is_the_askers_fault(case: str, log: io.StringIO) -> None:
    """It comes a while after its beginning: by then an answer waits for it."""
    header, body = BROKEN[case]
    async with door() as server:
        port = int(server.address.rpartition(":")[2])
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        writer.write(f"{telling()}Expect: 100-continue\r\n{header}\r\n\r\n".encode())
        await asyncio.wait_for(reader.readuntil(b"100 Continue\r\n\r\n"), PATIENCE_S)
        writer.write(body)
        writer.write_eof()
        answer = await asyncio.wait_for(reader.read(), PATIENCE_S)
        writer.close()

    assert answer[9:12] in (b"", b"400")
    assert "" == log.getvalue()


@pytest.mark.parametrize("body", [b"", b"junk", b"\xff\xfe", b"1\x00"])
async def test_junk_with_the_token_is_the_askers_fault(body: bytes, log: io.StringIO) -> None:
    async with door() as server:
        code, text = await said(server, telling(), body)

    assert (400, {"error"}) == (code, json.loads(text).keys())
    assert "" == log.getvalue()


async def test_what_is_the_bots_own_fault_stays_an_error(log: io.StringIO) -> None:
    async with door() as server:
        code, _ = await said(server, telling(), b"0")

    (told,) = map(json.loads, log.getvalue().splitlines())
    assert (True, "error") == (code >= 500, told["level"])
    assert "ZeroDivisionError" in told["exception"]


async def test_who_is_refused_reads_why(tmp_path: Path) -> None:
    async with door() as server:
        contact = Contact(address=server.address, token=TOKEN, pid=1)
        with left_in(tmp_path, contact), pytest.raises(BotError, match="no number") as raised:
            await asyncio.to_thread(ask, tmp_path, "/halve", method="POST", text="junk")

    assert not isinstance(raised.value, NotRunning)
