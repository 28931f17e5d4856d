"""The stream of events of one answer, put together into a :class:`~bot.core.llm.ModelResponse`.

The SDK's own accumulator is not used: it reads the arguments of a tool call as JSON and gives an
empty object where the model wrote something else, so that nobody could tell the model about it.

The law of this file: an answer is whole once it says why it stopped, and not before.
"""

from __future__ import annotations

import json
import logging
from dataclasses import dataclass, field
from typing import Literal

from bot.adapters.anthropic_model.json_values import JsonObject, count_in, object_in, text_in
from bot.core.llm import (
    ArgumentsDelta,
    Delta,
    ModelResponse,
    StopReason,
    TextDelta,
    ThinkingDelta,
    Usage,
    UsageSoFar,
)
from bot.core.messages import ContentBlock, Message, Text, Thinking, ToolCall
from bot.errors import ModelStreamCut

logger = logging.getLogger(__name__)

_STOPS: dict[str, StopReason] = {
    "end_turn": "end_turn",
    "max_tokens": "max_tokens",
    "stop_sequence": "stop_sequence",
    "tool_use": "tool_use",
    "pause_turn": "pause_turn",
    "refusal": "refusal",
    "model_context_window_exceeded": "window_full",
}

_COUNTS = (
    "input_tokens",
    "output_tokens",
    "cache_read_input_tokens",
    "cache_creation_input_tokens",
)


@dataclass(slots=True)
class _Draft:
    """A block that is still being written."""

    kind: Literal["text", "thinking", "redacted", "call"]
    pieces: list[str] = field(default_factory=list)
    id: str = ""
    name: str = ""
    signature: str = ""
    whole_input: str = ""

    def finished(self) -> ContentBlock | None:
        """Give the block, None if nothing came of it."""
        text = "".join(self.pieces)
        match self.kind:
            case "text":
                return Text(text=text) if text else None
            case "thinking":
                is_empty = not text and not self.signature
                return None if is_empty else Thinking(text=text, signature=self.signature)
            case "redacted":
                return Thinking(text=text, is_redacted=True)
            case "call":
                arguments = text.strip() or self.whole_input or "{}"
                return ToolCall(id=self.id, name=self.name, arguments=arguments)


class Answer:
    """One answer, growing event by event."""

    def __init__(self, requested_model: str) -> None:
        self._model = requested_model
        self._drafts: dict[int, _Draft] = {}
        self._counts: dict[str, int] = {}
        self._stop: StopReason | None = None

    @property
    def is_whole(self) -> bool:
        """Whether the model said why it stopped."""
        return self._stop is not None

    def take(self, event: JsonObject) -> Delta | None:
        """Take in the next event; give what it adds to the answer, or says of its cost, if any."""
        match event.get("type"):
            case "message_start":
                message = object_in(event, "message")
                self._model = text_in(message, "model") or self._model
                return self._count(object_in(message, "usage"))
            case "content_block_start":
                return self._begin_block(_index(event), object_in(event, "content_block"))
            case "content_block_delta":
                return self._extend_block(_index(event), object_in(event, "delta"))
            case "message_delta":
                self._stop_for(text_in(object_in(event, "delta"), "stop_reason"))
                return self._count(object_in(event, "usage"))
            case _:  # pings, ends of blocks and what future versions add
                pass
        return None

    def response(self) -> ModelResponse:
        """Give the whole answer.

        Raises:
            ModelStreamCut: It is not whole.
        """
        if self._stop is None:
            raise ModelStreamCut("The model's answer broke off: its stream ended in the middle.")
        blocks = tuple(
            block for draft in self._drafts.values() if (block := draft.finished()) is not None
        )
        return ModelResponse(
            message=Message(role="assistant", blocks=blocks),
            stop=self._stop,
            usage=self._usage(),
            model=self._model,
        )

    def _begin_block(self, index: int, block: JsonObject) -> Delta | None:
        kind = text_in(block, "type")
        match kind:
            case "text":
                draft = _Draft(kind="text", pieces=[text_in(block, "text")])
            case "thinking":
                thought, signature = text_in(block, "thinking"), text_in(block, "signature")
                draft = _Draft(kind="thinking", pieces=[thought], signature=signature)
            case "redacted_thinking":
                draft = _Draft(kind="redacted", pieces=[text_in(block, "data")])
            case "tool_use":
                draft = _Draft(kind="call", id=text_in(block, "id"), name=text_in(block, "name"))
                if arguments := object_in(block, "input"):  # servers that write calls in one piece
                    draft.whole_input = json.dumps(arguments, ensure_ascii=False)
            case _:
                logger.warning("model.unknown_block", extra={"block_type": kind})
                return None
        self._drafts[index] = draft
        return _shown(draft.kind, "".join(draft.pieces) or draft.whole_input)

    def _extend_block(self, index: int, delta: JsonObject) -> Delta | None:
        draft = self._drafts.get(index)
        if draft is None:
            return None
        match delta.get("type"):
            case "text_delta":
                piece = text_in(delta, "text")
            case "thinking_delta":
                piece = text_in(delta, "thinking")
            case "input_json_delta":
                piece = text_in(delta, "partial_json")
            case "signature_delta":
                draft.signature = text_in(delta, "signature")
                return None
            case _:
                return None
        draft.pieces.append(piece)
        return _shown(draft.kind, piece)

    def _count(self, usage: JsonObject) -> UsageSoFar | None:
        """Keep the newest of each count: they are totals so far, and absent where unchanged."""
        for name in _COUNTS:
            count = count_in(usage, name)
            if count is not None:
                self._counts[name] = count
        return UsageSoFar(usage=self._usage()) if self._counts else None

    def _usage(self) -> Usage:
        return Usage(
            input_tokens=self._counts.get("input_tokens", 0),
            output_tokens=self._counts.get("output_tokens", 0),
            cache_read_tokens=self._counts.get("cache_read_input_tokens", 0),
            cache_write_tokens=self._counts.get("cache_creation_input_tokens", 0),
        )

    def _stop_for(self, reason: str) -> None:
        if not reason:
            return
        if reason not in _STOPS:
            logger.warning("model.unknown_stop_reason", extra={"stop_reason": reason})
        self._stop = _STOPS.get(reason, "end_turn")


def _index(event: JsonObject) -> int:
    return count_in(event, "index") or 0


def _shown(kind: str, piece: str) -> Delta | None:
    if not piece:
        return None
    match kind:
        case "text":
            return TextDelta(text=piece)
        case "thinking":
            return ThinkingDelta(text=piece)
        case "call":
            return ArgumentsDelta(text=piece)
        case _:
            return None
