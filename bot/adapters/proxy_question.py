"""What a proxy says when it is asked to lead somewhere."""

from __future__ import annotations

import asyncio
import re
from contextlib import suppress

from bot.config import ProxyPlace

TIMEOUT_S = 10.0

_ANSWER = re.compile(rb"HTTP/1\.[01] (\d{3})")


async def status_of_proxy(proxy: ProxyPlace, host: str, port: int) -> int:
    """Ask a proxy to lead to a host, go nowhere, and give the status of its answer.

    Raises:
        OSError: It cannot be reached, says nothing, or is no proxy.
    """
    async with asyncio.timeout(TIMEOUT_S):
        reader, writer = await asyncio.open_connection(proxy.host, proxy.port)
        try:
            writer.write(_question(proxy, f"[{host}]" if ":" in host else host, port))
            answer = _ANSWER.match(await reader.read(64))
        finally:
            writer.close()
            with suppress(OSError):  # it was asked; how it takes leave does not matter
                await writer.wait_closed()
    if answer is None:
        raise ConnectionError("what answers there is no proxy")
    return int(answer[1])


def _question(proxy: ProxyPlace, host: str, port: int) -> bytes:
    head = f"CONNECT {host}:{port} HTTP/1.1\r\nHost: {host}:{port}\r\n"
    if proxy.basic is not None:
        head += f"Proxy-Authorization: Basic {proxy.basic.get_secret_value()}\r\n"
    return f"{head}\r\n".encode()
