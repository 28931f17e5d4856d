"""One process of the simulated bot, from its start to its end or its kill."""

from __future__ import annotations

import asyncio
from datetime import datetime

from bot.testing.simulator.world import World


class Life:
    """What every port of one process asks before it does anything.

    Once it is over, no call of that process returns and none has any effect: each raises
    ``CancelledError``, which is the nearest to not being there any more.

    Attributes:
        over: Done when the process was killed.
        rests: From when until when it was told to leave each chat alone.
    """

    def __init__(self, world: World) -> None:
        self.world = world
        world.is_alive = True
        self.rests: dict[tuple[str, str], tuple[float, float]] = {}
        self.over: asyncio.Future[None] = asyncio.get_running_loop().create_future()

    @property
    def is_over(self) -> bool:
        """Whether the process was killed."""
        return self.over.done()

    def end(self, where: str) -> None:
        """Kill the process, unless it is over anyway."""
        if not self.is_over:
            self.world.note(f"killed at {where}")
            self.finish()

    def finish(self) -> None:
        """Let nothing of the process have any effect from now on."""
        if not self.is_over:
            self.over.set_result(None)
            self.world.is_alive = False

    def require(self) -> None:
        """Let only the living go on."""
        if self.is_over:
            raise asyncio.CancelledError

    def risk(self, where: str) -> None:
        """Die here, or go on."""
        self.require()
        if self.world.kills():
            self.end(where)
            self.require()

    async def sleep(self, seconds: float) -> None:
        """Wait, and perhaps not live to see the end of it."""
        self.require()
        await asyncio.sleep(seconds)
        self.require()

    async def cross(self, where: str) -> None:
        """Go the way to the other side of a port: it takes time, and one may die on it."""
        self.risk(where)
        if delay_s := self.world.delay_s(self.world.weather.longest_delay_s):
            await self.sleep(delay_s)


class LifeClock:
    """The clock of one process: :class:`bot.ports.Clock`."""

    def __init__(self, life: Life) -> None:
        self._life = life

    def now(self) -> datetime:
        """Tell the virtual time."""
        return self._life.world.now

    def monotonic(self) -> float:
        """Count virtual seconds."""
        return self._life.world.elapsed_s

    async def sleep(self, seconds: float) -> None:
        """Wait until the time has jumped so far."""
        await self._life.sleep(max(0.0, seconds))
        self._life.risk("waking")
