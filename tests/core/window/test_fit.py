"""A window that is made to fit fits, whatever it held."""

from dataclasses import replace

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from bot.core.messages import Message, Text, ToolCall, ToolResult, user_text
from bot.core.turns import Step, pairing_faults
from bot.core.window.assemble import assemble
from bot.core.window.fit import fit
from bot.core.window.notes import RECALLED_LEFT
from bot.core.window.shapes import shown
from bot.core.window.window import Window
from bot.errors import CannotFit
from tests.core.window.conftest import limits, random_window, tokens_of
from tests.core.window.given import turn, turns


@settings(max_examples=300)
@given(st.integers(0, 2**32))
def test_it_fits_or_says_both_numbers(seed: int) -> None:
    window, bounds = random_window(seed)
    alone = Window(open_turn=replace(window.open_turn, steps=()))
    if tokens_of(alone) > bounds.max_tokens:
        with pytest.raises(CannotFit) as caught:
            fit(window, bounds)
        assert caught.value.needed_tokens > caught.value.limit_tokens == bounds.max_tokens
        return
    assume(tokens_of(alone) + 1_200 <= bounds.max_tokens)
    fitting = fit(window, bounds)

    assert bounds.weigh(fitting) <= bounds.max_tokens
    assert fitting.turns <= bounds.max_turns or not fitting.past
    assert () == pairing_faults(assemble(fitting).messages)
    assert fitting == fit(fitting, bounds)
    stored = tuple(shown(each, fitting.cut) for each in window.past)
    assert fitting.past == stored[len(stored) - len(fitting.past) :]


@given(st.integers(0, 18))
def test_what_fits_comes_back_as_the_same_object(past: int) -> None:
    window = Window(past=turns(past), open_turn=turn(past + 1, is_open=True))

    assert window is fit(window, limits())


def rounds(count: int, result_chars: int) -> tuple[Step, ...]:
    return tuple(
        Step(
            answer=Message(
                role="assistant",
                blocks=(
                    Text(text=f"Let me look, {number}."),
                    ToolCall(id=f"c{number}", name="page", arguments=f'{{"page": {number}}}'),
                ),
            ),
            stop="tool_use",
            results=(ToolResult(call_id=f"c{number}", content="z" * result_chars),),
        )
        for number in range(10, 10 + count)
    )


@pytest.mark.parametrize(("result_chars", "kept"), [(30_000, 5), (20_000, 7), (14_000, 10)])
def test_of_a_long_turn_five_to_ten_rounds_stay(result_chars: int, kept: int) -> None:
    open_turn = replace(turn(1, is_open=True), steps=rounds(15, result_chars))

    fitting = fit(Window(open_turn=open_turn), limits())

    assert kept == len(fitting.rounds)
    paragraph = assemble(fitting).messages[0].text
    assert all(f'page({{"page": {number}}})' in paragraph for number in range(10, 25 - kept))


def test_of_giant_rounds_the_newest_stays_and_the_largest_pieces_are_cut() -> None:
    small = ToolResult(call_id="small", content="short")
    giant = ToolResult(call_id="giant", content="x" * 600_000)
    calls = tuple(ToolCall(id=name, name="page", arguments="{}") for name in ("small", "giant"))
    newest = Step(
        answer=Message(role="assistant", blocks=calls), stop="tool_use", results=(small, giant)
    )
    open_turn = replace(turn(1, is_open=True), steps=(*rounds(3, 250_000), newest))

    fitting = fit(Window(open_turn=open_turn), limits())

    (_, _, results) = assemble(fitting).messages
    assert small == results.blocks[0]
    assert isinstance(results.blocks[1], ToolResult)
    assert 'tool_result_get(call_id="giant"' in results.blocks[1].content
    assert 40_000 < tokens_of(fitting) <= 50_000


def test_a_request_that_cannot_fit_alone_says_both_numbers() -> None:
    open_turn = replace(turn(1, is_open=True), request=user_text("y" * 300_000))

    with pytest.raises(CannotFit) as caught:
        fit(Window(past=turns(0), open_turn=open_turn), limits())

    assert 50_000 == caught.value.limit_tokens
    assert 75_000 < caught.value.needed_tokens < 76_000


def test_asm_2_the_last_turns_outlive_instructions_summary_and_recalled_memory() -> None:
    window = Window(
        past=turns(3, first_id=2),
        open_turn=turn(5, is_open=True),
        summary="s" * 3_000,
        instructions="Be kind.\n" * 500,
        opening="o" * 3_000,
        facts="f" * 3_000,
        recalled="r" * 3_000,
        volatile=("v" * 3_000,),
    )

    sizes = (5_100, 4_300, 3_600, 2_900, 2_100, 1_400, 700)
    shed = [fit(window, limits(size)).shed for size in sizes]

    assert [0, 1, 2, 3, 4, 5, 6] == shed
    assert all(window.past == fit(window, limits(size)).past for size in sizes)


@pytest.mark.parametrize(
    ("max_tokens", "told"),
    [(1_900, ("ffff", "rrrr")), (1_200, ("ffff", RECALLED_LEFT)), (500, (RECALLED_LEFT,))],
)
def test_asm_4_that_memory_is_left_out_is_said(max_tokens: int, told: tuple[str, ...]) -> None:
    window = Window(open_turn=turn(1, is_open=True), facts="f" * 3_000, recalled="r" * 3_000)

    text = assemble(fit(window, limits(max_tokens))).messages[0].text

    assert told == tuple(each for each in ("ffff", "rrrr", RECALLED_LEFT) if each in text)
