"""Stored history that a vendor would refuse, mended in the copy that the model is shown.

Nothing stored is changed. A turn without faults comes back as it is.
"""

from __future__ import annotations

import json
import re
from dataclasses import replace
from operator import is_

from bot.core.messages import ContentBlock, Image, Message, Text, ToolCall, ToolResult
from bot.core.turns import Step, Turn

NO_WORDS = "(no text)"
NO_ARGUMENTS = "{}"

_VALID = re.compile(r"[A-Za-z0-9_-]{1,64}")


def mended(turn: Turn, taken: set[str]) -> Turn:
    """Give a turn a request with words, answers of the assistant's kind, and calls in due form.

    ``taken`` holds the ids of calls shown before, and takes in those of this turn.
    """
    request = _mended_request(turn.request)
    steps = tuple(_mended_step(step, taken) for step in turn.steps)
    if request is turn.request and all(a is b for a, b in zip(steps, turn.steps, strict=True)):
        return turn
    return replace(turn, request=request, steps=steps)


def _mended_request(request: Message) -> Message:
    blocks = tuple(
        block
        for block in request.blocks
        if isinstance(block, Image) or (isinstance(block, Text) and block.text.strip())
    )
    if request.role == "user" and blocks and len(blocks) == len(request.blocks):
        return request
    return Message(role="user", blocks=blocks or (Text(text=NO_WORDS),))


def _mended_step(step: Step, taken: set[str]) -> Step:
    answer = step.answer
    if not answer.tool_calls and not step.results and answer.role == "assistant":
        return step
    renamed: dict[str, str] = {}
    blocks: list[ContentBlock] = []
    for block in answer.blocks:
        if isinstance(block, (ToolResult, Image)):
            continue
        if isinstance(block, ToolCall):
            block = _own_call(block, taken, renamed)
        blocks.append(block)
    is_sound = len(blocks) == len(answer.blocks) and all(map(is_, blocks, answer.blocks))
    if is_sound and answer.role == "assistant":  # almost always, and of every step in view
        return step
    results = tuple(
        replace(result, call_id=renamed.get(result.call_id, result.call_id))
        for result in step.results
    )
    return replace(step, answer=Message(role="assistant", blocks=tuple(blocks)), results=results)


def _own_call(call: ToolCall, taken: set[str], renamed: dict[str, str]) -> ToolCall:
    name = call.name if _VALID.fullmatch(call.name) else "unknown_tool"
    own = call.id if _VALID.fullmatch(call.id) else "call"
    number = 1
    while own in taken:
        number += 1
        own = f"{call.id[:48] if _VALID.fullmatch(call.id) else 'call'}_{number}"
    taken.add(own)
    renamed.setdefault(call.id, own)
    arguments = call.arguments if _is_object(call.arguments) else NO_ARGUMENTS
    if (own, name, arguments) == (call.id, call.name, call.arguments):
        return call
    return replace(call, id=own, name=name, arguments=arguments)


def _is_object(text: str) -> bool:
    """Tell whether arguments are what a vendor takes; what it is not sent must not be counted."""
    try:
        return isinstance(json.loads(text), dict)
    except (ValueError, RecursionError):
        return False
