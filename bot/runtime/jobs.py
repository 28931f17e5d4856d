"""What is done by the calendar: each moment once, by one process, however many there are."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from datetime import datetime, tzinfo

from bot.core.schedule import due
from bot.errors import StoreError
from bot.ports import Calendar, Clock, JobSlots, Timer
from bot.runtime.job_book import JobBook
from bot.runtime.supervisor import Spawn

logger = logging.getLogger(__name__)

STORE_RETRY_S = 60.0

BROKEN = "it broke; the log says how at task.failed"

LONGEST_SLEEP_S = 3_600.0
"""So often a clock is looked at, which somebody may set."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ClockTimer:
    """A :class:`~bot.ports.Timer` that sleeps by a clock, however that one goes."""

    clock: Clock

    async def wait_until(self, moment: datetime) -> None:
        """Sleep until a moment."""
        while (left_s := (moment - self.clock.now()).total_seconds()) > 0:
            await self.clock.sleep(min(left_s, LONGEST_SLEEP_S))

    async def close(self) -> None:
        """Do nothing: nothing is held."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Job:
    """A piece of work and the cron expression of its moments, in the bot's time zone.

    The work looks at what is there to be done, not at the moment that it is done for: so it may be
    late, and it may be repeated.
    """

    name: str
    schedule: str
    work: Callable[[], Awaitable[None]]


@dataclass(frozen=True, slots=True, kw_only=True)
class JobParts:
    """What jobs are run by; ``book`` is told how each goes."""

    slots: JobSlots
    calendar: Calendar
    timer: Timer
    clock: Clock
    zone: tzinfo
    spawn: Spawn
    book: JobBook


async def run_job(job: Job, parts: JobParts) -> None:
    """Do a job at each of its moments, for ever; those that were missed are made up for once.

    While the store fails it is tried again; what nobody foresaw is logged, and waits for the next
    moment.
    """
    while True:
        now = parts.clock.now()
        following = parts.calendar.next_after(job.schedule, now, parts.zone)
        try:
            slot = await _claim(job, parts, now)
        except StoreError as error:
            await _put_off(job, parts, error)
            continue
        if slot is not None:
            # A task of its own, so that what breaks it ends at the supervisor, with a traceback.
            await asyncio.wait({parts.spawn(f"job {job.name}", _carry_out(job, parts, slot))})
        else:
            parts.book.end(job.name)
        if parts.clock.now() < now:
            continue  # it was set back meanwhile: what comes next is asked of it anew
        parts.book.wait(job.name, following)
        await parts.timer.wait_until(following)


async def _claim(job: Job, parts: JobParts, now: datetime) -> datetime | None:
    """Take the moment that is due, if any is and nobody else took it."""
    newest = parts.calendar.last_until(job.schedule, now, parts.zone)
    claimed = await parts.slots.last_slot(job.name)
    slot = due(newest, claimed, now)
    if claimed is None:  # its moments count from now on
        await parts.slots.claim_slot(job.name, newest, at=now)
    if slot is None or not await parts.slots.claim_slot(job.name, slot, at=now):
        return None
    return slot


async def _carry_out(job: Job, parts: JobParts, slot: datetime) -> None:
    parts.book.begin(job.name)
    while True:
        try:
            await job.work()
        except StoreError as error:
            await _put_off(job, parts, error)
        except Exception:
            parts.book.fail(job.name, BROKEN)
            raise
        else:
            parts.book.end(job.name)
            logger.info("job.done", extra={"job": job.name, "slot": slot.isoformat()})
            return


async def _put_off(job: Job, parts: JobParts, error: StoreError) -> None:
    about = {"job": job.name, "why": str(error), "retry_in_s": STORE_RETRY_S}
    logger.warning("job.put_off", extra=about)
    parts.book.fail(job.name, str(error))
    await parts.clock.sleep(STORE_RETRY_S)
