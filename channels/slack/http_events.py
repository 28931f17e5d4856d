"""Requests of Slack: who sent them is checked first, and they are answered once they are stored.

The law of this file: a request that is not signed by Slack within the last minutes is answered with
401 and looked at no further. Bolt's own check is not used: it answers 200 to what says that it is
no more than a test, and 500 to a time that makes no sense.
"""

from __future__ import annotations

import asyncio
import contextlib
import hashlib
import hmac
import json
import re
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from urllib.parse import parse_qsl

from aiohttp import web

from bot.api import Clock
from channels.slack.reachability import Reachability
from channels.slack.receiver import Taken
from channels.slack.settings import Settings
from channels.slack.socket_mode import Persistence
from channels.slack.token_watch import keep_asking

Take = Callable[[object], Awaitable[Taken | None]]

WINDOW_S = 300.0
"""How old a request may be. Source: docs.slack.dev, Verifying requests from Slack, read
2026-11-30."""

MAX_BODY_BYTES = 1_000_000
"""Far more than an event has: its longest text is 40 000 characters, and files are not in it."""

BODY_LIMIT_S = 2.5

STORE_LIMIT_S = 2.8
"""Slack waits for three seconds. Source: docs.slack.dev, Events API, read 2026-11-30."""

CLOSE_LIMIT_S = 1.0

_TIME = re.compile(r"[0-9]{1,12}")


class HttpEvents:
    """Listens for Slack behind whatever ends the encryption."""

    def __init__(
        self, settings: Settings, clock: Clock, reachability: Reachability, take: Take
    ) -> None:
        secret = settings.signing_secret
        self._secret = secret.get_secret_value().encode() if secret else b""
        self._settings = settings
        self._clock = clock
        self._reachability = reachability
        self._take = take

    async def serve(self, ask: Callable[[], Awaitable[object]]) -> None:
        """Listen until cancelled; while that cannot be, try again.

        ``ask`` asks Slack whether it takes the token: nothing else shows that Slack is there.

        Raises:
            ChannelAuthError: The token is refused.
        """
        persistence = Persistence(self._clock, self._reachability.trouble)
        settings = self._settings
        while True:
            try:
                async with self._listening():
                    self._reachability.opened()
                    await keep_asking(ask, self._clock, self._reachability.heard)
            except OSError as error:
                place = f"{settings.http_host}:{settings.http_port}"
                await persistence.pause(f"cannot listen at {place}: {error.strerror}")

    @contextlib.asynccontextmanager
    async def _listening(self) -> AsyncIterator[None]:
        settings = self._settings
        app = web.Application(client_max_size=MAX_BODY_BYTES)
        app.router.add_post(settings.http_path, self._answer)
        runner = web.AppRunner(app, access_log=None, shutdown_timeout=CLOSE_LIMIT_S)
        await runner.setup()
        try:
            await web.TCPSite(runner, settings.http_host, settings.http_port).start()
            yield
        finally:
            await runner.cleanup()

    async def _answer(self, request: web.Request) -> web.Response:
        try:
            async with asyncio.timeout(BODY_LIMIT_S):
                body = await request.read()
        except TimeoutError:
            return web.Response(status=408)
        if not self._is_slack(request.headers, body):
            return web.Response(status=401)
        payload = decoded(body, request.content_type)
        if payload is None:
            return web.Response(status=400)
        if payload.get("type") == "url_verification":
            return web.json_response({"challenge": payload.get("challenge")})
        try:
            async with asyncio.timeout(STORE_LIMIT_S):
                taken = await self._take(payload)
        except TimeoutError:
            taken = None
        if taken is None:
            return web.Response(status=503)
        return web.Response(text=taken.answer, content_type="application/json")

    def _is_slack(self, headers: Mapping[str, str], body: bytes) -> bool:
        """Say whether Slack signed this, and not long ago."""
        sent_at = headers.get("X-Slack-Request-Timestamp", "")
        if not _TIME.fullmatch(sent_at):
            return False
        if abs(self._clock.now().timestamp() - int(sent_at)) > WINDOW_S:
            return False
        given = headers.get("X-Slack-Signature", "").encode("utf-8", "surrogateescape")
        return hmac.compare_digest(given, signature(self._secret, sent_at, body).encode())


def signature(secret: bytes, sent_at: str, body: bytes) -> str:
    """Sign a request as Slack does; ``sent_at`` is in seconds since 1970."""
    signed = b"v0:" + sent_at.encode() + b":" + body
    return "v0=" + hmac.new(secret, signed, hashlib.sha256).hexdigest()


def decoded(body: bytes, content_type: str) -> Mapping[str, object] | None:
    """Read a request: an event, what somebody pressed, or a slash command; None for no such thing.

    Events are JSON; what was pressed is JSON in a form, and a command is a form.
    """
    try:
        text = body.decode()
        if content_type != "application/x-www-form-urlencoded":
            return _object(text)
        form = dict(parse_qsl(text, keep_blank_values=True))
    except (ValueError, RecursionError):
        return None
    return _object(form["payload"]) if "payload" in form else dict(form)


def _object(text: str) -> Mapping[str, object] | None:
    try:
        value: object = json.loads(text)
    except (ValueError, RecursionError):
        return None
    return value if isinstance(value, dict) else None
