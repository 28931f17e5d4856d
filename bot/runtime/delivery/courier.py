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
                        it cannot be asked ──> again, with a mark, once the platform answers

What surely did not arrive is only what is not there some time after its call: a request that broke
off may still be on its way. The sign "is typing", which harms nobody, goes ahead of a marked
repeat: while the platform fails, that fails in its place, and the repeat is made, once, when it is
better. One whose own fate is not known is failed and told. A refused token holds the chat until a
better one is found.

As long as a copy may have arrived, an item stays ``sending`` in the store: a process that takes
over must ask, or mark, in its turn.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Literal

from bot.core.chat import ChatAddress, Receipt, Reply
from bot.core.lifecycle import UNKNOWN_FATE, OutboxItem
from bot.core.metrics import FAILURES, RETRIES
from bot.core.retry import RetryPolicy, delay_before
from bot.errors import ChannelError, DeliveryError, FateUnknown
from bot.languages import gettext, gettext_noop, speaking
from bot.ports import Channel, Clock, Lifecycle
from bot.runtime.activity import Activity
from bot.runtime.delivery.marks import Marks
from bot.runtime.delivery.pacing import Pacer
from bot.runtime.metrics import Metrics
from bot.runtime.supervisor import Spawn

logger = logging.getLogger(__name__)

SENT_AGAIN = gettext_noop("(Sent again: whether the first copy arrived is not known.)")
REPEATED = f"\n\n*{SENT_AGAIN}*"
"""How a repeat ends in English."""

LOOKUP_RETRY = RetryPolicy(attempts=10, base_s=2.0, factor=2.0, cap_s=30.0)
"""A platform that cannot say for minutes whether a reply arrived gets a marked repeat; should that
surely not arrive, it is asked again before the next attempt."""

REPEAT_AFTER_S = 2.0
"""How soon at the earliest a reply of unknown fate is repeated: once, since every repeat may be one
more copy. If that one's fate is not known either, the person is told and may ask for it again."""

LANDED_AFTER_S = 35.0
"""How long after its call a reply may still appear: the longest that a channel lets a request
take, and some seconds in which the platform works it off."""

REFUSED_PAUSE_S = 300.0
"""How long a platform that refuses the token is left alone, in sending and in receiving."""


@dataclass(frozen=True, slots=True, kw_only=True)
class DeliveryParts:
    """What delivery works with.

    Attributes:
        jitter: Gives numbers in [0, 1).
    """

    channels: Mapping[str, Channel]
    lifecycle: Lifecycle
    clock: Clock
    activity: Activity
    spawn: Spawn
    policy: RetryPolicy
    jitter: Callable[[], float]
    metrics: Metrics = field(default_factory=Metrics)


