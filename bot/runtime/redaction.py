"""Secrets are taken out at the border: of what comes in, of what tools say, of what is kept.

The law of this file: what has no secret in it comes back as the same object.
"""

from __future__ import annotations

import asyncio
import json
import re
from dataclasses import replace

from bot.core.chat import Inbound, InboundEdit, InboundMessage
from bot.core.files import Attachment
from bot.core.lifecycle import SetAside
from bot.core.messages import ContentBlock, Message, Text, ToolCall, ToolResult
from bot.ports import Redactor

MOST_CHARS_AT_ONCE = 20_000
"""A longer text is looked through in a thread, so that nobody waits for it."""

MOST_JSON_CHARS_AT_ONCE = 4_000
"""Less of it, since each of its texts is looked through by itself."""

NOT_LOOKED_THROUGH = "[redacted:unchecked] (It could not be looked through for secrets.)"
"""What is kept of a text when the redactor fails on it: nothing of it, but that it came."""

_JSON_TOKEN = re.compile(r'(?P<text>"(?:[^"\\]|\\.)*+")(?P<is_name>\s*:)?|-?[0-9][0-9.eE+-]*')


async def redact_text(text: str, redactor: Redactor) -> str:
    """Take secrets out of a text."""
    if len(text) <= MOST_CHARS_AT_ONCE:
        return redactor.redact(text)
    return await asyncio.to_thread(redactor.redact, text)


async def redact_inbound(event: Inbound | SetAside, redactor: Redactor) -> Inbound | SetAside:
    """Take secrets out of what somebody wrote, quoted or called a file; people's names stay."""
    match event:
        case InboundMessage():
            return await _redact_message(event, redactor)
        case InboundEdit():
            message = await _redact_message(event.message, redactor)
            return event if message is event.message else replace(event, message=message)
        case SetAside():
            raw = await redact_text(event.raw, redactor)
            return event if raw is event.raw else replace(event, raw=raw)
        case _:
            return event  # says nothing in words


def without_text(event: Inbound | SetAside) -> Inbound | SetAside:
    """Take out all that somebody wrote: nobody knows whether a secret is in it."""
    match event:
        case InboundMessage():
            return _without_text(event)
        case InboundEdit():
            return replace(event, message=_without_text(event.message))
        case SetAside():
            return replace(event, raw=NOT_LOOKED_THROUGH)
        case _:
            return event


async def redact_answer(answer: Message, redactor: Redactor) -> Message:
    """Take secrets out of what is kept of a model's answer.

    Arguments of calls that were JSON stay JSON. Reasoning stays as it is: the vendor wants it back
    unchanged, and it is dropped when its turn ends.
    """
    blocks = [await _redact_block(block, redactor) for block in answer.blocks]
    if all(new is old for new, old in zip(blocks, answer.blocks, strict=True)):
        return answer
    return replace(answer, blocks=tuple(blocks))


async def redact_result(result: ToolResult, redactor: Redactor) -> ToolResult:
    """Take secrets out of what a tool said."""
    content = await redact_text(result.content, redactor)
    return result if content is result.content else replace(result, content=content)


async def _redact_block(block: ContentBlock, redactor: Redactor) -> ContentBlock:
    if isinstance(block, Text):
        text = await redact_text(block.text, redactor)
        return block if text is block.text else replace(block, text=text)
    if isinstance(block, ToolResult):
        return await redact_result(block, redactor)
    if isinstance(block, ToolCall):
        if len(block.arguments) <= MOST_JSON_CHARS_AT_ONCE:
            arguments = redact_json(block.arguments, redactor)
        else:
            arguments = await asyncio.to_thread(redact_json, block.arguments, redactor)
        return block if arguments is block.arguments else replace(block, arguments=arguments)
    return block


async def _redact_message(message: InboundMessage, redactor: Redactor) -> InboundMessage:
    text = await redact_text(message.text, redactor)
    quoted = await redact_text(message.quoted, redactor)
    files = tuple([await _redact_name(each, redactor) for each in message.attachments])
    if text is message.text and quoted is message.quoted and files == message.attachments:
        return message
    return replace(message, text=text, quoted=quoted, attachments=files)


async def _redact_name(attachment: Attachment, redactor: Redactor) -> Attachment:
    name = await redact_text(attachment.name, redactor)
    return attachment if name is attachment.name else replace(attachment, name=name)


def _without_text(message: InboundMessage) -> InboundMessage:
    quoted = NOT_LOOKED_THROUGH if message.quoted else ""
    files = tuple(replace(each, name="") for each in message.attachments)
    return replace(message, text=NOT_LOOKED_THROUGH, quoted=quoted, attachments=files)


def redact_json(written: str, redactor: Redactor) -> str:
    """Take secrets out of texts and numbers inside JSON, leaving all between as it was written.

    What is no JSON is a text. What has become a placeholder is a JSON text.
    """
    try:
        json.loads(written)
    except ValueError:
        return redactor.redact(written)
    except RecursionError:
        pass  # too deep to be read here, which says nothing about what it is
    name = ""

    def redacted(token: re.Match[str]) -> str:
        nonlocal name
        if token["is_name"] is not None:
            name = _redact_token(token["text"], "", redactor)
            return name + token["is_name"]
        return _redact_token(token[0], name, redactor)

    result = _JSON_TOKEN.sub(redacted, written)
    return written if result == written else result


def _redact_token(token: str, name: str, redactor: Redactor) -> str:
    """Redact a JSON text or number by itself, then by its name, such as ``"password"``."""
    value = str(json.loads(token)) if token.startswith('"') else token
    redacted = redactor.redact(value)
    if name:
        told = f"{name}: {json.dumps(redacted, ensure_ascii=False)}"
        redacted = _value_in(redactor.redact(told), name, redacted)
    return token if redacted == value else json.dumps(redacted, ensure_ascii=False)


def _value_in(told: str, name: str, value: str) -> str:
    """Read the value behind a name; ``value`` where the name says something else now."""
    if not told.startswith(f"{name}: "):
        return value
    token = told.removeprefix(f"{name}: ")
    try:
        return str(json.loads(token))
    except ValueError:
        return token
