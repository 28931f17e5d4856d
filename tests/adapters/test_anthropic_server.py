import asyncio
import copy
import json
from collections.abc import Callable
from typing import Any

import pytest

from bot.core.messages import Text, Thinking, ToolCall
from bot.testing.anthropic_events import Written
from bot.testing.anthropic_rules import PromptCache, fault_of, prompt_of
from bot.testing.anthropic_server import PretendedAnthropic

Body = dict[str, Any]  # Any: JSON that a test takes apart


def text(words: str) -> Body:
    return {"type": "text", "text": words}


def call(call_id: str) -> Body:
    return {"type": "tool_use", "id": call_id, "name": "f", "input": {}}


def result(call_id: str) -> Body:
    return {"type": "tool_result", "tool_use_id": call_id, "content": "fine"}


GOOD: Body = {
    "model": "claude-sonnet-5-5",
    "max_tokens": 10,
    "system": [text("Be kind.")],
    "tools": [{"name": "f", "description": "d", "input_schema": {"type": "object"}}],
    "messages": [
        {"role": "user", "content": "hello"},
        {"role": "assistant", "content": [text("Hm."), call("a"), call("b")]},
        {"role": "user", "content": [result("b"), result("a"), text("and?")]},
    ],
}


def fault(body: Body) -> str:
    return fault_of(body, prompt_of(body))


def content(body: Body, number: int) -> list[Body]:
    blocks: list[Body] = body["messages"][number]["content"]
    return blocks


def test_a_good_request_has_no_fault() -> None:
    assert fault(GOOD) == ""


def call_twice(body: Body, call_id: str) -> None:
    content(body, 1).append(call(call_id))
    content(body, 2).insert(0, result(call_id))


def mark_five(body: Body) -> None:
    marked = {**text("x"), "cache_control": {"type": "ephemeral"}}
    content(body, 2).extend([marked] * 5)


BARE_THOUGHT: Body = {"type": "thinking", "thinking": "x"}

WRONG: dict[str, Callable[[Body], object]] = {
    "Extra inputs": lambda body: body.update(temperature=1),
    "model: Field required": lambda body: body.pop("model"),
    "max_tokens": lambda body: body.update(max_tokens=0),
    "at least one message": lambda body: body.update(messages=[]),
    "roles must alternate": lambda body: body["messages"].pop(0),
    "must come first": lambda body: content(body, 2).insert(1, text("first")),
    "do not match": lambda body: content(body, 2).pop(0),
    "without `tool_result`": lambda body: body["messages"].pop(),
    "Tool names must be unique": lambda body: body["tools"].append(body["tools"][0]),
    "ids must be unique": lambda body: call_twice(body, "a"),
    "non-empty content": lambda body: body["messages"][0].update(content=[]),
    "non-whitespace": lambda body: content(body, 1)[0].update(text=" \n"),
    "system: text": lambda body: body.update(system=[text("")]),
    "tool_use.id": lambda body: call_twice(body, "ü"),
    "valid dictionary": lambda body: content(body, 1)[1].update(input="{}"),
    "if `is_error`": lambda body: content(body, 2)[0].update(content="", is_error=True),
    "while providing tools": lambda body: body.update(tools=[], tool_choice={"type": "none"}),
    "tool_choice: Input tag": lambda body: body.update(tool_choice={"type": "maybe"}),
    "name: String": lambda body: body["tools"][0].update(name="no spaces"),
    "input_schema": lambda body: body["tools"][0].pop("input_schema"),
    "signature": lambda body: content(body, 1).insert(0, BARE_THOUGHT),
    "redacted_thinking.data": lambda body: content(body, 1).insert(
        0, {"type": "redacted_thinking"}
    ),
    "image.source": lambda body: content(body, 2).append({"type": "image", "source": {}}),
    "'hologram' does not match": lambda body: content(body, 2).append({"type": "hologram"}),
    "maximum of 4 blocks": mark_five,
}


@pytest.mark.parametrize("words", WRONG)
def test_what_the_vendor_refuses_is_refused(words: str) -> None:
    body = copy.deepcopy(GOOD)
    WRONG[words](body)

    assert words in fault(body)


def marked(*texts: str, marks: set[int]) -> Body:
    messages = [
        {
            "role": "user",
            "content": [{**text(words), "cache_control": {}} if at in marks else text(words)],
        }
        for at, words in enumerate(texts)
    ]
    return {"model": "m", "messages": messages}


def test_the_cache_keeps_what_stands_before_a_mark() -> None:
    cache = PromptCache()
    first, second = marked("a", "b", marks={1}), marked("a", "b", "c", marks={2})
    whole = prompt_of(second).tokens
    kept = prompt_of(first).tokens

    assert cache.use(prompt_of(first)) == (0, kept)
    assert cache.use(prompt_of(second)) == (kept, whole - kept)
    assert cache.use(prompt_of(marked("A", "b", marks={1}))) == (0, kept)
    assert cache.use(prompt_of(marked("a", "b", marks=set()))) == (0, 0)


def test_the_cache_looks_back_twenty_blocks_and_no_further() -> None:
    cache = PromptCache()
    texts = tuple("x" * (number + 1) for number in range(30))
    cache.use(prompt_of(marked(*texts[:1], marks={0})))

    near, _ = cache.use(prompt_of(marked(*texts[:21], marks={20})))
    cache = PromptCache()
    cache.use(prompt_of(marked(*texts[:1], marks={0})))
    far, _ = cache.use(prompt_of(marked(*texts[:22], marks={21})))

    assert near > 0
    assert far == 0


async def exchange(server: PretendedAnthropic, method: str, path: str, body: object = None) -> Body:
    port = int(server.base_url.rpartition(":")[2])
    payload = json.dumps(body).encode() if body is not None else b""
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    head = f"{method} {path} HTTP/1.0\r\nx-api-key: k\r\nContent-Length: {len(payload)}\r\n\r\n"
    writer.write(head.encode() + payload)
    answer = await reader.read()
    writer.close()
    found: Body = json.loads(answer.partition(b"\r\n\r\n")[2])
    return found


async def test_a_request_for_no_stream_is_answered_in_one_piece() -> None:
    blocks = (
        Thinking(text="Hm.", signature="s"),
        Text(text="Hello, you!"),
        ToolCall(id="a", name="f", arguments='{"x": 1}'),
        ToolCall(id="b", name="f", arguments='{"x":'),
    )
    async with PretendedAnthropic([Written(blocks=blocks)]) as server:
        answer = await exchange(server, "POST", "/v1/messages", GOOD)

    assert answer["content"] == [
        {"type": "thinking", "thinking": "Hm.", "signature": "s"},
        text("Hello, you!"),
        {"type": "tool_use", "id": "a", "name": "f", "input": {"x": 1}},
        {"type": "tool_use", "id": "b", "name": "f", "input": {}},
    ]
    assert answer["stop_reason"] == "tool_use"


async def test_tokens_are_counted_as_they_are_billed() -> None:
    async with PretendedAnthropic() as server:
        counted = await exchange(server, "POST", "/v1/messages/count_tokens", GOOD)
        answer = await exchange(server, "POST", "/v1/messages", GOOD)

    assert counted["input_tokens"] == answer["usage"]["input_tokens"]


async def test_the_key_is_not_recorded() -> None:
    async with PretendedAnthropic() as server:
        await exchange(server, "POST", "/v1/messages", GOOD)

    assert "x-api-key" not in server.requests[0].headers
