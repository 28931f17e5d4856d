import asyncio
from dataclasses import replace

import pytest

from bot.core.llm import CacheMark, Delta, ModelRequest, TextDelta, ThinkingDelta, Usage
from bot.core.messages import Message, Text, Thinking, ToolCall, assistant_text, user_text
from bot.errors import ModelOverloaded, ModelStreamCut
from bot.testing.model import ScriptedModel, answer, calling, cut_stream

REQUEST = ModelRequest(model="m", system="", messages=(user_text("hello"),), max_tokens=10)


def ignore(delta: Delta) -> None:
    pass


async def test_answers_come_in_order_and_requests_are_kept() -> None:
    model = ScriptedModel(["one", calling("clock", zone="UTC"), lambda r: r.messages[-1].text])
    texts = [await model.ask(REQUEST, ignore) for _ in range(3)]

    call = ToolCall(id="call_1", name="clock", arguments='{"zone": "UTC"}')
    assert [response.message for response in texts] == [
        assistant_text("one"),
        Message(role="assistant", blocks=(call,)),
        assistant_text("hello"),
    ]
    assert [response.stop for response in texts] == ["end_turn", "tool_use", "end_turn"]
    assert model.requests == [REQUEST] * 3


async def test_one_function_answers_everything() -> None:
    model = ScriptedModel(lambda request: f"{len(model.requests)}")
    model.then("first of all")

    texts = [(await model.ask(REQUEST, ignore)).message.text for _ in range(3)]

    assert texts == ["first of all", "2", "3"]


async def test_the_script_may_fail_at_once_or_in_the_middle() -> None:
    model = ScriptedModel([ModelOverloaded(), cut_stream("half of")])
    deltas: list[Delta] = []

    with pytest.raises(ModelOverloaded):
        await model.ask(REQUEST, deltas.append)
    assert deltas == []
    with pytest.raises(ModelStreamCut):
        await model.ask(REQUEST, deltas.append)
    assert deltas == [TextDelta(text="half "), TextDelta(text="of")]


async def test_a_held_answer_stands_still_behind_its_first_piece() -> None:
    model = ScriptedModel(["one two three"])
    deltas: list[Delta] = []
    model.hold()
    asked = asyncio.create_task(model.ask(REQUEST, deltas.append))
    await model.held()

    assert deltas == [TextDelta(text="one ")]
    model.release()
    assert assistant_text("one two three") == (await asked).message


async def test_reasoning_is_shown_too() -> None:
    deltas: list[Delta] = []
    model = ScriptedModel([answer(Thinking(text="hm", signature="s"), Text(text="so"))])
    await model.ask(REQUEST, deltas.append)

    assert deltas == [ThinkingDelta(text="hm"), TextDelta(text="so")]


async def test_usage_is_estimated_unless_written() -> None:
    written = replace(answer(Text(text="x")), usage=Usage(input_tokens=1))
    model = ScriptedModel(["x", written])

    assert (await model.ask(REQUEST, ignore)).usage.input_tokens > 1
    assert (await model.ask(REQUEST, ignore)).usage == Usage(input_tokens=1)


@pytest.mark.parametrize(
    "wrong",
    [
        replace(REQUEST, messages=()),
        replace(REQUEST, messages=(assistant_text("I begin"),)),
        replace(REQUEST, messages=(user_text("one"), user_text("two"))),
        replace(REQUEST, messages=(user_text(" "),)),
        replace(REQUEST, messages=(user_text("hi"), calling("clock").message)),
        replace(REQUEST, max_tokens=0),
        replace(REQUEST, cache_marks=(CacheMark(message=0, block=1),)),
        replace(REQUEST, cache_marks=(CacheMark(message=0, block=0),) * 4),
    ],
)
async def test_what_a_vendor_would_refuse_is_refused(wrong: ModelRequest) -> None:
    model = ScriptedModel(["never given"])

    with pytest.raises(AssertionError, match="a vendor would refuse"):
        await model.ask(wrong, ignore)
    assert len(model.refused) > 0
    assert model.requests == [wrong]


async def test_more_questions_than_answers_are_a_fault() -> None:
    with pytest.raises(AssertionError, match="answers for fewer"):
        await ScriptedModel().ask(REQUEST, ignore)


def test_one_text_is_no_list_of_answers() -> None:
    with pytest.raises(TypeError):
        ScriptedModel("hello")
