"""A clock that a test moves by hand."""

import asyncio
import heapq
from datetime import UTC, datetime, timedelta

START = datetime(2026, 1, 5, 9, 0, tzinfo=UTC)
"""A Monday morning; where every fake clock begins."""

_ROUNDS_TO_SETTLE = 50


class FakeClock:
    """Time stands still until :meth:`advance`; who sleeps wakes in the order of the alarms."""

    def __init__(self, start: datetime = START) -> None:
        self._start = start
        self._elapsed_s = 0.0
        self._alarms: list[tuple[float, int, asyncio.Future[None]]] = []
        self._count = 0

    def now(self) -> datetime:
        """Tell the pretended time, zone-aware UTC."""
        return self._start + timedelta(seconds=self._elapsed_s)

    def monotonic(self) -> float:
        """Count pretended seconds since the start."""
        return self._elapsed_s

    async def sleep(self, seconds: float) -> None:
        """Wait until the test has moved the time so far."""
        if seconds <= 0:
            await asyncio.sleep(0)
            return
        alarm = asyncio.get_running_loop().create_future()
        self._count += 1
        heapq.heappush(self._alarms, (self._elapsed_s + seconds, self._count, alarm))
        await alarm

    async def advance(self, seconds: float) -> None:
        """Move the time, waking sleepers one after the other, and let what they start settle."""
        await settle()
        until = self._elapsed_s + seconds
        while self._alarms and self._alarms[0][0] <= until:
            at, _, alarm = heapq.heappop(self._alarms)
            self._elapsed_s = max(self._elapsed_s, at)
            if not alarm.done():
                alarm.set_result(None)
                await settle()
        self._elapsed_s = until

    @property
    def sleepers(self) -> int:
        """How many wait at the moment."""
        return sum(1 for _, _, alarm in self._alarms if not alarm.done())


async def settle() -> None:
    """Give every task that can run without waiting for the outside its turns."""
    for _ in range(_ROUNDS_TO_SETTLE):
        await asyncio.sleep(0)


class HurriedClock:
    """Real time in which every pause is ``speed`` times as short: for tests over real sockets."""

    def __init__(self, speed: float = 100.0) -> None:
        self._speed = speed

    def now(self) -> datetime:
        """Tell the real time, zone-aware UTC."""
        return datetime.now(UTC)

    def monotonic(self) -> float:
        """Count seconds as the hurried time has them."""
        return asyncio.get_running_loop().time() * self._speed

    async def sleep(self, seconds: float) -> None:
        """Wait, but not for long."""
        await asyncio.sleep(seconds / self._speed)
