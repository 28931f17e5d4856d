"""Ends of calls of the model that the store has not taken yet.

Until it has, the row of such a call says what was estimated before it was made. The law of this
file: an end is handed over again and again, and given up by nothing but the end of the process.
"""

from __future__ import annotations

import asyncio
import logging
from dataclasses import dataclass

from bot.core.lifecycle import CallId, ModelCall
from bot.errors import StoreError
from bot.ports import UsageLog

logger = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True, kw_only=True)
class Owed:
    """An end that is owed to the store.

    Attributes:
        kept: What the call's row says until then.
        took: What it is to say; None for no row at all.
    """

    call_id: CallId
    kept: ModelCall
    took: ModelCall | None = None


class Arrears:
    """What is owed to the store.

    Attributes:
        owed: All of it, by call.
        pending: Is set as long as anything is.
    """

    def __init__(self, usage: UsageLog) -> None:
        self._usage = usage
        self.owed: dict[CallId, Owed] = {}
        self.pending = asyncio.Event()

    def note(self, owed: Owed) -> None:
        """Owe an end from now on."""
        self.owed[owed.call_id] = owed
        self.pending.set()

    async def hand_over(self, owed: Owed) -> None:
        """Tell the store of an end, and owe it what it does not take."""
        if why := await self._tell(owed):
            self.note(owed)
            self._complain(why)

    async def pay(self) -> None:
        """Hand over all of it side by side, as one transaction; what fails is still owed.

        Pay once at a time: by the second time that an end without a row is handed over, its id may
        be that of another call.
        """
        failures = await asyncio.gather(*map(self._tell, tuple(self.owed.values())))
        if why := next(filter(None, failures), ""):
            self._complain(why)
        if not self.owed:
            self.pending.clear()

    async def _tell(self, owed: Owed) -> str:
        """Tell the store; say why it did not take it, or nothing."""
        try:
            await self._usage.end_call(owed.call_id, owed.took)
        except StoreError as error:
            return str(error) or repr(error)
        self.owed.pop(owed.call_id, None)
        return ""

    def _complain(self, why: str) -> None:
        logger.warning("spending.not_recorded", extra={"calls": len(self.owed), "why": why})
