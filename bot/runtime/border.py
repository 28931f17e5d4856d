"""The border of one inbound message: whatever breaks inside harms nothing outside of it."""

from __future__ import annotations

import logging
from collections.abc import Awaitable
from dataclasses import dataclass
from typing import TypeVar

from bot.errors import StoreError, StoreUnreadable
from bot.ports import Clock

logger = logging.getLogger(__name__)

Result = TypeVar("Result")


@dataclass(frozen=True, slots=True, kw_only=True)
class Incident:
    """A failure nobody foresaw; ``number`` finds it in the log."""

    number: str


async def guarded(
    work: Awaitable[Result], clock: Clock, about: dict[str, object]
) -> Result | Incident:
    """Await ``work``; a failure that nobody foresaw is logged with its traceback.

    Raises:
        StoreError: It passes, for nothing can be promised about a message that cannot be stored;
            not a StoreUnreadable, which no patience mends.
    """
    try:
        return await work
    except StoreError as error:
        if not isinstance(error, StoreUnreadable):
            raise
        number = incident_number(clock)
        logger.exception("message.failed", extra={**about, "incident": number})
    except Exception:  # border: one inbound message
        number = incident_number(clock)
        logger.exception("message.failed", extra={**about, "incident": number})
    return Incident(number=number)


def incident_number(clock: Clock) -> str:
    """Make the number under which the log has what happens now."""
    now = clock.now()
    return f"{now:%Y%m%d-%H%M%S}-{now.microsecond // 1_000:03}"
