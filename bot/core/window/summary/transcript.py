"""Turns as the summariser reads them: labelled sections whose lines are all quoted."""

from __future__ import annotations

from collections.abc import Iterator

from bot.core.messages import ToolCall, ToolResult
from bot.core.quoting import one_line, section
from bot.core.shortening import head_and_tail
from bot.core.turns import Turn
from bot.core.window.shapes import as_text, characters_left_out

_CALL_CHARS, _RESULT_CHARS = 120, 200


def transcript_of(turn: Turn, max_chars: int) -> str:
    """Tell what was asked, which tools ran, and what was answered, each shortened head and tail."""
    parts = [section(f"turn {turn.id}, request", _short(as_text(turn).request.text, max_chars))]
    if told := "\n".join(_deeds(turn)):
        parts.append(section(f"turn {turn.id}, tools", _short(told, max_chars)))
    reply = turn.reply.strip() or f"(no answer: {turn.outcome})"
    parts.append(section(f"turn {turn.id}, reply", _short(reply, max_chars)))
    return "\n".join(parts)


def _short(text: str, max_chars: int) -> str:
    return head_and_tail(text, max_chars, characters_left_out)


def _deeds(turn: Turn) -> Iterator[str]:
    for step in turn.steps:
        results = {result.call_id: result for result in step.results}
        for call in step.answer.tool_calls:
            yield _deed(call, results.get(call.id))


def _deed(call: ToolCall, result: ToolResult | None) -> str:
    asked = f"{call.name}({one_line(call.arguments, _CALL_CHARS)})"
    if result is None:
        return f"{asked}: no result"
    kind = "error: " if result.is_error else ""
    return f"{asked}: {kind}{one_line(result.content, _RESULT_CHARS)}"
