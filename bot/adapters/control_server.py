"""Answers over HTTP about the running bot: ``/healthz`` for monitors, all else with the token.

Importing aiohttp takes a third of a second: this module is imported once the bot is receiving.
"""

from __future__ import annotations

import errno
import hmac
import logging
from collections.abc import Awaitable, Callable, Mapping
from typing import Literal, Self

from aiohttp import web

from bot.errors import StoreError

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
        is_up: Callable[[], bool],
        health: Answer,
        answers: Mapping[Question, Answer],
    ) -> None:
        """Prepare.

        Args:
            host: Address to listen on.
            port: Port to listen on; 0 for any.
            token: What is asked with, in ``Authorization: Bearer``.
            is_up: Whether ``/healthz`` says 200, or 503.
            health: Its text.
            answers: What else can be asked with GET, or told to be done with POST.
        """
        self._host, self._port = host, port
        self._expected = f"Bearer {token}".encode()
        self._is_up = is_up
        self._health = health
        app = web.Application()
        app.router.add_get("/healthz", self._healthz)
        for (method, path), answer in answers.items():
            app.router.add_route(method, path, self._guarded(answer))
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

    async def _healthz(self, _: web.Request) -> web.Response:
        status = 200 if self._is_up() else 503
        return web.json_response(dict(await self._health("")), status=status)

    def _guarded(self, answer: Answer) -> Callable[[web.Request], Awaitable[web.Response]]:
        async def respond(request: web.Request) -> web.Response:
            given = request.headers.get("Authorization", "").encode(errors="surrogateescape")
            if not hmac.compare_digest(given, self._expected):
                return web.json_response({"error": "the token is missing or wrong"}, status=401)
            try:
                return web.json_response(dict(await answer(await request.text())))
            except StoreError as error:
                return web.json_response({"error": str(error)}, status=FAILED)

        return respond
