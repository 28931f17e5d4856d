"""The SDK's bot with results as they came, and its connections within bounds."""

from __future__ import annotations

import asyncio
from typing import Any

import httpx
from telegram import InputFile
from telegram.error import BadRequest, TelegramError, TimedOut
from telegram.ext import ExtBot
from telegram.request import HTTPXRequest

from channels.telegram.inbound import BotIdentity
from channels.telegram.outgoing import Request
from channels.telegram.updates import ALLOWED_UPDATES, OLDER_UPDATES

MOST_AT_ONCE = 16
"""Requests on their way to Telegram at a time, which itself takes some thirty a second."""

WRITE_TIMEOUT_S = 20.0
"""How long a connection may take nothing; with a file, how long all of it may take besides."""

REQUEST_LIMIT_S = 30.0
"""How long a request may take altogether, its file apart: the SDK's limits are for each piece that
arrives, and a proxy can keep sending pieces."""

SLOWEST_BYTES_PER_S = 50_000
"""What a file that is sent is given time for."""


class BoundedRequest(HTTPXRequest):
    """Lets no more requests through than there are connections, and none for ever.

    The pool of httpx looks at all its connections and all that wait for one at every request: a
    hundred answers at once cost it more than everything else of a turn together.
    """

    def __init__(self) -> None:
        super().__init__(
            read_timeout=20,
            write_timeout=WRITE_TIMEOUT_S,
            connect_timeout=10,
            httpx_kwargs={
                "limits": httpx.Limits(max_connections=MOST_AT_ONCE, keepalive_expiry=30)
            },
        )
        self._slots = asyncio.Semaphore(MOST_AT_ONCE)

    async def do_request(self, *args: Any, **kwargs: Any) -> tuple[int, bytes]:  # noqa: ANN401 - handed on as the SDK gives them
        """Wait for a free connection, then make the request."""
        for_a_file = kwargs.get("write_timeout")
        limit_s = REQUEST_LIMIT_S + (for_a_file if isinstance(for_a_file, float) else 0.0)
        async with self._slots:
            try:
                async with asyncio.timeout(limit_s):
                    return await super().do_request(*args, **kwargs)
            except TimeoutError:
                raise TimedOut(f"no whole answer within {limit_s:.0f} s") from None


class RawBot(ExtBot[None]):
    """The SDK's bot, with results as they came.

    An update that the SDK cannot parse must not hide the others, and a message that was sent stays
    sent, whatever else is in Telegram's description of it.
    """

    async def raw_updates(
        self, offset: int | None, timeout_s: int, *, read_timeout_s: float
    ) -> list[object]:
        """Fetch updates without reading them."""
        parameters: dict[str, object] = {"timeout": timeout_s, "allowed_updates": ALLOWED_UPDATES}
        if offset is not None:
            parameters["offset"] = offset
        result = await self.raw_result("getUpdates", parameters, read_timeout=read_timeout_s)
        if not isinstance(result, list):
            raise TelegramError("getUpdates gave no list")
        return result

    async def raw_result(
        self,
        method: str,
        parameters: dict[str, object],
        **timeouts: Any,  # noqa: ANN401 - handed on as the SDK takes them
    ) -> object:
        """Call a method and read nothing of its result.

        A server that refuses the name of a newer kind of update is asked without it.
        """
        result: object
        try:
            result = await self._post(method, parameters, **timeouts)
        except BadRequest as error:
            asked = parameters.get("allowed_updates")
            if asked != ALLOWED_UPDATES or "allowed_updates" not in error.message:
                raise
            older = {**parameters, "allowed_updates": OLDER_UPDATES}
            result = await self._post(method, older, **timeouts)
        return result

    async def raw_identity(self) -> BotIdentity:
        """Ask who the bot is, and read no more than that."""
        match await self._post("getMe"):
            case {"id": int(number), **rest}:
                return BotIdentity(id=number, username=str(rest.get("username") or ""))
        raise TelegramError("getMe gave no bot")

    async def raw_message_id(self, request: Request) -> int:
        """Send a message by one of the methods for it, and read no more than its id."""
        if request.file is None:
            result: object = await self._post(request.method, request.parameters)
        else:
            content = request.file.content
            upload = InputFile(content, filename=request.file.name)
            result = await self._post(
                request.method,
                request.parameters | {request.field: upload},
                write_timeout=WRITE_TIMEOUT_S + len(content) / SLOWEST_BYTES_PER_S,
            )
        match result:
            case {"message_id": int(number)}:
                return number
        raise TelegramError(f"{request.method} gave no message")
