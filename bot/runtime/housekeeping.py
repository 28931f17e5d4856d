"""What is done once a day so that the store does not grow for ever."""

from __future__ import annotations

import logging
from datetime import timedelta

from bot.errors import StoreError
from bot.ports import Clock, Lifecycle

logger = logging.getLogger(__name__)

REDELIVERY_KNOWN_FOR = timedelta(days=30)
"""How long the same event brought again is known to be the same."""

EVERY_S = 24 * 3600.0


async def keep_house(lifecycle: Lifecycle, clock: Clock) -> None:
    """Remove what nobody needs any more, at once and then daily, for ever."""
    while True:
        try:
            removed = await lifecycle.prune(clock.now() - REDELIVERY_KNOWN_FOR)
        except StoreError as error:
            logger.warning("store.not_pruned", extra={"why": str(error)})
        else:
            logger.info("store.pruned", extra={"rows": removed})
        await clock.sleep(EVERY_S)
