"""A request to a language model and its answer, in no vendor's words."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from bot.core.addresses import PersonKey, SessionKey
from bot.core.messages import Message

StopReason = Literal[
    "end_turn",
    "max_tokens",
    "stop_sequence",
    "tool_use",
    "pause_turn",
    "refusal",
    "window_full",
]
"""Why the model stopped. ``window_full``: input and answer together filled its window."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolSpec:
    """A tool as the model is told of it; ``schema`` is JSON Schema text with sorted keys."""

    name: str
    description: str
    schema: str


@dataclass(frozen=True, slots=True, kw_only=True)
class CacheMark:
    """A place up to which two requests are likely equal: block ``block`` of message ``message``."""

    message: int
    block: int


Purpose = Literal["answer", "summary", "facts", "episode"]
"""What a model was asked for: an answer to people, or what is remembered of them."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Payer:
    """On whose account a model is asked: the chat, and the person on whose behalf."""

    session_key: SessionKey
    person_key: PersonKey
    purpose: Purpose


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelRequest:
    """Everything a model is given for one answer.

    Attributes:
        messages: Alternating roles, the first is the user's, calls paired with results.
        may_use_tools: False asks for an answer in words; ``tools`` stay listed all the same,
            since the history speaks of them and removing them would empty the prompt cache.
        cache_marks: Seams behind which the vendor may cache, at most three, in order; the seam
            behind ``system`` is always one more.
        payer: On whose account; nothing that the vendor is told.
        local_tokens: Its size by the local count, uncorrected; 0 when nobody counted.
    """

    model: str
    system: str
    messages: tuple[Message, ...]
    tools: tuple[ToolSpec, ...] = ()
    max_tokens: int
    may_use_tools: bool = True
    cache_marks: tuple[CacheMark, ...] = ()
    payer: Payer | None = None
    local_tokens: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Usage:
    """Tokens of one model call; the whole prompt is ``input + cache_read + cache_write``."""

    input_tokens: int = 0
    output_tokens: int = 0
    cache_read_tokens: int = 0
    cache_write_tokens: int = 0

    def __add__(self, other: Usage) -> Usage:
        return Usage(
            input_tokens=self.input_tokens + other.input_tokens,
            output_tokens=self.output_tokens + other.output_tokens,
            cache_read_tokens=self.cache_read_tokens + other.cache_read_tokens,
            cache_write_tokens=self.cache_write_tokens + other.cache_write_tokens,
        )

    @property
    def prompt_tokens(self) -> int:
        """The size of the whole prompt."""
        return self.input_tokens + self.cache_read_tokens + self.cache_write_tokens


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelResponse:
    """The model's whole answer.

    Attributes:
        model: The name that really answered.
        cost_nano_usd: What it cost, in billionths of a dollar; None where no price is known.
        is_accounted: Whether the call is kept, or will be, by who asked the model.
    """

    message: Message
    stop: StopReason
    usage: Usage
    model: str
    cost_nano_usd: int | None = None
    is_accounted: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class TextDelta:
    """A piece of the answer, as it is being written."""

    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ThinkingDelta:
    """A piece of the reasoning, as it is being written."""

    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ArgumentsDelta:
    """A piece of a tool's arguments, as they are being written; JSON only with all the others."""

    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class UsageSoFar:
    """The tokens that an answer has taken by now: all that is known of one that breaks off."""

    usage: Usage


Delta = TextDelta | ThinkingDelta | ArgumentsDelta | UsageSoFar
