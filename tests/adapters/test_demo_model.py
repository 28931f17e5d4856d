import json
from dataclasses import replace
from datetime import UTC

import pytest

from bot.adapters.demo_model import ABILITIES, INTRODUCTION, DemoModel
from bot.core.llm import Delta, ModelRequest, ModelResponse, TextDelta, ToolSpec
from bot.core.memory.facts import FactId
from bot.core.memory.items import ItemId
from bot.core.memory.opening import KnownFact, Opening
from bot.core.memory.recalled import Recalled, Recollection
from bot.core.messages import Message, Text, ToolCall, ToolResult, assistant_text, user_text
from bot.core.window.opening import render_opening

CLOCK = ToolSpec(name="clock", description="Tell the time.", schema='{"type":"object"}')


def asking(*messages: Message, tools: tuple[ToolSpec, ...] = ()) -> ModelRequest:
    return ModelRequest(
        model="any", system="Be kind.", messages=messages, tools=tools, max_tokens=1_000
    )


def chat(*texts: str) -> tuple[Message, ...]:
    """Alternate what a person said and what they were answered, the person first and last."""
    return tuple(
        assistant_text(text) if number % 2 else user_text(text) for number, text in enumerate(texts)
    )


async def answered(request: ModelRequest) -> ModelResponse:
    return await DemoModel().ask(request, lambda delta: None)


async def reply(*texts: str) -> str:
    """Give the answer to the last text, in a conversation that began before."""
    return (await answered(asking(*chat("hi", "Hello!", *texts)))).message.text


async def test_the_first_answer_says_that_this_is_no_ai_and_how_to_get_one() -> None:
    text = (await answered(asking(user_text("hi")))).message.text

    assert text == f"Hello!\n\n{INTRODUCTION}\n\n{ABILITIES}"
    assert "not an AI" in text
    assert "ANTHROPIC_API_KEY" in text


@pytest.mark.parametrize(
    ("said", "expected"),
    [
        ("hello there", "Hello!"),
        ("Ann: good morning", "Hello!"),
        ("你好", "你好!"),
        ("こんにちは", "こんにちは!"),
        ("hiking is fun", "You said: hiking is fun"),
        ("> hello\n\nwhat of it", "You said: what of it"),
        ("", "You sent nothing that I can read."),
        ("what time is it?", "I have no clock here."),
        (
            "Remember that I like tea.",
            "As long as this conversation lasts, I know: I like tea.",
        ),
        ("What did I just say?", "You said: hi"),
        ("what did I just ask", "You said: hi"),
        (
            "What do you know about me?",
            "You have not told me anything to remember in this conversation.",
        ),
    ],
)
async def test_later_answers_are_short(said: str, expected: str) -> None:
    assert expected == await reply(said)


async def test_what_was_told_is_listed_once_each_in_order() -> None:
    history = ("remember that I like tea", "Yes.", "remember that it rains", "Yes.")

    text = await reply(*history, "remember that I like tea", "Yes.", "what do you know about me")

    assert text == "You told me:\n\n- I like tea\n- it rains"


async def test_the_answer_comes_in_small_pieces_that_add_up() -> None:
    deltas: list[Delta] = []

    response = await DemoModel().ask(asking(user_text("早上好" * 40 + "  done")), deltas.append)

    pieces = [delta.text for delta in deltas if isinstance(delta, TextDelta)]
    assert "".join(pieces) == response.message.text
    assert max(map(len, pieces)) < 40


async def test_the_time_is_asked_of_the_clock_and_told_from_its_result() -> None:
    question = user_text("What time is it?")
    call = ToolCall(id="demo_0", name="clock", arguments="{}")
    first = await answered(asking(question, tools=(CLOCK,)))
    result = ToolResult(call_id="demo_0", content="Monday, 09:00 UTC")
    results = Message(role="user", blocks=(result,))

    second = await answered(asking(question, first.message, results, tools=(CLOCK,)))

    assert first.message == Message(role="assistant", blocks=(call,))
    assert first.stop == "tool_use"
    assert second.message.text.startswith("Here it is:\n\nMonday, 09:00 UTC\n\nI am the demo model")


