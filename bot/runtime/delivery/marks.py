"""What becomes of a reply, written down before and after each call of the platform.

A mark that cannot be written is waited for: nothing is sent again because its mark failed, and
nothing is believed to be sent that is not marked.
"""

from __future__ import annotations

from bot.core.chat import Receipt, Reply
from bot.core.lifecycle import OutboxId, OutboxItem
from bot.ports import Clock, Lifecycle
from bot.runtime.storing import until_stored


class Marks:
    """The ``mark_…`` verbs of :class:`bot.ports.Lifecycle`, patient with a store that fails."""

    def __init__(self, lifecycle: Lifecycle, clock: Clock) -> None:
        self._lifecycle = lifecycle
        self._clock = clock

    async def sending(self, item: OutboxId) -> None:
        """Note that the platform is about to be called."""
        now = self._clock.now()
        await until_stored(
            self._clock, "mark_sending", lambda: self._lifecycle.mark_sending(item, at=now)
        )

    async def pending(self, item: OutboxId) -> None:
        """Note that what was being sent did surely not arrive."""
        await until_stored(self._clock, "mark_pending", lambda: self._lifecycle.mark_pending(item))

    async def sent(self, item: OutboxId, receipt: Receipt) -> None:
        """Note that the platform has it."""
        now = self._clock.now()
        await until_stored(
            self._clock, "mark_sent", lambda: self._lifecycle.mark_sent(item, receipt, at=now)
        )

    async def failed(
        self, item: OutboxId, reason: str, notice: Reply | None = None
    ) -> OutboxItem | None:
        """Note that it will not be delivered, and why; give the stored notice about that."""
        now = self._clock.now()
        return await until_stored(
            self._clock,
            "mark_failed",
            lambda: self._lifecycle.mark_failed(item, reason, at=now, notice=notice),
        )
