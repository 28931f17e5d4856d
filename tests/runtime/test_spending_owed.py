"""What calls took counts and comes into their rows, though the store did not take it at once."""

import asyncio
import logging
from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from datetime import timedelta

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bot.core.cost import Amount, Caps, amount_of
from bot.core.llm import Payer
from bot.core.prices import NANO, Prices, Tariff, price_of
from bot.errors import ModelAuthError, ModelError, ModelStreamCut
from bot.runtime.spending import Spending
from bot.runtime.storing import STORE_RETRY_S
from bot.testing.clock import settle
from tests.runtime.spending_given import DOLLAR_A_CALL, World, dollars, ignore, payer, request

DAY_S = 24 * 3600
NOT_RECORDED = "spending.not_recorded"


async def owing(world: World, spending: Spending, refusal: ModelError | None = None) -> None:
    """Have an answer, or a refusal, of which the store does not take the end."""
    world.store.is_deaf, world.model.refusal = True, refusal
    with suppress(ModelAuthError):
        assert NANO == (await world.ask(spending, payer(1))).cost_nano_usd
    world.store.is_deaf, world.model.refusal = False, None


async def test_an_end_that_fails_once_is_kept_with_the_next_call() -> None:
    world = World(caps=dollars("bot", 100))
    spending = world.open()
    await owing(world, spending)
    assert 0.0 == world.spent_usd
    assert amount_of(DOLLAR_A_CALL, NANO) == await world.used(spending, "bot", payer(1))
    world.model.hold()
    asking = asyncio.ensure_future(world.ask(spending, payer(2)))
    await settle()

    assert 1.0 == world.spent_usd
    world.model.answer()
    await asking
    assert 2.0 == world.spent_usd
    assert 2 * NANO == (await world.used(spending, "bot", payer(1))).nano_usd
    assert {} == world.store.begun


async def test_an_end_that_fails_is_kept_though_nobody_asks_anything(
    caplog: pytest.LogCaptureFixture,
) -> None:
    """Every few seconds it is tried again, as long as that takes."""
    world = World()
    spending = world.open()
    working = asyncio.ensure_future(spending.run())
    await owing(world, spending)
    world.store.is_deaf = True
    for _ in range(3):
        await world.clock.advance(STORE_RETRY_S)
    assert (0.0, 4) == (
        world.spent_usd,
        [each.message for each in caplog.records].count(NOT_RECORDED),
    )
    world.store.is_deaf = False
    await world.clock.advance(STORE_RETRY_S)

    assert 1.0 == world.spent_usd
    await owing(world, spending)
    await world.clock.advance(STORE_RETRY_S)
    assert 2.0 == world.spent_usd
    assert 0 == world.clock.sleepers
    working.cancel()
    await asyncio.wait({working})


async def test_an_end_that_fails_until_the_bot_ends_is_kept_then() -> None:
    world = World(caps=dollars("bot", 3))
    spending = world.open()
    world.store.is_deaf = True
    for number in range(3):
        await world.ask(spending, payer(number))
    await world.refused(spending, payer(9))
    assert 0.0 == world.spent_usd
    world.store.is_deaf = False
    await spending.close()

    assert (3.0, {}) == (world.spent_usd, world.store.begun)
    await world.refused(world.open(), payer(9))


async def test_what_cannot_be_kept_to_the_very_end_is_told(
    caplog: pytest.LogCaptureFixture,
) -> None:
    world = World()
    spending = world.open()
    await owing(world, spending)
    world.store.is_deaf = True
    caplog.clear()
    with caplog.at_level(logging.WARNING):
        await spending.close()

    assert [NOT_RECORDED] == [each.message for each in caplog.records]
    assert 1 == caplog.records[0].__dict__["calls"]


async def test_what_came_to_nothing_is_gone_once_the_store_takes_it() -> None:
    world = World()
    spending = world.open()
    await owing(world, spending, ModelAuthError())
    assert 1 == len(world.store.calls)
    assert Amount() == await world.used(spending, "bot", payer(1))
    await world.ask(spending, payer(2))

    assert [DOLLAR_A_CALL] == [call.usage for call in world.store.calls]


