"""Each call that was paid is in a row, wherever it, or the process, ends."""

import asyncio
from dataclasses import replace

import pytest

from bot.core.cost import Amount, amount_of
from bot.core.llm import Usage
from bot.core.metrics import COST
from bot.core.prices import NANO, Prices, Tariff, price_of
from bot.core.tokens import weigh_request
from bot.errors import (
    ContextTooLong,
    ModelAuthError,
    ModelError,
    ModelNotFound,
    ModelOverloaded,
    ModelRateLimited,
    ModelRequestRefused,
    ModelSilent,
    ModelStreamCut,
    ModelUnavailable,
    StoreError,
)
from bot.testing.clock import settle
from tests.runtime.spending_given import (
    DOLLAR_A_CALL,
    World,
    count,
    dollars,
    ignore,
    payer,
    request,
)

DEAR_PROMPTS = Prices(tariffs={"paid": Tariff(price=price_of(10, 10))})
LONG_PROMPT = replace(request(payer(1)), local_tokens=100_000)
"""A dollar at ten a million."""


async def test_a_call_is_kept_before_it_is_made() -> None:
    """With its prompt by local count; by what it took once it is over."""
    world = World()
    world.model.hold()
    asking = asyncio.ensure_future(world.ask(world.open(), payer(1)))
    await settle()
    (begun,) = world.store.calls
    world.model.answer()
    await asking

    assert Usage(input_tokens=weigh_request("", (), request(None).messages, count)) == begun.usage
    assert [DOLLAR_A_CALL] == [call.usage for call in world.store.calls]
    assert {} == world.store.begun


async def test_what_a_crash_cuts_off_counts_when_the_next_process_starts() -> None:
    """Again and again: a cap is not gone over by killing the bot before it notes an answer."""
    world = World(caps=dollars("bot", 2), prices=DEAR_PROMPTS)
    world.model.hold()
    running = [asyncio.ensure_future(world.open().ask(LONG_PROMPT, ignore)) for _ in range(3)]
    await settle()

    assert 3 == world.model.asked
    assert 300_000 == sum(call.usage.prompt_tokens for call in world.store.calls)
    await world.refused(world.open(), payer(2))
    world.model.answer(3)
    await asyncio.gather(*running)


async def test_an_answer_that_nobody_keeps_is_accounted_for() -> None:
    """Killed between the answer and its step, each time: the next process knows what was paid."""
    world, answers = World(caps=dollars("bot", 2)), 0
    while answers < 2:
        answer = await world.ask(world.open(), payer(1))
        answers += answer.is_accounted

    await world.refused(world.open(), payer(1))
    assert (2, 2.0) == (world.model.asked, world.spent_usd)


async def test_who_is_stopped_as_the_answer_comes_has_paid_for_it() -> None:
    world = World()
    world.store.slow = asyncio.Event()
    asking = asyncio.ensure_future(world.ask(world.open(), payer(1)))
    await settle()
    asking.cancel()
    await settle()
    world.store.slow.set()
    await asyncio.wait({asking})

    assert asking.cancelled()
    assert [NANO] == [call.cost_nano_usd for call in world.store.calls]


@pytest.mark.parametrize(
    "refusal",
    [
        ModelAuthError(),
        ModelRateLimited(),
        ModelOverloaded(),
        ModelUnavailable(),
        ModelRequestRefused(),
        ModelNotFound(),
        ContextTooLong(),
    ],
    ids=lambda error: type(error).__name__,
)
async def test_what_came_to_nothing_is_in_no_sum(refusal: ModelError) -> None:
    """What nobody took, or was refused instead of being read, costs nothing and is no call."""
    world = World(caps=dollars("bot", 1), prices=DEAR_PROMPTS)
    spending = world.open()
    world.model.refusal = refusal
    for _ in range(3):
        with pytest.raises(type(refusal)):
            await spending.ask(LONG_PROMPT, ignore)

    assert [] == world.store.calls
    assert Amount() == await world.used(spending, "bot", payer(1))
    world.model.refusal = None
    await world.ask(spending, payer(1))


@pytest.mark.parametrize(
    "failure", [ModelStreamCut(), ModelSilent(), LookupError("a mistake")], ids=repr
)
async def test_what_breaks_off_before_its_first_word_keeps_its_prompt(failure: Exception) -> None:
    """The vendor may have read it, and nobody knows what of it was in the cache."""
    world = World(caps=dollars("bot", 1), prices=DEAR_PROMPTS)
    spending = world.open()
    world.model.refusal = failure
    with pytest.raises(type(failure)):
        await spending.ask(LONG_PROMPT, ignore)

    (call,) = world.store.calls
    assert (Usage(input_tokens=100_000), NANO) == (call.usage, call.cost_nano_usd)
    assert amount_of(call.usage, NANO) == await world.used(spending, "bot", payer(1))
    await world.refused(spending, payer(2))


async def test_what_is_stopped_before_its_first_word_keeps_its_prompt() -> None:
    world = World()
    world.model.hold(before_words=True)
    asking = asyncio.ensure_future(world.open().ask(LONG_PROMPT, ignore))
    await settle()
    assert 1 == world.model.asked
    asking.cancel()
    await asyncio.wait({asking})

    assert [Usage(input_tokens=100_000)] == [call.usage for call in world.store.calls]
    assert {} == world.store.begun


async def test_what_is_stopped_before_it_is_sent_is_no_call() -> None:
    world = World()
    world.store.slow_beginning = asyncio.Event()
    asking = asyncio.ensure_future(world.open().ask(LONG_PROMPT, ignore))
    await settle()
    asking.cancel()
    world.store.slow_beginning.set()
    await asyncio.wait({asking})

    assert (0, []) == (world.model.asked, world.store.calls)


async def test_what_cannot_be_kept_is_not_asked_and_holds_nothing() -> None:
    world = World(caps=dollars("bot", 1))
    spending = world.open()
    world.store.is_full = True
    with pytest.raises(StoreError):
        await world.ask(spending, payer(1))

    assert 0 == world.model.asked
    world.store.is_full = False
    await world.ask(spending, payer(1))


async def test_who_answered_has_one_of_few_names_in_sums_and_metrics() -> None:
    world = World()
    world.model.called = "request-17"
    answer = await world.ask(world.open(), payer(1))

    assert "paid" == answer.model
    assert [("paid", "paid")] == [(call.model, call.asked) for call in world.store.calls]
    assert {("paid", "answer")} == set(world.metrics.read({}).numbers[COST])


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


async def test_arguments_of_a_tool_that_were_being_written_count_too() -> None:
    world = World()
    world.model.error = ModelStreamCut()
    world.model.calls_with = '{"text": "' + "Half" * 250
    with pytest.raises(ModelStreamCut):
        await world.ask(world.open(), payer(1))

    (call,) = world.store.calls
    assert call.usage.output_tokens > 250


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
