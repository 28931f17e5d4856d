"""What the application says of itself that tells of a failure nobody foresaw."""

from __future__ import annotations

import asyncio
import logging
import traceback
from collections.abc import Iterator
from contextlib import contextmanager

from bot.testing.simulator.ledger import Ledger
from bot.testing.simulator.world import World

_UNFORESEEN = ("message.failed", "task.failed")


class _Eavesdropper(logging.Handler):
    def __init__(self, world: World, ledger: Ledger) -> None:
        super().__init__(logging.ERROR)
        self._world = world
        self._ledger = ledger

    def emit(self, record: logging.LogRecord) -> None:
        if record.msg not in _UNFORESEEN or not self._world.is_alive:
            return
        error = record.exc_info[1] if record.exc_info else None
        if isinstance(error, TimeoutError):
            return  # a command that a slow disk kept beyond its limit
        where = traceback.extract_tb(error.__traceback__)[-1] if error else None
        place = f" at {where.filename}:{where.lineno}" if where else ""
        self._ledger.fault(f"{record.msg}: {error!r}{place}")


@contextmanager
def overheard(world: World, ledger: Ledger) -> Iterator[None]:
    """Make failures that nobody foresaw, or looks at, faults; keep the log quiet meanwhile."""
    logger, loop = logging.getLogger("bot"), asyncio.get_running_loop()
    level, propagates = logger.level, logger.propagate
    eavesdropper = _Eavesdropper(world, ledger)

    def on_unseen(_: asyncio.AbstractEventLoop, context: dict[str, object]) -> None:
        ledger.fault(f"{context.get('message')}: {context.get('future')!r}")

    loop.set_exception_handler(on_unseen)
    logger.addHandler(eavesdropper)
    logger.setLevel(logging.ERROR)
    logger.propagate = False
    try:
        yield
    finally:
        logger.removeHandler(eavesdropper)
        logger.setLevel(level)
        logger.propagate = propagates
