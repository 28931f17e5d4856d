"""The calendar compared with the time that passes: when was the bot there, and did the clock jump?

The law of this file: nothing goes by age but by what is known here (:mod:`bot.core.attendance`),
a clock that was set back leaves nobody waiting for a moment that a wrong one showed, and none is
taken for right by which something would be lost before it has kept its time for a while.
"""

from __future__ import annotations

import asyncio
import logging
import math
from collections.abc import Callable
from datetime import datetime, timedelta

from bot.core.attendance import (
    BELIEVED_AFTER,
    LONGEST_BREAK,
    OLDEST_RIGHT,
    Stretch,
    Stretches,
    last_break,
)
from bot.errors import StoreError
from bot.ports import Attendance, Clock, Timer

logger = logging.getLogger(__name__)

LOOK_EVERY_S = 3_600.0
"""So long may be lost of what is known of a process that was killed. Each look is a commit."""

COMPARE_EVERY_S = 60.0
"""So long may whoever waits for the calendar not know that it was set back; and so long may a clock
be wrong that nobody sees jump."""


class AttentiveTimer:
    """A :class:`~bot.ports.Timer` beside which the clocks are compared, and the bot's time is kept.

    Where the calendar jumps by more than :data:`~bot.core.attendance.LONGEST_BREAK`, everybody who
    waits is woken. Who asked to :meth:`follow` is told once it has kept its time since, or since
    the start.
    """

    def __init__(self, timer: Timer, store: Attendance, clock: Clock) -> None:
        self._timer = timer
        self._store = store
        self._clock = clock
        self._seen_at, self._seen_s = clock.now(), clock.monotonic()
        self._steady_at, self._steady_s = self._seen_at, self._seen_s
        self._noted_s, self._looked_s = self._seen_s, -math.inf
        self._doubted: datetime | None = None
        self._proved: datetime | None = None
        self._absence: Stretch | None = None
        self._looking = asyncio.Lock()
        self._jumped = asyncio.Event()
        self._followers: list[Callable[[datetime], None]] = []

    def follow(self, tell: Callable[[datetime], None]) -> None:
        """Have something told that the clock has proved right, and since when it has been so."""
        self._followers.append(tell)

    async def run(self) -> None:
        """Compare the clocks now and then, for ever."""
        while True:
            await self.compare()
            await self._clock.sleep(COMPARE_EVERY_S)

    async def compare(self) -> None:
        """Compare the clocks, and look where there is something to be noted."""
        is_jump = self._compare(self._clock.now(), self._clock.monotonic())
        if is_jump or self._seen_s - self._looked_s >= LOOK_EVERY_S:
            self._looked_s = self._seen_s
            try:
                await self.look()
            except StoreError as error:
                logger.warning("attendance.not_noted", extra={"why": str(error)})

    async def look(self) -> Stretches:
        """Compare the clocks, note that the bot has been there, and give all that is known.

        By a doubtful clock nothing is noted, until it has proved right or is set.

        Raises:
            StoreError: It could not be noted; the next look makes up for it.
        """
        async with self._looking:
            now, now_s = self._clock.now(), self._clock.monotonic()
            self._compare(now, now_s)
            since, steady_at = now - timedelta(seconds=now_s - self._noted_s), self._steady_at
            steady_for = timedelta(seconds=now_s - self._steady_s)
            is_proved = steady_for >= BELIEVED_AFTER and now >= OLDEST_RIGHT
            known = await self._store.attend(
                since, at=now, unproved_since=None if is_proved else steady_at
            )
            if not known or known[-1].until != now:
                self._doubt(steady_at, known, now)
                return known
            self._noted_s = now_s
            if is_proved:
                self._believe(steady_at)
            absence = last_break(known)
            if absence is not None and absence.until == since and absence != self._absence:
                away = {"since": absence.since.isoformat(), "until": since.isoformat()}
                logger.info("attendance.missed", extra=away)
            self._absence = absence
            return known

    async def wait_until(self, moment: datetime) -> None:
        """Wait until the clock shows a moment, or jumps."""
        reaching = asyncio.ensure_future(self._timer.wait_until(moment))
        jumping = asyncio.ensure_future(self._jumped.wait())
        try:
            await asyncio.wait((reaching, jumping), return_when=asyncio.FIRST_COMPLETED)
            if reaching.done():
                reaching.result()
        finally:
            reaching.cancel()
            jumping.cancel()

    async def close(self) -> None:
        """Let go of everything that is waited for."""
        await self._timer.close()

    def _compare(self, now: datetime, now_s: float) -> bool:
        """Say whether the calendar jumped, and wake who waits for it."""
        passed = timedelta(seconds=now_s - self._seen_s)
        jump = (now - self._seen_at) - passed
        self._seen_at, self._seen_s = now, now_s
        if abs(jump) <= LONGEST_BREAK:
            return False
        # It may have jumped at any moment since it was seen last.
        self._steady_at, self._steady_s = now - passed, now_s
        logger.warning("clock.jumped", extra={"by_s": round(jump.total_seconds())})
        self._jumped.set()
        self._jumped = asyncio.Event()
        return True

    def _doubt(self, steady_at: datetime, known: Stretches, now: datetime) -> None:
        """Tell the log of a doubtful clock, once."""
        if self._doubted == steady_at:
            return
        self._doubted = steady_at
        expected = max((OLDEST_RIGHT, *(each.until for each in known)))
        behind_s = round((expected - now).total_seconds())
        logger.warning("clock.doubted", extra={"behind_s": behind_s})

    def _believe(self, steady_at: datetime) -> None:
        """Tell whoever follows that the clock has proved right, once."""
        if self._proved == steady_at:
            return
        self._proved = steady_at
        for tell in self._followers:
            tell(steady_at)
