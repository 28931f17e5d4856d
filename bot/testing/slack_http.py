"""Slack as it calls a bot by HTTP: it signs what it sends, and sends again what was refused."""

from __future__ import annotations

import hashlib
import hmac
import json
import socket
from dataclasses import dataclass
from urllib.parse import urlencode

import aiohttp

from bot.ports import Clock
from bot.testing.slack_state import Json


@dataclass(frozen=True, slots=True, kw_only=True)
class Answered:
    """What the bot answered."""

    status: int
    text: str


class SlackCalls:
    """Calls a bot that listens at ``port``; signed with ``secret`` at the time of ``clock``."""

    def __init__(self, port: int, secret: str, clock: Clock, path: str = "/slack/events") -> None:
        self._url = f"http://127.0.0.1:{port}{path}"
        self._secret = secret
        self._clock = clock

    async def sends(self, payload: object, *, age_s: int = 0, **headers: str) -> Answered:
        """Send an event; ``headers`` stand in the place of what Slack would write, ``_`` for ``-``.

        An empty header is left out.
        """
        body = json.dumps(payload).encode()
        return await self.posts(body, "application/json", age_s=age_s, **headers)

    async def sends_form(self, fields: Json) -> Answered:
        """Send a slash command, or what was pressed."""
        body = urlencode(fields).encode()
        return await self.posts(body, "application/x-www-form-urlencoded")

    async def posts(
        self, body: bytes, content_type: str, *, age_s: int = 0, **headers: str
    ) -> Answered:
        """Send anything at all."""
        sent_at = str(int(self._clock.now().timestamp()) - age_s)
        signed = b"v0:" + sent_at.encode() + b":" + body
        signature = hmac.new(self._secret.encode(), signed, hashlib.sha256).hexdigest()
        sent = {
            "Content-Type": content_type,
            "X-Slack-Request-Timestamp": sent_at,
            "X-Slack-Signature": f"v0={signature}",
        }
        sent |= {name.replace("_", "-"): value for name, value in headers.items()}
        sent = {name: value for name, value in sent.items() if value}
        async with (
            aiohttp.ClientSession() as session,
            session.post(self._url, data=body, headers=sent) as response,
        ):
            return Answered(status=response.status, text=await response.text())


def free_port() -> int:
    """Find a port of this machine on which nobody listens."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port
