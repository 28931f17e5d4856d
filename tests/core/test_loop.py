"""The agent loop, played by a model that may answer anything."""

import re
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bot.core.chat import SessionKey
from bot.core.llm import ModelResponse, StopReason, Usage
from bot.core.loop import (
    MAX_CALLS_PER_ROUND,
    TOO_MANY_CALLS,
    TOOLS_ARE_OFF,
    Action,
    AskModel,
    Finish,
    LoopState,
    RunTools,
    on_answer,
    on_cancel,
    on_failure,
    on_results,
    start,
)
from bot.core.messages import ContentBlock, Message, Text, ToolCall, ToolResult, user_text
from bot.core.turns import Outcome, Turn, TurnId, messages_of, pairing_faults
from bot.testing.clock import START
from bot.testing.strategies import STOPS

CALL_IDS = st.sampled_from(["0", "1", "call_1_0_0", "call_1_0_1", "", "x y", "é", "a" * 65])
BLOCKS = st.one_of(
    st.builds(Text, text=st.sampled_from(["", "words"])),
    st.builds(ToolCall, id=CALL_IDS, name=st.just("clock"), arguments=st.just("{}")),
)
ANSWERS = st.tuples(st.lists(BLOCKS, max_size=12), st.sampled_from(STOPS))


def response(*blocks: ContentBlock, stop: StopReason = "end_turn") -> ModelResponse:
    message = Message(role="assistant", blocks=blocks)
    return ModelResponse(message=message, stop=stop, usage=Usage(), model="scripted")


def call(call_id: str) -> ToolCall:
    return ToolCall(id=call_id, name="clock", arguments="{}")


def result(call_id: str, content: str = "noon") -> ToolResult:
    return ToolResult(call_id=call_id, content=content)


def fresh(max_steps: int = 3, *taken_ids: str) -> LoopState:
    return LoopState(turn_id=TurnId(1), max_steps=max_steps, taken_ids=frozenset(taken_ids))


def play(
    state: LoopState, answers: list[tuple[list[ContentBlock], StopReason]]
) -> tuple[LoopState, Action, int]:
    """Run a turn to its end, or until the model has nothing more to say; count the asks."""
    state, action = start(state)
    asks = 0
    while not isinstance(action, Finish):
        if isinstance(action, RunTools):
            assert 1 <= len(action.calls) <= MAX_CALLS_PER_ROUND
            results = tuple(result(each.id) for each in action.calls)
            state, action = on_results(state, results)
        elif asks == len(answers):
            break
        else:
            blocks, stop = answers[asks]
            asks += 1
            state, action = on_answer(state, response(*blocks, stop=stop))
    return state, action, asks


@settings(max_examples=60)
@given(st.integers(1, 4), st.lists(ANSWERS, min_size=10, max_size=10))
def test_every_turn_ends(
    max_steps: int, answers: list[tuple[list[ContentBlock], StopReason]]
) -> None:
    _, action, asks = play(fresh(max_steps), answers)

    assert isinstance(action, Finish)
    assert asks <= 2 * (max_steps + 1)


@given(st.integers(1, 4), st.lists(ANSWERS, max_size=4), st.sets(CALL_IDS, max_size=3))
def test_no_vendor_would_refuse_what_was_played(
    max_steps: int,
    answers: list[tuple[list[ContentBlock], StopReason]],
    taken_ids: set[str],
) -> None:
    state, action, _ = play(fresh(max_steps, *taken_ids), answers)
    turn = Turn(
        id=TurnId(1),
        session_key=SessionKey("loopback:bot:1:"),
        request=user_text("Hi"),
        started_at=START,
        steps=state.steps,
        outcome=action.outcome if isinstance(action, Finish) else None,
    )
    ids = [each.id for step in state.steps for each in step.answer.tool_calls]

    assert () == pairing_faults(messages_of(turn))
    assert not taken_ids & set(ids)
    assert all(re.fullmatch(r"[A-Za-z0-9_-]{1,64}", each) for each in ids)


@given(st.integers(1, 3), st.lists(ANSWERS, max_size=4))
def test_a_turn_goes_on_from_its_journal_as_if_it_had_never_stopped(
    max_steps: int, answers: list[tuple[list[ContentBlock], StopReason]]
) -> None:
    state, action, _ = play(fresh(max_steps), answers)

    assert (state, action) == start(replace(fresh(max_steps), steps=state.steps))


@pytest.mark.parametrize(
    ("stop", "text", "outcome"),
    [
        ("end_turn", "Noon.", "answered"),
        ("stop_sequence", "Noon.", "answered"),
        ("tool_use", "Noon.", "answered"),
        ("end_turn", " \n", "empty"),
        ("max_tokens", "No", "cut"),
        ("window_full", "", "cut"),
        ("refusal", "I would rather not.", "refused"),
    ],
)
def test_an_answer_in_words_ends_the_turn(stop: StopReason, text: str, outcome: Outcome) -> None:
    _, action = on_answer(fresh(), response(Text(text=text), stop=stop))

    assert Finish(outcome=outcome, text=text) == action


