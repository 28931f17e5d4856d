"""The older rounds of a long turn, told in one paragraph."""

from __future__ import annotations

from bot.core.messages import ToolCall, ToolResult
from bot.core.turns import Step
from bot.core.window.notes import DONE_LEAD

_CALL_CHARS = 160
_RESULT_CHARS = 160
_TEXT_CHARS = 200
PARAGRAPH_CHARS = 4_000
"""Longest account of folded rounds; the oldest of them go first."""


def account_of(steps: tuple[Step, ...]) -> str:
    """Tell what was done in steps that are no longer shown, newest last; empty for no steps."""
    if not steps:
        return ""
    deeds: list[str] = []
    room = PARAGRAPH_CHARS
    for step in reversed(steps):
        deed = _deed(step)
        room -= len(deed) + 2
        if room < 0:
            break
        deeds.append(deed)
    older = len(steps) - len(deeds)
    lead = f"Before these, {older} more. " if older else ""
    return (
        f"{DONE_LEAD}{len(steps)} earlier steps that are no longer shown in "
        f"full: {lead}{'; '.join(reversed(deeds))}. tool_result_get gives a whole result again.]"
    )


def _deed(step: Step) -> str:
    results = {result.call_id: result for result in step.results}
    parts = [_one_line(step.answer.text, _TEXT_CHARS)] if step.answer.text.strip() else []
    parts += [_told(call, results.get(call.id)) for call in step.answer.tool_calls]
    return ", ".join(parts) or "nothing"


def _told(call: ToolCall, result: ToolResult | None) -> str:
    asked = f"{call.name}({_one_line(call.arguments, _CALL_CHARS)}) [{call.id}]"
    if result is None:
        return f"{asked} → no result"
    kind = "error" if result.is_error else f"{len(result.content)} characters"
    return f"{asked} → {kind}: {_one_line(result.content, _RESULT_CHARS)}"


def _one_line(text: str, max_chars: int) -> str:
    line = " ".join(text[: 4 * max_chars].split())
    return line if len(line) <= max_chars else f"{line[: max_chars - 1]}…"
