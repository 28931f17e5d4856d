"""One stored reply on its way to the platform, from the first call to its receipt.

Theory of operation::

    pending ──> sending ──call──> sent            there is a receipt
                  │ │
                  │ ├── surely not arrived ──> pending, and again after a pause
                  │ └── refused for good ────> failed     (an edit: sent as a message of its own)
                  │
                  └── fate unknown, also after a crash:
                        an edit ─────────────> again: twice the same edit shows nothing twice
                        the platform is asked  there: finished by an edit   not there: again
                        it cannot be asked ──> again once, with a mark; then failed

As long as a copy may have arrived, an item stays ``sending`` in the store: a process that takes
over must ask, or mark, in its turn.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Literal

from bot.core.chat import Receipt
from bot.core.lifecycle import OutboxItem
from bot.core.retry import RetryPolicy, delay_before
from bot.errors import ChannelError, DeliveryError, FateUnknown
from bot.ports import Channel, Clock, Lifecycle
from bot.runtime.activity import Activity
from bot.runtime.delivery.marks import Marks
from bot.runtime.delivery.pacing import Pacer
from bot.runtime.supervisor import Spawn

logger = logging.getLogger(__name__)

REPEATED = "\n\n*(Sent again: whether the first copy arrived is not known.)*"

UNKNOWN_FATE = "whether it arrived is not known"
"""How the reason of a failed item begins of which a copy may stand in the chat."""

LOOKUP_RETRY = RetryPolicy(attempts=10, base_s=2.0, factor=2.0, cap_s=30.0)
"""A platform that cannot say for minutes whether a reply arrived gets a marked repeat; if that does
not arrive either, it is asked again before the next."""


@dataclass(frozen=True, slots=True, kw_only=True)
class DeliveryParts:
    """What delivery works with; ``jitter`` gives numbers in [0, 1)."""

    channels: Mapping[str, Channel]
    lifecycle: Lifecycle
    clock: Clock
    activity: Activity
    spawn: Spawn
    policy: RetryPolicy
    jitter: Callable[[], float]


@dataclass(frozen=True, slots=True, kw_only=True)
class Delivered:
    """How a delivery ended; ``kept`` is left to a later process, with a better token say."""

    state: Literal["sent", "failed", "kept"]
    reason: str = ""


@dataclass(slots=True)
class _Trip:
    """One item while it is being delivered.

    Attributes:
        is_in_doubt: A copy may stand in the chat.
        is_marked: The newest attempt said that it is a repeat.
        refused: What cannot be edited.
        failures: Attempts that failed; one that the platform put off is none.
    """

    item: OutboxItem
    is_in_doubt: bool
    is_marked: bool = False
    refused: Receipt | None = None
    failures: int = 0


class Courier:
    """Delivers items one by one; the caller holds the chat's slot."""

    def __init__(self, parts: DeliveryParts, marks: Marks, pacer: Pacer) -> None:
        self._parts = parts
        self._marks = marks
        self._pacer = pacer

    async def deliver(self, item: OutboxItem) -> Delivered:
        """Try until the item is sent, is refused for good, or cannot be sent by this process."""
        channel = self._parts.channels.get(item.reply.address.channel)
        if channel is None:
            logger.warning("delivery.no_channel", extra=_about(item))
            return Delivered(state="kept")
        trip = _Trip(item=item, is_in_doubt=item.state == "sending")
        while True:
            try:
                receipt = await self._attempt(channel, trip)
            except DeliveryError as error:
                wait_s = await self._after(trip, error)
                if wait_s is None:
                    return await self._give_up(trip, error)
                await self._rest(trip.item, wait_s)
            except ChannelError as error:  # the token is refused: kept for a better one
                logger.warning("delivery.postponed", extra={**_about(item), "why": str(error)})
                if not trip.is_in_doubt:
                    await self._marks.pending(item.id)
                return Delivered(state="kept")
            else:
                await self._marks.sent(item.id, receipt)
                return Delivered(state="sent")

    async def _attempt(self, channel: Channel, trip: _Trip) -> Receipt:
        """Bring the item into the chat once: by a message, or by an edit of one that is there."""
        trip.is_marked = False
        if trip.is_in_doubt and trip.item.replaces is None:
            found = await self._find(channel, trip)
            if found is None or found == trip.refused:
                trip.is_marked = trip.is_in_doubt
            elif channel.capabilities.can_edit:  # it may be the preview that the item began as
                trip.item = replace(trip.item, replaces=found)
            else:
                return found
        await self._marks.sending(trip.item.id)
        reply, target = trip.item.reply, trip.item.replaces
        if target is not None:
            await channel.edit(target, reply)
            return target
        return await channel.send(
            replace(reply, text=reply.text + REPEATED) if trip.is_marked else reply
        )

    async def _find(self, channel: Channel, trip: _Trip) -> Receipt | None:
        """Ask for the copy that may have arrived; what surely did not is no longer in doubt."""
        failures = 0
        while channel.capabilities.finds_sent:
            try:
                receipt = await channel.find_sent(trip.item.reply)
            except DeliveryError as error:
                failures += 1
                wait_s = delay_before(
                    LOOKUP_RETRY, failures, error.retry_after_s, self._parts.jitter()
                )
                about = {**_about(trip.item), "why": str(error), "retry_in_s": wait_s}
                logger.warning("delivery.lookup_failed", extra=about)
                if not error.can_retry or wait_s is None:
                    return None
                await self._rest(trip.item, wait_s)
            else:
                trip.is_in_doubt = receipt is not None
                return receipt
        return None

    async def _after(self, trip: _Trip, error: DeliveryError) -> float | None:
        """Decide on a failed attempt: after how long the next one is made, None when never."""
        is_edit = trip.item.replaces is not None
        if is_edit and not error.can_retry:  # the preview is gone: the answer must not go with it
            logger.warning("delivery.edit_refused", extra={**_about(trip.item), "why": str(error)})
            trip.item, trip.refused = replace(trip.item, replaces=None), trip.item.replaces
            return 0.0
        if isinstance(error, FateUnknown) and not is_edit:
            trip.is_in_doubt = True
            if trip.is_marked:
                return None
        if error.retry_after_s is None:
            trip.failures += 1
        wait_s = delay_before(
            self._parts.policy, max(1, trip.failures), error.retry_after_s, self._parts.jitter()
        )
        if not error.can_retry or wait_s is None:
            return None
        logger.warning(
            "delivery.retried",
            extra={**_about(trip.item), "why": str(error), "retry_in_s": wait_s},
        )
        if not trip.is_in_doubt:
            await self._marks.pending(trip.item.id)
        return wait_s

    async def _give_up(self, trip: _Trip, error: DeliveryError) -> Delivered:
        reason = f"{UNKNOWN_FATE} ({str(error).rstrip('.')})" if trip.is_in_doubt else str(error)
        logger.error("delivery.failed", extra={**_about(trip.item), "why": reason})
        await self._marks.failed(trip.item.id, reason)
        return Delivered(state="failed", reason=reason)

    async def _rest(self, item: OutboxItem, seconds: float) -> None:
        """Leave the whole chat alone for a while."""
        address = item.reply.address
        if seconds > 0:
            self._pacer.pause(address, seconds)
        await self._pacer.rested(address)


def _about(item: OutboxItem) -> dict[str, object]:
    return {"session": item.reply.address.session_key, "outbox": item.id}
