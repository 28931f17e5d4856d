"""Owner of every background task: one task group, and one place where their failures end."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Coroutine
from types import TracebackType
from typing import Protocol

from bot.languages import speaking

logger = logging.getLogger(__name__)


class Spawn(Protocol):
    """Starts work beside the caller; the task is named for the log and ends with the process."""

    def __call__(self, name: str, work: Coroutine[object, object, None]) -> asyncio.Task[None]:
        """Start ``work``."""
        ...


class Supervisor:
    """An ``async with`` block outside of which no task of the bot is alive.

    Work that fails is logged and ends alone: a broken preview stops no delivery. ``on_failure`` is
    told of it.
    """

    def __init__(self, on_failure: Callable[[Exception], None] = lambda error: None) -> None:
        self._on_failure = on_failure
        self._group = asyncio.TaskGroup()
        self._tasks: dict[asyncio.Task[None], None] = {}

    async def __aenter__(self) -> Supervisor:
        await self._group.__aenter__()
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self.cancel_all()
        if isinstance(error, asyncio.CancelledError):
            await self._group.__aexit__(kind, error, traceback)
        else:  # told of an error, the group would wrap it; so it comes out as it is
            await self._group.__aexit__(None, None, None)

    def spawn(self, name: str, work: Coroutine[object, object, None]) -> asyncio.Task[None]:
        """Start work beside the caller."""
        with speaking("en"):  # not that of whoever happens to be answered where it begins
            task = self._group.create_task(self._guarded(name, work), name=name)
        self._tasks[task] = None
        task.add_done_callback(self._tasks.pop)
        task.add_done_callback(lambda _: work.close())  # never begun, if cancelled at once
        return task

    def cancel_all(self) -> None:
        """Tell all work to stop, the oldest first; leaving the block waits for it."""
        for task in tuple(self._tasks):
            task.cancel()

    async def _guarded(self, name: str, work: Coroutine[object, object, None]) -> None:
        try:
            await work
        except Exception as error:  # border: one background job
            logger.exception("task.failed", extra={"task": name})
            self._on_failure(error)