async def test_who_is_stopped_while_it_is_tried_again_hands_it_over_once() -> None:
    """By the second time, its id may be that of another call."""
    world = World()
    spending = world.open()
    working = asyncio.ensure_future(spending.run())
    await owing(world, spending, ModelAuthError())
    world.store.slow = asyncio.Event()
    await world.clock.advance(STORE_RETRY_S)
    working.cancel()
    closing = asyncio.ensure_future(spending.close())
    await settle()
    world.store.slow.set()
    await asyncio.wait({working, closing})

    assert closing.exception() is None
    assert ([], {}) == (world.store.calls, world.store.begun)


async def test_a_day_that_is_read_while_something_is_owed_has_it_once() -> None:
    """Its row is of the day before, or of this one; the store may take it before or after."""
    for late_s in (0, DAY_S):
        world = World(caps=dollars("bot", 100))
        world.prices = Prices(tariffs={"paid": Tariff(price=price_of(10, 10))})
        spending = world.open()
        world.model.hold()
        asked = replace(request(payer(1)), local_tokens=100_000)
        asking = asyncio.ensure_future(spending.ask(asked, ignore))
        await settle()
        world.clock.off_by = timedelta(seconds=late_s)
        world.store.is_deaf = world.store.is_mute = True
        world.model.answer()
        await asking
        for days in (1, 2, 3, 4):  # until this day is known no more
            world.store.is_mute = False
            world.clock.off_by = timedelta(seconds=late_s, days=days)
            await spending.standings(payer(1))
        world.clock.off_by = timedelta(seconds=late_s)

        used = await world.used(spending, "bot", payer(1))
        assert amount_of(DOLLAR_A_CALL, NANO) == used, late_s
        world.store.is_deaf = False
        await spending.close()
        assert used == await world.used(spending, "bot", payer(1))
        assert used == await world.used(world.open(), "bot", payer(1))


async def test_a_day_that_is_read_while_the_store_takes_an_end_has_it() -> None:
    world = World(caps=dollars("bot", 100))
    spending = world.open()
    world.model.hold()
    asking = asyncio.ensure_future(world.ask(spending, payer(1)))
    await settle()
    world.clock.off_by = timedelta(days=1)
    world.store.is_mute, world.store.slow = True, asyncio.Event()
    world.model.answer()
    await settle()
    world.store.is_mute = False
    reading = [asyncio.ensure_future(world.used(spending, "bot", payer(1))) for _ in range(2)]
    await settle()
    world.store.slow.set()
    await asking
    await spending.close()

    used = await world.used(world.open(), "bot", payer(1))
    assert [used, used] == [await each for each in reading]
    assert used == await world.used(spending, "bot", payer(1))


CHOICES = st.sampled_from(
    ["answer", "answer", "refused", "cut", "deaf", "well", "move", "wait", "tomorrow"]
)


@settings(max_examples=60, deadline=None)
@given(history=st.lists(CHOICES, max_size=14))
def test_what_counts_is_what_the_next_process_reads(history: list[str]) -> None:
    """Whatever failed on the way: each call once, with what it took, under its chat's last id."""
    asyncio.run(_live(history))


async def _live(history: list[str]) -> None:
    world, number = World(caps=Caps()), 1
    spending = world.open()
    working = asyncio.ensure_future(spending.run())
    error: dict[str, Callable[[], ModelError]] = {"refused": ModelAuthError, "cut": ModelStreamCut}
    for event in history:
        match event:
            case "deaf" | "well":
                world.store.is_deaf = event == "deaf"
            case "move":
                await world.move(spending, number, str(number + 1))
                number += 1
            case "wait":
                await world.clock.advance(STORE_RETRY_S)
            case "tomorrow":
                world.clock.off_by += timedelta(days=1)
            case _:
                world.model.refusal = error[event]() if event in error else None
                with suppress(ModelError):
                    await world.ask(spending, payer(number, who=1))
    here = payer(number, who=1)
    counted = await _all_used(world, spending, here)
    world.store.is_deaf = False
    await spending.close()
    working.cancel()

    assert counted == await _all_used(world, spending, here)
    assert counted == await _all_used(world, world.open(), here)
    assert {} == world.store.begun


async def _all_used(world: World, spending: Spending, of: Payer) -> list[Amount]:
    return [standing.used for standing in await spending.standings(of)]
