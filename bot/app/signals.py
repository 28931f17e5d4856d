"""Being told to end by the system: SIGTERM, SIGINT, and an end that comes in any case."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import os
import signal
import threading
from collections.abc import Callable

logger = logging.getLogger(__name__)

CLOSING_S = 2.0
"""How long closing may take when nothing is waited for."""


class StopSignals:
    """The first signal asks to end, the second to end at once.

    Where neither helps, because a tool blocks the loop or a thread hangs in a name look-up, the
    process is ended once its time is over. That is no worse than ``kill -9``, which loses nothing;
    so the exit code is 0 here too.
    """

    def __init__(self, deadline_s: float) -> None:
        self._deadline_s = deadline_s
        self._stop: Callable[[], object] = lambda: None
        self._was_heard = False

    def listen(self) -> None:
        """Hear signals from now on; until :meth:`aim` they cancel the calling task."""
        task, loop = asyncio.current_task(), asyncio.get_running_loop()
        assert task is not None
        self._stop = task.cancel

        def hear(number: int, frame: object) -> None:
            self._start_last_resort()
            with contextlib.suppress(RuntimeError):  # the loop is closed: it is ending
                loop.call_soon_threadsafe(lambda: self._stop())

        # Not the loop's own handlers: they are deaf while something blocks the loop.
        for name in (signal.SIGTERM, signal.SIGINT):
            signal.signal(name, hear)

    def aim(self, stop: Callable[[], object]) -> None:
        """Call ``stop`` at every signal from now on."""
        self._stop = stop

    def _start_last_resort(self) -> None:
        limit_s = CLOSING_S if self._was_heard else max(self._deadline_s, CLOSING_S)
        self._was_heard = True
        last_resort = threading.Timer(limit_s, _end)
        last_resort.daemon = True
        last_resort.start()


def _end() -> None:
    logger.warning("shutdown.forced")
    os._exit(0)
