"""The polling loop: fetch, store, and only then confirm by fetching what comes next.

The SDK's own loop confirms updates before they are handled, and spins without a pause on one that
it cannot parse. Here an update is parsed by itself, set aside if that fails, and the whole batch
is in the inbox before its offset is used.
"""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING

from telegram.error import Conflict, TelegramError

from bot.api import ChannelAuthError, Clock, Inbox
from channels.telegram.failures import failure_of
from channels.telegram.inbound import BotIdentity
from channels.telegram.intake import Intake, identity_of, next_offset
from channels.telegram.outage import Outage

if TYPE_CHECKING:
    from channels.telegram.client import Client
    from channels.telegram.first_look import FirstLook

logger = logging.getLogger(__name__)

POLL_S = 15
"""How long Telegram keeps a poll open while nothing happens: so often at least it shows that it is
there (:data:`~channels.telegram.outage.AGAIN_IN_S`)."""


class Receiver:
    """Brings one bot's updates into the inbox."""

    def __init__(self, client: Client, intake: Intake, inbox: Inbox, clock: Clock) -> None:
        self._client = client
        self._intake = intake
        self._outage = Outage(clock, inbox)
        self._repeats = 0

    async def run(self, offset: int | None, look: FirstLook | None) -> None:
        """Receive for ever, beginning with what a first look saw.

        Raises:
            ChannelAuthError: The token is refused.
        """
        identity = None if look is None else identity_of(look.me)
        if look is not None and identity is not None:
            offset = await self._take(look.updates, identity, offset)
        is_receiving = look is not None
        while True:
            try:
                identity = identity or await self._client.identity()
                # After an outage the first poll does not wait: it shows that all is well again.
                updates = await self._client.updates(offset, POLL_S if is_receiving else 0)
            except TelegramError as error:
                is_receiving = False
                await self._wait_after(error)
                continue
            is_receiving = True
            if self._repeats <= 1:
                self._outage.end()
            offset = await self._take(updates, identity, offset)

    async def _wait_after(self, error: TelegramError) -> None:
        failure = failure_of(error, is_repeatable=True)
        if isinstance(failure, ChannelAuthError):
            raise failure from error
        event = "telegram.unreachable"
        if isinstance(error, Conflict):
            event = "telegram.conflict"
            if "webhook" in error.message.lower():
                await self._remove_webhook()
        await self._outage.wait(event, str(failure), at_least_s=failure.retry_after_s or 0.0)

    async def _remove_webhook(self) -> None:
        """Make way for polling, which a webhook of former days forbids; nothing waiting is lost."""
        try:
            await self._client.delete_webhook()
        except TelegramError as error:
            reason = str(failure_of(error, is_repeatable=True))
            logger.warning("telegram.webhook_stays", extra={"reason": reason})
        else:
            logger.warning("telegram.webhook_removed")

    async def _take(
        self, updates: list[object], identity: BotIdentity, offset: int | None
    ) -> int | None:
        """Store a batch; give the offset behind it."""
        after = next_offset(updates, offset)
        await self._intake.take(updates, identity, after)
        await self._slow_down_if(is_stuck=bool(updates) and after == offset)
        return after

    async def _slow_down_if(self, *, is_stuck: bool) -> None:
        """Keep a server that sends the same batch for ever from making the loop spin."""
        if not is_stuck:
            if self._repeats > 1:
                self._outage.end()
            self._repeats = 0
            return
        self._repeats += 1
        if self._repeats > 1:  # once is a redelivery
            await self._outage.wait("telegram.stuck", "the same updates come again and again")
