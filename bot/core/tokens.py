"""How long a request is in a model's tokens, and how long it may be.

Counting a text comes in as ``count``; what it says is corrected by what the model reported of
earlier requests of the same chat.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import assert_never

from bot.core.llm import ToolSpec
from bot.core.messages import ContentBlock, Image, Message, Text, Thinking, ToolCall, ToolResult

Count = Callable[[str], int]
"""Estimates the tokens of a text; pure, and quick for a text that was counted before."""

IMAGE_TOKENS = 1_600
"""The most a picture costs: vendors scale it down first. Source: Anthropic, vision, read
2026-11-30 (width x height / 750, at most about 1 568)."""

MESSAGE_TOKENS = 4
BLOCK_TOKENS = 3
CALL_TOKENS = 12
TOOLS_TOKENS = 350
"""What a vendor adds when any tool is offered. Source: Anthropic, tool use, read 2026-11-30."""

SAFETY = 0.12
"""How far the estimate of a request of any one kind of text may be below the truth before the model
has said anything of this chat, as a share of the truth; after three turns the whole error is under
two hundredths in the mean. Source: ``benchmarks/estimator.py``, benchmarks/RESULTS.md."""

LEAST_RATIO, MOST_RATIO = 0.4, 4.0
"""A model that claims to count fewer or more tokens than these is not believed."""

MOST_CUT = 0.8
"""Below this share of the last request the ratio alone says more than the difference to it."""

OF_ITS_KIND = 0.25
"""A request that grows by more than this share of the last one may hold a paste of another kind."""

LEAST_RESERVE = 2_000
RESERVE_SHARE = 4


@dataclass(frozen=True, slots=True, kw_only=True)
class Calibration:
    """Corrects local counts by what a model said of earlier requests of a chat.

    Attributes:
        ratio: True tokens of a local one, over the samples with newer ones weighing more.
        last_local: Local count of the newest sample, 0 when there is none.
        last_actual: What the model said of it.
    """

    ratio: float = 1.0
    last_local: int = 0
    last_actual: int = 0

    def estimate(self, local: int) -> int:
        """Estimate the true tokens of a request whose local count is ``local``.

        A request that goes on from the last one is that one and what is new, corrected as long as
        it may be taken for more of the same; of one that was cut meanwhile only the ratio is known.
        """
        if not self.last_local or local < self.last_local * MOST_CUT:
            return round(self.ratio * local)
        new = local - self.last_local
        alike = min(new, self.last_local * OF_ITS_KIND)
        other = max(self.ratio, 1.0) * (new - alike)
        return max(0, round(self.last_actual + self.ratio * alike + other))


def calibrate(samples: Iterable[tuple[int, int]]) -> Calibration:
    """Make a calibration from pairs of local counts and true tokens, oldest first."""
    ratio, local, actual, weight = 1.0, 0, 0, 1.0
    for local_count, true_tokens in samples:
        if local_count <= 0 or true_tokens <= 0:
            continue
        seen = true_tokens / local_count
        if not LEAST_RATIO <= seen <= MOST_RATIO:
            continue
        ratio += weight * (seen - ratio)
        weight = 0.5
        local, actual = local_count, true_tokens
    return Calibration(ratio=ratio, last_local=local, last_actual=actual)


@dataclass(frozen=True, slots=True, kw_only=True)
class Budget:
    """How many tokens a whole request may have, and how many its answer."""

    limit_tokens: int
    reserve_tokens: int


def budget_for(max_context_tokens: int, window_tokens: int, max_tokens: int) -> Budget:
    """Divide a model's window between a request and its answer.

    The answer's reserve is ``max_tokens``, at least 2 000, at most a quarter of the window; the
    request may have what is left of the window, and no more than ``max_context_tokens``.
    """
    reserve = min(max(max_tokens, LEAST_RESERVE), window_tokens // RESERVE_SHARE)
    limit = min(max_context_tokens, window_tokens - reserve)
    return Budget(limit_tokens=limit, reserve_tokens=reserve)


LARGE_WINDOW = 1_000_000
SMALL_WINDOW = 200_000
"""Of Claude up to generation 4 and of a model nobody knows; corrected by the model's first error,
or set by ``model_window_tokens``."""

_FIRST_LARGE = 5
_CLAUDE = re.compile(r"\bclaude-[a-z]+-(\d{1,2})(?!\d)")


def known_window(model: str) -> int:
    """Say how many tokens a model reads by its name, its answer included.

    Source: Anthropic, models overview, and what is new in Claude 5, read 2026-11-30.
    """
    claude = _CLAUDE.search(model)
    is_large = claude is not None and int(claude[1]) >= _FIRST_LARGE
    return LARGE_WINDOW if is_large else SMALL_WINDOW


def weigh_request(
    system: str, tools: tuple[ToolSpec, ...], messages: tuple[Message, ...], count: Count
) -> int:
    """Count a whole request locally: everything that goes out counts."""
    size = count(system) + MESSAGE_TOKENS + weigh_tools(tools, count)
    for message in messages:
        size += weigh_message(message, count)
    return size


def weigh_tools(tools: tuple[ToolSpec, ...], count: Count) -> int:
    """Count what the schemas of tools take."""
    if not tools:
        return 0
    texts = (f"{tool.name} {tool.description} {tool.schema}" for tool in tools)
    return TOOLS_TOKENS + sum(count(text) + CALL_TOKENS for text in texts)


def weigh_message(message: Message, count: Count) -> int:
    """Count a message with all its blocks."""
    size = MESSAGE_TOKENS
    for block in message.blocks:
        size += _weigh_block(block, count)
    return size


def _weigh_block(block: ContentBlock, count: Count) -> int:
    match block:
        case Text():
            return BLOCK_TOKENS + count(block.text)
        case ToolResult():
            return CALL_TOKENS + count(block.content)
        case ToolCall():
            return CALL_TOKENS + count(block.name) + count(block.arguments)
        case Thinking():
            return BLOCK_TOKENS + count(block.text) + len(block.signature) // 4
        case Image():
            return IMAGE_TOKENS
        case _:
            assert_never(block)
