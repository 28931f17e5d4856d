"""How often one method of Slack may be called: so many times a minute, some of them at once."""

from __future__ import annotations

import math
from collections.abc import Awaitable, Callable
from typing import Final, TypeVar

from bot.api import Clock, DeliveryError

Result = TypeVar("Result")

TIER_3: Final = 50
"""Calls a minute. Source: docs.slack.dev, Rate limits, read 2026-11-30."""

AT_ONCE: Final = 10
"""Slack lets bursts pass, without saying of which size."""


class Tier:
    """Lets calls of one method through; whoever comes too early waits by the Clock."""

    def __init__(self, clock: Clock, per_minute: int = TIER_3) -> None:
        self._clock = clock
        self._interval_s = 60.0 / per_minute
        self._due_s = -math.inf

    async def call(self, attempt: Callable[[], Awaitable[Result]]) -> Result:
        """Make a call when it may be made; once more where Slack asks to come back later.

        Raises:
            ChannelError: It failed.
        """
        await self._turn()
        try:
            return await attempt()
        except DeliveryError as error:
            if error.retry_after_s is None:
                raise
            self._pause(error.retry_after_s)
        await self._turn()
        return await attempt()

    async def _turn(self) -> None:
        now_s = self._clock.monotonic()
        earliest_s = now_s - AT_ONCE * self._interval_s
        self._due_s = max(self._due_s, earliest_s) + self._interval_s
        if self._due_s > now_s:
            await self._clock.sleep(self._due_s - now_s)

    def _pause(self, seconds: float) -> None:
        """Let nothing through for a while: Slack has said so."""
        until_s = self._clock.monotonic() + seconds
        self._due_s = max(self._due_s, until_s - self._interval_s)
