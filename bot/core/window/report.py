"""What is in a window, counted: by role, by category, turn by turn."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from bot.core.messages import ContentBlock, Image, Message, ToolCall, ToolResult
from bot.core.turns import Turn, messages_of
from bot.core.window.assemble import front_of, open_turn_of, opening_of, system_of, volatile_of
from bot.core.window.notes import said_in
from bot.core.window.window import Window

CATEGORIES = ("system", "tools", "summary", "memory", "history", "current")
"""Parts of a request in the order in which it is laid out, but for ``memory``: what the session
opened with stands before all messages, what was remembered for the newest one at its end."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Weights:
    """How pieces of a request are counted, in tokens of the model."""

    text: Callable[[str], int]
    message: Callable[[Message], int]
    tools: int


@dataclass(frozen=True, slots=True, kw_only=True)
class TurnLine:
    """One turn in a few numbers; ``first_words`` is the head of its request, on one line."""

    number: int
    first_words: str
    messages: int
    tool_calls: int
    characters: int
    tokens: int
    is_text_only: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class WindowReport:
    """What is in a window; ``tokens`` gives each of ``CATEGORIES`` its part.

    ``by_role`` counts messages of people, answers of the model, and results of tools.
    """

    by_role: tuple[tuple[str, int], ...]
    characters: int
    tokens: tuple[tuple[str, int], ...]
    turns: tuple[TurnLine, ...]

    @property
    def messages(self) -> int:
        """How many messages of people and of the model there are."""
        return sum(count for role, count in self.by_role if role != "tool results")

    @property
    def total_tokens(self) -> int:
        """The whole request."""
        return sum(count for _, count in self.tokens)


def report_on(window: Window, weights: Weights, *, with_open_turn: bool) -> WindowReport:
    """Count a window as it is sent; without its open turn where that is only a placeholder."""
    shown = (*window.past, open_turn_of(window)) if with_open_turn else window.past
    lines = tuple(
        _line(number, turn, weights, is_text_only=turn.id <= window.cut.text_through)
        for number, turn in enumerate(shown, start=1)
    )
    messages = [message for turn in shown for message in messages_of(turn)]
    current = lines[-1].tokens if with_open_turn else 0
    front = sum(weights.text(block.text) for block in front_of(window))
    opened, recalled = (
        weights.text(text) if text else 0 for text in (opening_of(window), volatile_of(window))
    )
    tokens = {
        "system": weights.text(system_of(window)),
        "tools": weights.tools,
        "summary": front - opened,
        "memory": opened + recalled,
        "history": sum(line.tokens for line in lines) - current,
        "current": current,
    }
    return WindowReport(
        by_role=_by_role(messages),
        characters=sum(line.characters for line in lines),
        tokens=tuple((name, tokens[name]) for name in CATEGORIES),
        turns=lines,
    )


def _by_role(messages: list[Message]) -> tuple[tuple[str, int], ...]:
    counts = {"user": 0, "assistant": 0, "tool results": 0}
    for message in messages:
        results = sum(isinstance(block, ToolResult) for block in message.blocks)
        counts["tool results"] += results
        if not results:
            counts[message.role] += 1
    return tuple(counts.items())


def _line(number: int, turn: Turn, weights: Weights, *, is_text_only: bool) -> TurnLine:
    messages = messages_of(turn)
    return TurnLine(
        number=number,
        first_words=" ".join(said_in(turn.request)[:400].split())[:80],
        messages=len(messages),
        tool_calls=sum(len(message.tool_calls) for message in messages),
        characters=sum(_chars(block) for message in messages for block in message.blocks),
        tokens=sum(map(weights.message, messages)),
        is_text_only=is_text_only,
    )


def _chars(block: ContentBlock) -> int:
    if isinstance(block, ToolCall):
        return len(block.name) + len(block.arguments)
    if isinstance(block, ToolResult):
        return len(block.content)
    return 0 if isinstance(block, Image) else len(block.text)
