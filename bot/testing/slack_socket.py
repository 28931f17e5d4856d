"""The Socket Mode half of the pretended Slack: events out, acknowledgements in."""

from __future__ import annotations

import asyncio
import contextlib
import json
from collections.abc import Callable
from dataclasses import dataclass

from aiohttp import WSMsgType, web

from bot.testing.patience import PATIENCE_S
from bot.testing.slack_state import Json, SlackState


@dataclass(slots=True)
class Envelope:
    """An event on its way to the app; ``attempts`` counts how often it was sent."""

    id: str
    payload: Json
    type: str = "events_api"
    attempts: int = 0
    socket: web.WebSocketResponse | None = None


class SocketSide:
    """Envelopes and the WebSockets that carry them.

    Attributes:
        acknowledged: Ids of the envelopes that the app acknowledged, in their order.
        answers: What the app answered with an acknowledgement, by the envelope's id.
        connections: How many WebSockets were opened altogether.
        pongs: How many pings the app answered.
        spreads: Whether each event goes over the next of several connections, not over the newest.
    """

    def __init__(self, state: SlackState) -> None:
        self.state = state
        self.acknowledged: list[str] = []
        self.answers: dict[str, object] = {}
        self.connections = 0
        self.pongs = 0
        self.spreads = False
        self._deliveries = 0
        self._envelopes: dict[str, Envelope] = {}
        self._links: dict[web.WebSocketResponse, web.Request] = {}
        self._changed = asyncio.Event()

    @property
    def open_envelopes(self) -> tuple[Envelope, ...]:
        """Those not acknowledged, oldest first."""
        done = set(self.acknowledged)
        return tuple(each for each in self._envelopes.values() if each.id not in done)

    @property
    def open_connections(self) -> int:
        """How many WebSockets are open."""
        return len(self._links)

    async def push(self, event: object, **payload: object) -> Envelope:
        """Send an event of any form; ``payload`` changes what stands around it."""
        number = len(self._envelopes) + 1
        around: Json = {
            "type": "event_callback",
            "team_id": self.state.team_id,
            "event_id": f"Ev{number:08d}",
            "event": event,
        }
        return await self._push(around | payload, "events_api")

    async def push_beside(self, payload: Json) -> Envelope:
        """Send what somebody did beside writing: a slash command, a press, a form."""
        kind = "slash_commands" if "command" in payload else "interactive"
        return await self._push(payload, kind)

    async def answer_to(self, envelope: Envelope) -> object:
        """Wait until an envelope is acknowledged, and give what the app answered with that."""
        await self.wait_until(lambda: envelope.id in self.acknowledged)
        return self.answers.get(envelope.id)

    async def _push(self, payload: Json, kind: str) -> Envelope:
        number = len(self._envelopes) + 1
        envelope = Envelope(id=f"envelope-{number}", payload=payload, type=kind)
        self._envelopes[envelope.id] = envelope
        await self._deliver(envelope)
        return envelope

    async def expire(self) -> None:
        """Send again whatever was not acknowledged in time."""
        for envelope in self.open_envelopes:
            await self._deliver(envelope)

    async def redeliver(self, envelope_id: str = "") -> None:
        """Send an envelope again (the newest unless named), though it may be acknowledged."""
        newest = list(self._envelopes)[-1]
        await self._deliver(self._envelopes[envelope_id or newest])

    async def disconnect(self, reason: str = "refresh_requested") -> None:
        """Announce on every connection that it will be closed."""
        for socket in tuple(self._links):
            await socket.send_json({"type": "disconnect", "reason": reason})

    async def send_frame(self, text: str) -> None:
        """Send any text at all over the newest connection."""
        await list(self._links)[-1].send_str(text)

    async def ping(self) -> None:
        """Show on the newest connection that somebody is there, and wait for the answer."""
        before = self.pongs
        await list(self._links)[-1].ping()
        await self.wait_until(lambda: self.pongs > before)

    async def drop(self, count: int | None = None) -> None:
        """Break connections without a word, the newest first: so many, or all."""
        for socket in list(self._links)[::-1][:count]:
            cut(self._links.pop(socket))

    async def wait_for_acknowledged(self, count: int) -> tuple[str, ...]:
        """Wait until so many envelopes were acknowledged; give their ids."""
        await self.wait_until(lambda: len(self.acknowledged) >= count)
        return tuple(self.acknowledged)

    async def wait_until(self, is_so: Callable[[], bool]) -> None:
        """Wait until something holds that a request or a control changes."""
        async with asyncio.timeout(PATIENCE_S):
            while not is_so():
                await self._changed.wait()

    async def link(self, request: web.Request) -> web.StreamResponse:
        """Serve one WebSocket to its end."""
        socket = web.WebSocketResponse(autoping=False)
        await socket.prepare(request)
        await socket.send_json({"type": "hello", "num_connections": len(self._links) + 1})
        self._links[socket] = request
        self.connections += 1
        self._wake()
        try:
            for envelope in self.open_envelopes:
                if envelope.socket not in self._links:
                    await self._deliver(envelope)
            await self._hear(socket)
        finally:  # also when the app died while it was sent to
            self._links.pop(socket, None)
            self._wake()
        return socket

    async def _hear(self, socket: web.WebSocketResponse) -> None:
        async for frame in socket:
            if frame.type is WSMsgType.TEXT:
                told = json.loads(frame.data)
                if "payload" in told:
                    self.answers[str(told["envelope_id"])] = told["payload"]
                self.acknowledged.append(str(told["envelope_id"]))
                self._wake()
            elif frame.type is WSMsgType.PING:
                await socket.pong(frame.data)
            elif frame.type is WSMsgType.PONG:
                self.pongs += 1
                self._wake()

    async def _deliver(self, envelope: Envelope) -> None:
        if not self._links:
            return
        self._deliveries += 1
        turn = self._deliveries % len(self._links) if self.spreads else -1
        envelope.socket = list(self._links)[turn]
        frame: Json = {
            "type": envelope.type,
            "envelope_id": envelope.id,
            "payload": envelope.payload,
            "accepts_response_payload": envelope.type != "events_api",
            "retry_attempt": envelope.attempts,
            "retry_reason": "timeout" if envelope.attempts else "",
        }
        envelope.attempts += 1
        with contextlib.suppress(ConnectionResetError):  # it comes again over the next connection
            await envelope.socket.send_json(frame)

    def _wake(self) -> None:
        """Let all who wait for a change look again."""
        self._changed.set()
        self._changed = asyncio.Event()


def cut(request: web.Request) -> None:
    """Break the connection of a request."""
    if request.transport is not None:
        request.transport.abort()
