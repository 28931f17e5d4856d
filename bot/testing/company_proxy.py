"""A company's proxy on loopback: it leads to pretended servers, and looks into what it carries.

Behind ``CONNECT`` it speaks TLS itself, with certificates of a CA that nobody outside of the
company trusts, as proxies do that inspect; a request in clear it passes on as it comes.
"""

from __future__ import annotations

import asyncio
import base64
import ssl
from collections.abc import Awaitable, Callable, Mapping
from contextlib import suppress
from functools import partial
from typing import Self
from urllib.parse import urlsplit

FORBIDDEN = "HTTP/1.1 403 Forbidden\r\nContent-Length: 0\r\n\r\n"
WHO_ARE_YOU = (
    "HTTP/1.1 407 Proxy Authentication Required\r\nProxy-Authenticate: Basic\r\n"
    "Content-Length: 0\r\n\r\n"
)
ESTABLISHED = "HTTP/1.1 200 Connection established\r\n\r\n"

Answer = Callable[[asyncio.StreamReader, asyncio.StreamWriter], Awaitable[None]]

_STOPS = (ConnectionError, ssl.SSLError, asyncio.IncompleteReadError, asyncio.LimitOverrunError)


class CompanyProxy:
    """The proxy; an asynchronous context manager.

    Attributes:
        asked: The host and port of each connection that somebody wanted, oldest first.
        carried: Those of them that came about.
        refused: How many were turned away for who asked.
    """

    def __init__(
        self,
        routes: Mapping[str, int],
        certificate: Callable[[str], ssl.SSLContext] | None = None,
        *,
        user: str = "",
        password: str = "",
    ) -> None:
        """Prepare.

        Args:
            routes: The port on this machine that stands for each host.
            certificate: Gives what the proxy shows itself with as a host; None for a proxy that
                hands what is encrypted on as it comes.
            user: Who may use it; empty for everybody.
            password: Theirs.
        """
        self.asked: list[str] = []
        self.carried: list[str] = []
        self.refused = 0
        self._routes = dict(routes)
        self._certificate = certificate
        self._user, self._password = user, password
        self._fronts: dict[str, int] = {}
        self._servers: list[asyncio.Server] = []
        self._talks: set[asyncio.Task[None]] = set()
        self._port = 0

    @property
    def address(self) -> str:
        """What a client is told, with whatever lets it in."""
        before = f"{self._user}:{self._password}@" if self._user else ""
        return f"http://{before}{self.place}"

    @property
    def place(self) -> str:
        """Its host and port."""
        return f"127.0.0.1:{self._port}"

    async def __aenter__(self) -> Self:
        for host, port in self._routes.items():
            self._fronts[host] = port
            if self._certificate is not None:
                to_host = partial(self._join, port)
                self._fronts[host] = await self._listen(to_host, self._certificate(host))
        self._port = await self._listen(self._answer)
        return self

    async def __aexit__(self, *error: object) -> None:
        for server in self._servers:
            server.close()
        for talk in self._talks:
            talk.cancel()
        if self._talks:
            await asyncio.wait(self._talks)

    async def _listen(self, answer: Answer, context: ssl.SSLContext | None = None) -> int:
        async def talk(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            this = asyncio.current_task()
            assert this is not None
            self._talks.add(this)
            try:
                with suppress(*_STOPS):
                    await answer(reader, writer)
            finally:
                writer.close()
                self._talks.discard(this)

        server = await asyncio.start_server(talk, "127.0.0.1", 0, ssl=context)
        self._servers.append(server)
        port: int = server.sockets[0].getsockname()[1]
        return port

    async def _answer(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1")
        method, target, _ = head.split(" ", 2)
        is_tunnel = method == "CONNECT"
        parts = urlsplit(f"//{target}" if is_tunnel else target)
        host, port = parts.hostname or "", parts.port or 80
        self.asked.append(f"{host}:{port}")
        if refusal := self._refusal(head, host):
            writer.write(refusal.encode())
            await writer.drain()
            return
        self.carried.append(f"{host}:{port}")
        if is_tunnel:
            writer.write(ESTABLISHED.encode())
            await self._join(self._fronts[host], reader, writer)
        else:
            await self._join(self._routes[host], reader, writer, head.encode("latin-1"))

    def _refusal(self, head: str, host: str) -> str:
        word = base64.b64encode(f"{self._user}:{self._password}".encode()).decode()
        if self._user and f"proxy-authorization: basic {word}".lower() not in head.lower():
            self.refused += 1
            return WHO_ARE_YOU
        return "" if host in self._routes else FORBIDDEN

    async def _join(
        self,
        port: int,
        reader: asyncio.StreamReader,
        writer: asyncio.StreamWriter,
        first: bytes = b"",
    ) -> None:
        """Carry bytes between somebody and a port of this machine until either hangs up."""
        there, back = await asyncio.open_connection("127.0.0.1", port)
        back.write(first)
        ways = [asyncio.create_task(_carry(*each)) for each in ((reader, back), (there, writer))]
        try:
            await asyncio.wait(ways, return_when=asyncio.FIRST_COMPLETED)
        finally:
            back.close()
            for way in ways:
                way.cancel()
            await asyncio.wait(ways)


async def _carry(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    with suppress(*_STOPS):
        while piece := await reader.read(65_536):
            writer.write(piece)
            await writer.drain()
