"""Turns as the model sees them: whole, whatever happened in them."""

import pytest
from hypothesis import given, settings

from bot.core.chat import SessionKey
from bot.core.messages import (
    Message,
    Text,
    Thinking,
    ToolCall,
    ToolResult,
    assistant_text,
    user_text,
)
from bot.core.turns import (
    NO_RESULT,
    Outcome,
    Step,
    Turn,
    TurnId,
    messages_of,
    pairing_faults,
)
from bot.testing.clock import START
from bot.testing.strategies import OUTCOMES, histories, turns

CALL = ToolCall(id="call_1", name="clock", arguments="{}")
OTHER_CALL = ToolCall(id="call_2", name="clock", arguments="{}")
RESULT = ToolResult(call_id="call_1", content="noon")


def turn_of(*steps: Step, outcome: Outcome | None = None) -> Turn:
    return Turn(
        id=TurnId(1),
        session_key=SessionKey("loopback:bot:1:"),
        request=user_text("What time is it?"),
        started_at=START,
        steps=steps,
        outcome=outcome,
    )


def calling(*blocks: Text | Thinking | ToolCall) -> Message:
    return Message(role="assistant", blocks=blocks)


def answering(*blocks: Text | ToolResult) -> Message:
    return Message(role="user", blocks=blocks)


@given(turns())
def test_no_vendor_would_refuse_a_turn(turn: Turn) -> None:
    assert () == pairing_faults(messages_of(turn))


@settings(max_examples=30)
@given(turns())
def test_a_turn_begins_with_its_request(turn: Turn) -> None:
    assert turn.request == messages_of(turn)[0]


@given(turns(is_open=False))
def test_an_ended_turn_ends_with_words_and_holds_no_thinking(turn: Turn) -> None:
    messages = messages_of(turn)
    blocks = [block for message in messages for block in message.blocks]

    assert "assistant" == messages[-1].role
    assert messages[-1].text.strip()
    assert [] == [block for block in blocks if isinstance(block, Thinking)]


@settings(max_examples=50)
@given(histories())
def test_turns_stand_behind_one_another(history: tuple[Turn, ...]) -> None:
    messages = tuple(message for turn in history for message in messages_of(turn))

    assert () == pairing_faults(messages)


def test_the_first_result_of_a_call_stays_and_a_missing_one_is_named() -> None:
    late = ToolResult(call_id="call_1", content="late")
    step = Step(answer=calling(OTHER_CALL, CALL), stop="tool_use", results=(RESULT, late))
    missing = ToolResult(call_id="call_2", content=NO_RESULT, is_error=True)

    assert (OTHER_CALL,) == step.open_calls
    assert answering(missing, RESULT) == messages_of(turn_of(step))[-1]


def test_thinking_is_handed_back_while_the_turn_is_open() -> None:
    thought = Thinking(text="Hm.", signature="signed")
    step = Step(answer=calling(thought, CALL), stop="tool_use", results=(RESULT,))

    assert thought in messages_of(turn_of(step))[1].blocks
    assert thought not in messages_of(turn_of(step, outcome="failed"))[1].blocks


def test_answers_behind_one_another_are_one_message() -> None:
    first = Step(answer=assistant_text("One."), stop="pause_turn")
    second = Step(answer=assistant_text("Two."), stop="end_turn")

    assert ["user", "assistant"] == [each.role for each in messages_of(turn_of(first, second))]


@pytest.mark.parametrize("outcome", OUTCOMES)
@pytest.mark.parametrize("blocks", [(), (Text(text=" \n"),), (Thinking(text="Hm."),)])
def test_an_ended_turn_without_words_says_so(
    outcome: Outcome, blocks: tuple[Text | Thinking, ...]
) -> None:
    messages = messages_of(turn_of(Step(answer=calling(*blocks), stop="end_turn"), outcome=outcome))

    assert messages[-1].text.startswith("[")


def test_a_turn_that_never_got_an_answer_is_laid_out_by_how_it_stands() -> None:
    assert (user_text("What time is it?"),) == messages_of(turn_of())
    assert (
        assistant_text("[stopped by the person before an answer]")
        == (messages_of(turn_of(outcome="stopped"))[-1])
    )


def test_the_reply_is_the_text_of_the_last_step() -> None:
    calls = Step(answer=calling(Text(text="Let me look."), CALL), stop="tool_use")
    answer = Step(answer=assistant_text("Noon."), stop="end_turn")

    assert "" == turn_of().reply
    assert "Noon." == turn_of(calls, answer).reply


@pytest.mark.parametrize(
    ("messages", "fault"),
    [
        ((assistant_text("Hi"),), "message 0: is the assistant's, not the user's"),
        ((user_text("a"), user_text("b")), "message 1: is the user's, not the assistant's"),
        ((answering(),), "message 0: is empty"),
        ((user_text("a"), calling(CALL)), "calls without results at the end: ['call_1']"),
        ((answering(RESULT),), "message 0: results ['call_1'], calls []"),
        (
            (user_text("a"), calling(CALL), answering(RESULT, RESULT)),
            "message 2: results ['call_1'], calls ['call_1']",
        ),
        (
            (user_text("a"), calling(CALL), answering(Text(text="b"), RESULT)),
            "message 2: results stand behind other blocks",
        ),
        (
            (user_text("a"), calling(CALL, CALL), answering(RESULT, RESULT)),
            "message 1: call id call_1 is used twice",
        ),
        (
            (Message(role="user", blocks=(CALL,)), calling(Text(text="a"))),
            "message 0: a ToolCall from the user",
        ),
    ],
)
def test_what_a_vendor_would_refuse_is_named(messages: tuple[Message, ...], fault: str) -> None:
    assert fault in pairing_faults(messages)


def test_a_call_id_may_not_come_back_later() -> None:
    round_of_calls = (calling(CALL), answering(RESULT))

    assert ("message 3: call id call_1 is used twice",) == pairing_faults(
        (user_text("a"), *round_of_calls, *round_of_calls)
    )
