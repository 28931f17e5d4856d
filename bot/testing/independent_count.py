"""The tokens of texts and requests at Claude, by a count that shares nothing with the product's.

It is that of ``ctok``, a reconstruction of Claude's tokenizer from what the vendor's count says of
texts; its author found it exact on held-out ones. The product never imports it. It comes with
``scripts/check.py``, and elsewhere by::

    pip install --no-deps --ignore-requires-python ctok==1.3.0

(its metadata asks for Python 3.12, and it runs on 3.11). What a request needs beside its texts is
not published; the constants here are the vendor's where they are known, else those that a request
of one message shows.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from importlib import import_module

GENERATION = "4.8"
"""The tokenizer of Claude Opus 4.8 and of all that came later."""

MESSAGE_TOKENS = 6
"""What ctok adds for the frame of a message."""

TOOLS_TOKENS = 346
"""Source: Anthropic, tool use, read 2026-11-30: system prompt for tools, choice ``auto``."""

CALL_TOKENS = 10
IMAGE_TOKENS = 1_568
"""Source: Anthropic, vision, read 2026-11-30: the most a picture costs."""


def count(text: str) -> int:
    """Count the tokens of a text by itself; lone surrogates count as question marks.

    Raises:
        ModuleNotFoundError: ctok is not installed.
    """
    return _counted(text.encode("utf-8", "replace").decode("utf-8"))


def count_request(payload: Mapping[str, object]) -> int:
    """Count the tokens of a request, given as what is posted to ``/v1/messages``.

    Text, thinking, tool calls, results, pictures, system prompt and tools count; signatures are
    not the model's to read.
    """
    tools = list(_items(payload.get("tools")))
    size = TOOLS_TOKENS if tools else 0
    size += sum(CALL_TOKENS + count(_as_json(tool)) for tool in tools)
    if system := "\n".join(_texts(payload.get("system"))):
        size += MESSAGE_TOKENS + count(system)
    for message in _items(payload.get("messages")):
        content = message.get("content")
        size += MESSAGE_TOKENS
        if isinstance(content, str):
            size += count(content)
        size += sum(_count_block(block) for block in _items(content))
    return size


def _count_block(block: Mapping[str, object]) -> int:
    match block.get("type"):
        case "text":
            return count(str(block.get("text", "")))
        case "thinking":
            return count(str(block.get("thinking", "")))
        case "redacted_thinking":
            return count(str(block.get("data", "")))
        case "tool_use":
            name, arguments = str(block.get("name", "")), _as_json(block.get("input"))
            return CALL_TOKENS + count(name) + count(arguments)
        case "tool_result":
            content = block.get("content")
            if isinstance(content, str):
                return CALL_TOKENS + count(content)
            return CALL_TOKENS + sum(_count_block(part) for part in _items(content))
        case "image":
            return IMAGE_TOKENS
        case _:
            return count(_as_json(block))


def _texts(system: object) -> Iterator[str]:
    if isinstance(system, str):
        yield system
    for block in _items(system):
        yield str(block.get("text", ""))


def _items(content: object) -> Iterator[Mapping[str, object]]:
    if isinstance(content, Sequence) and not isinstance(content, str):
        yield from (item for item in content if isinstance(item, Mapping))


def _as_json(item: object) -> str:
    if isinstance(item, Mapping):
        item = {key: value for key, value in item.items() if key != "cache_control"}
    return json.dumps(item, ensure_ascii=False, separators=(",", ":"))


@lru_cache(maxsize=50_000)
def _counted(text: str) -> int:
    # Not imported at the top: whoever imports the test kit need not have it.
    ctok = import_module("ctok")
    return int(ctok.token_count(text, version=GENERATION)) - MESSAGE_TOKENS