def test_a_turn_begins_with_the_model() -> None:
    assert AskModel(may_use_tools=True) == start(fresh())[1]


def test_calls_are_run_and_their_results_go_to_the_model() -> None:
    state, action = on_answer(fresh(), response(call("a"), call("b"), stop="tool_use"))

    assert RunTools(calls=(call("a"), call("b"))) == action

    state, action = on_results(state, (result("b"),))

    assert RunTools(calls=(call("a"),)) == action

    state, action = on_results(state, (result("a"), result("a", "late"), result("b", "late")))

    assert AskModel(may_use_tools=True) == action
    assert (result("a"), result("b")) == state.steps[-1].results


def test_after_the_last_round_the_model_is_asked_with_tools_off() -> None:
    state, _ = on_answer(fresh(1), response(call("a"), stop="tool_use"))
    state, action = on_results(state, (result("a"),))

    assert AskModel(may_use_tools=False) == action

    state, action = on_answer(state, response(Text(text="So:"), call("b"), stop="tool_use"))

    assert Finish(outcome="answered", text="So:") == action
    assert [TOOLS_ARE_OFF] == [each.content for each in state.steps[-1].results]


def test_a_limit_lowered_below_what_is_used_still_leaves_the_last_answer() -> None:
    state = fresh(5)
    for name in ("a", "b", "c"):
        state, _ = on_answer(state, response(call(name), stop="tool_use"))
        state, _ = on_results(state, (result(name),))

    state, action = start(replace(state, max_steps=1))

    assert AskModel(may_use_tools=False) == action

    _, action = on_answer(state, response(call("d"), stop="tool_use"))

    assert Finish(outcome="empty", text="") == action


def test_calls_of_a_refusal_are_not_run() -> None:
    state, action = on_answer(fresh(), response(call("a"), stop="refusal"))

    assert Finish(outcome="refused", text="") == action
    assert [TOOLS_ARE_OFF] == [each.content for each in state.steps[-1].results]


def test_too_many_calls_at_once_are_run_in_part() -> None:
    calls = tuple(call(f"c{number}") for number in range(MAX_CALLS_PER_ROUND + 2))
    state, action = on_answer(fresh(), response(*calls, stop="tool_use"))

    assert RunTools(calls=calls[:MAX_CALLS_PER_ROUND]) == action
    assert [TOO_MANY_CALLS] * 2 == [each.content for each in state.steps[-1].results]


def test_a_pause_is_gone_on_from_but_not_for_ever() -> None:
    state = fresh(2)
    actions: list[Action] = []
    for _ in range(3):
        state, action = on_answer(state, response(Text(text="Hm."), stop="pause_turn"))
        actions.append(action)

    ask = AskModel(may_use_tools=True)
    assert [ask, ask, Finish(outcome="answered", text="Hm.\n\nHm.\n\nHm.")] == actions


def test_ids_that_a_vendor_would_refuse_are_made_anew() -> None:
    state, _ = on_answer(
        fresh(3, "old"),
        response(call("old"), call("fine"), call("fine"), call("no id"), stop="tool_use"),
    )

    assert ["call_1_0_0", "fine", "call_1_0_2", "call_1_0_3"] == [
        each.id for each in state.steps[-1].answer.tool_calls
    ]


def test_a_made_id_is_no_other_call_s() -> None:
    state, _ = on_answer(fresh(3, "call_1_0_0"), response(call("no id"), stop="tool_use"))

    assert "call_1_0_0_" == state.steps[-1].answer.tool_calls[0].id


def test_a_turn_can_fail_and_can_be_stopped() -> None:
    assert Finish(outcome="failed", text="") == on_failure(fresh())[1]
    assert Finish(outcome="stopped", text="") == on_cancel(fresh())[1]


def test_results_belong_to_the_newest_step() -> None:
    with pytest.raises(ValueError, match="without a step"):
        on_results(fresh(), (result("a"),))
    state, _ = on_answer(fresh(), response(call("a"), stop="tool_use"))
    with pytest.raises(ValueError, match="not made"):
        on_results(state, (result("b"),))


def test_what_was_said_before_a_pause_belongs_to_the_answer() -> None:
    state, _ = on_answer(fresh(), response(Text(text="First half,"), stop="pause_turn"))
    _, action = on_answer(state, response(Text(text="second half.")))

    assert action == Finish(outcome="answered", text="First half,\n\nsecond half.")


def test_a_name_no_vendor_would_read_again_is_mended() -> None:
    asked = ToolCall(id="c1", name="web fetch!", arguments="{}")
    state, action = on_answer(fresh(), response(asked, stop="tool_use"))

    assert isinstance(action, RunTools)
    assert [each.name for each in state.steps[0].answer.tool_calls] == ["web_fetch_"]
