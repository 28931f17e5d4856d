"""The webhook: Telegram calls, and is told that an update came once it is stored.

What could not be stored is answered with an error, so that Telegram sends it again; what makes no
sense is set aside and acknowledged, since it would make no more sense the next time. Telegram
sends the next update of a chat when it has the answer to the one before.
"""

from __future__ import annotations

import asyncio
import contextlib
import hmac
import json
import logging
from collections.abc import AsyncIterator, Mapping
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from aiohttp import web
from telegram.error import TelegramError

from bot.api import ChannelAuthError, Clock, Inbox
from channels.telegram.failures import failure_of
from channels.telegram.inbound import BotIdentity
from channels.telegram.intake import Intake
from channels.telegram.outage import Outage
from channels.telegram.updates import ALLOWED_UPDATES, OLDER_UPDATES
from channels.telegram.webhook_place import WebhookPlace

if TYPE_CHECKING:
    from channels.telegram.client import Client

logger = logging.getLogger(__name__)

CURSOR = "webhook"
"""Stands in the place of a poll's offset: polling that comes after this begins with what waits."""

SECRET_HEADER = "X-Telegram-Bot-Api-Secret-Token"  # noqa: S105 - the name of a header

MAX_BODY_BYTES = 1_000_000
"""Far more than an update has: its longest text is 4 096 characters, and files are not in it."""

BODY_LIMIT_S = 10.0

STORE_LIMIT_S = 25.0
"""How long Telegram is left waiting for the store before it is asked to send the update again."""

CHECK_S = 15.0
"""How often Telegram is asked whether it gets through."""

MAX_CONNECTIONS = 40
"""Updates on their way at a time. Source: Telegram Bot API, setWebhook (its default), read
2026-11-30."""

CLOSE_LIMIT_S = 1.0


class WebhookReceiver:
    """Listens, and keeps Telegram calling."""

    def __init__(
        self, client: Client, place: WebhookPlace, intake: Intake, inbox: Inbox, clock: Clock
    ) -> None:
        self._client = client
        self._place = place
        self._intake = intake
        self._inbox = inbox
        self._clock = clock
        self._outage = Outage(clock, inbox)
        self._failed = Info(url=place.url)  # before it was set; by that Telegram forgets failures
        self._taken_at = clock.now()

    async def run(self) -> None:
        """Receive for ever.

        Raises:
            ChannelAuthError: The token is refused.
        """
        if await self._inbox.cursor() != CURSOR:
            await self._inbox.receive((), cursor=CURSOR)
        identity = await self._identify()
        while True:
            try:
                async with self._listening(identity):
                    await self._keep()
            except OSError as error:
                reason = f"cannot listen at {self._place.host}:{self._place.port}: {error.strerror}"
                await self._outage.wait("telegram.not_listening", reason)

    async def _identify(self) -> BotIdentity:
        while True:
            try:
                return await self._client.identity()
            except TelegramError as error:
                await self._wait_after(error)

    @contextlib.asynccontextmanager
    async def _listening(self, identity: BotIdentity) -> AsyncIterator[None]:
        async def answer(request: web.Request) -> web.Response:
            return await self._answer(request, identity)

        app = web.Application(client_max_size=MAX_BODY_BYTES)
        app.router.add_post(self._place.path, answer)
        runner = web.AppRunner(app, access_log=None, shutdown_timeout=CLOSE_LIMIT_S)
        await runner.setup()
        try:
            await web.TCPSite(runner, self._place.host, self._place.port).start()
            yield
        finally:
            await runner.cleanup()

    async def _answer(self, request: web.Request, identity: BotIdentity) -> web.Response:
        if not self._is_telegram(request.headers):
            return web.Response(status=403)
        try:
            async with asyncio.timeout(BODY_LIMIT_S):
                body = await request.read()
        except TimeoutError:
            return web.Response(status=408)
        try:
            async with asyncio.timeout(STORE_LIMIT_S):
                await self._intake.take([_decoded(body)], identity)
        except TimeoutError:
            return web.Response(status=503)
        self._taken_at = self._clock.now()
        return web.Response()

    def _is_telegram(self, headers: Mapping[str, str]) -> bool:
        # The server keeps what is no UTF-8 as half characters.
        given = headers.get(SECRET_HEADER, "").encode("utf-8", "surrogateescape")
        return hmac.compare_digest(given, self._place.secret.get_secret_value().encode())

    async def _keep(self) -> None:
        """Set the webhook, and look from time to time whether it works; both for ever."""
        is_set = False
        while True:
            try:
                info = read_info(await self._client.call("getWebhookInfo", {}))
                if info.must_be_set(self._place, is_set=is_set):
                    await self._set(was_set=is_set)
                    # What failed under another address is no trouble of this one.
                    is_ours = info.url == self._place.url
                    self._failed = info = info if is_ours else Info(url=self._place.url)
                is_set = True
            except TelegramError as error:
                await self._wait_after(error)
                continue
            trouble = info.with_failure_of(self._failed).trouble_since(self._taken_at)
            if trouble:
                await self._outage.wait("telegram.webhook_failing", trouble)
            else:
                self._outage.end()
                await self._clock.sleep(CHECK_S)

    async def _set(self, *, was_set: bool) -> None:
        if was_set:
            logger.warning("telegram.webhook_lost")
        await self._client.call(
            "setWebhook",
            {
                "url": self._place.url,
                "secret_token": self._place.secret.get_secret_value(),
                "allowed_updates": ALLOWED_UPDATES,
                "max_connections": MAX_CONNECTIONS,
                "drop_pending_updates": False,
            },
        )
        logger.info("telegram.webhook_set", extra={"url": self._place.url})

    async def _wait_after(self, error: TelegramError) -> None:
        failure = failure_of(error, is_repeatable=True)
        if isinstance(failure, ChannelAuthError):
            raise failure from error
        wait_s = failure.retry_after_s or 0.0
        await self._outage.wait("telegram.unreachable", str(failure), at_least_s=wait_s)


