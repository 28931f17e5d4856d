"""Answers over HTTP about the running bot: pages for monitors, all else with the token.

``/healthz`` says to everybody that the process is alive, and nothing else.

Importing aiohttp takes a third of a second: this module is imported once the bot is receiving.
"""

from __future__ import annotations

import errno
import hmac
import json
import logging
from collections.abc import AsyncGenerator, Awaitable, Callable, Mapping
from contextlib import aclosing
from dataclasses import dataclass, field
from typing import Literal, Self

from aiohttp import web

from bot.errors import DataError, StoreError

logger = logging.getLogger(__name__)

LOOPBACK = "127.0.0.1"
SHUTDOWN_S = 0.5
"""How long an answer under way may hold up the end."""

FAILED = 503
"""The status of what could not be answered; ``error`` says why."""

Question = tuple[Literal["GET", "POST"], str]
"""How and at which path something is asked."""

Answer = Callable[[str], Awaitable[Mapping[str, object]]]
"""Answers one question, given the text that came with it; what it gives is sent as JSON."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Stream:
    """Answers one question bit by bit, each sent at once as a line of JSON; the last one is empty.

    ``begin`` is given the text that came with it. Who hangs up closes what it gives.
    """

    begin: Callable[[str], AsyncGenerator[Mapping[str, object], None]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Pages:
    """What monitors ask for.

    Attributes:
        readiness: Whether ``/readyz`` says 200 or 503, and its JSON.
        metrics: The text of ``/metrics`` and its content type.
        token: What both are asked with, in ``Authorization: Bearer``; None to answer everybody.
    """

    readiness: Callable[[], Awaitable[tuple[bool, Mapping[str, object]]]]
    metrics: Callable[[], Awaitable[tuple[bytes, str]]]
    token: str | None = field(default=None, repr=False)


_Respond = Callable[[web.Request], Awaitable[web.StreamResponse]]


class ControlServer:
    """The server; an async context manager, listening inside.

    A port that is taken is no reason to be mute: it then takes any free one of loopback.
    """

    def __init__(
        self,
        host: str,
        port: int,
        *,
        token: str,
        pages: Pages,
        answers: Mapping[Question, Answer | Stream],
    ) -> None:
        """Prepare.

        Args:
            host: Address to listen on.
            port: Port to listen on; 0 for any.
            token: What is asked with, in ``Authorization: Bearer``.
            pages: What monitors ask for.
            answers: What else can be asked with GET, or told to be done with POST.
        """
        self._host, self._port = host, port
        app = web.Application()
        app.router.add_get("/healthz", _healthz)
        for path, show in (("/readyz", _readiness(pages)), ("/metrics", _metrics(pages))):
            app.router.add_get(path, show if pages.token is None else _guarded(show, pages.token))
        for (method, path), answer in answers.items():
            respond = _streaming(answer) if isinstance(answer, Stream) else _answering(answer)
            app.router.add_route(method, path, _guarded(respond, token))
        self._runner = web.AppRunner(app, access_log=None, shutdown_timeout=SHUTDOWN_S)

    async def __aenter__(self) -> Self:
        """Listen.

        Raises:
            OSError: There is no such address here.
        """
        await self._runner.setup()
        try:
            await self._listen()
        except BaseException:
            await self._runner.cleanup()
            raise
        return self

    async def __aexit__(self, *error: object) -> None:
        await self._runner.cleanup()

    @property
    def address(self) -> str:
        """Where a process on this machine asks; without a slash at the end."""
        host, port = self._runner.addresses[0][:2]
        host = {"0.0.0.0": LOOPBACK, "::": "::1"}.get(host, host)  # noqa: S104 - is compared, not listened on
        return f"http://[{host}]:{port}" if ":" in host else f"http://{host}:{port}"

    async def _listen(self) -> None:
        try:
            await web.TCPSite(self._runner, self._host, self._port).start()
        except OSError as error:
            if error.errno != errno.EADDRINUSE:
                raise
            await web.TCPSite(self._runner, LOOPBACK, 0).start()
            about = {"wanted": f"{self._host}:{self._port}", "instead": self.address}
            logger.warning("http.port_taken", extra=about)


def _guarded(respond: _Respond, token: str) -> _Respond:
    """Answer who brings the token, in ``Authorization: Bearer``."""
    expected = f"Bearer {token}".encode()

    async def respond_if_asked_rightly(request: web.Request) -> web.StreamResponse:
        given = request.headers.get("Authorization", "").encode(errors="surrogateescape")
        if not hmac.compare_digest(given, expected):
            return web.json_response({"error": "the token is missing or wrong"}, status=401)
        return await respond(request)

    return respond_if_asked_rightly


async def _healthz(_: web.Request) -> web.StreamResponse:
    return web.json_response({"status": "ok"})


def _readiness(pages: Pages) -> _Respond:
    async def respond(_: web.Request) -> web.StreamResponse:
        is_ready, parts = await pages.readiness()
        return web.json_response(dict(parts), status=200 if is_ready else FAILED)

    return respond


def _metrics(pages: Pages) -> _Respond:
    async def respond(_: web.Request) -> web.StreamResponse:
        text, content_type = await pages.metrics()
        return web.Response(body=text, headers={"Content-Type": content_type})

    return respond


def _answering(answer: Answer) -> _Respond:
    async def respond(request: web.Request) -> web.StreamResponse:
        try:
            return web.json_response(dict(await answer(await request.text())))
        except StoreError as error:
            return web.json_response({"error": str(error)}, status=FAILED)

    return respond


def _streaming(stream: Stream) -> _Respond:
    async def respond(request: web.Request) -> web.StreamResponse:
        response = web.StreamResponse(headers={"Content-Type": "application/x-ndjson"})
        async with aclosing(stream.begin(await request.text())) as lines:
            await response.prepare(request)
            try:
                async for line in lines:
                    await response.write(f"{json.dumps(dict(line))}\n".encode())
                await response.write(b"{}\n")
            except (DataError, StoreError) as error:
                await response.write(f"{json.dumps({'error': str(error)})}\n".encode())
        return response

    return respond
