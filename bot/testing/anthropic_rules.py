"""What the vendor refuses about a request, how long a prompt is and what a cache keeps of it.

The law of this file: it is written from the vendor's side. It knows JSON bodies and nothing of the
code that writes them, so that the two cannot be wrong together.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from bot.adapters.anthropic_model.json_values import JsonObject, as_object, object_in, text_in

MAX_CACHE_MARKS = 4
LOOK_BACK_BLOCKS = 20
"""How far before a mark the vendor looks for something cached.

Source: the vendor's collection "anthropics/skills", part claude-api, of 2026-07-01."""

_BYTES_PER_TOKEN = 4
_ROLES = ("user", "assistant")
_KNOWN_KEYS = frozenset(
    ("model", "max_tokens", "stream", "messages", "system", "tools", "tool_choice", "metadata")
)
_TOOL_CHOICES = ("auto", "any", "tool", "none")
_IMAGE_TYPES = ("image/png", "image/jpeg", "image/gif", "image/webp")
_NAME = re.compile(r"[A-Za-z0-9_-]{1,128}")


@dataclass(frozen=True, slots=True, kw_only=True)
class PromptBlock:
    """A piece of a prompt: what a cache compares, its size, and whether a mark stands on it."""

    content: str
    tokens: int
    is_marked: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Prompt:
    """All that the model reads, in the order in which it is cached."""

    model: str
    blocks: tuple[PromptBlock, ...]

    @property
    def tokens(self) -> int:
        """Its size by a rule of thumb, so that tests can foretell it."""
        return sum(block.tokens for block in self.blocks)


def prompt_of(body: JsonObject) -> Prompt:
    """Read the prompt out of a request: tools, system, messages."""
    placed = [("", tool) for tool in _objects(body.get("tools"))]
    placed += [("system", block) for block in _content(body.get("system"))]
    for message in _objects(body.get("messages")):
        placed += [(text_in(message, "role"), block) for block in _content(message.get("content"))]
    blocks = tuple(_prompt_block(place, block) for place, block in placed)
    return Prompt(model=text_in(body, "model"), blocks=blocks)


def fault_of(body: JsonObject, prompt: Prompt) -> str:
    """Say why the vendor would answer 400; empty when it would not."""
    return next(_faults(body, prompt), "")


class PromptCache:
    """What was cached by earlier requests; kept for ever."""

    def __init__(self) -> None:
        self._known: set[str] = set()

    def use(self, prompt: Prompt) -> tuple[int, int]:
        """Take a request in; give how many tokens were read and how many written."""
        length, digest = 0, hashlib.sha256(prompt.model.encode())
        prefixes: list[tuple[str, int]] = []
        for block in prompt.blocks:
            digest.update(block.content.encode("utf-8", "replace"))
            length += block.tokens
            prefixes.append((digest.hexdigest(), length))
        marks = [number for number, block in enumerate(prompt.blocks) if block.is_marked]
        if not marks:
            return 0, 0
        read = max(self._longest_known(prefixes, mark) for mark in marks)
        self._known.update(prefixes[mark][0] for mark in marks)
        return read, prefixes[marks[-1]][1] - read

    def _longest_known(self, prefixes: Sequence[tuple[str, int]], mark: int) -> int:
        nearby = prefixes[max(0, mark - LOOK_BACK_BLOCKS) : mark + 1]
        return max((length for key, length in nearby if key in self._known), default=0)


