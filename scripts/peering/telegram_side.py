"""Telegram by lo-bot-api-emulator, which keeps a queue of updates and checks what a bot sends."""

from __future__ import annotations

import itertools
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Literal

import aiohttp

from scripts.peering.processes import free_port, server
from scripts.peering.serving import serving
from scripts.peering.telegram_front import Json, Message, TelegramFront

TOKEN = ":".join(("1" * 8, "A" * 35))

_PERSON: Json = {"id": 1001, "is_bot": False, "first_name": "Ann"}
_CHAT: Json = {"id": 1001, "type": "private", "first_name": "Ann"}


class TelegramSide:
    """A person in a private chat with the bot.

    Attributes:
        front: What the bot's requests go through.
    """

    peer = "lo-bot-api-emulator"

    def __init__(
        self, name: str, session: aiohttp.ClientSession, peer_url: str, front: TelegramFront
    ) -> None:
        self.name = name
        self.front = front
        self._session = session
        self._peer_url = peer_url
        self._numbers = itertools.count(1)

    async def say(self, text: str) -> None:
        """Write a message."""
        await self.write(text=text.replace("!", "/", 1) if text.startswith("!") else text)

    async def seen(self) -> tuple[str, ...]:
        """Give the texts of the bot's messages as they stand."""
        return tuple(message.text for message in self.front.messages.values())

    async def write(self, **content: object) -> Json:
        """Let a message with this content arrive; give it."""
        number = next(self._numbers)
        message: Json = {"message_id": number, "date": int(time.time()), "chat": _CHAT}
        message |= {"from": _PERSON, **content}
        await self._queue({"message": message})
        return message

    async def change(self, message: Json, text: str) -> None:
        """Change a message that was written."""
        edited = message | {"text": text, "edit_date": int(time.time()) + 1}
        await self._queue({"message": edited})

    async def press(self, number: int, label: str) -> None:
        """Press a button below the bot's message of this number."""
        below: Json = {"message_id": number, "date": int(time.time()), "chat": _CHAT}
        press: Json = {
            "id": str(next(self._numbers)),
            "from": _PERSON,
            "message": below,
            "chat_instance": "1",
            "data": self.front.messages[number].buttons[label],
        }
        await self._queue({"callback_query": press})

    async def upload(self, kind: Literal["photo", "document"], name: str, content: bytes) -> str:
        """Put a file where the bot can fetch it; give its id."""
        form = aiohttp.FormData({"chat_id": "1001"})
        form.add_field(kind, content, filename=name)
        url = f"{self._peer_url}/bot{TOKEN}/send{kind.capitalize()}"
        async with self._session.post(url, data=form) as answer:
            result = (await answer.json())["result"][kind]
        return str((result[0] if isinstance(result, list) else result)["file_id"])

    def newest(self) -> tuple[int, Message]:
        """Give the bot's newest message and its number."""
        return list(self.front.messages.items())[-1]

    async def _queue(self, update: Json) -> None:
        body = {"token": TOKEN, "update": update}
        async with self._session.post(f"{self._peer_url}/__fixture/updates", json=body) as answer:
            if answer.status != 200:
                raise RuntimeError(f"the emulator queues no such update: {await answer.text()}")


@asynccontextmanager
async def telegram_side(
    program: str, folder: Path, name: str
) -> AsyncIterator[tuple[TelegramSide, str]]:
    """Run the emulator and the front; give the person's side and the base URL for the bot."""
    port = free_port()
    command = [program, "--port", str(port), "--enable-control"]
    command.append("--allow-insecure-loopback-webhooks")
    log = folder / f"lo-bot-api-emulator-{name}.log"
    async with server(command, port, log), aiohttp.ClientSession() as session:
        peer_url = f"http://127.0.0.1:{port}"
        front = TelegramFront(session, peer_url)
        async with serving(front.app()) as front_port:
            front.address = f"http://127.0.0.1:{front_port}"
            yield TelegramSide(name, session, peer_url, front), front.address
