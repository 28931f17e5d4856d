"""Replies on their way to a Telegram that counts: within its limits, and in order."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass, field, replace

import pytest
from pydantic import SecretStr

from bot.api import ChatAddress, InboundMessage, Reply, Sender
from bot.core.lifecycle import OutboxItem, Received
from bot.core.retry import RetryPolicy
from bot.ports import Channel, Clock
from bot.runtime.activity import Activity
from bot.runtime.delivery import Delivery, DeliveryParts
from bot.runtime.supervisor import Supervisor
from bot.testing.channels import WatchedClock
from bot.testing.clock import START, HurriedClock, settle
from bot.testing.store import InMemoryStore
from bot.testing.telegram_rules import Json, Refusal
from bot.testing.telegram_server import PretendedTelegram
from channels.telegram import Settings, build

ADA = ChatAddress(channel="telegram", account="77000077", chat="1001")
GROUP = replace(ADA, chat="-100200")
TOPIC = replace(GROUP, thread="11")
COUNTED = ("sendmessage", "senddocument", "sendphoto", "editmessagetext")
NOT_COUNTED = ("sendmessagedraft", "sendchataction")


@dataclass(slots=True, kw_only=True)
class Strict:
    """Counts as Telegram does in a group, and punishes whoever goes on in a rest.

    Attributes:
        rests_after: After how many messages it wants rest, though nobody has sent too many.
        arrived: When each message was let in.
        disobeyed: Calls of any kind that came while it wanted rest.
    """

    clock: Clock
    rests_after: int = -1
    rest_s: int = 30
    arrived: list[float] = field(default_factory=list)
    refused: int = 0
    disobeyed: int = 0
    _rest_until: float = 0.0

    def guard(self, telegram: PretendedTelegram) -> None:
        methods = telegram.state.methods
        for name in COUNTED + NOT_COUNTED:
            methods[name] = self._guarded(methods[name], is_counted=name in COUNTED)

    def _guarded(
        self, method: Callable[[Json], object], *, is_counted: bool
    ) -> Callable[[Json], object]:
        def guarded(params: Json) -> object:
            now = self.clock.monotonic()
            if now < self._rest_until:
                self.disobeyed += 1
                self.rest_s *= 2
                self._refuse(now)
            if is_counted:
                if self._is_full(now):
                    self._refuse(now)
                self.arrived.append(now)
            return method(params)

        return guarded

    def _is_full(self, now: float) -> bool:
        if len(self.arrived) == self.rests_after:
            self.rests_after = -1
            return True
        return sum(1 for at in self.arrived if at > now - 60) >= 20

    def _refuse(self, now: float) -> None:
        self.refused += 1
        self._rest_until = now + self.rest_s
        raise Refusal(429, "Too Many Requests: retry later", retry_after=self.rest_s)


def opened(telegram: PretendedTelegram, clock: Clock) -> Channel:
    settings = Settings(token=SecretStr(telegram.token), base_url=telegram.base_url)
    return build(settings, clock)


@pytest.fixture
async def telegram() -> AsyncIterator[PretendedTelegram]:
    async with PretendedTelegram() as server:
        server.state.chat(1001, "private")
        server.says(-100200, "hello", chat_type="supergroup", thread=11)
        yield server


async def stored(store: InMemoryStore, number: int) -> tuple[OutboxItem, ...]:
    asked = InboundMessage(
        event_id=f"message:{number}",
        address=TOPIC,
        kind="group",
        sender=Sender(channel="telegram", user_id="1001", name="Ada"),
        message_id=str(number),
        text="/ask",
        is_addressed=True,
        sent_at=START,
    )
    await store.receive((Received(inbound=asked, route="command"),), cursor=None, at=START)
    reply = Reply(address=TOPIC, text=f"answer {number}")
    return await store.finish_command("telegram", asked.event_id, (reply,), at=START)


def delivery_over(
    channel: Channel, store: InMemoryStore, clock: Clock, supervisor: Supervisor
) -> Delivery:
    return Delivery(
        DeliveryParts(
            channels={"telegram": channel},
            lifecycle=store,
            clock=clock,
            activity=Activity(),
            spawn=supervisor.spawn,
            policy=RetryPolicy(attempts=3, base_s=1.0, factor=2.0, cap_s=60.0),
            jitter=lambda: 0.0,
        )
    )


async def test_sixty_messages_to_one_group_arrive_in_order_whatever_the_weather(
    telegram: PretendedTelegram,
) -> None:
    clock = HurriedClock(speed=100)
    strict = Strict(clock=clock, rests_after=7)
    strict.guard(telegram)
    channel, store, began = opened(telegram, clock), InMemoryStore(), clock.monotonic()
    async with Supervisor() as supervisor:
        delivery = delivery_over(channel, store, clock, supervisor)
        for number in range(60):
            delivery.enqueue(await stored(store, number))
            await clock.sleep(10 / 60)
        sent = await telegram.wait_for_sent(60)
    await channel.close()

    assert [f"answer {number}" for number in range(60)] == [call.text for call in sent]
    assert {11} == {call.thread for call in sent}
    assert (1, 0, 30) == (strict.refused, strict.disobeyed, strict.rest_s)
    assert strict.arrived[-1] - began < 240


async def test_a_reply_that_waits_for_its_place_is_not_being_sent_yet(
    telegram: PretendedTelegram,
) -> None:
    """Else a process that ends meanwhile would leave it in doubt, and it came with a mark."""
    clock, store = WatchedClock(), InMemoryStore()
    channel = opened(telegram, clock)
    async with Supervisor() as supervisor:
        delivery = delivery_over(channel, store, clock, supervisor)
        for number in range(4):
            delivery.enqueue(await stored(store, number))
        await telegram.wait_for_sent(3)
        await clock.wait_for_naps(1)
        await settle()
        states = [item.state for item in store.outbox]
        await clock.advance(3.0)
        await telegram.wait_for_sent(4)
    await channel.close()

    assert ["sent", "sent", "sent", "pending"] == states


async def test_what_is_only_shown_eats_nothing_of_the_budget(telegram: PretendedTelegram) -> None:
    clock = WatchedClock()
    channel = opened(telegram, clock)
    for number in range(1, 31):
        await channel.show_typing(TOPIC)
        await channel.show_typing(ADA)
        await channel.show_draft(ADA, number, f"thinking {number}")
    for address in (ADA, TOPIC):
        await channel.ready(address)
        await channel.send(Reply(address=address, text="answer"))
    await channel.close()

    assert (60, 30, 2) == tuple(map(len, (telegram.actions, telegram.drafts, telegram.sent)))
    assert [] == clock.naps


async def test_edits_and_files_count_as_messages(telegram: PretendedTelegram) -> None:
    clock = WatchedClock()
    channel = opened(telegram, clock)
    receipt = await channel.send(Reply(address=ADA, text="a"))
    await channel.edit(receipt, Reply(address=ADA, text="b"))
    await channel.edit(receipt, Reply(address=ADA, text="b"))  # changes nothing, is not made
    await channel.edit(receipt, Reply(address=ADA, text="c"))
    assert [] == clock.naps
    ready = asyncio.ensure_future(channel.ready(ADA))
    await clock.wait_for_naps(1)
    await settle()
    assert not ready.done()
    await clock.advance(3.0)
    await ready
    await channel.close()
