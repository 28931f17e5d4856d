"""The WebSocket over which Slack sends events: kept open for ever, acknowledged when stored.

The SDK's own ``SocketModeClient`` is not used: it retries a refused token for ever, knocks for ever
at an address that has run out, waits outside the Clock and works in tasks that nobody owns
(docs/adr/0011-slack-store-before-acknowledging.md).
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import logging
from collections.abc import AsyncGenerator, Awaitable, Callable
from typing import NoReturn, TypeVar

import aiohttp
from pydantic import BaseModel

from bot.api import Clock, DeliveryError
from channels.slack.failures import translated
from channels.slack.reachability import Reachability
from channels.slack.receiver import Taken
from channels.slack.settings import CHANNEL
from channels.slack.web import WebApi

logger = logging.getLogger(__name__)

Result = TypeVar("Result")
Take = Callable[[object], Awaitable[Taken | None]]
"""Stores what a payload tells; None when Slack must not be told that it was received."""

FIRST_WAIT_S = 1.0
LONGEST_WAIT_S = 30.0
GROWTH = 1.5

HEARTBEAT_S = 20.0
"""How often the connection is tried; no answer in half that time and it counts as lost."""

HELLO_TIMEOUT_S = 20.0
SILENCE_S = 60.0
"""How long Slack may say nothing of its own, neither event nor ping, before the connection counts
as deaf though it still answers: twice as long as its own client for Node waits for a ping.
Source: docs.slack.dev, @slack/socket-mode, SocketModeOptions, serverPingTimeout, read
2026-11-30."""

CLOSE_TIMEOUT_S = 1.0
"""Slack does not end its side of a closed WebSocket; waiting longer brings nothing."""

_ANNOUNCED = ("warning", "refresh_requested")
"""Reasons of a ``disconnect`` frame that are no trouble: Slack renews connections now and then."""


_ENDS = frozenset(
    {
        aiohttp.WSMsgType.CLOSE,
        aiohttp.WSMsgType.CLOSED,
        aiohttp.WSMsgType.CLOSING,
        aiohttp.WSMsgType.ERROR,
    }
)


class _Frame(BaseModel):
    type: str
    envelope_id: str = ""
    reason: str = ""
    payload: object = None


class Persistence:
    """Tries again for ever, waiting longer each time; ``on_trouble`` is told why."""

    def __init__(self, clock: Clock, on_trouble: Callable[[str], None]) -> None:
        self._clock = clock
        self._on_trouble = on_trouble
        self._wait_s = FIRST_WAIT_S

    async def succeed(self, attempt: Callable[[], Awaitable[Result]]) -> Result:
        """Repeat ``attempt`` until it succeeds.

        Raises:
            ChannelAuthError: The token is refused; trying again brings nothing.
        """
        while True:
            try:
                result = await attempt()
            except DeliveryError as error:
                await self.pause(str(error), error.retry_after_s)
            else:
                self._wait_s = FIRST_WAIT_S
                return result

    async def pause(self, reason: str, retry_after_s: float | None = None) -> None:
        """Wait before the next attempt, at least as long as Slack asks for."""
        self._on_trouble(reason)
        await self._clock.sleep(max(self._wait_s, retry_after_s or 0.0))
        self._wait_s = min(self._wait_s * GROWTH, LONGEST_WAIT_S)


class SocketMode:
    """Keeps connections open and hands what arrives to ``take``, of each in the order of arrival.

    When Slack announces that it will close a connection, the next one is opened first, so that
    there is always one to send to. Of several, Slack sends each event over one.
    """

    def __init__(
        self,
        web: WebApi,
        clock: Clock,
        reachability: Reachability,
        background: asyncio.TaskGroup,
        *,
        connections: int = 1,
    ) -> None:
        self._web = web
        self._clock = clock
        self._reachability = reachability
        self._background = background
        self._connections = connections

    async def serve(self, take: Take) -> None:
        """Receive until cancelled.

        Raises:
            ChannelAuthError: Slack refused the app token.
        """
        async with asyncio.TaskGroup() as kept:
            for _ in range(self._connections):
                kept.create_task(self._keep(take))

    async def _keep(self, take: Take) -> NoReturn:
        """Keep one of the connections."""
        persistence = Persistence(self._clock, self._reachability.trouble)
        before: aiohttp.ClientWebSocketResponse | None = None
        while True:
            socket = await persistence.succeed(self._connect)
            self._reachability.opened()
            over: asyncio.Future[str] = asyncio.get_running_loop().create_future()
            self._background.create_task(self._listen(socket, take, over))
            if before is not None:
                await before.close()
            before = socket
            if (reason := await over) not in _ANNOUNCED:
                await persistence.pause(reason)

    async def _connect(self) -> aiohttp.ClientWebSocketResponse:
        url = await self._web.open_socket()
        with translated("app_token"):
            socket = await self._web.session.ws_connect(
                url,
                heartbeat=HEARTBEAT_S,
                autoping=False,  # so that Slack's pings are seen, which show that it is there
                timeout=aiohttp.ClientWSTimeout(ws_close=CLOSE_TIMEOUT_S),
            )
        try:
            with translated("app_token"):
                async with contextlib.aclosing(_frames(socket, HELLO_TIMEOUT_S)) as frames:
                    frame = await anext(frames, None)
            if frame is None or frame.type != "hello":
                raise DeliveryError("Slack closed the connection before it began")
        except BaseException:
            await socket.close()
            raise
        return socket

    async def _listen(
        self, socket: aiohttp.ClientWebSocketResponse, take: Take, over: asyncio.Future[str]
    ) -> None:
        """Read one connection to its end; ``over`` tells why as soon as a new one is needed."""
        reason, heard = "the connection was lost", self._reachability.heard
        try:
            async with contextlib.aclosing(_frames(socket, SILENCE_S, heard)) as frames:
                async for frame in frames:
                    if frame.type == "disconnect" and not over.done():
                        over.set_result(frame.reason)
                    elif frame.envelope_id:
                        # A task each, so that a burst shares commits; they begin in their order.
                        self._background.create_task(self._take(socket, frame, take))
        except TimeoutError:
            reason = f"Slack said nothing for {SILENCE_S:g} s"
        finally:
            self._reachability.closed()
            if not over.done():
                over.set_result(reason)
            await socket.close()

    async def _take(
        self, socket: aiohttp.ClientWebSocketResponse, frame: _Frame, take: Take
    ) -> None:
        taken = await take(frame.payload)
        if taken is None:
            return  # Slack sends it again
        answer = {"payload": json.loads(taken.answer)} if taken.answer else {}
        try:
            await socket.send_str(json.dumps({"envelope_id": frame.envelope_id} | answer))
        except ConnectionError:
            logger.debug("event.not_acknowledged", extra={"channel": CHANNEL})


async def _frames(
    socket: aiohttp.ClientWebSocketResponse,
    silence_s: float,
    on_sign: Callable[[], None] = lambda: None,
) -> AsyncGenerator[_Frame]:
    """Give what Slack says until the connection ends; its pings are answered.

    ``on_sign`` is called whenever Slack says anything of its own.

    Measured by the event loop, as the limits of sockets are. An answer to our own ping counts for
    nothing: it shows that the line is alive, not that anybody speaks into it.

    Raises:
        TimeoutError: Slack said nothing of its own for so long.
    """
    loop = asyncio.get_running_loop()
    until_s = loop.time() + silence_s
    while True:
        async with asyncio.timeout_at(until_s):
            received = await socket.receive()
        if received.type is aiohttp.WSMsgType.PONG:
            continue
        if received.type in _ENDS:
            return
        until_s = loop.time() + silence_s
        on_sign()
        if received.type is aiohttp.WSMsgType.PING:
            with contextlib.suppress(ConnectionError):
                await socket.pong(received.data)
        elif (frame := _read(received)) is not None:
            yield frame


def _read(received: aiohttp.WSMessage) -> _Frame | None:
    if received.type is not aiohttp.WSMsgType.TEXT:
        return None
    try:
        return _Frame.model_validate(json.loads(received.data))
    except (ValueError, RecursionError) as error:  # the second where it is nested without end
        reason = type(error).__name__
        logger.warning("frame.unreadable", extra={"channel": CHANNEL, "reason": reason})
        return None
