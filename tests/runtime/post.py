"""Delivery with a loopback channel and a store that refuses as it is told."""

from __future__ import annotations

import asyncio

from bot.core.chat import Capabilities, ChatAddress, Receipt, Reply, ReplyKind, SessionKey
from bot.core.lifecycle import OutboxId, OutboxItem, Received
from bot.core.retry import RetryPolicy
from bot.errors import StoreError
from bot.runtime.activity import Activity
from bot.runtime.delivery import Delivery, DeliveryParts
from bot.runtime.supervisor import Supervisor
from bot.testing.clock import START, FakeClock, settle
from bot.testing.loopback import LoopbackChannel
from bot.testing.store import InMemoryStore

HOME = ChatAddress(channel="loopback", account="bot", chat="1001")
TOPIC = ChatAddress(channel="loopback", account="bot", chat="1001", thread="7")
ELSEWHERE = ChatAddress(channel="loopback", account="bot", chat="2002")

FINDER = Capabilities(max_text_length=4_096, can_edit=True, finds_sent=True)


class StubbornStore(InMemoryStore):
    """A store whose marks fail as often as it is told, and that can be slow to answer a wish."""

    def __init__(self) -> None:
        super().__init__()
        self.refusals: dict[str, int] = {}
        self.answers = asyncio.Event()
        self.answers.set()

    def refuse_if_told(self, verb: str) -> None:
        if self.refusals.get(verb, 0):
            self.refusals[verb] -= 1
            raise StoreError("disk full")

    async def mark_sending(self, item: OutboxId, *, at: object) -> None:
        self.refuse_if_told("mark_sending")
        await super().mark_sending(item, at=START)

    async def mark_sent(self, item: OutboxId, receipt: Receipt, *, at: object) -> None:
        self.refuse_if_told("mark_sent")
        await super().mark_sent(item, receipt, at=START)

    async def mark_failed(
        self, item: OutboxId, reason: str, *, at: object, notice: Reply | None = None
    ) -> OutboxItem | None:
        self.refuse_if_told("mark_failed")
        return await super().mark_failed(item, reason, at=START, notice=notice)

    async def send_again(self, session_key: SessionKey, *, at: object) -> tuple[OutboxItem, ...]:
        self.refuse_if_told("send_again")
        items = await super().send_again(session_key, at=START)
        await self.answers.wait()
        return items

    async def mark_pending(self, item: OutboxId) -> None:
        self.refuse_if_told("mark_pending")
        await super().mark_pending(item)


class Post:
    """Delivery over a loopback channel, with replies made as commands make them."""

    def __init__(
        self,
        supervisor: Supervisor,
        capabilities: Capabilities | None = None,
        *,
        attempts: int = 4,
    ) -> None:
        self.channel = LoopbackChannel(capabilities=capabilities)
        self.store = StubbornStore()
        self.clock = FakeClock()
        self.activity = Activity()
        self.delivery = Delivery(
            DeliveryParts(
                channels={"loopback": self.channel},
                lifecycle=self.store,
                clock=self.clock,
                activity=self.activity,
                spawn=supervisor.spawn,
                policy=RetryPolicy(attempts=attempts, base_s=1.0, factor=2.0, cap_s=60.0),
                jitter=lambda: 0.0,
            )
        )

    async def stored(
        self, *texts: str, address: ChatAddress = HOME, kind: ReplyKind = "final"
    ) -> tuple[OutboxItem, ...]:
        asked = self.channel.message("/ask")
        await self.store.receive((Received(inbound=asked, route="command"),), cursor=None, at=START)
        replies = tuple(Reply(address=address, text=text, kind=kind) for text in texts)
        return await self.store.finish_command("loopback", asked.event_id, replies, at=START)

    async def delivers(
        self,
        *texts: str,
        address: ChatAddress = HOME,
        kind: ReplyKind = "final",
        is_unasked: bool = False,
    ) -> None:
        items = await self.stored(*texts, address=address, kind=kind)
        self.delivery.enqueue(items, is_unasked=is_unasked)
        await settle()

    @property
    def states(self) -> list[str]:
        return [item.state for item in self.store.outbox]
