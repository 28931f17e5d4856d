"""The shapes in which a turn is shown: whole, with short results, as words only, capped.

The law of this file: a shape is a function of the stored turn and the cut alone, so that the same
conversation looks the same in every process, and giving a turn its shape twice changes nothing.
"""

from __future__ import annotations

from dataclasses import replace

from bot.core.messages import ContentBlock, Image, Message, Text, ToolResult, assistant_text
from bot.core.shortening import head_and_tail, short_result
from bot.core.turns import Step, Turn
from bot.core.window.conversation import Cut

PAST_RESULT_CHARS = 20_000
"""Longest result of a tool in a past turn."""

CAPPED_CHARS = 10_000
"""Longest result and longest user text after the model found the request too long."""

A_PICTURE = "[a picture, no longer shown]"


def shown(turn: Turn, cut: Cut) -> Turn:
    """Give an ended turn the shape in which ``cut`` has it shown."""
    if turn.id <= cut.text_through:
        turn = as_text(turn)
    turn = with_short_results(turn, PAST_RESULT_CHARS)
    if turn.id <= cut.capped_through:
        turn = with_short_results(with_short_request(turn, CAPPED_CHARS), CAPPED_CHARS)
    return turn


def as_text(turn: Turn) -> Turn:
    """Reduce a turn to its request's text and its reply.

    Messages that were taken together are joined; pictures, tools and reasoning go.
    """
    texts = [block.text for block in turn.request.blocks if isinstance(block, Text)]
    if any(isinstance(block, Image) for block in turn.request.blocks):
        texts.append(A_PICTURE)
    request = Message(role="user", blocks=(Text(text="\n\n".join(texts)),))
    reply = turn.reply
    steps: tuple[Step, ...] = ()
    if reply.strip():
        steps = (Step(answer=assistant_text(reply), stop=turn.steps[-1].stop),)
    if request == turn.request and steps == turn.steps:
        return turn
    return replace(turn, request=request, steps=steps)


def with_short_results(turn: Turn, max_chars: int) -> Turn:
    """Cut each longer result of a turn to head and tail, ``max_chars`` altogether."""

    def is_long(step: Step) -> bool:
        return any(len(result.content) > max_chars for result in step.results)

    if not any(map(is_long, turn.steps)):
        return turn
    steps = tuple(
        replace(
            step,
            results=tuple(_short_result(result, max_chars) for result in step.results),
        )
        if is_long(step)
        else step
        for step in turn.steps
    )
    return replace(turn, steps=steps)


def with_short_request(turn: Turn, max_chars: int) -> Turn:
    """Cut each longer text of a turn's request to head and tail."""
    if all(not isinstance(b, Text) or len(b.text) <= max_chars for b in turn.request.blocks):
        return turn
    blocks: tuple[ContentBlock, ...] = tuple(
        replace(block, text=head_and_tail(block.text, max_chars, characters_left_out))
        if isinstance(block, Text)
        else block
        for block in turn.request.blocks
    )
    return replace(turn, request=replace(turn.request, blocks=blocks))


def characters_left_out(count: int) -> str:
    """Word the gap in a text that was cut."""
    return f"\n[… {count} characters are left out here …]\n"


def _short_result(result: ToolResult, max_chars: int) -> ToolResult:
    if len(result.content) <= max_chars:
        return result
    return replace(result, content=short_result(result.content, max_chars, result.call_id))
