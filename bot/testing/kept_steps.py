"""Steps of turns as a store in memory keeps them."""

from __future__ import annotations

from dataclasses import replace

from bot.core.messages import Message, Thinking, ToolResult
from bot.core.turns import Step


def with_result(step: Step, result: ToolResult) -> Step:
    """Add a result, unless there is one for that call, keeping the order of the calls."""
    if any(known.call_id == result.call_id for known in step.results):
        return step
    places = {call.id: place for place, call in enumerate(step.answer.tool_calls)}
    results = sorted(
        (*step.results, result), key=lambda each: places.get(each.call_id, len(places))
    )
    return replace(step, results=tuple(results))


def without_thinking(step: Step) -> Step:
    """Drop the reasoning of a step whose turn ends."""
    blocks = tuple(block for block in step.answer.blocks if not isinstance(block, Thinking))
    return replace(step, answer=Message(role=step.answer.role, blocks=blocks))
