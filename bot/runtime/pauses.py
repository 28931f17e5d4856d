"""Pauses that end with the bot."""

from __future__ import annotations

import asyncio
from datetime import datetime

from bot.ports import Clock


class Pauses:
    """The clock of work that the next start can go on with.

    A turn that was told to ask again in a minute, a reply that was told to wait: nothing is won by
    holding a shutdown up for them. From :meth:`end_by` on, whoever pauses for longer is cancelled
    in its pause, where it holds nothing; what it was doing stands in the store.
    """

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._ends: dict[asyncio.Task[object], float] = {}
        self._limit_s: float | None = None

    def now(self) -> datetime:
        """Tell the time, zone-aware UTC."""
        return self._clock.now()

    def monotonic(self) -> float:
        """Count seconds."""
        return self._clock.monotonic()

    async def sleep(self, seconds: float) -> None:
        """Wait, unless it would last beyond the end."""
        task, end_s = asyncio.current_task(), self.monotonic() + seconds
        assert task is not None
        if self._limit_s is not None and end_s > self._limit_s:
            raise asyncio.CancelledError
        self._ends[task] = end_s
        try:
            await self._clock.sleep(seconds)
        finally:
            del self._ends[task]

    def end_by(self, limit_s: float) -> None:
        """Let no pause last beyond this moment of :meth:`monotonic`, those begun included."""
        self._limit_s = limit_s
        for task, end_s in tuple(self._ends.items()):
            if end_s > limit_s:
                task.cancel()
