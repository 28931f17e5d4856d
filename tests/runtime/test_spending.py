"""What stands in front of the model: caps, what is held, what is accounted for."""

import asyncio
import logging
from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest

from bot.core.cost import Amount, Cap, Caps, Scope, amount_of
from bot.core.llm import Usage
from bot.core.prices import FREE, NANO, Prices, Tariff, price_of
from bot.errors import CapReached, ModelStreamCut
from bot.testing.clock import START, settle
from tests.runtime.spending_given import (
    BERLIN,
    DOLLAR_A_CALL,
    MOST_OF_A_CALL,
    OnCall,
    World,
    dollars,
    ignore,
    payer,
    request,
)


async def test_an_answer_says_what_it_cost() -> None:
    world = World()
    spending = world.open()

    assert NANO == (await world.ask(spending, payer(1))).cost_nano_usd
    assert (await world.ask(spending, payer(1), "nobody-knows")).cost_nano_usd is None


async def test_that_no_price_is_known_is_logged_once(caplog: pytest.LogCaptureFixture) -> None:
    world = World()
    spending = world.open()
    with caplog.at_level(logging.WARNING):
        for _ in range(2):
            await world.ask(spending, payer(1), "nobody-knows")

    assert ["model.unpriced"] == [each.message for each in caplog.records]


async def test_nobodys_request_is_a_mistake() -> None:
    world = World()

    with pytest.raises(ValueError, match="payer"):
        await world.open().ask(request(None), ignore)
    assert 0 == world.model.asked


@pytest.mark.parametrize("answer_first", [True, False])
async def test_fifty_chats_at_once_go_over_a_cap_by_one_held_call_at_most(
    answer_first: bool,
) -> None:
    world = World(caps=dollars("bot", 10.5))
    spending = world.open()
    world.model.hold()
    asking = [asyncio.ensure_future(world.ask(spending, payer(n))) for n in range(50)]
    while any(not each.done() for each in asking):
        await settle()
        assert len(world.store.begun) <= 7  # what is held stays below the cap
        world.model.answer(1 if answer_first else 3)
        await settle()

    refused = [each for each in asking if isinstance(each.exception(), CapReached)]
    assert 10.5 <= world.spent_usd <= 10.5 + MOST_OF_A_CALL / NANO
    assert 50 == len(refused) + len(world.store.calls)
    assert 1 < world.model.most_at_once < 11


@pytest.mark.parametrize("scope", ["person", "chat", "bot"])
async def test_each_cap_stops_its_own_and_nobody_else(scope: Scope) -> None:
    world = World(caps=dollars(scope, 1))
    spending = world.open()
    await world.ask(spending, payer(1))

    same = {"person": payer(2, who=1), "chat": payer(1, who=2), "bot": payer(2)}[scope]
    assert scope == (await world.refused(spending, same)).scope
    if scope != "bot":
        await world.ask(spending, payer(3))


async def test_without_a_price_caps_in_money_hold_all_the_same() -> None:
    """As if it were the dearest model there is, over a restart too; what is free goes on."""
    world = World(caps=dollars("bot", 3))
    for _ in range(3):
        await world.ask(world.open(), payer(1), "nobody-knows")

    with pytest.raises(CapReached):
        await world.ask(world.open(), payer(2), "nobody-knows")
    assert [None] * 3 == [call.cost_nano_usd for call in world.store.calls]
    await world.ask(world.open(), payer(2), "free")


async def test_a_price_that_is_set_meanwhile_lets_it_go_on_after_a_restart() -> None:
    world = World(caps=dollars("bot", 1))
    await world.ask(world.open(), payer(1), "nobody-knows")
    await world.refused(world.open(), payer(2))
    world.prices = replace(world.prices, own={"nobody-knows": FREE})

    await world.ask(world.open(), payer(2))


async def test_tokens_have_caps_too_also_where_no_price_is_known() -> None:
    world = World(caps=Caps(person=Cap(tokens=100_000)))
    spending = world.open()
    await world.ask(spending, payer(1), "nobody-knows")

    assert "person" == (await world.refused(spending, payer(1))).scope


async def test_a_refusal_says_when_the_next_day_begins_and_then_it_goes_on() -> None:
    world = World(caps=dollars("person", 1), zone=BERLIN)
    spending = world.open()
    await world.ask(spending, payer(1))
    refusal = await world.refused(spending, payer(1))

    assert "2026-01-06T00:00:00+01:00" == refusal.resets_at.isoformat()
    assert refusal.retry_after_s == (refusal.resets_at - START).total_seconds()
    await world.clock.advance(refusal.retry_after_s or 0)
    await world.ask(spending, payer(1))


async def test_a_restart_reads_what_was_used_today_and_only_that() -> None:
    world = World(caps=dollars("bot", 1))
    await world.ask(world.open(), payer(1))

    await world.refused(world.open(), payer(2))
    await world.clock.advance(24 * 3600)
    await world.ask(world.open(), payer(2))


async def test_a_clock_that_is_set_forward_and_back_gives_nothing_away() -> None:
    world = World(caps=dollars("bot", 1))
    spending = world.open()
    await world.ask(spending, payer(1))
    world.clock.off_by = timedelta(days=2)
    await world.ask(spending, payer(1))
    await world.refused(spending, payer(1))
    world.clock.off_by = timedelta()

    await world.refused(spending, payer(1))
    assert 2 == len(world.store.calls)
    await world.refused(world.open(), payer(1))


async def test_what_ends_after_midnight_counts_on_the_new_day() -> None:
    world = World(caps=dollars("bot", 1))
    spending = world.open()
    world.model.hold()
    asking = asyncio.ensure_future(world.ask(spending, payer(1)))
    await settle()
    await world.clock.advance(16 * 3600)
    world.model.answer()
    await asking

    await world.refused(spending, payer(2))
    await world.refused(world.open(), payer(2))