def _prompt_block(place: str, block: JsonObject) -> PromptBlock:
    bare = {key: value for key, value in block.items() if key != "cache_control"}
    content = place + json.dumps(bare, ensure_ascii=False)
    tokens = -(-len(content.encode("utf-8", "replace")) // _BYTES_PER_TOKEN)
    return PromptBlock(content=content, tokens=tokens, is_marked="cache_control" in block)


def _faults(body: JsonObject, prompt: Prompt) -> Iterator[str]:
    for key in body.keys() - _KNOWN_KEYS:
        yield f"{key}: Extra inputs are not permitted"
    if not text_in(body, "model"):
        yield "model: Field required"
    limit = body.get("max_tokens")
    if not isinstance(limit, int) or limit < 1:
        yield "max_tokens: Input should be greater than or equal to 1"
    yield from _tool_faults(body)
    messages = _objects(body.get("messages"))
    if not messages:
        yield "messages: at least one message is required"
    yield from _order_faults(messages)
    for block in _content(body.get("system")):
        yield from _block_faults("system", block)
    for number, message in enumerate(messages):
        yield from _message_faults(f"messages.{number}", message)
    marked = sum(block.is_marked for block in prompt.blocks)
    if marked > MAX_CACHE_MARKS:
        yield f"A maximum of 4 blocks with cache_control may be provided. Found {marked}."


def _tool_faults(body: JsonObject) -> Iterator[str]:
    tools = _objects(body.get("tools"))
    names = [text_in(tool, "name") for tool in tools]
    if len(set(names)) != len(names):
        yield "tools: Tool names must be unique"
    for tool, name in zip(tools, names, strict=True):
        if not _NAME.fullmatch(name):
            yield f"tools: name: String should match pattern '{_NAME.pattern}'"
        if text_in(object_in(tool, "input_schema"), "type") != "object":
            yield "tools: input_schema.type: Field required"
    if (choice := body.get("tool_choice")) is not None:
        if not tools:
            yield "tool_choice: tool_choice may only be specified while providing tools."
        if text_in(as_object(choice), "type") not in _TOOL_CHOICES:
            yield "tool_choice: Input tag does not match any of the expected tags"


def _order_faults(messages: Sequence[JsonObject]) -> Iterator[str]:
    """Roles alternate; each call has its one result in the next message, in front of all else."""
    expected: list[str] = []
    seen: set[str] = set()
    for number, message in enumerate(messages):
        role, content = text_in(message, "role"), _content(message.get("content"))
        if role != _ROLES[number % 2]:
            yield f'messages.{number}: roles must alternate between "user" and "assistant"'
        kinds = [text_in(block, "type") for block in content]
        results = [
            text_in(b, "tool_use_id") for b in content if text_in(b, "type") == "tool_result"
        ]
        if sorted(results) != sorted(expected):
            yield (
                f"messages.{number}: `tool_use` ids and `tool_result` blocks do not match: "
                f"{expected} and {results}"
            )
        if "tool_result" in kinds[len(results) :]:
            yield f"messages.{number}: `tool_result` blocks must come first"
        expected = [text_in(b, "id") for b in content if text_in(b, "type") == "tool_use"]
        if len(set(expected)) != len(expected) or seen.intersection(expected):
            yield f"messages.{number}: `tool_use` ids must be unique"
        seen.update(expected)
    if expected:
        yield f"messages: `tool_use` ids without `tool_result` blocks: {expected}"


def _message_faults(place: str, message: JsonObject) -> Iterator[str]:
    content = _content(message.get("content"))
    if not content:
        yield f"{place}: all messages must have non-empty content"
    for number, block in enumerate(content):
        yield from _block_faults(f"{place}.content.{number}", block)


def _block_faults(place: str, block: JsonObject) -> Iterator[str]:
    kind = text_in(block, "type")
    if kind not in _REQUIREMENTS:
        yield f"{place}: Input tag {kind!r} does not match any of the expected tags"
    for holds, fault in _REQUIREMENTS.get(kind, ()):
        if not holds(block):
            yield f"{place}: {fault}"


_REQUIREMENTS: dict[str, tuple[tuple[Callable[[JsonObject], bool], str], ...]] = {
    "text": (
        (
            lambda block: bool(text_in(block, "text").strip()),
            "text content blocks must contain non-whitespace text",
        ),
    ),
    "image": (
        (
            lambda block: text_in(object_in(block, "source"), "media_type") in _IMAGE_TYPES,
            "image.source.media_type: Input should be one of the supported types",
        ),
    ),
    "thinking": (
        (
            lambda block: bool(text_in(block, "signature")),
            "Invalid `signature` in `thinking` block",
        ),
        (
            lambda block: "cache_control" not in block,
            "thinking.cache_control: Extra inputs are not permitted",
        ),
    ),
    "redacted_thinking": (
        (lambda block: bool(text_in(block, "data")), "redacted_thinking.data: Field required"),
    ),
    "tool_use": (
        (
            lambda block: _NAME.fullmatch(text_in(block, "id")) is not None,
            f"tool_use.id: String should match pattern '{_NAME.pattern}'",
        ),
        (
            lambda block: isinstance(block.get("input"), dict),
            "tool_use.input: Input should be a valid dictionary",
        ),
    ),
    "tool_result": (
        (
            lambda block: bool(block.get("content")) or not block.get("is_error"),
            "content cannot be empty if `is_error` is true",
        ),
    ),
}
"""What must hold of a block of each kind, and what is said where it does not."""


def _content(value: object) -> list[JsonObject]:
    """Read content in either form, one text or a list of blocks."""
    return [{"type": "text", "text": value}] if isinstance(value, str) else _objects(value)


def _objects(value: object) -> list[JsonObject]:
    return [as_object(item) for item in value] if isinstance(value, list) else []
