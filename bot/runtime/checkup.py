"""What has to be asked to know how the bot is: does the store answer, does the disk take anything?

The law of this file: it asks when a monitor does, and writes nothing into the database while all is
well there. A question takes the database's lock for writing as everything does, and the disk is
tried by a file of its own; only after a write has failed is one made, to see whether that is over.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Protocol, TypeVar

from bot.core.backlog import Backlog
from bot.errors import SearchUnavailable, StoreError
from bot.languages import gettext
from bot.ports import Backlogs, Clock, Disk, DiskState, JobSlots
from bot.runtime.durations import duration
from bot.runtime.health import StoreWatch
from bot.runtime.waiting import within

LIMIT_S = 5.0
"""How long all questions to one part may take: a disk that hangs must not hang whoever asks about
it. Who asks the bot waits longer than that, so that they hear of it."""

FRESH_S = 1.0
"""For so long an answer serves everybody who asks."""

VALID_S = 60.0
"""What was seen longer ago says nothing of now."""

PROBE = "health"
"""The name under which a write is tried, among those of jobs."""

LEAST_FREE_BYTES = 100 * 1024 * 1024
"""Below this nothing is sure to be written: a database that tidies up needs its own size again."""

OVERDUE_S = 3_600.0
"""Memory is worked on two chats at a time, so that after midnight some wait for the others."""

Answer = TypeVar("Answer")


class CheckedStore(Backlogs, JobSlots, Protocol):
    """What the store is asked with; of :class:`~bot.ports.Reminders` one thing."""

    async def next_reminder_at(self, channels: frozenset[str]) -> datetime | None:
        """Say when the first one is due."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckupParts:
    """What is asked.

    Attributes:
        channels: Those whose reminders are told.
        disk: None where there is none.
        index_lag: Counts the changes that the search index lacks; None where there is no index.
    """

    store: CheckedStore
    store_watch: StoreWatch
    clock: Clock
    channels: frozenset[str] = frozenset()
    disk: Disk | None = None
    index_lag: Callable[[], Coroutine[object, object, int]] | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Seen:
    """What was seen at ``at_s``; None of what could not be asked.

    ``reminder_at`` is when the first reminder is due, or was; None also where there is none.
    """

    at_s: float = float("-inf")
    store_trouble: str = ""
    disk: DiskState | None = None
    backlog: Backlog | None = None
    reminder_at: datetime | None = None
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
                disk, asked, lag = await asyncio.gather(
                    self._look_at_disk(), self._ask_store(), self._ask_index()
                )
                at_s = self._parts.clock.monotonic()
                self._seen = replace(asked, at_s=at_s, disk=disk, index_lag=lag)

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
        is_full = disk.free_bytes < LEAST_FREE_BYTES
        return gettext("only {count} MiB are free", count=disk.free_bytes >> 20) if is_full else ""

    @property
    def memory_trouble(self) -> str:
        """Says that what is to be remembered is not worked on; empty when it is."""
        overdue_s = self.memory_overdue_s
        if overdue_s <= OVERDUE_S:
            return ""
        return gettext("work has been due for {duration}", duration=duration(overdue_s))

    @property
    def memory_overdue_s(self) -> float:
        """For how long the oldest work on memory could have been tried."""
        backlog = self.seen.backlog
        return 0.0 if backlog is None else self._late_s(backlog.oldest_due_at)

    @property
    def reminder_overdue_s(self) -> float:
        """How late the most overdue reminder is."""
        return self._late_s(self.seen.reminder_at)

    def _late_s(self, due_at: datetime | None) -> float:
        if due_at is None:
            return 0.0
        return max(0.0, (self._parts.clock.now() - due_at).total_seconds())

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

    async def _ask_store(self) -> Seen:
        """Ask the store for what waits, and whether it writes again if it did not."""
        try:
            return await self._in_time(self._see_store())
        except StoreError as error:
            return Seen(store_trouble=str(error))
        except TimeoutError:
            return Seen(store_trouble=f"no answer within {LIMIT_S:g} s")

    async def _see_store(self) -> Seen:
        store = self._parts.store
        if self._parts.store_watch.trouble:
            now = self._parts.clock.now()
            await store.claim_slot(PROBE, now, at=now)
        backlog = await store.backlog()
        reminder_at = await store.next_reminder_at(self._parts.channels)
        return Seen(backlog=backlog, reminder_at=reminder_at)

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
