"""Stored history is mended in the copy that the model is shown, and counted as it is sent."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from bot.core.chat import SessionKey
from bot.core.messages import Message, ToolCall, ToolResult, user_text
from bot.core.turns import Step, Turn, TurnId
from bot.core.window.mending import mended


def turn_with(call: ToolCall) -> Turn:
    """Make a turn of one round with that call."""
    step = Step(
        answer=Message(role="assistant", blocks=(call,)),
        stop="tool_use",
        results=(ToolResult(call_id=call.id, content="not run", is_error=True),),
    )
    return Turn(
        id=TurnId(1),
        session_key=SessionKey("t:1:2:"),
        request=user_text("hello"),
        started_at=datetime(2026, 1, 1, tzinfo=UTC),
        generation=0,
        steps=(step,),
    )


@pytest.mark.parametrize("written", ['{"city": "Ber', "[1, 2]", '"text"', "", "[" * 100_000])
def test_arguments_that_no_vendor_takes_are_shown_as_none(written: str) -> None:
    """They are sent as an empty object, so their length must not count either."""
    call = ToolCall(id="call_1", name="weather", arguments=written)
    shown = mended(turn_with(call), set())
    assert [each.arguments for each in shown.steps[0].answer.tool_calls] == ["{}"]


def test_arguments_that_are_an_object_stay_as_they_were_written() -> None:
    """To the byte: the prompt cache depends on it."""
    turn = turn_with(ToolCall(id="call_1", name="weather", arguments='{ "city" : "Berlin" }'))
    assert mended(turn, set()) == turn


def test_a_name_and_an_id_that_no_vendor_takes_are_replaced_with_their_result() -> None:
    """Call and result stay a pair."""
    shown = mended(turn_with(ToolCall(id="a b", name="rm -rf", arguments="{}")), set())
    (call,) = shown.steps[0].answer.tool_calls
    assert (call.id, call.name) == ("call", "unknown_tool")
    assert [result.call_id for result in shown.steps[0].results] == ["call"]
