import json
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.adapters.anthropic_model.request import encode
from bot.core.chat import SessionKey
from bot.core.llm import CacheMark, ModelRequest, ToolSpec
from bot.core.messages import (
    ContentBlock,
    Image,
    Message,
    Text,
    Thinking,
    ToolCall,
    ToolResult,
    assistant_text,
    user_text,
)
from bot.core.turns import Step, Turn, TurnId, messages_of
from bot.testing.anthropic_rules import fault_of, prompt_of
from bot.testing.model_meeting import WEATHER, asking

EPHEMERAL = {"type": "ephemeral"}

texts = st.text(st.characters(), max_size=20)  # with surrogates, blanks and control characters
written = st.one_of(
    st.builds(Text, text=texts),
    st.builds(Thinking, text=texts, signature=st.sampled_from(["", "sig"])),
    st.builds(Thinking, text=texts.map("x".__add__), is_redacted=st.just(True)),
)
arguments = st.one_of(st.sampled_from(["", '{"a": NaN}', '{"a": 1e999}', "[" * 5_000]), texts)


@st.composite
def turns(draw: st.DrawFn) -> Turn:
    steps = []
    for number in range(draw(st.integers(0, 3))):
        blocks: list[ContentBlock] = list(draw(st.lists(written, max_size=3)))
        for call in range(draw(st.integers(0, 2))):
            call_id = f"call_{number}_{call}"
            blocks.append(ToolCall(id=call_id, name="weather", arguments=draw(arguments)))
        answer = Message(role="assistant", blocks=tuple(blocks))
        results = tuple(
            ToolResult(call_id=call.id, content=draw(texts), is_error=draw(st.booleans()))
            for call in answer.tool_calls
        )
        steps.append(Step(answer=answer, stop="tool_use", results=results))
    image = Image(media_type="image/png", data="iVBO")
    request = Message(role="user", blocks=(Text(text=draw(texts)), image, Text(text=draw(texts))))
    return Turn(
        id=TurnId(1),
        session_key=SessionKey("console:local:terminal:"),
        request=request,
        started_at=datetime(2026, 1, 5, tzinfo=UTC),
        steps=tuple(steps),
        outcome=draw(st.sampled_from([None, "answered", "failed"])),
    )


def body_of(request: ModelRequest) -> dict[str, Any]:  # Any: the JSON that a test looks into
    body: dict[str, Any] = json.loads(encode(request))
    return body


@given(turns(), st.lists(st.tuples(st.integers(0, 6), st.integers(0, 4)), max_size=3, unique=True))
def test_a_well_formed_history_is_never_refused_for_its_form(
    turn: Turn, marks: list[tuple[int, int]]
) -> None:
    request = asking(
        *messages_of(turn),
        marks=tuple(CacheMark(message=message, block=block) for message, block in marks),
    )

    body = body_of(request)

    assert fault_of(body, prompt_of(body)) == ""


def test_the_same_request_gives_the_same_bytes() -> None:
    assert encode(asking(user_text("hello"))) == encode(asking(user_text("hello")))


def test_the_system_text_is_a_marked_block() -> None:
    expected = [{"type": "text", "text": "Be kind.", "cache_control": EPHEMERAL}]

    assert expected == body_of(asking())["system"]


def test_a_blank_system_text_is_left_out() -> None:
    assert "system" not in body_of(replace(asking(), system=" \n"))


def test_tools_keep_their_order() -> None:
    other = ToolSpec(name="a", description="First by name.", schema='{"type":"object"}')

    tools = body_of(replace(asking(), tools=(WEATHER, other)))["tools"]

    assert [tool["name"] for tool in tools] == ["weather", "a"]
    assert tools[1]["input_schema"] == {"type": "object"}


def test_an_answer_in_words_keeps_the_tools_listed() -> None:
    body = body_of(replace(asking(), may_use_tools=False))

    assert body["tool_choice"] == {"type": "none"}
    assert len(body["tools"]) == 1


def test_without_tools_there_is_no_choice_of_tools() -> None:
    body = body_of(replace(asking(), tools=(), may_use_tools=False))

    assert not {"tools", "tool_choice"} & body.keys()


def test_marks_stand_on_their_blocks_and_nowhere_else() -> None:
    history = (user_text("one"), assistant_text("two"), user_text("three"))

    body = body_of(asking(*history, marks=(CacheMark(message=1, block=0),)))

    marked = ["cache_control" in message["content"][0] for message in body["messages"]]
    assert marked == [False, True, False]


def test_a_mark_on_a_block_that_is_not_sent_stands_on_the_one_before() -> None:
    message = Message(role="user", blocks=(Text(text="one"), Text(text=" ")))

    body = body_of(asking(message, marks=(CacheMark(message=0, block=1),)))

    expected = [{"type": "text", "text": "one", "cache_control": EPHEMERAL}]
    assert expected == body["messages"][0]["content"]


def test_sampling_is_left_to_the_vendor() -> None:
    assert body_of(asking()).keys() == {
        "model",
        "max_tokens",
        "stream",
        "messages",
        "system",
        "tools",
    }


@pytest.mark.parametrize("wrong", ["", "{", "[1]", "3", '{"a": NaN}', '{"a": 1e999}', "[" * 5_000])
def test_wrong_arguments_are_sent_as_an_empty_object(wrong: str) -> None:
    call = ToolCall(id="call_1", name="weather", arguments=wrong)
    result = ToolResult(call_id="call_1", content="that was no object")
    history = (
        user_text("Weather?"),
        Message(role="assistant", blocks=(call,)),
        Message(role="user", blocks=(result,)),
    )

    assert body_of(asking(*history))["messages"][1]["content"][0]["input"] == {}
