"""The queues of replies, one a chat: answers before notices, an answer's parts together."""

from __future__ import annotations

import asyncio
import logging
from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from itertools import groupby

from bot.core.chat import ChatAddress, Reply, SessionKey
from bot.core.lifecycle import OutboxId, OutboxItem
from bot.errors import ChannelError
from bot.runtime import notices
from bot.runtime.border import Incident, guarded
from bot.runtime.delivery.courier import UNKNOWN_FATE, Courier, Delivered, DeliveryParts
from bot.runtime.delivery.marks import Marks
from bot.runtime.delivery.pacing import Pacer, Urgency, line_of

logger = logging.getLogger(__name__)

Parts = tuple[OutboxItem, ...]
"""What belongs together and is never parted: the messages of one answer."""


@dataclass(slots=True)
class _Queue:
    """What waits in one chat."""

    answers: deque[Parts] = field(default_factory=deque)
    notices: deque[Parts] = field(default_factory=deque)
    task: asyncio.Task[None] | None = None

    def add(self, parts: Parts) -> None:
        (self.answers if parts[0].reply.kind == "final" else self.notices).append(parts)

    def take(self) -> Parts | None:
        queue = self.answers or self.notices
        return queue.popleft() if queue else None


class Delivery:
    """Delivers stored replies. What fails for good is marked so, told, and stays in the store."""

    def __init__(self, parts: DeliveryParts) -> None:
        self._parts = parts
        self._marks = Marks(parts.lifecycle, parts.clock)
        self._pacer = Pacer(parts.clock, parts.spawn)
        self._courier = Courier(parts, self._marks, self._pacer)
        self._queues: dict[SessionKey, _Queue] = {}
        self._since_s: dict[OutboxId, float] = {}

    @property
    def longest_wait_s(self) -> float:
        """For how long the reply that waits longest has been waiting."""
        oldest_s = next(iter(self._since_s.values()), None)
        return 0.0 if oldest_s is None else self._parts.clock.monotonic() - oldest_s

    @property
    def marks(self) -> Marks:
        """The way to write down what becomes of a reply."""
        return self._marks

    @property
    def pacer(self) -> Pacer:
        """The pace of each chat, for all that is shown there besides replies."""
        return self._pacer

    def enqueue(self, items: tuple[OutboxItem, ...]) -> None:
        """Take stored items over for delivery, each after those of its chat and kind before it."""
        for parts in _belonging_together(items):
            address = parts[0].reply.address
            line = line_of(address)
            queue = self._queues.setdefault(line, _Queue())
            queue.add(parts)
            self._since_s[parts[0].id] = self._parts.clock.monotonic()
            self._parts.activity.begin(address.session_key)
            if queue.task is None:
                work = self._drain(line, address, queue)
                queue.task = self._parts.spawn(f"delivery {line}", work)

    async def send_again(self, session_key: SessionKey) -> int:
        """Deliver once more what failed in a chat; say how many messages these are.

        Raises:
            StoreError: Nothing was begun.
        """
        lifecycle, now = self._parts.lifecycle, self._parts.clock.now()
        failed = await lifecycle.failed(session_key)
        doubtful = {item.id for item in failed if item.reason.startswith(UNKNOWN_FATE)}
        items = list(await lifecycle.send_again(session_key, at=now))
        for number, item in enumerate(items):
            if item.id in doubtful:
                await self._marks.sending(item.id)
                items[number] = replace(item, state="sending")
        self.enqueue(tuple(items))
        return len(items)

    async def _drain(self, line: SessionKey, address: ChatAddress, queue: _Queue) -> None:
        try:
            # One slot for all that waits: between two answers no later one may begin to show.
            async with self._pacer.slot(address, Urgency.DELIVERY):
                while queue.answers or queue.notices:
                    await self._pacer.rested(address)
                    if (parts := queue.take()) is not None:
                        await self._deliver(parts)
        finally:
            del self._queues[line]
            for left in (*queue.answers, *queue.notices):  # by a drain that was cut
                self._end(left)

    async def _deliver(self, parts: Parts) -> None:
        first, reason = parts[0].reply, ""
        try:
            for item in parts:
                fate = await self._deliver_one(item)
                reason = reason or fate.reason
                if fate.state == "kept":  # what follows must not arrive before it
                    break
            if reason and first.kind == "final":
                about: dict[str, object] = {"session": first.address.session_key}
                await guarded(self._tell(first.address, reason), self._parts.clock, about)
        finally:
            self._end(parts)

    def _end(self, parts: Parts) -> None:
        self._since_s.pop(parts[0].id, None)
        self._parts.activity.end(parts[0].reply.address.session_key)

    async def _deliver_one(self, item: OutboxItem) -> Delivered:
        about: dict[str, object] = {"session": item.reply.address.session_key, "outbox": item.id}
        fate = await guarded(self._courier.deliver(item), self._parts.clock, about)
        if not isinstance(fate, Incident):
            return fate
        reason = f"{UNKNOWN_FATE} (incident {fate.number})"
        await self._marks.failed(item.id, reason)
        return Delivered(state="failed", reason=reason)

    async def _tell(self, address: ChatAddress, reason: str) -> None:
        """Say once that an answer failed, if the chat takes that; it stays in the store anyway."""
        await self._pacer.rested(address)
        notice = Reply(address=address, text=notices.for_undelivered(reason), kind="notice")
        try:
            await self._parts.channels[address.channel].send(notice)
        except ChannelError as error:
            about = {"session": address.session_key, "why": str(error)}
            logger.warning("delivery.failure_not_told", extra=about)
            if error.retry_after_s:
                self._pacer.pause(address, error.retry_after_s)


def _belonging_together(items: tuple[OutboxItem, ...]) -> Iterator[Parts]:
    """Part items by chat and kind, keeping their order."""
    for _, parts in groupby(items, key=lambda item: (item.reply.address, item.reply.kind)):
        yield tuple(parts)
