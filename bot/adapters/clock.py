"""The real time: :class:`bot.ports.Clock` on the operating system's clocks."""

import asyncio
import time
from datetime import UTC, datetime


class SystemClock:
    """UTC by the system's clock, durations by its monotonic one."""

    def now(self) -> datetime:
        """Tell the time, zone-aware."""
        return datetime.now(UTC)

    def monotonic(self) -> float:
        """Count seconds from some fixed point."""
        return time.monotonic()

    async def sleep(self, seconds: float) -> None:
        """Wait; zero gives way to other tasks once."""
        await asyncio.sleep(seconds)
