"""The worker: takes due jobs, two at a time, and carries what they kept into the daily files."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable

from bot.core.chat import SessionKey
from bot.core.memory.audience import Audience
from bot.core.memory.jobs import MemoryJob
from bot.errors import StoreError
from bot.runtime.remembering.asking import CAPPED
from bot.runtime.remembering.parts import Failure, RememberingParts
from bot.runtime.remembering.work import MemoryWork
from bot.runtime.waiting import either

logger = logging.getLogger(__name__)

MOST_AT_ONCE = 2
"""So many chats are summarised side by side: answers to people come first."""

STORE_RETRY_S = 60.0
LONGEST_WAIT_S = 3_600.0
"""So often it looks at the calendar, which somebody may have set."""

_ENTRIES_AT_ONCE = 50


class Remembering:
    """Works for ever; whatever it was doing when the process ended is begun anew by the next.

    Attributes:
        trouble: Why a memory file could not be written or moved last; empty when they all could.
    """

    def __init__(self, parts: RememberingParts) -> None:
        self._parts = parts
        self._work = MemoryWork(parts)
        self._busy: set[SessionKey] = set()
        self._woken = asyncio.Event()
        self._are_caps_new = True  # the operator may have raised them since the last process
        self._troubles: list[str] = []
        self.trouble = ""

    def wake(self) -> None:
        """Look for work now: something left a window, or a job was asked for."""
        self._woken.set()

    def follow_caps(self) -> None:
        """Look again at what was held back: more may be spent today, or less."""
        self._are_caps_new = True
        self._woken.set()

    async def run(self) -> None:
        """Write what earlier processes left unwritten, then do what is due, for ever."""
        while True:
            self._woken.clear()
            self._troubles.clear()
            pauses_s = (
                await self._spare(self._move_files),
                await self._spare(self._write_files),
                await self._spare(self._start_due),
            )
            self.trouble = next(iter(self._troubles), "")
            waits = [self._parts.clock.sleep(each) for each in pauses_s if each is not None]
            await either(self._woken.wait(), *waits)

    async def _spare(self, work: Callable[[], Awaitable[float | None]]) -> float | None:
        """Do a part of the work, and say after how many seconds it is to be done again."""
        try:
            return await work()
        except StoreError as error:
            logger.warning("memory.store_failed", extra={"why": str(error)})
            return STORE_RETRY_S

    async def _move_files(self) -> float | None:
        """Let files follow chats that were moved; a broken folder holds up no other one."""
        is_broken = False
        for old, new in await self._parts.jobs.moved_audiences():
            about = {"folder": old.folder, "to": new.folder}
            try:
                await self._parts.files.move(old, new)
            except StoreError as error:
                is_broken = True
                self._troubles.append(str(error))
                logger.warning("memory.store_failed", extra=about | {"why": str(error)})
            else:
                await self._parts.jobs.mark_moved(old)
                logger.info("memory.files_moved", extra=about)
        return STORE_RETRY_S if is_broken else None

    async def _write_files(self) -> float | None:
        """Write what waits, all that can be written: a broken folder holds up no other one."""
        broken: set[Audience] = set()
        jobs, after, since = self._parts.jobs, 0, self._parts.files.cleanings
        while entries := await jobs.unwritten(limit=_ENTRIES_AT_ONCE, after=after):
            after = entries[-1].turn_id
            for audience in dict.fromkeys(entry.audience for entry in entries):
                if audience in broken:
                    continue
                of_folder = tuple(entry for entry in entries if entry.audience == audience)
                try:
                    await self._parts.files.append(of_folder, since=since)
                except StoreError as error:
                    broken.add(audience)
                    self._troubles.append(str(error))
                    about = {"why": str(error), "folder": audience.folder}
                    logger.warning("memory.store_failed", extra=about)
                else:
                    await jobs.mark_written(of_folder)
        return STORE_RETRY_S if broken else None

    async def _start_due(self) -> float | None:
        if self._parts.facts is not None:
            await self._parts.facts.ask_to_read()
        now = self._parts.clock.now()
        if self._are_caps_new:
            self._are_caps_new = False  # before waiting: they may change again meanwhile
            await self._parts.jobs.go_on(CAPPED, at=now)
        if len(self._busy) < MOST_AT_ONCE:
            # A busy chat may have a job of each kind in front.
            most = MOST_AT_ONCE + 2 * len(self._busy)
            for job in await self._parts.jobs.due_jobs(now, limit=most):
                if job.session_key not in self._busy and len(self._busy) < MOST_AT_ONCE:
                    self._busy.add(job.session_key)
                    self._parts.spawn("memory", self._carry_out(job))
        if self._busy:
            return None  # woken when one of them ends
        due_at = await self._parts.jobs.next_due()
        if due_at is None:
            return None
        return min(max((due_at - now).total_seconds(), 0.0), LONGEST_WAIT_S)

    async def _carry_out(self, job: MemoryJob) -> None:
        try:
            await self._work.carry_out(job)
        except StoreError as error:
            logger.warning("memory.store_failed", extra={"why": str(error)})
            await self._parts.clock.sleep(STORE_RETRY_S)
        except Exception:  # a fault of ours, told of where the task ends
            await self._work.put_off(job, Failure(reason="broken", is_lasting=True))
            raise
        finally:
            self._busy.discard(job.session_key)
            self._woken.set()
