"""Writing down what must not be forgotten, however long the store fails."""

from __future__ import annotations

import logging
from collections.abc import Awaitable, Callable
from typing import TypeVar

from bot.errors import StoreError, StoreLost, StoreUnreadable
from bot.ports import Clock

logger = logging.getLogger(__name__)

Result = TypeVar("Result")

STORE_RETRY_S = 5.0
"""How long to wait for a store that failed before it is asked again."""


async def until_stored(clock: Clock, what: str, write: Callable[[], Awaitable[Result]]) -> Result:
    """Call ``write`` until the store has taken it, and give its answer.

    For what has happened already: giving up would lose it, and the caller has nothing else to do.
    ``what`` names it for the log.

    Raises:
        StoreLost: It will never be written down.
        StoreUnreadable: It stands behind something damaged, so that asking again is in vain.
    """
    while True:
        try:
            return await write()
        except (StoreLost, StoreUnreadable):
            raise
        except StoreError as error:
            logger.error("store.failed", extra={"what": what, "why": str(error)})  # noqa: TRY400 - a failing disk would fill the log with tracebacks
        await clock.sleep(STORE_RETRY_S)
