"""The right to call a platform in a chat: one call at a time, none while the platform wants rest.

A chat is all its threads together, for that is what platforms limit. Whoever wants to call takes a
slot; the most urgent waits least, and those of equal urgency go in order. A pause is one chat's own
affair, and is forgotten when the process ends.
"""

from __future__ import annotations

import asyncio
import contextlib
import heapq
from collections.abc import AsyncIterator
from dataclasses import dataclass, field, replace
from enum import IntEnum

from bot.core.chat import ChatAddress, SessionKey
from bot.ports import Clock
from bot.runtime.supervisor import Spawn


class Urgency(IntEnum):
    """Who goes first; the sign that something is being written never waits, see ``is_free``."""

    DELIVERY = 0
    PROGRESS = 1


@dataclass(slots=True)
class _Line:
    """Those who want to call in one chat."""

    is_taken: bool = False
    paused_until: float = 0.0
    waiting: list[tuple[Urgency, int, asyncio.Future[None]]] = field(default_factory=list)
    alarm: asyncio.Task[None] | None = None


class Pacer:
    """Gives slots; a chat costs nothing once it was called in after its last pause."""

    def __init__(self, clock: Clock, spawn: Spawn) -> None:
        self._clock = clock
        self._spawn = spawn
        self._lines: dict[SessionKey, _Line] = {}
        self._count = 0

    @contextlib.asynccontextmanager
    async def slot(self, address: ChatAddress, urgency: Urgency) -> AsyncIterator[None]:
        """Wait for the chat to be free and keep it for as long as the block lasts."""
        key = line_of(address)
        line = self._lines.setdefault(key, _Line())
        await self._take(key, line, urgency)
        try:
            yield
        finally:
            line.is_taken = False
            self._pass_on(key, line)

    def pause(self, address: ChatAddress, seconds: float) -> None:
        """Let nobody call in this chat for so long; a pause under way is never shortened."""
        line = self._lines.setdefault(line_of(address), _Line())
        line.paused_until = max(line.paused_until, self._clock.monotonic() + seconds)

    async def rested(self, address: ChatAddress) -> None:
        """Wait for the end of a pause, as who holds the slot does before calling again."""
        while (rest_s := self._rest_s(self._lines.get(line_of(address)))) > 0:
            await self._clock.sleep(rest_s)

    def is_free(self, address: ChatAddress) -> bool:
        """Say whether a call would delay nobody: no pause, no call under way, nobody waiting."""
        line = self._lines.get(line_of(address))
        if line is None:
            return True
        return not line.is_taken and not line.waiting and self._rest_s(line) <= 0

    @property
    def chats(self) -> int:
        """In how many chats somebody calls, waits, or a pause lasts."""
        return len(self._lines)

    async def _take(self, key: SessionKey, line: _Line, urgency: Urgency) -> None:
        turn = asyncio.get_running_loop().create_future()
        self._count += 1
        heapq.heappush(line.waiting, (urgency, self._count, turn))
        self._pass_on(key, line)
        try:
            await turn
        except asyncio.CancelledError:
            if turn.done() and not turn.cancelled():  # it was given just before
                line.is_taken = False
            self._pass_on(key, line)
            raise

    def _pass_on(self, key: SessionKey, line: _Line) -> None:
        while line.waiting and line.waiting[0][2].done():  # gave up waiting
            heapq.heappop(line.waiting)
        if line.is_taken:
            return
        if self._rest_s(line) > 0:
            if line.waiting and line.alarm is None:
                line.alarm = self._spawn(f"pause {key}", self._end_pause(key, line))
        elif line.waiting:
            line.is_taken = True
            heapq.heappop(line.waiting)[2].set_result(None)
        elif line.alarm is None and self._lines.get(key) is line:
            del self._lines[key]

    async def _end_pause(self, key: SessionKey, line: _Line) -> None:
        try:
            while (rest_s := self._rest_s(line)) > 0:
                await self._clock.sleep(rest_s)
        except asyncio.CancelledError:  # the pause outlasts the process
            for _, _, turn in line.waiting:
                turn.cancel()
            raise
        line.alarm = None
        self._pass_on(key, line)

    def _rest_s(self, line: _Line | None) -> float:
        return 0.0 if line is None else line.paused_until - self._clock.monotonic()


def line_of(address: ChatAddress) -> SessionKey:
    """Name the chat whose threads share one pace."""
    return replace(address, thread="").session_key
