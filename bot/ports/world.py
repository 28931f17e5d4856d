"""The ports to time, to scheduled work, and to the public web."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, tzinfo
from typing import Protocol


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
