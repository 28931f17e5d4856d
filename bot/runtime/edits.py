"""Messages that were changed or taken back: whether that concerns the bot, and what follows it."""

from __future__ import annotations

import logging
from collections.abc import Callable
from dataclasses import dataclass

from bot.core.chat import InboundDeletion, InboundEdit
from bot.core.lifecycle import Received, address_of
from bot.ports import Clock
from bot.runtime.housekeeping import REDELIVERY_KNOWN_FOR
from bot.runtime.lanes import Lanes
from bot.runtime.listening import Listener

logger = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True, kw_only=True)
class Edits:
    """Follows changes of messages; what they mean, the store decides as it takes them in.

    Attributes:
        wake_memory: Says that something waits to be remembered.
    """

    listener: Listener
    lanes: Lanes
    clock: Clock
    wake_memory: Callable[[], None]

    def received(self, change: InboundEdit | InboundDeletion) -> Received | None:
        """Say how a change goes on; None when it is of somebody who is not let in, or a command.

        Whoever may not talk any more may still take back what they said.
        """
        if isinstance(change, InboundDeletion):
            return Received(inbound=change, route="none")
        route = self.listener.hear_change(change.message)
        if route is None:
            return None
        return Received(inbound=change, route="none" if self._is_old(change) else route)

    def follow(self, change: InboundEdit | InboundDeletion) -> None:
        """See to what a change brought about: a new message, another view of the chat, memory."""
        session_key = address_of(change).session_key
        kind = "edit" if isinstance(change, InboundEdit) else "deletion"
        logger.info("message.changed", extra={"session": session_key, "kind": kind})
        self.lanes.see_change(session_key)
        self.wake_memory()

    def _is_old(self, edit: InboundEdit) -> bool:
        """Say whether the message may have been answered so long ago that nobody knows it."""
        return self.clock.now() - edit.message.sent_at >= REDELIVERY_KNOWN_FOR
