"""The rows of the specification about what a request is made of, and how it is measured."""

import json
from dataclasses import replace

import pytest

from bot.adapters.anthropic_model.request import encode
from bot.adapters.token_counter import TiktokenCounter
from bot.config import Config
from bot.core.llm import ModelRequest
from bot.core.tasks import TaskState
from bot.core.window.assemble import RULES
from bot.testing.chat_run import LIMITS, SEARCH, ChatRun, tool_step
from bot.testing.independent_count import count_request
from tests.runtime.context_given import notes, results, talk, texts

COUNTER = TiktokenCounter()


def test_ctx_3_and_ctx_4_a_new_installation_has_these_limits() -> None:
    config = Config()

    assert (20, 15) == (config.agent_max_context_turns, config.agent_max_steps)


@pytest.mark.parametrize(
    "said", ["My name is Zoe Marsh.", "I prefer short answers.", "The order is ORDER-4711."]
)
async def test_sum_3_what_a_short_turn_said_is_kept_when_short_turns_leave(said: str) -> None:
    """Also where the turns are no longer than the words that introduce their digest."""
    chat = ChatRun(counter=COUNTER)
    await chat.turn(said, "Good.")
    for _ in range(19):
        await chat.turn("ok", "Fine.")

    request = await chat.turn("and?")

    assert "10 earlier turns" in notes(request)
    assert said.removeprefix("My name is ").removeprefix("The order is ")[:-1] in notes(request)


async def test_ctx_13_a_restart_after_a_few_short_turns_forgets_no_name() -> None:
    chat = ChatRun(counter=COUNTER)
    await chat.turn("My name is Zoe.", "Hi Zoe!")
    for _ in range(4):
        await chat.turn("more", "Yes.")
    await chat.restart()

    assert "name: Zoe" in notes(await chat.turn("What is my name?"))


@pytest.mark.parametrize("tokens", [30_000, 20_000, 9_000])
async def test_sum_1_the_words_of_the_last_three_turns_stay_whole(tokens: int) -> None:
    """Their tools may go; of fewer than five turns no word does, however long its tools ran."""
    chat = ChatRun()
    asked = [f"question {number}" + " why" * 400 for number in range(3)]
    replied = [f"answer {number}" + " so" * 400 for number in range(3)]
    for question, reply in zip(asked, replied, strict=True):
        await chat.turn(question, reply, rounds=[("found " * 3_000,)] * 3)
    chat.limits = replace(LIMITS, max_context_tokens=tokens)

    shown = texts(await chat.turn("and now?"))

    assert asked == [text for text in shown if text.startswith("question")]
    assert replied == [text for text in shown if text.startswith("answer")]


async def test_sum_1_where_a_literal_half_reaches_them_the_half_wins() -> None:
    chat = ChatRun()
    chat.limits = replace(LIMITS, max_turns=4)
    await talk(chat, 4)

    request = await chat.turn()

    assert 3 == sum("question" in text for text in texts(request))


async def test_asm_1_each_layer_lasts_as_long_as_it_should() -> None:
    """Time for a request, what was said for a chat until it is cleared, instructions for all."""
    chat = ChatRun(instructions="Be kind to everybody.")
    await chat.turn("I live in Oslo")
    claim, _ = await chat.open()
    await chat.store.note_task(
        chat.key, TaskState(goal="Move"), turn_id=claim.turn.id, at=chat.clock.now()
    )
    await chat.end(claim.turn)

    request = await chat.turn()
    await chat.steering().clear()
    cleared = await chat.turn()

    volatile = [text for text in notes(request).splitlines() if text.startswith("[For this")]
    assert 1 == len(volatile)
    assert "Task: Move" in volatile[0]
    assert "I live in Oslo" in texts(request)
    assert ("I live in Oslo" in texts(cleared), "Task: Move" in notes(cleared)) == (False, False)
    assert request.system == cleared.system
    assert "Be kind to everybody." in cleared.system


async def test_asm_2_rules_and_tools_stay_when_all_else_has_to_make_room() -> None:
    chat = ChatRun(instructions="Be kind.\n" * 2_000)
    await talk(chat, 8)
    chat.limits = replace(LIMITS, max_context_tokens=1_600)

    asked = "what is asked" + " again" * 50
    request = await chat.turn(asked)

    assert request.tools == (SEARCH,)
    assert RULES in request.system
    assert asked in texts(request)


async def test_asm_4_turns_that_left_and_parts_of_results_are_announced_in_a_line_each() -> None:
    """How much it is, and how to get it back."""
    chat = ChatRun()
    chat.limits = replace(LIMITS, max_context_tokens=150_000)
    for _ in range(20):
        await chat.turn(rounds=[("y" * 30_000,)])

    request = await chat.turn()

    assert "[10 earlier turns of this chat left this view;" in notes(request)
    assert "ask for it.]" in notes(request)
    gap = results(request)[0].partition("\n[… ")[2].partition(" …]")[0]
    assert gap.split(" ", 1)[0].isdigit()
    assert "tool_result_get(call_id=" in gap


async def test_asm_4_tools_and_rounds_that_are_left_out_are_announced() -> None:
    chat = ChatRun()
    for _ in range(2):
        await chat.turn(rounds=[("y" * 20_000,)])
    chat.limits = replace(LIMITS, max_context_tokens=9_000)
    assert "only the words are shown; the tools" in notes(await chat.turn())

    request = await chat.turn(rounds=[("x" * 6_000,)] * 9)

    assert "earlier steps that are no longer shown in full" in notes(request)
    assert "tool_result_get gives a whole result again" in notes(request)


def _counted(request: ModelRequest) -> int:
    return count_request(json.loads(encode(request)))


@pytest.mark.parametrize("alias", ["", "scripted-2026-01-05"])
async def test_cnt_1_after_three_turns_the_estimate_is_right_to_two_hundredths(alias: str) -> None:
    """By a count that is not the product's; whatever name the model answers by, and when idle."""
    chat = ChatRun(counter=COUNTER)
    chat.alias, chat.measure = alias, _counted
    errors: list[float] = []
    for number in range(18):
        claim, context = await chat.open(f"What does invoice {number} of last week come to? " * 9)
        scale = chat.manager.state.scale(chat.limits)
        request = await context.request(claim.turn, may_use_tools=True)
        estimate = scale.estimate(context.window)
        if number >= 3:
            errors.append(abs(estimate / _counted(request) - 1))
        step = tool_step(claim.turn.id, 0, ("It came to 1 240.50 EUR, due in March. " * 20,))
        turn = await chat.step(claim.turn, context, request, step)
        await chat.end(turn)
        if number % 5 == 4:
            chat.idle()
            await chat.manager.state.hold()

    assert sum(errors) / len(errors) < 0.02
    assert max(errors) < 0.1


async def test_cnt_1_another_model_is_measured_anew() -> None:
    chat = ChatRun()
    chat.measure = lambda request: 2 * len(encode(request)) // 4
    await talk(chat, 3)
    chat.limits = replace(LIMITS, model="another")
    chat.idle()
    await chat.manager.state.hold()

    assert chat.manager.state.scale(chat.limits).calibration.ratio == 1.0