@dataclass(frozen=True, slots=True, kw_only=True)
class Info:
    """What Telegram says of a webhook; ``failed_at`` is None where it says nothing of failures."""

    url: str
    kinds: frozenset[str] = frozenset(ALLOWED_UPDATES)
    connections: int = MAX_CONNECTIONS
    waiting: int = 0
    failed_at: datetime | None = None
    failure: str = ""

    def must_be_set(self, place: WebhookPlace, *, is_set: bool) -> bool:
        """Say whether it is another one than is wanted, or calls with another secret.

        Once it is set, only the address counts: an older server leaves out kinds it does not know.
        """
        if self.url != place.url or "403" in self.failure:
            return True
        are_same = self.kinds in (frozenset(ALLOWED_UPDATES), frozenset(OLDER_UPDATES))
        return not (is_set or (are_same and self.connections == MAX_CONNECTIONS))

    def with_failure_of(self, earlier: Info) -> Info:
        """Give it with the failure of an earlier one, if nothing has failed since."""
        if self.failed_at is not None:
            return self
        return replace(self, failed_at=earlier.failed_at, failure=earlier.failure)

    def trouble_since(self, taken_at: datetime) -> str:
        """Say why Telegram does not get through, empty when nothing waits or something came."""
        if not self.waiting or self.failed_at is None or self.failed_at < taken_at:
            return ""
        return f"Telegram cannot deliver to the webhook: {self.failure or 'it does not say why'}"


def read_info(raw: object) -> Info:
    """Read the result of getWebhookInfo.

    Raises:
        TelegramError: It is none.
    """
    match raw:
        case {"url": str(url), **rest}:
            kinds = rest.get("allowed_updates")
            failed_at = rest.get("last_error_date")
            return Info(
                url=url,
                kinds=frozenset(map(str, kinds)) if isinstance(kinds, list) else frozenset(),
                connections=_number(rest.get("max_connections")),
                waiting=_number(rest.get("pending_update_count")),
                failed_at=datetime.fromtimestamp(failed_at, UTC)
                if isinstance(failed_at, int)
                else None,
                failure=str(rest.get("last_error_message") or ""),
            )
    raise TelegramError("getWebhookInfo gave no webhook")


def _number(value: object) -> int:
    return value if isinstance(value, int) else 0


def _decoded(body: bytes) -> object:
    """Read a request's body; what is no JSON stays a text, which is then no update."""
    try:
        value: object = json.loads(body)
    except (ValueError, RecursionError):
        return body.decode("utf-8", "replace")
    return value
