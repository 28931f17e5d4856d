"""The ports to time, to scheduled work, and to the public web."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, tzinfo
from typing import Protocol

from bot.core.attendance import Stretches


class Clock(Protocol):
    """Time. ``now`` is zone-aware UTC, ``monotonic`` seconds for measuring.

    Nothing else in the product asks for the time or waits for it to pass.
    """

    def now(self) -> datetime: ...
    def monotonic(self) -> float: ...
    async def sleep(self, seconds: float) -> None: ...


class Timer(Protocol):
    """Wakes whoever waits for a moment of the calendar, also when the clock is set meanwhile."""

    async def wait_until(self, moment: datetime) -> None: ...
    async def close(self) -> None: ...


class Calendar(Protocol):
    """Moments of cron expressions in a time zone; taken zone-aware, given in UTC.

    ``next_after`` gives the first one behind a moment, ``last_until`` the newest at it or before. A
    time of the day comes once on every day: where the clock does not show it, when the clock is put
    forward; where it shows it twice, the first time.

    Raises:
        ValueError: It is no cron expression, or has no moments.
    """

    def next_after(self, expression: str, moment: datetime, zone: tzinfo) -> datetime: ...
    def last_until(self, expression: str, moment: datetime, zone: tzinfo) -> datetime: ...


class JobSlots(Protocol):
    """Which moments of a schedule were seen to, so that each is once, by one process.

    ``claim_slot`` gives whether it is now this caller's: :func:`~bot.core.schedule.is_open`, with
    ``at`` for the time. ``last_slot`` gives the newest claimed one.
    """

    async def claim_slot(self, name: str, slot: datetime, *, at: datetime) -> bool: ...
    async def last_slot(self, name: str) -> datetime | None: ...


class Attendance(Protocol):
    """When the bot was there, by which whatever goes by age is counted.

    ``attend`` notes that it was from ``since`` until ``at``, this moment, and gives all that is
    known then (:func:`~bot.core.attendance.attended`). Where that shows that the clock was ahead by
    more than :data:`~bot.core.schedule.LONGEST_LEAD`, whatever was noted of a time to come is of
    this moment from then on: when chats were heard, events and replies stored, people asked to be
    let in, and until when work on memory waits. ``stretches`` only gives what is known; of a bot
    that never noted any, that it was there until the newest moment of a schedule.

    ``unproved_since`` is what the clock showed when it began to show what it shows, or a little
    less; None for one that has kept it for long enough to be believed. While it has not and is
    doubtful (:func:`~bot.core.attendance.is_doubtful`), nothing is changed but that this is noted;
    what was known is given, whose newest moment is not ``at`` then. Where it was wrong, what was
    noted of the moments that it showed is of the first moment that is not doubtful.

    Raises:
        StoreError: It could not be read, or not committed.
    """

    async def attend(
        self, since: datetime, *, at: datetime, unproved_since: datetime | None = None
    ) -> Stretches: ...
    async def stretches(self) -> Stretches: ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Page:
    """A fetched page: ``url`` after all redirects, ``body`` decoded as the page itself says."""

    url: str
    content_type: str
    body: str
    is_cut: bool


class Fetcher(Protocol):
    """GET from the public web only.

    Addresses that are private, loopback, link-local or otherwise not public are refused, after
    resolving and again after each redirect.

    Raises:
        ToolError: The page cannot be had; the text says why.
    """

    async def get(self, url: str, *, max_bytes: int, timeout_s: float) -> Page: ...
