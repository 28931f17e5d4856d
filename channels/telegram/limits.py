"""How many messages Telegram takes in a time, kept to before it has to ask.

A message counts from the moment its place is taken until some time after the call is over: so the
server, which counts when a request arrives, never sees more than the limit, however long requests
take. Messages and changes of messages count; drafts, the sign of typing and answers to buttons do
not, and none of them ever waits here.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass

from bot.api import Clock


@dataclass(frozen=True, slots=True, kw_only=True)
class Limit:
    """No more than ``most`` messages in any ``within_s`` seconds."""

    most: int
    within_s: float


IN_A_CHAT = (Limit(most=3, within_s=3.0),)
"""One a second, and short bursts. Source: Telegram's Bots FAQ, "My bot is hitting limits", read
2026-11-30."""

IN_A_GROUP = (*IN_A_CHAT, Limit(most=20, within_s=60.0))
"""Twenty a minute. Source: as above."""

OVERALL_PER_S = 30
"""Source: as above; a bot that pays for broadcasts may be allowed more."""

KEPT_S = 60.0
"""How long a place is kept for a message that does not come."""

_NOTHING_S = 1e-6
"""Shorter waits are rounding."""

_MANY_CHATS = 1000


class Limiter:
    """Gives places for messages, in the order in which they are asked for."""

    def __init__(self, clock: Clock, per_second: int) -> None:
        """Make it; with 0 messages a second over all chats it has no limits at all."""
        self._clock = clock
        self._is_off = not per_second
        overall = (Limit(most=per_second, within_s=1.0),)
        self._overall = _Line(clock, overall, self._wait_for_place)
        self._chats: dict[int, _Line] = {}
        self._kept: dict[int, float] = {}
        self._look_at = _MANY_CHATS

    async def reserve(self, chat_id: int) -> None:
        """Wait until a message may be sent in a chat, and keep its place until it is, for a while.

        A chat that has a place kept already waits for nothing.
        """
        if self._is_off or chat_id in self._kept:
            return
        await self._take(chat_id)
        self._kept[chat_id] = self._clock.monotonic()

    @asynccontextmanager
    async def place(self, chat_id: int) -> AsyncIterator[None]:
        """Send one message in the block: at the place kept for it, else as soon as there is one."""
        if self._is_off:
            yield
            return
        if self._kept.pop(chat_id, None) is None:
            await self._take(chat_id)
        try:
            yield
        finally:
            self._leave(chat_id)

    @property
    def chats(self) -> int:
        """How many chats are remembered."""
        return len(self._chats)

    async def _take(self, chat_id: int) -> None:
        self._give_back_unused()
        line = self._line_of(chat_id)
        await line.enter()
        try:
            await self._overall.enter()
        except asyncio.CancelledError:
            line.leave()
            raise

    def _leave(self, chat_id: int) -> None:
        self._overall.leave()
        self._line_of(chat_id).leave()

    async def _wait_for_place(self, left: asyncio.Event) -> None:
        """Wait until a call has left a line, or a place that is kept becomes too old."""
        oldest = min(self._kept.values(), default=self._clock.monotonic())
        alarm = self._clock.sleep(oldest + KEPT_S - self._clock.monotonic())
        waits = (asyncio.ensure_future(alarm), asyncio.ensure_future(left.wait()))
        try:
            await asyncio.wait(waits, return_when=asyncio.FIRST_COMPLETED)
        finally:
            for wait in waits:
                wait.cancel()
        self._give_back_unused()

    def _give_back_unused(self) -> None:
        """Keep no place for whoever was cut before sending: all places could be lost in the end."""
        too_old = self._clock.monotonic() - KEPT_S
        for chat_id in [each for each, since in self._kept.items() if since <= too_old]:
            del self._kept[chat_id]
            self._leave(chat_id)

    def _line_of(self, chat_id: int) -> _Line:
        if len(self._chats) >= self._look_at:
            self._chats = {id: line for id, line in self._chats.items() if not line.is_idle}
            self._look_at = max(_MANY_CHATS, 2 * len(self._chats))
        if chat_id not in self._chats:
            limits = IN_A_GROUP if chat_id < 0 else IN_A_CHAT
            self._chats[chat_id] = _Line(self._clock, limits, self._wait_for_place)
        return self._chats[chat_id]


class _Line:
    """Who has called of late, and who waits; the first to come is the first to go."""

    def __init__(
        self,
        clock: Clock,
        limits: tuple[Limit, ...],
        wait_for_place: Callable[[asyncio.Event], Awaitable[None]],
    ) -> None:
        self._clock = clock
        self._wait_for_place = wait_for_place
        self._limits = limits
        self._open = 0
        self._ended: deque[float] = deque(maxlen=max(limit.most for limit in limits))
        self._left = asyncio.Event()
        self._first = asyncio.Lock()

    @property
    def is_idle(self) -> bool:
        """Whether nobody calls or waits, and no former call counts any more."""
        if self._open or self._first.locked():
            return False
        return all(self._wait_s(limit, newest=1) <= _NOTHING_S for limit in self._limits)

    async def enter(self) -> None:
        """Wait until a call is within all limits."""
        async with self._first:
            while any(self._open >= limit.most for limit in self._limits):
                self._left.clear()
                await self._wait_for_place(self._left)
            while (wait_s := self._longest_wait_s()) > _NOTHING_S:
                await self._clock.sleep(wait_s)
            self._open += 1

    def leave(self) -> None:
        """End a call; it counts on from now."""
        self._open -= 1
        self._ended.append(self._clock.monotonic())
        self._left.set()

    def _longest_wait_s(self) -> float:
        return max(self._wait_s(limit, newest=limit.most - self._open) for limit in self._limits)

    def _wait_s(self, limit: Limit, *, newest: int) -> float:
        """Say when the so many-th newest of the calls that are over counts no more."""
        if len(self._ended) < newest:
            return 0.0
        return self._ended[-newest] + limit.within_s - self._clock.monotonic()