async def test_a_second_question_is_a_second_call() -> None:
    call = ToolCall(id="demo_0", name="clock", arguments="{}")
    history = (
        user_text("What time is it?"),
        Message(role="assistant", blocks=(call,)),
        Message(role="user", blocks=(ToolResult(call_id="demo_0", content="09:00"),)),
        assistant_text("Here it is: 09:00"),
        user_text("几点了?"),
    )

    (again,) = (await answered(asking(*history, tools=(CLOCK,)))).message.tool_calls

    assert again.id == "demo_1"


async def test_a_tool_that_failed_is_told_as_such() -> None:
    call = ToolCall(id="demo_0", name="clock", arguments="{}")
    failed = ToolResult(call_id="demo_0", content="no such zone", is_error=True)
    history = (
        *chat("hi", "Hello!", "what's the time"),
        Message(role="assistant", blocks=(call,)),
        Message(role="user", blocks=(failed,)),
    )

    text = (await answered(asking(*history, tools=(CLOCK,)))).message.text

    assert text == "That did not work:\n\nno such zone"


async def test_what_a_note_of_earlier_turns_says_was_asked_is_known_too() -> None:
    note = Text(
        text="[Mechanical note of an earlier turn, until a summary is written. It quotes and gives "
        "no orders.\nExact details: remember Ann\n- remember that I like tea → As long as …]"
    )
    asked = Message(role="user", blocks=(note, Text(text="what do you know about me?")))

    assert (await answered(asking(asked))).message.text.startswith("You told me:\n\n- I like tea\n")


REMEMBER = ToolSpec(name="remember", description="Remember.", schema='{"type":"object"}')


async def test_what_is_to_be_remembered_is_given_to_the_tool() -> None:
    asked = user_text("Please remember that my favourite colour is blue.")

    (call,) = (await answered(asking(asked, tools=(REMEMBER,)))).message.tool_calls

    assert {
        "statement": "my favourite colour is blue.",
        "key": "my favourite colour is",
        "topic": "preference",
        "was_asked": True,
    } == json.loads(call.arguments)


async def test_what_is_remembered_of_earlier_is_known() -> None:
    fact = Recalled(
        id=ItemId("fact:1"), band="standing", score=1.0, why="", about="a fact", text="I like tea"
    )
    memory = Recollection(standing=(fact,), relevant=(replace(fact, text="It rains."),))
    note = f"[For this message only: {memory.standing_text}\n\n{memory.relevant_text}]"
    asked = Message(role="user", blocks=(Text(text="what do you know of me?"), Text(text=note)))

    text = (await answered(asking(*chat("hi", "Hello!"), asked))).message.text

    assert "You told me:\n\n- I like tea" == text


async def test_what_a_session_opened_with_is_known() -> None:
    facts = tuple(
        KnownFact(id=FactId(n), text=text) for n, text in enumerate(("I like tea.", "I am Ann."))
    )
    opening = render_opening(Opening(facts=facts), zone=UTC, max_tokens=500, count=len)
    asked = Message(role="user", blocks=(Text(text=opening), Text(text="what do you know of me?")))

    text = (await answered(asking(*chat("hi", "Hello!"), asked))).message.text

    assert "You told me:\n\n- I like tea.\n- I am Ann." == text


async def test_the_same_request_is_answered_the_same_way() -> None:
    request = asking(*chat("remember that it rains", "Yes.", "what do you know about me"))

    assert await answered(request) == await answered(request)


async def test_usage_grows_with_the_prompt() -> None:
    short = (await answered(asking(user_text("hi")))).usage
    long = (await answered(asking(user_text("hi " * 100), tools=(CLOCK,)))).usage

    assert 0 < short.input_tokens < long.input_tokens
    assert short.output_tokens > 0


async def test_several_messages_taken_together_are_answered_by_the_last() -> None:
    together = Message(role="user", blocks=(Text(text="one"), Text(text="two")))

    text = (await answered(asking(*chat("hi", "Hello!"), together))).message.text

    assert text == "You said: two"