@dataclass(frozen=True, slots=True, kw_only=True)
class Delivered:
    """How a delivery ended; ``kept`` is left to a later process that has the channel."""

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
        unknowns: Attempts of unknown fate since it was last sure that there is no copy.
        called_s: When the newest attempt was made, or, by an earlier process, could have been.
    """

    item: OutboxItem
    is_in_doubt: bool
    called_s: float
    is_marked: bool = False
    refused: Receipt | None = None
    failures: int = 0
    unknowns: int = 0


class Courier:
    """Delivers items one by one; the caller holds the chat's slot."""

    def __init__(self, parts: DeliveryParts, marks: Marks, pacer: Pacer) -> None:
        self._parts = parts
        self._marks = marks
        self._pacer = pacer

    async def deliver(self, item: OutboxItem) -> Delivered:
        """Try until the item is sent, is refused for good, or cannot be sent by this process.

        A failure is for the caller to write down.
        """
        channel = self._parts.channels.get(item.reply.address.channel)
        if channel is None:
            logger.warning("delivery.no_channel", extra=_about(item))
            return Delivered(state="kept")
        now_s = self._parts.clock.monotonic()
        trip = _Trip(item=item, is_in_doubt=item.state == "sending", called_s=now_s)
        while True:
            try:
                with speaking(item.reply.language):
                    receipt = await self._attempt(channel, trip)
            except DeliveryError as error:
                self._parts.metrics.count(FAILURES, "delivery", type(error).__name__)
                wait_s = await self._after(trip, error)
                if wait_s is None:
                    return _given_up(trip, error)
                await self._rest(trip.item, wait_s)
            except ChannelError as error:  # the token is refused
                self._parts.metrics.count(FAILURES, "delivery", type(error).__name__)
                logger.warning("delivery.postponed", extra={**_about(item), "why": str(error)})
                if not trip.is_in_doubt:
                    await self._marks.pending(item.id)
                await self._rest(item, REFUSED_PAUSE_S)
            else:
                await self._marks.sent(item.id, receipt)
                if trip.refused is not None and trip.refused == item.replaces:
                    await _take_away(channel, trip.refused, trip.item)
                return Delivered(state="sent")

    async def _attempt(self, channel: Channel, trip: _Trip) -> Receipt:
        """Bring the item into the chat once: by a message, or by an edit of one that is there."""
        trip.is_marked = False
        if trip.is_in_doubt and trip.item.replaces is None:
            found = await self._find(channel, trip)
            if found is None or found == trip.refused:
                trip.is_marked = trip.is_in_doubt
            elif channel.capabilities.can_edit and trip.item.reply.file is None:
                # It may be the preview that the item began as. A file is whole once it is there.
                trip.item = replace(trip.item, replaces=found)
            else:
                return found
        if trip.item.reply.takes_back and trip.item.replaces is None:
            raise DeliveryError("there is nothing to take away", can_retry=False)
        # Waited for ahead of the mark: a process that ends meanwhile has surely sent nothing.
        await channel.ready(trip.item.reply.address)
        if trip.is_marked:
            await _send_ahead(channel, trip.item.reply.address)
        await self._marks.sending(trip.item.id)
        # A sign under way may have been told to rest while a slow store took the mark.
        await self._pacer.rested(trip.item.reply.address)
        trip.called_s = self._parts.clock.monotonic()
        reply, target = trip.item.reply, trip.item.replaces
        if target is not None:
            await channel.edit(target, reply)
            return target
        return await channel.send(_marked(reply) if trip.is_marked else reply)

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
                early_s = trip.called_s + LANDED_AFTER_S - self._parts.clock.monotonic()
                if receipt is None and early_s > 0:
                    await self._rest(trip.item, early_s)
                    continue
                if receipt is None:
                    trip.is_in_doubt, trip.unknowns = False, 0
                return receipt
        return None

    async def _after(self, trip: _Trip, error: DeliveryError) -> float | None:
        """Decide on a failed attempt: after how long the next one is made, None when never."""
        is_edit = trip.item.replaces is not None
        if trip.item.reply.takes_back and not error.can_retry:
            return None
        if is_edit and not error.can_retry:  # the preview is gone: the answer must not go with it
            logger.warning("delivery.edit_refused", extra={**_about(trip.item), "why": str(error)})
            trip.item, trip.refused = replace(trip.item, replaces=None), trip.item.replaces
            return 0.0
        is_unknown = isinstance(error, FateUnknown) and not is_edit
        if is_unknown:
            trip.is_in_doubt = True
            trip.unknowns += 1
        if error.retry_after_s is None:
            trip.failures += 1
        wait_s = self._pause_s(trip, error, is_unknown=is_unknown)
        if not error.can_retry or wait_s is None:
            return None
        self._parts.metrics.count(RETRIES, "delivery")
        logger.warning(
            "delivery.retried",
            extra={**_about(trip.item), "why": str(error), "retry_in_s": wait_s},
        )
        if not trip.is_in_doubt:
            await self._marks.pending(trip.item.id)
        return wait_s

    def _pause_s(self, trip: _Trip, error: DeliveryError, *, is_unknown: bool) -> float | None:
        wait_s = delay_before(
            self._parts.policy, max(1, trip.failures), error.retry_after_s, self._parts.jitter()
        )
        if not is_unknown or wait_s is None:
            return wait_s
        return None if trip.unknowns > 1 else max(wait_s, REPEAT_AFTER_S)

    async def _rest(self, item: OutboxItem, seconds: float) -> None:
        """Leave the whole chat alone for a while."""
        address = item.reply.address
        if seconds > 0:
            self._pacer.pause(address, seconds)
        await self._pacer.rested(address)


async def _send_ahead(channel: Channel, address: ChatAddress) -> None:
    """Show a sign, where there is one, so that a platform that fails just now fails at that."""
    if channel.capabilities.typing_interval_s is None:
        return
    try:
        await channel.show_typing(address)
    except DeliveryError as error:
        if error.can_retry:
            raise


async def _take_away(channel: Channel, receipt: Receipt, item: OutboxItem) -> None:
    """Take away what was to become an answer that stands anew now, unless it is gone already."""
    nothing = replace(item.reply, text="", buttons=(), file=None)
    try:
        await channel.edit(receipt, nothing)
    except ChannelError as error:
        logger.debug("delivery.left_standing", extra={**_about(item), "why": str(error)})


def _marked(reply: Reply) -> Reply:
    """Say of a reply that it is a repeat; a file says it in its caption, which is plain text."""
    if reply.file is None:
        return replace(reply, text=f"{reply.text}\n\n*{gettext(SENT_AGAIN)}*")
    return replace(reply, text=f"{reply.text} {gettext(SENT_AGAIN)}".strip())


def _given_up(trip: _Trip, error: DeliveryError) -> Delivered:
    reason = f"{UNKNOWN_FATE} ({str(error).rstrip('.')})" if trip.is_in_doubt else str(error)
    level = logging.INFO if trip.item.reply.takes_back else logging.ERROR
    logger.log(level, "delivery.failed", extra={**_about(trip.item), "why": reason})
    return Delivered(state="failed", reason=reason)


def _about(item: OutboxItem) -> dict[str, object]:
    return {"session": item.reply.address.session_key, "outbox": item.id}
