"""The honest offline model: no AI, a tour of the bot that needs no key and no network.

The law of this file: an answer follows from the request alone, so that the same conversation is
answered the same way whatever happened in between (a restart, another process).
"""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import Callable
from typing import assert_never

from bot.core.llm import Delta, ModelRequest, ModelResponse, StopReason, TextDelta, Usage
from bot.core.memory.extract import extracted_answer, is_extraction_request
from bot.core.memory.recalled import standing_in
from bot.core.messages import (
    ContentBlock,
    Image,
    Message,
    Text,
    Thinking,
    ToolCall,
    ToolResult,
)
from bot.core.quoting import MARK
from bot.core.window.notes import is_note, words_of
from bot.core.window.summary.extract import (
    extractive_answer,
    extractive_record,
    is_record_request,
    is_summary_request,
)

NAME = "demo"
"""The model's name, as it stands in the usage."""

CLOCK_TOOL = "clock"
REMEMBER_TOOL = "remember"

_KEY_WORDS = 4
"""So many words of a fact say what it is about: *my favourite colour is* blue, then green."""

INTRODUCTION = (
    "I am the demo model: not an AI, only a few fixed rules that show how this bot works. "
    "For real answers, set `ANTHROPIC_API_KEY` or run a local model server "
    "(Ollama, llama.cpp or LM Studio) and start again."
)

ABILITIES = (
    "Try: *what time is it?* · *remember that I like green tea* · *what do you know about me?* · "
    "*what did I just say?*"
)

_BYTES_PER_TOKEN = 4
_IMAGE_TOKENS = 1_000

_BEGINNING = r"(?:^|: )"  # in a group the speaker's name stands in front
_GREETINGS: tuple[tuple[re.Pattern[str], str], ...] = (
    (re.compile(_BEGINNING + r"(?:hi|hello|hey|good (?:morning|evening|day))\b", re.I), "Hello!"),
    (re.compile(_BEGINNING + "(?:你好|您好|早上好|晚上好)"), "你好!"),
    (re.compile(_BEGINNING + "(?:こんにちは|こんばんは|おはよう)"), "こんにちは!"),
)
_TIME = re.compile(r"\bwhat(?:'s| is) the time\b|\bwhat time is it\b|几点|何時", re.I)
_REMEMBER = re.compile(
    _BEGINNING + r"(?:please )?remember(?: that)? (?P<fact>.*\w.*)", re.IGNORECASE | re.DOTALL
)
_KNOWN = re.compile(r"\bwhat do you (?:know|remember)\b", re.I)
_OPENED = re.compile(r"^\| Known of [^:\n]+:\n(?P<facts>(?:\| - .+\n?)+)", re.MULTILINE)
"""What a session opened with, a fact on a line."""

_OPENED_FACT = re.compile(r"^\| - (.+)$", re.MULTILINE)

_BEFORE = re.compile(r"\bwhat did i (?:just )?(?:say|ask)\b", re.I)

_PIECE = re.compile(r"\S{1,16}\s*|\s+")


class DemoModel:
    """A :class:`~bot.ports.ModelClient` that keeps nothing and connects to nothing."""

    async def ask(self, request: ModelRequest, on_delta: Callable[[Delta], None]) -> ModelResponse:
        """Answer at once, a few words at a time."""
        if is_summary_request(request.system):
            call, text = None, extractive_answer(request.messages[0].text)
        elif is_record_request(request.system):
            call, text = None, extractive_record(request.messages[0].text)
        elif is_extraction_request(request.system):
            call, text = None, extracted_answer(request.messages[0].text)
        else:
            call = _wanted_call(request)
            text = "" if call else _answer(request)
        for piece in _PIECE.findall(text):
            on_delta(TextDelta(text=piece))
            await asyncio.sleep(0)  # the chat is shown the answer growing, as by a real model
        message = Message(role="assistant", blocks=(call or Text(text=text),))
        stop: StopReason = "tool_use" if call else "end_turn"
        usage = estimated_usage(request, message)
        return ModelResponse(message=message, stop=stop, usage=usage, model=NAME)

    async def close(self) -> None:
        """Do nothing: there is nothing to close."""


def estimated_usage(request: ModelRequest, answer: Message) -> Usage:
    """Count tokens by a rule of thumb, four bytes each; nothing is ever cached."""
    texts = [request.system]
    texts += [f"{tool.name}{tool.description}{tool.schema}" for tool in request.tools]
    prompt = sum(map(_tokens, texts)) + sum(map(_message_tokens, request.messages))
    return Usage(input_tokens=prompt, output_tokens=_message_tokens(answer))


