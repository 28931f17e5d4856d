"""Telegram by lo-bot-api-emulator, which keeps a queue of updates and checks what a bot sends.

The front between takes away what the emulator does not know (it refuses a request for it), and
remembers the texts that were accepted.
"""

from __future__ import annotations

import itertools
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import aiohttp
from aiohttp import web

from scripts.peering.processes import free_port, server
from scripts.peering.serving import serving

UNKNOWN_TO_THE_PEER = ("link_preview_options", "message_thread_id")
TOKEN = ":".join(("1" * 8, "A" * 35))

_PERSON = {"id": 1001, "is_bot": False, "first_name": "Ann"}
_CHAT = {"id": 1001, "type": "private", "first_name": "Ann"}
_POLL_LIMIT = aiohttp.ClientTimeout(total=120)


class TelegramSide:
    """A person in a private chat with the bot."""

    name = "telegram"
    peer = "lo-bot-api-emulator"

    def __init__(self, session: aiohttp.ClientSession, peer_url: str) -> None:
        self._session = session
        self._peer_url = peer_url
        self._numbers = itertools.count(1)
        self._texts: dict[object, str] = {}

    async def say(self, text: str) -> None:
        """Queue an update at the emulator."""
        number = next(self._numbers)
        message = {
            "message_id": number,
            "date": int(time.time()),
            "chat": _CHAT,
            "from": _PERSON,
            "text": text.replace("!", "/", 1) if text.startswith("!") else text,
        }
        update = {"update_id": number, "message": message}
        body = {"token": TOKEN, "update": update}
        async with self._session.post(f"{self._peer_url}/__fixture/updates", json=body) as answer:
            answer.raise_for_status()

    async def seen(self) -> tuple[str, ...]:
        """Give the texts of the bot's messages as they stand."""
        return tuple(self._texts.values())

    async def pass_on(self, request: web.Request) -> web.Response:
        """Hand a request of the bot to the emulator."""
        sent = await request.post()
        known = {key: value for key, value in sent.items() if key not in UNKNOWN_TO_THE_PEER}
        url = f"{self._peer_url}{request.path}"
        try:
            async with self._session.post(url, data=known, timeout=_POLL_LIMIT) as answer:
                body = await answer.json()
        except aiohttp.ClientError as error:  # the emulator ends before the last long poll
            raise web.HTTPBadGateway from error
        if request.path.endswith(("/sendMessage", "/editMessageText")) and body["ok"]:
            self._texts[body["result"]["message_id"]] = str(sent["text"])
        return web.json_response(body, status=answer.status)


@asynccontextmanager
async def telegram_side(program: str, folder: Path) -> AsyncIterator[tuple[TelegramSide, str]]:
    """Run the emulator and the front; give the person's side and the base URL for the bot."""
    port = free_port()
    command = [program, "--port", str(port), "--enable-control"]
    log = folder / "lo-bot-api-emulator.log"
    async with server(command, port, log), aiohttp.ClientSession() as session:
        side = TelegramSide(session, f"http://127.0.0.1:{port}")
        app = web.Application()
        app.router.add_post("/{path:.*}", side.pass_on)
        async with serving(app) as front:
            yield side, f"http://127.0.0.1:{front}"
