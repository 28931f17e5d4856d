"""From the outbox to the platform: one queue a chat, in order, nothing twice without a mark."""

from __future__ import annotations

import asyncio
import logging
from collections import deque
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace

from bot.core.chat import Receipt, SessionKey
from bot.core.lifecycle import OutboxItem
from bot.core.retry import RetryPolicy, delay_before
from bot.errors import ChannelError, DeliveryError, FateUnknown
from bot.ports import Channel, Clock, Lifecycle
from bot.runtime.activity import Activity
from bot.runtime.supervisor import Spawn

logger = logging.getLogger(__name__)

REPEATED = "\n\n*(Sent again: whether the first copy arrived is not known.)*"


@dataclass(slots=True)
class _Queue:
    items: deque[OutboxItem] = field(default_factory=deque)
    task: asyncio.Task[None] | None = None


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


class Delivery:
    """Delivers stored replies. What fails for good is marked so, and stays in the store."""

    def __init__(self, parts: DeliveryParts) -> None:
        self._parts = parts
        self._lifecycle = parts.lifecycle
        self._clock = parts.clock
        self._queues: dict[SessionKey, _Queue] = {}

    def enqueue(self, items: tuple[OutboxItem, ...]) -> None:
        """Take stored items over for delivery, each after those of its chat before it."""
        for item in items:
            key = item.reply.address.session_key
            queue = self._queues.setdefault(key, _Queue())
            queue.items.append(item)
            self._parts.activity.begin(key)
            if queue.task is None:
                queue.task = self._parts.spawn(f"delivery {key}", self._drain(key, queue))

    async def _drain(self, key: SessionKey, queue: _Queue) -> None:
        while queue.items:
            item = queue.items[0]
            try:
                await self._deliver(item)
            finally:
                queue.items.popleft()
                self._parts.activity.end(key)
        queue.task = None
        del self._queues[key]

    async def _deliver(self, item: OutboxItem) -> None:
        channel = self._parts.channels.get(item.reply.address.channel)
        if channel is None:
            logger.warning("delivery.no_channel", extra=_about(item))
            return
        if item.state == "sending":  # an earlier process stopped between the call and its receipt
            item = _repeated(item)
        failures = 0
        while True:
            await self._lifecycle.mark_sending(item.id, at=self._clock.now())
            try:
                receipt = await self._send(channel, item)
            except DeliveryError as error:
                failures += 1
                item, wait_s = await self._after(error, item, failures)
            except ChannelError as error:  # the token is refused: kept for a better one
                logger.warning("delivery.postponed", extra={**_about(item), "why": str(error)})
                await self._lifecycle.mark_pending(item.id)
                return
            else:
                await self._lifecycle.mark_sent(item.id, receipt, at=self._clock.now())
                return
            if wait_s is None:
                return
            await self._clock.sleep(wait_s)

    async def _after(
        self, error: DeliveryError, item: OutboxItem, failures: int
    ) -> tuple[OutboxItem, float | None]:
        """Decide on a failed attempt: the item as it is tried next and after how long, or None."""
        wait_s = delay_before(
            self._parts.policy, failures, error.retry_after_s, self._parts.jitter()
        )
        is_unknown = isinstance(error, FateUnknown)
        if not error.can_retry or wait_s is None or (is_unknown and item.state == "sending"):
            logger.error("delivery.failed", extra={**_about(item), "why": str(error)})
            await self._lifecycle.mark_failed(item.id, str(error), at=self._clock.now())
            return item, None
        logger.warning(
            "delivery.retried", extra={**_about(item), "why": str(error), "retry_in_s": wait_s}
        )
        if is_unknown:
            return _repeated(item), wait_s
        await self._lifecycle.mark_pending(item.id)
        return item, wait_s

    async def _send(self, channel: Channel, item: OutboxItem) -> Receipt:
        if item.replaces is not None:
            await channel.edit(item.replaces, item.reply)
            return item.replaces
        return await channel.send(item.reply)


def _repeated(item: OutboxItem) -> OutboxItem:
    """Make the one repeat of an item whose fate is not known; an edit needs no mark."""
    if item.replaces is not None:
        return replace(item, state="sending")
    reply = replace(item.reply, text=item.reply.text + REPEATED)
    return replace(item, state="sending", reply=reply)


def _about(item: OutboxItem) -> dict[str, object]:
    return {"session": item.reply.address.session_key, "outbox": item.id}
