"""Work that is to go on for as long as the bot runs: begun again when it breaks off, and watched.

The law of this file: such work has no good end. Whether it raises, returns, or is cancelled by
somebody who did not mean to end the bot, it is begun again after a while, and whoever watches the
bot is told.
"""

from __future__ import annotations

import asyncio
import logging
from collections import deque
from collections.abc import Callable, Coroutine
from dataclasses import dataclass, replace
from typing import Protocol

from bot.core.metrics import WORKER_BREAKS
from bot.languages import gettext
from bot.languages.rows import in_commas
from bot.ports import Clock
from bot.runtime.durations import duration
from bot.runtime.metrics import Metrics
from bot.runtime.supervisor import Spawn

logger = logging.getLogger(__name__)

FIRST_PAUSE_S = 1.0
LONGEST_PAUSE_S = 60.0
GROWTH = 2.0

MOST_BREAKS = 3
"""Work that broke off so often within :data:`LATELY_S` is not well, up again or not."""

LATELY_S = 3_600.0

Work = Callable[[], Coroutine[object, object, None]]
"""Begins the work; called again whenever it broke off, so it goes on from wherever it is."""


class Keep(Protocol):
    """Begins work that is to go on for ever; the worker is named for the log and for monitors."""

    def __call__(self, name: str, work: Work) -> asyncio.Task[None]:
        """Begin ``work``, and begin it again whenever it breaks off."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class WorkerState:
    """How a worker is doing; ``broke_s`` has when it broke off, of late, by the clock's seconds."""

    is_up: bool = True
    broke_s: tuple[float, ...] = ()


class WorkerBook:
    """The state of every worker."""

    def __init__(self, clock: Clock, metrics: Metrics) -> None:
        self._clock = clock
        self._metrics = metrics
        self._states: dict[str, WorkerState] = {}

    def begin(self, name: str) -> None:
        """Note that a worker is at work."""
        self._states[name] = replace(self._states.get(name, WorkerState()), is_up=True)

    def end(self, name: str) -> None:
        """Note that a worker broke off; of one that is not at work nothing more is noted."""
        state = self._states.get(name, WorkerState())
        if state.is_up:
            broke_s = deque((*state.broke_s, self._clock.monotonic()), maxlen=MOST_BREAKS)
            self._states[name] = WorkerState(is_up=False, broke_s=tuple(broke_s))
            self._metrics.count(WORKER_BREAKS, name)

    @property
    def up(self) -> dict[str, bool]:
        """Say of each worker whether it is at work."""
        return {name: state.is_up for name, state in self._states.items()}

    @property
    def trouble(self) -> str:
        """Which workers are not at work, or were not again and again; empty for none."""
        troubles = tuple(filter(None, map(self._trouble_of, self._states)))
        if not troubles:
            return ""
        workers = in_commas(troubles)
        return gettext("{workers}; the log says how at task.failed", workers=workers)

    def _trouble_of(self, name: str) -> str:
        state, now_s = self._states[name], self._clock.monotonic()
        if not state.is_up:
            ago = duration(now_s - state.broke_s[-1])
            return gettext("{worker} broke off {duration} ago", worker=name, duration=ago)
        if len(state.broke_s) == MOST_BREAKS and now_s - state.broke_s[0] <= LATELY_S:
            within = duration(now_s - state.broke_s[0])
            return gettext(
                "{worker} broke off {count} times within {duration}",
                worker=name,
                count=MOST_BREAKS,
                duration=within,
            )
        return ""


class Workers:
    """Keeps workers at work; fills :class:`Keep` with :meth:`keep`.

    Attributes:
        spawn: Starts work that has an end.
    """

    def __init__(self, spawn: Spawn, clock: Clock, book: WorkerBook) -> None:
        self.spawn = spawn
        self._clock = clock
        self._book = book

    def keep(self, name: str, work: Work) -> asyncio.Task[None]:
        """Begin ``work``, and begin it again whenever it breaks off.

        Cancel the task to end it, and the work with it.
        """
        self._book.begin(name)
        task = self.spawn(f"keeping {name}", self._keep(name, work))
        task.add_done_callback(lambda _: self._book.end(name))
        return task

    async def _keep(self, name: str, work: Work) -> None:
        pause_s = FIRST_PAUSE_S
        while True:
            began_s = self._clock.monotonic()
            self._book.begin(name)
            # A task of its own, so that what breaks it ends at the supervisor, with a traceback,
            # and who cancels it does not cancel its keeper.
            task = self.spawn(name, work())
            try:
                await asyncio.wait({task})
            finally:
                # Who ends everything told it, too: a second time would break its tidying up.
                if not task.cancelling():
                    task.cancel()
            self._book.end(name)
            if self._clock.monotonic() - began_s > LONGEST_PAUSE_S:
                pause_s = FIRST_PAUSE_S
            logger.warning("worker.broke_off", extra={"worker": name, "again_in_s": pause_s})
            await self._clock.sleep(pause_s)
            pause_s = min(pause_s * GROWTH, LONGEST_PAUSE_S)
