"""Asking the vendor's model, within limits of time."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from contextlib import aclosing
from dataclasses import dataclass
from typing import TYPE_CHECKING

from bot.adapters.anthropic_model.answer import Answer
from bot.adapters.anthropic_model.failures import sentence
from bot.adapters.anthropic_model.request import encode
from bot.core.llm import Delta, ModelRequest, ModelResponse
from bot.errors import ModelSilent, ModelStreamCut, ModelUnavailable
from bot.ports import Clock

if TYPE_CHECKING:
    from bot.adapters.anthropic_model.transport import Transport

VENDOR_URL = "https://api.anthropic.com"

NO_KEY = "none"
"""What is sent as a key to servers that ask for none; the SDK insists on one."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """How long to wait, in seconds.

    Attributes:
        connect_s: For a connection.
        first_event_s: For the first sign of an answer; a local model reads a long prompt first.
        between_events_s: Between two signs of life; the vendor sends pings meanwhile.
        answer_s: For the whole answer.
        goodbye_s: For the stream to end behind a whole answer, so that its connection can be
            used again; the answer stands whether it does or not.
    """

    connect_s: float = 10.0
    first_event_s: float = 120.0
    between_events_s: float = 60.0
    answer_s: float = 900.0
    goodbye_s: float = 1.0


class AnthropicModel:
    """A :class:`~bot.ports.ModelClient` on the vendor's API, or on a server that speaks it.

    Failed requests are not repeated here; whoever asks decides that.
    """

    def __init__(
        self,
        *,
        api_key: str | None,
        base_url: str | None,
        clock: Clock,
        limits: Limits | None = None,
    ) -> None:
        """Take where to ask; nothing is loaded or connected before the first :meth:`ask`.

        Args:
            api_key: May be left out where ``base_url`` is given.
            base_url: The vendor's own address if None.
            clock: Tells what a date in ``retry-after`` relates to.
            limits: The defaults of :class:`Limits` if None.
        """
        if not api_key and not base_url:
            raise ValueError("neither a key nor an address")
        self._api_key = api_key or NO_KEY
        self._base_url = base_url or VENDOR_URL
        self._clock = clock
        self._limits = limits or Limits()
        self._transport: Transport | None = None
        self._loading = asyncio.Lock()

    async def ask(self, request: ModelRequest, on_delta: Callable[[Delta], None]) -> ModelResponse:
        """Ask once; see :class:`~bot.ports.ModelClient`."""
        transport = await self._connected()
        answer = Answer(request.model)
        try:
            await self._follow(transport, encode(request), answer, on_delta)
        except (ModelStreamCut, ModelUnavailable):
            if not answer.is_whole:  # otherwise only the goodbye went wrong
                raise
        return answer.response()

    async def knows(self, name: str) -> bool:
        """Say whether there is a model of this name, which costs nothing and tries the key.

        False where the server does not say: not every one tells of its models.

        Raises:
            ModelError: The key is refused, or the server failed.
        """
        transport = await self._connected()
        return await transport.knows(name)

    async def close(self) -> None:
        """Close all connections."""
        if self._transport is not None:
            await self._transport.close()

    async def _follow(
        self,
        transport: Transport,
        body: bytes,
        answer: Answer,
        on_delta: Callable[[Delta], None],
    ) -> None:
        """Read events until the stream ends; one timer watches for silence and for the end."""
        limits, now = self._limits, asyncio.get_running_loop().time
        end = now() + limits.answer_s
        silence_s = limits.first_event_s
        watch = asyncio.timeout_at(min(end, now() + silence_s))
        try:
            async with watch, aclosing(transport.events(body)) as events:
                async for event in events:
                    delta = answer.take(event)
                    if delta is not None:
                        on_delta(delta)
                    silence_s = limits.goodbye_s if answer.is_whole else limits.between_events_s
                    watch.reschedule(min(end, now() + silence_s))
        except TimeoutError as error:
            if not watch.expired():
                raise
            is_endless = watch.when() == end
            words = "no end of the answer" if is_endless else "no word of it"
            limit_s = limits.answer_s if is_endless else silence_s
            text = sentence(ModelSilent, f"{words} within {limit_s:g} s")
            raise ModelSilent(text) from error

    async def _connected(self) -> Transport:
        async with self._loading:
            if self._transport is None:
                self._transport = await asyncio.to_thread(self._load)
            return self._transport

    def _load(self) -> Transport:
        from bot.adapters.anthropic_model.transport import Transport

        return Transport(
            api_key=self._api_key,
            base_url=self._base_url,
            connect_timeout_s=self._limits.connect_s,
            clock=self._clock,
        )
