"""The right to call a platform in a chat."""

from __future__ import annotations

import asyncio
from contextlib import AsyncExitStack

from bot.core.chat import ChatAddress
from bot.runtime.delivery import Pacer, Urgency
from bot.runtime.supervisor import Supervisor
from bot.testing.clock import FakeClock, settle
from bot.testing.patience import PATIENCE_S

HOME = ChatAddress(channel="loopback", account="bot", chat="1001")
TOPIC = ChatAddress(channel="loopback", account="bot", chat="1001", thread="7")
ELSEWHERE = ChatAddress(channel="loopback", account="bot", chat="2002")


async def test_the_most_urgent_goes_first_and_equals_in_order(supervisor: Supervisor) -> None:
    pacer, order = Pacer(FakeClock(), supervisor.spawn), []

    async def call(name: str, urgency: Urgency) -> None:
        async with pacer.slot(HOME, urgency):
            order.append(name)

    async with pacer.slot(HOME, Urgency.PROGRESS):
        for name in ("shown 1", "shown 2"):
            supervisor.spawn(name, call(name, Urgency.PROGRESS))
        for name in ("answer 1", "answer 2"):
            supervisor.spawn(name, call(name, Urgency.DELIVERY))
        await settle()
        assert [] == order
    await settle()

    assert ["answer 1", "answer 2", "shown 1", "shown 2"] == order
    assert 0 == pacer.chats


async def test_a_pause_holds_all_threads_of_a_chat_and_no_other(supervisor: Supervisor) -> None:
    clock = FakeClock()
    pacer, order = Pacer(clock, supervisor.spawn), []

    async def call(address: ChatAddress, urgency: Urgency) -> None:
        async with pacer.slot(address, urgency):
            order.append((address.chat, address.thread, urgency.name))

    pacer.pause(HOME, 30)
    pacer.pause(TOPIC, 5)  # shortens nothing
    supervisor.spawn("a", call(TOPIC, Urgency.PROGRESS))
    supervisor.spawn("b", call(HOME, Urgency.DELIVERY))
    supervisor.spawn("c", call(ELSEWHERE, Urgency.PROGRESS))
    await clock.advance(29.9)
    assert ([("2002", "", "PROGRESS")], False, True) == (
        order,
        pacer.is_free(TOPIC),
        pacer.is_free(ELSEWHERE),
    )
    await clock.advance(0.2)

    assert [("1001", "", "DELIVERY"), ("1001", "7", "PROGRESS")] == order[1:]
    assert (True, 0) == (pacer.is_free(HOME), pacer.chats)


async def test_who_gives_up_waiting_holds_nobody(supervisor: Supervisor) -> None:
    pacer = Pacer(FakeClock(), supervisor.spawn)

    async def call() -> None:
        async with pacer.slot(HOME, Urgency.DELIVERY):
            await settle()

    async with pacer.slot(HOME, Urgency.PROGRESS):
        waiting, granted, last = (asyncio.ensure_future(call()) for _ in range(3))
        await settle()
        waiting.cancel()
        await settle()
    granted.cancel()  # in the very moment in which it is let through
    await asyncio.wait({granted, last, waiting})

    assert ([True, True, False], 0) == (
        [waiting.cancelled(), granted.cancelled(), last.cancelled()],
        pacer.chats,
    )


async def test_a_pause_that_outlasts_the_process_lets_nobody_hang() -> None:
    async with AsyncExitStack() as stack:
        supervisor = await stack.enter_async_context(Supervisor())
        pacer = Pacer(FakeClock(), supervisor.spawn)
        pacer.pause(HOME, 3_600)

        async def call() -> None:
            async with pacer.slot(HOME, Urgency.DELIVERY):
                raise AssertionError("called during the pause")

        waiting = asyncio.ensure_future(call())
        await settle()

    async with asyncio.timeout(PATIENCE_S):
        await asyncio.wait({waiting})
    assert waiting.cancelled()
