"""What stands in front of the model: caps, what is held, what is accounted for."""

import asyncio
import logging
from datetime import timedelta

import pytest

from bot.core.cost import Cap, Caps, Scope
from bot.core.llm import Usage
from bot.core.prices import NANO
from bot.errors import CapReached, ModelStreamCut
from bot.testing.clock import START, settle
from tests.runtime.spending_given import (
    BERLIN,
    MOST_OF_A_CALL,
    OnCall,
    World,
    chat,
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
        assert world.model.asked - len(world.store.calls) <= 7  # what is held stays below the cap
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


async def test_an_answer_that_breaks_off_is_accounted_for_as_far_as_it_got() -> None:
    world = World()
    spending = world.open()
    world.model.error = ModelStreamCut()
    with pytest.raises(ModelStreamCut):
        await world.ask(spending, payer(1))

    (call,) = world.store.calls
    assert Usage(input_tokens=7, output_tokens=1) == call.usage
    assert (10_000, "answer", "paid") == (call.cost_nano_usd, call.purpose, call.model)


async def test_what_was_written_before_it_broke_off_counts_though_nobody_reported_it() -> None:
    """By local count, and as much as that takes of the caps; the prompt as the vendor says."""
    world = World(caps=dollars("bot", 0.001))
    spending = world.open()
    world.model.error = ModelStreamCut()
    world.model.begins_with = "Half" * 250
    with pytest.raises(ModelStreamCut):
        await world.ask(spending, payer(1))

    (call,) = world.store.calls
    assert Usage(input_tokens=7, output_tokens=250) == call.usage
    assert 2_500_000 == call.cost_nano_usd
    await world.refused(spending, payer(2))


async def test_an_answer_that_is_stopped_is_accounted_for_and_holds_nothing() -> None:
    world = World(caps=dollars("bot", 1))
    spending = world.open()
    world.model.hold()
    asking = asyncio.ensure_future(world.ask(spending, payer(1)))
    await settle()
    asking.cancel()
    await asyncio.wait({asking})

    assert [10_000] == [call.cost_nano_usd for call in world.store.calls]
    world.model.answer()
    await world.ask(spending, payer(2))


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

    assert ["2026-01-06T00:00:00+00:00"] == [each.isoformat() for each in world.warned]


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
    world = World(caps=dollars("bot", 1))
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
    await world.store.move_chat(chat(1), "77")
    await spending.reload()

    await world.refused(spending, payer(77))