async def test_who_waits_and_is_stopped_holds_nothing() -> None:
    world = World(caps=dollars("bot", 1))
    spending = world.open()
    world.model.hold()
    first = asyncio.ensure_future(world.ask(spending, payer(1)))
    second = asyncio.ensure_future(world.ask(spending, payer(2)))
    await settle()
    assert 1 == world.model.asked
    second.cancel()
    await asyncio.wait({second})
    world.model.usage = Usage(output_tokens=10)
    world.model.answer(2)
    await first

    await world.ask(spending, payer(3))


async def test_who_waited_goes_on_when_others_took_less_than_was_held() -> None:
    world = World(model=OnCall(Usage(output_tokens=10)), caps=dollars("bot", 1))
    spending = world.open()
    world.model.hold()
    asking = [asyncio.ensure_future(world.ask(spending, payer(n))) for n in range(4)]
    await settle()
    world.model.answer(4)
    await asyncio.gather(*asking)

    assert 1 == world.model.most_at_once


async def test_people_are_warned_once_a_day_and_not_again_after_a_restart() -> None:
    world = World(caps=dollars("person", 5))
    spending = world.open()
    said = []
    for _ in range(5):
        await world.ask(spending, payer(1))
        said.append(spending.warning_for(payer(1)))

    assert [False, False, False, True, False] == [bool(each) for each in said]
    assert "what you may use of me today" in said[3]
    assert "00:00 (UTC)" in said[3]
    assert "" == spending.warning_for(payer(2))
    again = world.open()
    await again.standings(payer(1))
    assert "" == again.warning_for(payer(1))


async def test_admins_are_told_of_the_bots_own_cap_once_a_day() -> None:
    world = World(caps=dollars("bot", 5))
    spending = world.open()
    for number in range(5):
        await world.ask(spending, payer(number))
    await world.refused(spending, payer(9))

    assert [("usd", datetime(2026, 1, 6, tzinfo=UTC))] == world.warned


async def test_admins_are_told_which_of_the_bots_caps_is_nearly_used() -> None:
    world = World(caps=Caps(bot=Cap(nano_usd=100 * NANO, tokens=450_000)))
    spending = world.open()
    for number in range(4):  # of 100 000 tokens and a dollar each
        await world.ask(spending, payer(number))

    assert [("tokens", datetime(2026, 1, 6, tzinfo=UTC))] == world.warned


async def test_who_is_exempt_goes_on_and_it_counts() -> None:
    world = World(caps=dollars("chat", 1), exempt=frozenset({payer(1).person_key}))
    spending = world.open()
    for _ in range(3):
        await world.ask(spending, payer(1))

    assert "" == spending.warning_for(payer(1))
    await world.refused(spending, payer(1, who=2))


async def test_a_store_that_fails_costs_no_answer_and_frees_what_was_held(
    caplog: pytest.LogCaptureFixture,
) -> None:
    world = World(caps=dollars("bot", 2))
    spending = world.open()
    world.model.hold()
    asking = asyncio.ensure_future(spending.ask(request(payer(1)), ignore))
    await settle()
    await world.clock.advance(24 * 3600)
    world.store.is_mute = True
    world.model.answer()

    assert NANO == (await asking).cost_nano_usd
    world.store.is_mute = False
    world.model.error, world.store.is_deaf = ModelStreamCut(), True
    world.model.answer()
    with pytest.raises(ModelStreamCut):
        await spending.ask(request(payer(1)), ignore)
    assert {"spending.unread", "spending.not_recorded"} <= {each.message for each in caplog.records}


async def test_a_chat_that_moved_takes_along_what_it_used() -> None:
    world = World(caps=dollars("chat", 1))
    spending = world.open()
    await world.ask(spending, payer(1))
    await world.move(spending, 1, "77")
    await world.move(spending, 77, "78")

    await world.refused(spending, payer(78))
    await world.refused(spending, payer(1))  # what was begun under the old id
    await world.refused(world.open(), payer(78))


@pytest.mark.parametrize("moved", [1, 2])
async def test_what_runs_while_a_chat_moves_counts_once(moved: int) -> None:
    """Its own calls under its new id; those of others as before."""
    world = World(caps=dollars("bot", 100))
    world.prices = Prices(tariffs={"paid": Tariff(price=price_of(10, 10))})
    spending = world.open()
    world.model.hold()
    asked = replace(request(payer(1)), local_tokens=100_000)
    asking = asyncio.ensure_future(spending.ask(asked, ignore))
    await settle()
    await world.move(spending, moved, "77")
    world.model.answer()
    await asking

    now = payer(77 if moved == 1 else 1)
    (call,) = world.store.calls
    whole = amount_of(DOLLAR_A_CALL, NANO)
    assert call.session_key == now.session_key
    assert whole == await world.used(spending, "bot", now)
    assert whole == await world.used(spending, "chat", now)
    assert Amount() == await world.used(spending, "chat", payer(2))


async def test_what_is_held_for_a_chat_is_held_when_it_moves() -> None:
    world = World(caps=dollars("chat", 1))
    spending = world.open()
    world.model.hold()
    first = asyncio.ensure_future(world.ask(spending, payer(1)))
    await settle()
    await world.move(spending, 1, "77")
    second = asyncio.ensure_future(world.ask(spending, payer(77)))
    await settle()
    assert 1 == world.model.asked
    world.model.answer()
    await first

    with pytest.raises(CapReached):
        await second
    world.caps = dollars("chat", 1.5)  # enough, unless something is still held
    world.model.answer()
    await world.ask(spending, payer(77))
