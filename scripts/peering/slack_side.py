"""Slack by emulate, which keeps users, channels and messages and answers the Web API.

The front between adds what emulate has not: events over Socket Mode or as signed requests, methods
called by GET, and Slack's way to say that a method is unknown.
"""

from __future__ import annotations

import hashlib
import hmac
import html
import itertools
import json
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import aiohttp
from aiohttp import WSMsgType, web

from scripts.peering.processes import free_port, server
from scripts.peering.serving import serving

BOT_TOKEN = "-".join(("xoxb", "peer", "bot"))
APP_TOKEN = "-".join(("xapp", "peer", "app"))
SIGNING_SECRET = "peer" * 8

_PERSON_TOKEN = "-".join(("xoxp", "peer", "ann"))
_BOT_USER, _TEAM = "U0DAYBOOK", "T000000001"
_SEED = {
    "slack": {
        "team": {"name": "Peers", "domain": "peers"},
        "users": [{"name": "ann", "real_name": "Ann Example"}],
        "oauth_apps": [
            {
                "client_id": "1.1",
                "client_secret": "none",
                "name": "Daybook",
                "redirect_uris": [],
                "bot_user_id": _BOT_USER,
                "bot_id": "B0DAYBOOK",
                "bot_name": "daybook",
            }
        ],
        "tokens": [
            {"token": BOT_TOKEN, "type": "bot", "user_id": _BOT_USER, "bot_id": "B0DAYBOOK"},
            {"token": _PERSON_TOKEN, "type": "user", "user": "ann"},
        ],
    }
}

Json = dict[str, object]


class SlackSide:
    """A person in a direct message with the bot; ``request_url`` is where it takes requests."""

    def __init__(
        self, session: aiohttp.ClientSession, peer_url: str, request_url: str = ""
    ) -> None:
        mode = "http" if request_url else "socket"
        self.name, self.peer = f"slack-{mode}", f"emulate, {mode}"
        self._request_url = request_url
        self._session = session
        self._peer_url = peer_url
        self._numbers = itertools.count(1)
        self._socket: web.WebSocketResponse | None = None
        self._address = ""
        self._chat = ""
        self._person = ""

    async def say(self, text: str) -> None:
        """Post as the person, and tell the bot as Slack does."""
        if not self._chat:
            await self._open_chat()
        posted = await self._call(
            "chat.postMessage", {"channel": self._chat, "text": text}, token=_PERSON_TOKEN
        )
        number = next(self._numbers)
        event = {
            "type": "message",
            "channel": self._chat,
            "channel_type": "im",
            "user": self._person,
            "text": html.escape(text, quote=False),
            "ts": posted["ts"],
        }
        payload = {
            "type": "event_callback",
            "team_id": _TEAM,
            "event_id": f"Ev{number}",
            "event": event,
        }
        if self._request_url:
            await self._request(json.dumps(payload).encode())
            return
        frame = {"type": "events_api", "envelope_id": str(number), "payload": payload}
        if self._socket is not None:
            await self._socket.send_json(frame)

    async def seen(self) -> tuple[str, ...]:
        """Read the bot's messages from the chat's history and threads."""
        if not self._chat:
            return ()
        history = await self._call("conversations.history", {"channel": self._chat})
        found = history["messages"]
        messages = found if isinstance(found, list) else []
        texts = [
            _text_of(message) for message in reversed(messages) if message.get("user") == _BOT_USER
        ]
        return tuple(texts)

    async def open_connection(self, request: web.Request) -> web.Response:
        """Answer ``apps.connections.open`` with the address of the WebSocket."""
        url = f"ws://{request.host}/socket"
        return web.json_response({"ok": True, "url": url})

    async def connect(self, request: web.Request) -> web.WebSocketResponse:
        """Serve the WebSocket; what the bot sends are acknowledgements."""
        socket = web.WebSocketResponse()
        await socket.prepare(request)
        await socket.send_json({"type": "hello", "num_connections": 1})
        self._socket = socket
        async for frame in socket:
            if frame.type is not WSMsgType.TEXT:
                break
        return socket

    async def pass_on(self, request: web.Request) -> web.Response:
        """Hand a call of the bot to emulate, as POST whatever it was."""
        url = f"{self._peer_url}{request.path}"
        headers = {"Authorization": request.headers.get("Authorization", "")}
        fields: Json | None = None
        body = await request.read()
        if request.method == "GET" or not body:
            fields = dict(request.query)
        else:
            headers["Content-Type"] = request.headers["Content-Type"]
        async with self._session.post(url, data=fields or body, headers=headers) as answer:
            if answer.status == 404:
                return web.json_response({"ok": False, "error": "unknown_method"})
            return web.json_response(await answer.json(), status=answer.status)

    async def _request(self, body: bytes) -> None:
        """Bring an event as a request, signed as docs.slack.dev has it (read 2026-11-30)."""
        at = str(int(time.time()))
        base = b":".join((b"v0", at.encode(), body))
        signature = hmac.new(SIGNING_SECRET.encode(), base, hashlib.sha256).hexdigest()
        headers = {
            "Content-Type": "application/json",
            "X-Slack-Request-Timestamp": at,
            "X-Slack-Signature": f"v0={signature}",
        }
        async with self._session.post(self._request_url, data=body, headers=headers) as answer:
            if answer.status != 200:
                raise RuntimeError(f"the bot answers {answer.status} to a signed event")

    async def _open_chat(self) -> None:
        me = await self._call("auth.test", {}, token=_PERSON_TOKEN)
        self._person = str(me["user_id"])
        opened = await self._call("conversations.open", {"users": _BOT_USER}, token=_PERSON_TOKEN)
        channel = opened["channel"]
        self._chat = str(channel["id"]) if isinstance(channel, dict) else ""

    async def _call(self, method: str, fields: Json, *, token: str = BOT_TOKEN) -> Json:
        headers = {"Authorization": f"Bearer {token}"}
        url = f"{self._peer_url}/api/{method}"
        async with self._session.post(url, json=fields, headers=headers) as answer:
            body: Json = await answer.json()
        if not body.get("ok"):
            raise RuntimeError(f"emulate refuses {method}: {body}")
        return body


def _text_of(message: Json) -> str:
    """Take the Markdown block, where the whole text stands, or else the fallback."""
    blocks = message.get("blocks")
    parts = [str(block.get("text", "")) for block in blocks] if isinstance(blocks, list) else []
    return html.unescape("\n".join(parts) or str(message.get("text", "")))


@asynccontextmanager
async def slack_side(
    program: str, folder: Path, request_url: str = ""
) -> AsyncIterator[tuple[SlackSide, str]]:
    """Run emulate and the front; give the person's side and the base URL for the bot."""
    port = free_port()
    seed = folder / "slack-seed.json"
    seed.write_text(json.dumps(_SEED))
    command = [program, "start", "--service", "slack", "--port", str(port), "--seed", str(seed)]
    log = folder / "emulate.log"
    async with server(command, port, log), aiohttp.ClientSession() as session:
        side = SlackSide(session, f"http://127.0.0.1:{port}", request_url)
        app = web.Application()
        app.router.add_route("*", "/api/apps.connections.open", side.open_connection)
        app.router.add_get("/socket", side.connect)
        app.router.add_route("*", "/api/{method}", side.pass_on)
        async with serving(app) as front:
            yield side, f"http://127.0.0.1:{front}/api/"
