"""The queues of replies, one a chat: answers first, then words of the bot itself.

Of these, what somebody waits for goes before what nobody asked for, and an answer's parts stay
together.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import groupby

from bot.core.chat import ChatAddress, Reply, SessionKey
from bot.core.commands import with_prefix
from bot.core.lifecycle import UNKNOWN_FATE, OutboxId, OutboxItem
from bot.core.metrics import DELIVERIES, DELIVERY_SECONDS
from bot.languages import speaking
from bot.runtime import notices
from bot.runtime.border import Incident, guarded
from bot.runtime.delivery.courier import Courier, Delivered, DeliveryParts
from bot.runtime.delivery.marks import Marks
from bot.runtime.delivery.pacing import Pacer, Urgency, line_of
from bot.runtime.waiting import whole

Parts = tuple[OutboxItem, ...]
"""What belongs together and is never parted: the messages of one answer."""


@dataclass(slots=True)
class _Queue:
    """What waits in one chat."""

    answers: deque[Parts] = field(default_factory=deque)
    notices: deque[Parts] = field(default_factory=deque)
    unasked: deque[Parts] = field(default_factory=deque)
    task: asyncio.Task[None] | None = None

    def add(self, parts: Parts, *, is_unasked: bool) -> None:
        asked = self.answers if parts[0].reply.kind == "final" else self.notices
        (self.unasked if is_unasked else asked).append(parts)

    def take(self) -> Parts | None:
        queue = self.answers or self.notices or self.unasked
        return queue.popleft() if queue else None

    @property
    def holds_any(self) -> bool:
        return bool(self.answers or self.notices or self.unasked)

    @property
    def all(self) -> tuple[Parts, ...]:
        return (*self.answers, *self.notices, *self.unasked)


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

    def enqueue(self, items: tuple[OutboxItem, ...], *, is_unasked: bool = False) -> None:
        """Take stored items over for delivery, each after those of its chat and kind before it.

        What is unasked for waits behind all else of its chat: a crowd of strangers that an admin is
        told of must not hold up what the admin asks.
        """
        for parts in _belonging_together(items):
            address = parts[0].reply.address
            line = line_of(address)
            queue = self._queues.setdefault(line, _Queue())
            queue.add(parts, is_unasked=is_unasked)
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
        # Cut while the store commits, it would leave open what nobody sends.
        return await whole(self._send_again(session_key))

    async def _send_again(self, session_key: SessionKey) -> int:
        items = await self._parts.lifecycle.send_again(session_key, at=self._parts.clock.now())
        self.enqueue(items)
        return len(items)

    async def _drain(self, line: SessionKey, address: ChatAddress, queue: _Queue) -> None:
        try:
            # One slot for all that waits: between two answers no later one may begin to show.
            async with self._pacer.slot(address, Urgency.DELIVERY):
                while queue.holds_any:
                    await self._pacer.rested(address)
                    if (parts := queue.take()) is not None:
                        await self._deliver(parts)
        finally:
            del self._queues[line]
            for left in queue.all:  # by a drain that was cut
                self._end(left)

    async def _deliver(self, parts: Parts) -> None:
        is_told = parts[0].reply.kind != "final"
        try:
            for item in parts:
                fate = await self._deliver_one(item)
                self._meter(item, parts[0], fate)
                if fate.state == "kept":  # what follows must not arrive before it
                    break
                if fate.state == "failed":
                    await self._fail(item, fate.reason, is_told=is_told or item.reply.takes_back)
                    is_told = is_told or not item.reply.takes_back
        finally:
            self._end(parts)

    def _meter(self, item: OutboxItem, first: OutboxItem, fate: Delivered) -> None:
        channel, since_s = item.reply.address.channel, self._since_s.get(first.id)
        self._parts.metrics.count(DELIVERIES, channel, fate.state)
        if fate.state == "sent" and since_s is not None:
            took_s = self._parts.clock.monotonic() - since_s
            self._parts.metrics.observe(DELIVERY_SECONDS, took_s, channel)

    def _end(self, parts: Parts) -> None:
        self._since_s.pop(parts[0].id, None)
        self._parts.activity.end(parts[0].reply.address.session_key)

    async def _deliver_one(self, item: OutboxItem) -> Delivered:
        about: dict[str, object] = {"session": item.reply.address.session_key, "outbox": item.id}
        fate = await guarded(self._courier.deliver(item), self._parts.clock, about)
        if not isinstance(fate, Incident):
            return fate
        return Delivered(state="failed", reason=f"{UNKNOWN_FATE} (incident {fate.number})")

    async def _fail(self, item: OutboxItem, reason: str, *, is_told: bool) -> None:
        """Note that an item failed; of an answer that is told once, and delivered like a reply."""
        notice = None
        if not is_told:
            address, language = item.reply.address, item.reply.language
            prefix = self._parts.channels[address.channel].capabilities.command_prefix
            with speaking(language):
                text = with_prefix(notices.for_undelivered(reason), prefix)
            notice = Reply(address=address, text=text, kind="failure", language=language)
        told = await self._marks.failed(item.id, reason, notice)
        if told is not None:
            self.enqueue((told,))


def _belonging_together(items: tuple[OutboxItem, ...]) -> Iterator[Parts]:
    """Part items by chat and kind, keeping their order."""
    for _, parts in groupby(items, key=lambda item: (item.reply.address, item.reply.kind)):
        yield tuple(parts)
