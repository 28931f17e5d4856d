"""The webhook of the pretended Telegram: what was set, and the calling of it."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from dataclasses import dataclass

import aiohttp

from bot.testing.telegram_rules import Json, Refusal

SECRET_HEADER = "X-Telegram-Bot-Api-Secret-Token"  # noqa: S105 - the name of a header

RETRY_S = 0.02
"""How soon it calls again what it did not get through to; the real one waits longer."""


@dataclass(slots=True, kw_only=True)
class Webhook:
    """What is set, and how it goes; with an empty ``url`` there is none."""

    url: str = ""
    secret: str = ""
    kinds: tuple[str, ...] = ()
    connections: int = 40
    failure: str = ""
    failed_at: int = 0

    @property
    def is_near(self) -> bool:
        """Whether it can be called: nothing here leaves the machine."""
        return self.url.startswith("http://127.0.0.1:")

    def set(self, params: Json) -> bool:
        """Take over what a request says."""
        kinds = params.get("allowed_updates")
        if not str(params.get("url") or "").startswith("http"):
            raise Refusal(400, "Bad Request: bad webhook: invalid webhook URL specified")
        self.url = str(params["url"])
        self.secret = str(params.get("secret_token") or "")
        self.kinds = tuple(map(str, kinds)) if isinstance(kinds, list) else ()
        self.connections = int(str(params.get("max_connections") or 40))
        self.failure, self.failed_at = "", 0
        return True

    def info(self, waiting: int) -> Json:
        """Describe it as getWebhookInfo does."""
        told: Json = {"url": self.url, "pending_update_count": waiting}
        if not self.url:
            return told
        told |= {"max_connections": self.connections, "allowed_updates": list(self.kinds)}
        if self.failure:
            told |= {"last_error_date": self.failed_at, "last_error_message": self.failure}
        return told

    async def call(self, session: aiohttp.ClientSession, raw: object) -> bool:
        """Bring one update; False when it has to be brought again."""
        try:
            headers = {SECRET_HEADER: self.secret} if self.secret else {}
            async with session.post(self.url, json=raw, headers=headers) as response:
                if response.ok:
                    return True
                self.failure = f"Wrong response from the webhook: {response.status}"
        except (aiohttp.ClientError, OSError) as error:
            self.failure = f"Connection failed: {type(error).__name__}"
        self.failed_at = int(time.time())
        return False


class WebhookCaller:
    """Brings what waits, one update after the other, while a webhook is set."""

    def __init__(
        self,
        webhook: Webhook,
        next_update: Callable[[], object | None],
        confirm: Callable[[], None],
        changed: Callable[[], asyncio.Event],
        wake: Callable[[], None],
    ) -> None:
        self._webhook = webhook
        self._next_update = next_update
        self._confirm = confirm
        self._changed = changed
        self._wake = wake

    async def run(self) -> None:
        """Call until cancelled."""
        async with aiohttp.ClientSession() as session:
            while True:
                changed = self._changed()
                raw = self._next_update() if self._webhook.is_near else None
                if raw is None:
                    await changed.wait()
                elif await self._webhook.call(session, raw):
                    self._confirm()
                else:
                    self._wake()
                    await self._again_soon(self._changed())

    async def _again_soon(self, changed: asyncio.Event) -> None:
        try:
            async with asyncio.timeout(RETRY_S):
                await changed.wait()
        except TimeoutError:
            return
