"""What the model is shown of a conversation."""

from dataclasses import replace
from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.core.chat import SessionKey
from bot.core.messages import Message, ToolCall, ToolResult, assistant_text, user_text
from bot.core.turns import Step, Turn, TurnId, pairing_faults
from bot.core.window.assemble import EARLIER_TURNS_LEFT, Window, assemble
from bot.core.window.stages import STAGES
from bot.core.window.stages.trim_turns import trim_turns


def turn(number: int, *, is_open: bool = False) -> Turn:
    step = Step(answer=assistant_text(f"answer {number}"), stop="end_turn")
    return Turn(
        id=TurnId(number),
        session_key=SessionKey("loopback:bot:1:"),
        request=user_text(f"question {number}"),
        started_at=datetime(2026, 1, 5, 9, 0, tzinfo=UTC),
        steps=() if is_open else (step,),
        outcome=None if is_open else "answered",
    )


def window(past: int) -> Window:
    turns = tuple(turn(number + 1) for number in range(past))
    return Window(past=turns, open_turn=turn(past + 1, is_open=True))


@pytest.mark.parametrize(("turns", "kept"), [(19, 19), (20, 20), (21, 11)])
def test_the_oldest_half_leaves_when_there_are_too_many(turns: int, kept: int) -> None:
    before = window(turns - 1)

    after = trim_turns(before, 20)

    assert kept == len(after.past) + 1
    assert before.past[len(before.past) - len(after.past) :] == after.past


def test_what_left_is_announced() -> None:
    layout = assemble(trim_turns(window(20), 20))

    assert EARLIER_TURNS_LEFT in layout.messages[0].text


@given(st.integers(0, 60), st.integers(1, 30))
def test_every_stage_keeps_its_laws(past: int, limit: int) -> None:
    before = window(past)
    for stage in STAGES:
        after = stage(before, limit)
        assert len(after.past) <= len(before.past)
        assert len(after.past) + 1 <= max(limit, 1)
        assert before.open_turn == after.open_turn
        assert before.past[len(before.past) - len(after.past) :] == after.past
        assert after == stage(after, limit)
        assert () == pairing_faults(assemble(after).messages)


@given(st.integers(0, 18))
def test_the_beginning_stays_the_same_while_no_stage_acts(past: int) -> None:
    earlier = assemble(window(past)).messages
    later = assemble(window(past + 1)).messages

    assert earlier == later[: len(earlier)]


def test_the_seams_are_before_the_last_turn_behind_it_and_behind_everything() -> None:
    layout = assemble(window(3))

    assert [3, 5, 6] == [mark.message for mark in layout.cache_marks]


def test_a_later_round_marks_where_the_request_before_ended() -> None:
    first = assemble(window(3))
    call = ToolCall(id="c1", name="clock", arguments="{}")
    step = Step(
        answer=Message(role="assistant", blocks=(call,)),
        stop="tool_use",
        results=(ToolResult(call_id="c1", content="nine"),),
    )
    opened = window(3)
    later = assemble(replace(opened, open_turn=replace(opened.open_turn, steps=(step,))))

    assert [5, 6, 8] == [mark.message for mark in later.cache_marks]
    assert first.cache_marks[-1] in later.cache_marks
