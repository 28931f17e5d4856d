"""APScheduler as a bare timer: what is to be done, and whether it was, others know."""

from __future__ import annotations

import asyncio
import importlib
from datetime import UTC, datetime, timedelta
from typing import Protocol

LONGEST_SLEEP = timedelta(minutes=1)
"""So often it looks at the clock, which somebody may set, or which goes on while the machine, and
with it whatever counts seconds, is asleep: then nobody is told of it later than that."""


class _Job(Protocol):
    id: str


class _Scheduler(Protocol):
    """The little that is used of ``AsyncIOScheduler``, which has no types of its own."""

    def start(self) -> None: ...
    def add_job(
        self,
        func: object,
        trigger: object,
        *,
        args: tuple[object, ...],
        misfire_grace_time: None,
    ) -> _Job: ...
    def get_job(self, job_id: str) -> _Job | None: ...
    def remove_job(self, job_id: str) -> None: ...
    def shutdown(self, wait: bool) -> None: ...


class SchedulerTimer:
    """A :class:`~bot.ports.Timer` by the system's clock.

    The scheduler is loaded when the first moment is waited for, in a thread of its own: the bot is
    just beginning to receive.
    """

    def __init__(self) -> None:
        self._scheduler: _Scheduler | None = None

    async def wait_until(self, moment: datetime) -> None:
        """Wait until the clock shows a moment; returns at once for one that is past."""
        while (now := datetime.now(UTC)) < moment:
            await self._sleep_until(min(moment, now + LONGEST_SLEEP))

    async def close(self) -> None:
        """Let go of everything that is waited for."""
        if self._scheduler is not None:
            self._scheduler.shutdown(wait=False)
            self._scheduler = None
            await asyncio.sleep(0)  # it does so at the loop's next turn

    async def _sleep_until(self, moment: datetime) -> None:
        await asyncio.to_thread(importlib.import_module, "apscheduler.schedulers.asyncio")
        from apscheduler.triggers.date import (  # type: ignore[import-untyped]  # ships none
            DateTrigger,
        )

        reached = asyncio.Event()
        scheduler = self._started()
        # With a zone of its own it does not look for the machine's, which may have none.
        trigger = DateTrigger(run_date=moment, timezone=UTC)
        job = scheduler.add_job(_reach, trigger, args=(reached,), misfire_grace_time=None)
        try:
            await reached.wait()
        finally:
            if scheduler.get_job(job.id) is not None:
                scheduler.remove_job(job.id)

    def _started(self) -> _Scheduler:
        if self._scheduler is None:
            from apscheduler.schedulers.asyncio import (  # type: ignore[import-untyped]  # ships none
                AsyncIOScheduler,
            )

            scheduler: _Scheduler = AsyncIOScheduler(timezone=UTC)
            scheduler.start()
            self._scheduler = scheduler
        return self._scheduler


async def _reach(reached: asyncio.Event) -> None:
    reached.set()
