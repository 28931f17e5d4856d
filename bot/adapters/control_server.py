"""Answers over HTTP about the running bot: pages for monitors, all else with the token.

``/healthz`` says to everybody that the process is alive, and nothing else. A page that asks for no
token is answered to who asks by address alone: a name may be anybody's, and a web page that the
operator has open could give one of its own the address of this machine, then read what is answered.

Importing aiohttp takes a third of a second: this module is imported once the bot is receiving.
"""

from __future__ import annotations

import errno
import hmac
import ipaddress
import json
import logging
import re
import secrets
from collections.abc import AsyncGenerator, Awaitable, Callable, Mapping
from contextlib import aclosing
from dataclasses import dataclass, field
from typing import Literal, Self

from aiohttp import web
from aiohttp.typedefs import Middleware

from bot.errors import DataError, StoreError

logger = logging.getLogger(__name__)

LOOPBACK = "127.0.0.1"
SHUTDOWN_S = 0.5
"""How long an answer under way may hold up the end."""

FAILED = 503
"""The status of what could not be answered; ``error`` says why."""

REFUSED = 400
"""The status of what is no question; ``error`` says why."""

_MISDIRECTED = 421
"""Source: RFC 9110, 15.5.20, read 2026-11-30: the authority is none that is answered for."""

_HOST = re.compile(r"(?:\[(?P<literal>[^\]]+)\]|(?P<name>[^\[\]:@/]+))(?::[0-9]*)?")
"""``Host``: an address of IPv6 in brackets, or a name, or an address of IPv4; then the port."""

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


_BEGUN = web.RequestKey("begun", web.StreamResponse)
"""Where a request has the answer that is being said bit by bit."""

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
        incident: Callable[[], str] = lambda: secrets.token_hex(4),
    ) -> None:
        """Prepare.

        Args:
            host: Address to listen on.
            port: Port to listen on; 0 for any.
            token: What is asked with, in ``Authorization: Bearer``.
            pages: What monitors ask for.
            answers: What else can be asked with GET, or told to be done with POST.
            incident: Makes the number by which the log is searched for what nobody foresaw.
        """
        self._host, self._port = host, port
        app = web.Application(middlewares=[_telling_of_failures(incident)])
        app.router.add_get("/healthz", _healthz)
        for path, show in (("/readyz", _readiness(pages)), ("/metrics", _metrics(pages))):
            respond = (
                _by_address(show, host) if pages.token is None else _guarded(show, pages.token)
            )
            app.router.add_get(path, respond)
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


def _telling_of_failures(incident: Callable[[], str]) -> Middleware:
    """Answer also where the answer broke: a number, under which the log has it."""

    @web.middleware
    async def respond(request: web.Request, handler: _Respond) -> web.StreamResponse:
        try:
            return await handler(request)
        except (web.HTTPException, ConnectionError):
            raise  # no such page, or nobody is there to be told
        except Exception:  # border: one question over HTTP
            number = incident()
            logger.exception("http.failed", extra={"path": request.path, "incident": number})
        said = {"error": f"something went wrong (incident {number}); the log says more"}
        begun: web.StreamResponse | None = request.get(_BEGUN)
        if begun is None:
            return web.json_response(said, status=FAILED)
        await begun.write(f"{json.dumps(said)}\n".encode())
        return begun

    return respond


def _guarded(respond: _Respond, token: str) -> _Respond:
    """Answer who brings the token, in ``Authorization: Bearer``."""
    expected = f"Bearer {token}".encode()

    async def respond_if_asked_rightly(request: web.Request) -> web.StreamResponse:
        given = request.headers.get("Authorization", "").encode(errors="surrogateescape")
        if not hmac.compare_digest(given, expected):
            return web.json_response({"error": "the token is missing or wrong"}, status=401)
        return await respond(request)

    return respond_if_asked_rightly


def _by_address(respond: _Respond, listening: str) -> _Respond:
    """Answer who asks by address, as ``localhost``, or by the name that is listened on."""

    async def respond_if_meant(request: web.Request) -> web.StreamResponse:
        # No browser leaves it away, as old programs do.
        if all(_is_own(host, listening) for host in request.headers.getall("Host", ())):
            return await respond(request)
        why = "ask by address or as localhost; a name is answered where DAYBOOK_HTTP_TOKEN is set"
        return web.json_response({"error": why}, status=_MISDIRECTED)

    return respond_if_meant


def _is_own(host: str, listening: str) -> bool:
    """Tell whether ``Host`` is nothing that others could give the address of this machine."""
    parts = _HOST.fullmatch(host)
    name = "" if parts is None else (parts["literal"] or parts["name"]).lower()
    if name in ("localhost", listening.lower()):
        return True
    try:
        ipaddress.ip_address(name)
    except ValueError:
        return False
    return True


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


async def _text_of(request: web.Request) -> str:
    """Read what came with a question.

    Raises:
        DataError: It is no text.
    """
    try:
        text = (await request.read()).decode()
    except (UnicodeDecodeError, web.RequestPayloadError):
        raise DataError("what came with the question is no whole text of UTF-8") from None
    if "\0" in text:
        raise DataError("what came with the question holds a zero byte")
    return text


def _answering(answer: Answer) -> _Respond:
    async def respond(request: web.Request) -> web.StreamResponse:
        try:
            return web.json_response(dict(await answer(await _text_of(request))))
        except StoreError as error:
            return web.json_response({"error": str(error)}, status=FAILED)
        except DataError as error:
            return web.json_response({"error": str(error)}, status=REFUSED)

    return respond


def _streaming(stream: Stream) -> _Respond:
    async def respond(request: web.Request) -> web.StreamResponse:
        try:
            text = await _text_of(request)
        except DataError as error:
            return web.json_response({"error": str(error)}, status=REFUSED)
        response = web.StreamResponse(headers={"Content-Type": "application/x-ndjson"})
        async with aclosing(stream.begin(text)) as lines:
            await response.prepare(request)
            request[_BEGUN] = response
            try:
                async for line in lines:
                    await response.write(f"{json.dumps(dict(line))}\n".encode())
                await response.write(b"{}\n")
            except (DataError, StoreError) as error:
                await response.write(f"{json.dumps({'error': str(error)})}\n".encode())
        return response

    return respond