def _message_tokens(message: Message) -> int:
    return sum(map(_block_tokens, message.blocks))


def _block_tokens(block: ContentBlock) -> int:
    match block:
        case Text() | Thinking():
            return _tokens(block.text)
        case ToolCall():
            return _tokens(block.name + block.arguments)
        case ToolResult():
            return _tokens(block.content)
        case Image():
            return _IMAGE_TOKENS
        case _:
            assert_never(block)


def _tokens(text: str) -> int:
    return -(-len(text.encode("utf-8", "replace")) // _BYTES_PER_TOKEN)


def _wanted_call(request: ModelRequest) -> ToolCall | None:
    """Ask for the clock, or have something remembered, where that is offered, once a request."""
    offered = {tool.name for tool in request.tools if request.may_use_tools}
    if _newest_results(request):
        return None
    newest = _asked(request)[-1]
    number = sum(len(message.tool_calls) for message in request.messages)
    if CLOCK_TOOL in offered and _TIME.search(newest):
        return ToolCall(id=f"demo_{number}", name=CLOCK_TOOL, arguments="{}")
    told = _REMEMBER.search(newest)
    if REMEMBER_TOOL in offered and told and not _KNOWN.search(newest):
        arguments = json.dumps(_statement(told["fact"].strip()), ensure_ascii=False)
        return ToolCall(id=f"demo_{number}", name=REMEMBER_TOOL, arguments=arguments)
    return None


def _statement(fact: str) -> dict[str, object]:
    key = " ".join(fact.split()[:_KEY_WORDS])
    return {"statement": fact, "key": key, "topic": "preference", "was_asked": True}


def _answer(request: ModelRequest) -> str:
    text = _from_results(_newest_results(request)) or _from_words(request)
    is_first = all(message.role == "user" or message.tool_calls for message in request.messages)
    return f"{text}\n\n{INTRODUCTION}\n\n{ABILITIES}" if is_first else text


def _from_results(results: tuple[ToolResult, ...]) -> str:
    if not results:
        return ""
    lead = "That did not work:" if any(result.is_error for result in results) else "Here it is:"
    return "\n\n".join((lead, *(result.content for result in results)))


def _from_words(request: ModelRequest) -> str:
    *earlier, newest = _asked(request)
    if _KNOWN.search(newest):
        notes = "\n".join(_notes(request))
        opened = "".join(found["facts"] for found in _OPENED.finditer(notes))
        known = (*_OPENED_FACT.findall(opened), *standing_in(notes))
        return _what_was_told(known, [*_noted(request), *earlier])
    if _BEFORE.search(newest):
        return f"You said: {earlier[-1]}" if earlier else "Nothing before this."
    if found := _REMEMBER.search(newest):
        return f"As long as this conversation lasts, I know: {found['fact'].strip()}"
    if _TIME.search(newest):
        return "I have no clock here."
    for pattern, greeting in _GREETINGS:
        if pattern.search(newest):
            return greeting
    return f"You said: {newest}" if newest else "You sent nothing that I can read."


def _what_was_told(known: tuple[str, ...], earlier: list[str]) -> str:
    found = [match["fact"].strip() for text in earlier if (match := _REMEMBER.search(text))]
    facts = dict.fromkeys((*known, *found))  # each once, in the order in which it was told
    if not facts:
        return "You have not told me anything to remember in this conversation."
    return "\n".join(("You told me:", "", *(f"- {fact}" for fact in facts)))


def _asked(request: ModelRequest) -> tuple[str, ...]:
    """Give what people wrote, oldest first, without quotations and notes; never empty."""
    written = tuple(
        _unquoted(text)
        for message in request.messages
        if message.role == "user"
        for text in words_of(message)
    )
    return written or ("",)


def _noted(request: ModelRequest) -> tuple[str, ...]:
    """Give what people asked by the notes that stand for turns no longer shown."""
    lines = "\n".join(_notes(request)).splitlines()
    pairs = (line.lstrip("-• ").partition(" → ") for line in lines if not line.startswith(MARK))
    return tuple(asked for asked, arrow, _ in pairs if arrow)


def _notes(request: ModelRequest) -> tuple[str, ...]:
    return tuple(
        block.text
        for message in request.messages
        for block in message.blocks
        if isinstance(block, Text) and is_note(block.text)
    )


def _unquoted(text: str) -> str:
    lines = text.splitlines()
    return "\n".join(line for line in lines if not line.startswith(">")).strip()


def _newest_results(request: ModelRequest) -> tuple[ToolResult, ...]:
    blocks = request.messages[-1].blocks
    return tuple(block for block in blocks if isinstance(block, ToolResult))
