"""Waiting while Telegram cannot be reached."""

from __future__ import annotations

import logging

from bot.api import Clock, Inbox

logger = logging.getLogger(__name__)

FIRST_DELAY_S = 1.0
LONGEST_DELAY_S = 30.0
GROWTH = 1.5

AGAIN_IN_S = 25.0
"""How soon Telegram is heard of again at the latest, if it is there: after a poll that brought
nothing, and the time its answer may take."""


class Outage:
    """Waits longer and longer between attempts; tells the log once when it begins and ends."""

    def __init__(self, clock: Clock, inbox: Inbox) -> None:
        self._clock = clock
        self._inbox = inbox
        self._event = ""
        self._delay_s = FIRST_DELAY_S

    async def wait(self, event: str, reason: str, *, at_least_s: float = 0.0) -> None:
        """Wait before the next attempt."""
        if event != self._event:
            logger.warning(event, extra={"reason": reason})
            self._event = event
        self._inbox.failing(reason)
        delay_s = max(self._delay_s, at_least_s)
        self._delay_s = min(self._delay_s * GROWTH, LONGEST_DELAY_S)
        await self._clock.sleep(delay_s)

    def end(self) -> None:
        """Begin anew: an attempt succeeded. May be said whenever one does."""
        self._inbox.receiving(again_in_s=AGAIN_IN_S)
        if self._event:
            logger.info("telegram.connected", extra={"after": self._event})
        self._event, self._delay_s = "", FIRST_DELAY_S
