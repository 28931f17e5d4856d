"""What has to be asked to know how the bot is: does the store answer, does the disk take anything?

The law of this file: it asks when a monitor does, and writes nothing into the database while all is
well there. A question takes the database's lock for writing as everything does, and the disk is
tried by a file of its own; only after a write has failed is one made, to see whether that is over.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from dataclasses import dataclass
from typing import Protocol, TypeVar

from bot.core.backlog import Backlog
from bot.errors import SearchUnavailable, StoreError
from bot.ports import Backlogs, Clock, Disk, DiskState, JobSlots
from bot.runtime.health import StoreWatch, duration
from bot.runtime.waiting import within

LIMIT_S = 5.0
"""How long one question may take: a disk that hangs must not hang whoever asks about it."""

FRESH_S = 1.0
"""For so long an answer serves everybody who asks."""

VALID_S = 60.0
"""What was seen longer ago says nothing of now."""

PROBE = "health"
"""The name under which a write is tried, among those of jobs."""

OVERDUE_S = 3_600.0
"""Memory is worked on two chats at a time, so that after midnight some wait for the others."""

Answer = TypeVar("Answer")


class CheckedStore(Backlogs, JobSlots, Protocol):
    """What the store is asked with."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckupParts:
    """What is asked.

    Attributes:
        disk: None where there is none.
        index_lag: Counts the changes that the search index lacks; None where there is no index.
        least_free_bytes: With less room than that the disk is as good as full.
    """

    store: CheckedStore
    store_watch: StoreWatch
    clock: Clock
    disk: Disk | None = None
    index_lag: Callable[[], Coroutine[object, object, int]] | None = None
    least_free_bytes: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Seen:
    """What was seen at ``at_s``; None of what could not be asked."""

    at_s: float = float("-inf")
    store_trouble: str = ""
    disk: DiskState | None = None
    backlog: Backlog | None = None
    index_lag: int | None = None


class Checkup:
    """Looks when it is asked to, and says what it saw."""

    def __init__(self, parts: CheckupParts) -> None:
        self._parts = parts
        self._seen = Seen()
        self._looking = asyncio.Lock()

    async def look(self) -> None:
        """Look now, unless somebody has just looked."""
        async with self._looking:
            if self._age_s > FRESH_S:
                disk, (backlog, trouble), lag = await asyncio.gather(
                    self._look_at_disk(), self._ask_store(), self._ask_index()
                )
                self._seen = Seen(
                    at_s=self._parts.clock.monotonic(),
                    store_trouble=trouble,
                    disk=disk,
                    backlog=backlog,
                    index_lag=lag,
                )

    @property
    def seen(self) -> Seen:
        """What was seen last, nothing if that is long ago."""
        return self._seen if self._age_s <= VALID_S else Seen()

    @property
    def disk_trouble(self) -> str:
        """Why the disk takes nothing, or will soon take nothing more; empty when it does."""
        disk = self.seen.disk
        if disk is None or disk.trouble:
            return "" if disk is None else disk.trouble
        is_full = disk.free_bytes < self._parts.least_free_bytes
        return f"only {disk.free_bytes >> 20} MiB are free" if is_full else ""

    @property
    def memory_trouble(self) -> str:
        """Says that what is to be remembered is not worked on; empty when it is."""
        overdue_s = self.memory_overdue_s
        return f"work has been due for {duration(overdue_s)}" if overdue_s > OVERDUE_S else ""

    @property
    def memory_overdue_s(self) -> float:
        """For how long the oldest work on memory could have been tried."""
        backlog = self.seen.backlog
        if backlog is None or backlog.oldest_due_at is None:
            return 0.0
        return max(0.0, (self._parts.clock.now() - backlog.oldest_due_at).total_seconds())

    @property
    def _age_s(self) -> float:
        return self._parts.clock.monotonic() - self._seen.at_s

    async def _look_at_disk(self) -> DiskState | None:
        if self._parts.disk is None:
            return None
        try:
            return await self._in_time(self._parts.disk.look())
        except TimeoutError:
            return DiskState(free_bytes=0, trouble=f"no answer within {LIMIT_S:g} s")

    async def _ask_store(self) -> tuple[Backlog | None, str]:
        """Ask the store for what waits, and whether it writes again if it did not."""
        store, clock = self._parts.store, self._parts.clock
        try:
            if self._parts.store_watch.trouble:
                now = clock.now()
                await self._in_time(store.claim_slot(PROBE, now, at=now))
            return await self._in_time(store.backlog()), ""
        except StoreError as error:
            return None, str(error)
        except TimeoutError:
            return None, f"no answer within {LIMIT_S:g} s"

    async def _ask_index(self) -> int | None:
        """Ask how far the index is; whether it can be searched is told by who searches it."""
        if self._parts.index_lag is None:
            return None
        try:
            return await self._in_time(self._parts.index_lag())
        except (SearchUnavailable, StoreError, TimeoutError):
            return None

    async def _in_time(self, answer: Coroutine[object, object, Answer]) -> Answer:
        """Wait for an answer, but not for ever.

        Raises:
            TimeoutError: There was none in time.
        """
        return await within(self._parts.clock, LIMIT_S, answer)
