"""A :class:`~bot.core.llm.ModelRequest` as the body of ``POST /v1/messages``.

Laws of this file: equal requests give equal bytes, and a request that begins like another one
begins with the same bytes (the vendor's prompt cache compares them); nothing that the vendor
refuses for its form is written: no blank text, no unsigned reasoning, no arguments that are not an
object. Sampling is left to the vendor, whose newer models refuse to be told.
"""

from __future__ import annotations

import json
from functools import lru_cache
from typing import assert_never

from bot.core.llm import ModelRequest, ToolSpec
from bot.core.messages import ContentBlock, Image, Message, Text, Thinking, ToolCall, ToolResult

JsonDict = dict[str, object]

NO_TEXT = "[no text]"
NO_OUTPUT = "[no output]"

_EPHEMERAL = {"type": "ephemeral"}
_TOOLS_REMEMBERED = 256


def encode(request: ModelRequest) -> bytes:
    """Write the body of the request, asking for a stream.

    Lone surrogates, which UTF-8 cannot hold, become question marks.
    """
    body: JsonDict = {
        "model": request.model,
        "max_tokens": request.max_tokens,
        "stream": True,
        "messages": _messages(request),
    }
    if request.system.strip():
        system = {"type": "text", "text": request.system, "cache_control": _EPHEMERAL}
        body["system"] = [system]
    if request.tools:
        body["tools"] = [_tool(spec) for spec in request.tools]
        if not request.may_use_tools:
            body["tool_choice"] = {"type": "none"}
    return json.dumps(body, ensure_ascii=False, separators=(",", ":")).encode("utf-8", "replace")


def _messages(request: ModelRequest) -> list[JsonDict]:
    marks = {(mark.message, mark.block) for mark in request.cache_marks}
    return [
        {"role": message.role, "content": _content(message, number, marks)}
        for number, message in enumerate(request.messages)
    ]


def _content(message: Message, number: int, marks: set[tuple[int, int]]) -> list[JsonDict]:
    content: list[JsonDict] = []
    may_be_marked = False
    for index, block in enumerate(message.blocks):
        written = _block(block)
        if written is not None:
            content.append(written)
            may_be_marked = not isinstance(block, Thinking)
        if may_be_marked and (number, index) in marks:
            content[-1]["cache_control"] = _EPHEMERAL
    return content or [{"type": "text", "text": NO_TEXT}]


def _block(block: ContentBlock) -> JsonDict | None:
    match block:
        case Text():
            return {"type": "text", "text": block.text} if block.text.strip() else None
        case Image():
            source = {"type": "base64", "media_type": block.media_type, "data": block.data}
            return {"type": "image", "source": source}
        case Thinking():
            return _thinking(block)
        case ToolCall():
            arguments = _arguments(block.arguments)
            return {"type": "tool_use", "id": block.id, "name": block.name, "input": arguments}
        case ToolResult():
            return _result(block)
        case _:
            assert_never(block)


def _thinking(block: Thinking) -> JsonDict | None:
    if block.is_redacted:
        return {"type": "redacted_thinking", "data": block.text}
    if not block.signature:
        return None
    return {"type": "thinking", "thinking": block.text, "signature": block.signature}


def _result(block: ToolResult) -> JsonDict:
    written: JsonDict = {
        "type": "tool_result",
        "tool_use_id": block.call_id,
        "content": block.content if block.content.strip() else NO_OUTPUT,
    }
    if block.is_error:
        written["is_error"] = True
    return written


def _arguments(text: str) -> JsonDict:
    """Read a call's arguments; those that the model wrote wrongly become an empty object.

    The result that stands beside such a call says what was wrong with it. Numbers that Python
    reads but JSON does not have (NaN, 1e999) count as wrong.
    """
    try:
        value = json.loads(text)
        json.dumps(value, allow_nan=False)
    except (ValueError, RecursionError):
        return {}
    return value if isinstance(value, dict) else {}


@lru_cache(maxsize=_TOOLS_REMEMBERED)
def _tool(spec: ToolSpec) -> JsonDict:
    schema = json.loads(spec.schema)
    return {"name": spec.name, "description": spec.description, "input_schema": schema}
