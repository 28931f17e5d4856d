"""An answer as the vendor writes it: in one piece, or as the events of a stream."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from typing import assert_never

from bot.core.messages import ContentBlock, Image, Text, Thinking, ToolCall, ToolResult

JsonDict = dict[str, object]

_PIECE_CHARS = 16
_BYTES_PER_TOKEN = 4


@dataclass(frozen=True, slots=True, kw_only=True)
class Written:
    """An answer of these blocks; a call's arguments go out as they stand, valid or not.

    Attributes:
        stop: The vendor's word for why the answer stopped; by its blocks if empty.
    """

    blocks: tuple[ContentBlock, ...]
    stop: str = ""

    @property
    def reason(self) -> str:
        """Why the answer stopped."""
        calls = any(isinstance(block, ToolCall) for block in self.blocks)
        return self.stop or ("tool_use" if calls else "end_turn")

    @property
    def tokens(self) -> int:
        """Its size by the rule of thumb that prompts are counted by."""
        text = json.dumps(_content(self), ensure_ascii=False)
        return -(-len(text.encode("utf-8", "replace")) // _BYTES_PER_TOKEN)


def body_of(model: str, written: Written, usage: dict[str, int]) -> JsonDict:
    """Write an answer in one piece; arguments that are no JSON object become an empty one."""
    body = {**_shell(model), "content": _content(written), "usage": usage}
    return {**body, "stop_reason": written.reason}


def events_of(model: str, written: Written, usage: dict[str, int]) -> list[bytes]:
    """Write an answer as events, the last three: end of the last block, why it stopped, stop."""
    return [
        f"event: {event['type']}\ndata: {json.dumps(event)}\n\n".encode()
        for event in _events(model, written, usage)
    ]


def begun(usage: dict[str, int]) -> dict[str, int]:
    """Give what an answer says of its tokens when it begins."""
    return {**usage, "output_tokens": 1}


def _events(model: str, written: Written, usage: dict[str, int]) -> Iterator[JsonDict]:
    yield {"type": "message_start", "message": {**_shell(model), "usage": begun(usage)}}
    yield {"type": "ping"}
    for index, block in enumerate(written.blocks):
        shell, deltas = _parts(block)
        yield {"type": "content_block_start", "index": index, "content_block": shell}
        for delta in deltas:
            yield {"type": "content_block_delta", "index": index, "delta": delta}
        yield {"type": "content_block_stop", "index": index}
    yield {
        "type": "message_delta",
        "delta": {"stop_reason": written.reason, "stop_sequence": None},
        "usage": {"output_tokens": usage["output_tokens"]},
    }
    yield {"type": "message_stop"}


def _content(written: Written) -> list[JsonDict]:
    content = []
    for block in written.blocks:
        shell, deltas = _parts(block)
        if isinstance(block, ToolCall):
            shell["input"] = _object_or_nothing(block.arguments)
        for delta in deltas:
            _complete(shell, delta)
        content.append(shell)
    return content


def _shell(model: str) -> JsonDict:
    return {
        "id": "msg_pretended",
        "type": "message",
        "role": "assistant",
        "model": model,
        "content": [],
        "stop_reason": None,
        "stop_sequence": None,
    }


def _parts(block: ContentBlock) -> tuple[JsonDict, list[JsonDict]]:
    """Give the empty block and what fills it piece by piece."""
    match block:
        case Text():
            pieces = _pieces(block.text)
            return {"type": "text", "text": ""}, _deltas("text_delta", "text", pieces)
        case Thinking() if block.is_redacted:
            return {"type": "redacted_thinking", "data": block.text}, []
        case Thinking():
            shell: JsonDict = {"type": "thinking", "thinking": "", "signature": ""}
            deltas = _deltas("thinking_delta", "thinking", _pieces(block.text))
            signature = _deltas("signature_delta", "signature", [block.signature])
            return shell, deltas + signature
        case ToolCall():
            shell = {"type": "tool_use", "id": block.id, "name": block.name, "input": {}}
            pieces = ["", *_pieces(block.arguments)]  # the vendor begins with an empty piece
            return shell, _deltas("input_json_delta", "partial_json", pieces)
        case Image() | ToolResult():
            raise ValueError(f"a model does not write {type(block).__name__}")
        case _:
            assert_never(block)


def _deltas(kind: str, key: str, pieces: list[str]) -> list[JsonDict]:
    return [{"type": kind, key: piece} for piece in pieces]


def _pieces(text: str) -> list[str]:
    return [text[at : at + _PIECE_CHARS] for at in range(0, len(text), _PIECE_CHARS)]


def _complete(shell: JsonDict, delta: JsonDict) -> None:
    for key in ("text", "thinking", "signature"):
        if key in delta:
            shell[key] = f"{shell[key]}{delta[key]}"


def _object_or_nothing(text: str) -> object:
    try:
        value = json.loads(text)
    except ValueError:
        return {}
    return value if isinstance(value, dict) else {}
