r"""Values as JSON text for the store's columns, and back.

The law of this file: the written form is spelled out by hand and tagged with ``type``, so that
renaming a class or a field cannot change what old rows mean. Texts stay readable UTF-8, which
forgetting needs (it searches the file's raw bytes); only a text with half a surrogate pair, which
UTF-8 cannot hold, is written with ``\u`` escapes. Times are whole microseconds since 1970 in UTC.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any, TypeVar, assert_never

from bot.core.chat import (
    Button,
    ChatAddress,
    InboundMessage,
    Reply,
    Sender,
)
from bot.core.files import Attachment, OutgoingFile
from bot.core.messages import (
    ContentBlock,
    Image,
    Message,
    Text,
    Thinking,
    ToolCall,
    ToolResult,
)
from bot.errors import StoreUnreadable
from bot.languages import language_of

_Data = dict[str, Any]  # JSON as it was read: each reader below says what it expects in it
_Value = TypeVar("_Value")

_DAMAGED = (ValueError, LookupError, TypeError, AttributeError, OverflowError, RecursionError)
"""What comes of reading a text that is not as it was written."""

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_MICROSECOND = timedelta(microseconds=1)
_write = json.JSONEncoder(ensure_ascii=False, separators=(",", ":")).encode
_write_escaped = json.JSONEncoder(ensure_ascii=True, separators=(",", ":")).encode


def micros_of(at: datetime) -> int:
    """Write a zone-aware moment as microseconds since 1970."""
    return (at - _EPOCH) // _MICROSECOND


def moment_of(micros: int) -> datetime:
    """Read back what :func:`micros_of` wrote, in UTC."""
    return _EPOCH + timedelta(microseconds=micros)


def encode_message(message: Message) -> str:
    """Write a message of the conversation."""
    return json_text({"role": message.role, "blocks": [_of_block(each) for each in message.blocks]})


def decode_message(text: str) -> Message:
    """Read back what :func:`encode_message` wrote.

    Raises:
        StoreUnreadable: It is no such text.
    """
    return decoded(text, _message)


def encode_result(result: ToolResult) -> str:
    """Write what a tool answered."""
    return json_text(_of_block(result))


def decode_result(text: str) -> ToolResult:
    """Read back what :func:`encode_result` wrote.

    Raises:
        StoreUnreadable: It is no such text.
    """
    return decoded(text, _result)


def decode_started(text: str) -> list[str]:
    """Read which calls of a step have begun.

    Raises:
        StoreUnreadable: It is no such text.
    """
    return decoded(text, _started_calls)


def encode_inbound(message: InboundMessage) -> str:
    """Write what somebody wrote."""
    return json_text(_of_inbound(message))


def decode_inbound(text: str) -> InboundMessage:
    """Read back what :func:`encode_inbound` wrote.

    Raises:
        StoreUnreadable: It is no such text.
    """
    return decoded(text, _inbound)


def encode_reply(reply: Reply) -> str:
    """Write a reply, all but its key and its file's content, which have columns of their own."""
    data: _Data = {
        "address": _of_address(reply.address),
        "text": reply.text,
        "kind": reply.kind,
        "reply_to": reply.reply_to,
    }
    if reply.buttons:
        data["buttons"] = [_of_button(button) for button in reply.buttons]
    if reply.file is not None:
        data["file"] = {"name": reply.file.name, "media_type": reply.file.media_type}
    if reply.for_person:
        data["for_person"] = reply.for_person
    if reply.language != "en":
        data["language"] = reply.language
    return json_text(data)


def decode_reply(text: str, key: str, content: bytes | None = None) -> Reply:
    """Read back what :func:`encode_reply` wrote, giving it its key and its content again.

    Raises:
        StoreUnreadable: It is no such text.
    """
    reply = decoded(text, _reply)
    file = reply.file and replace(reply.file, content=content or b"")
    return replace(reply, key=key, file=file)


def json_text(data: _Data) -> str:
    """Write data that holds nothing but JSON's own kinds, a tuple as a list."""
    text = _write(data)
    if text.isascii():
        return text
    try:
        text.encode()
    except UnicodeEncodeError:
        return _write_escaped(data)
    return text


def decoded(text: str, read: Callable[[_Data], _Value]) -> _Value:
    """Read a value from JSON text; ``read`` is named ``_`` and what it reads.

    Raises:
        StoreUnreadable: It is no such text.
    """
    try:
        return read(json.loads(text))
    except _DAMAGED as error:
        what = read.__name__.strip("_")
        raise StoreUnreadable(f"a stored {what} cannot be read ({type(error).__name__})") from error


def text_in(data: _Data, name: str) -> str:
    """Give a field that is a text; anything else there is damage."""
    text = data[name]
    if not isinstance(text, str):
        raise TypeError(name)
    return text


def _of_block(block: ContentBlock) -> _Data:
    match block:
        case Text():
            return {"type": "text", "text": block.text}
        case Image():
            return {"type": "image", "media_type": block.media_type, "data": block.data}
        case Thinking():
            return {
                "type": "thinking",
                "text": block.text,
                "signature": block.signature,
                "is_redacted": block.is_redacted,
            }
        case ToolCall():
            return {
                "type": "tool_call",
                "id": block.id,
                "name": block.name,
                "arguments": block.arguments,
            }
        case ToolResult():
            return {
                "type": "tool_result",
                "call_id": block.call_id,
                "content": block.content,
                "is_error": block.is_error,
            }
        case _:
            assert_never(block)


def _block(data: _Data) -> ContentBlock:
    match data["type"]:
        case "text":
            return Text(text=text_in(data, "text"))
        case "image":
            return Image(media_type=text_in(data, "media_type"), data=text_in(data, "data"))
        case "thinking":
            return Thinking(
                text=text_in(data, "text"),
                signature=text_in(data, "signature"),
                is_redacted=data["is_redacted"],
            )
        case "tool_call":
            return ToolCall(
                id=text_in(data, "id"),
                name=text_in(data, "name"),
                arguments=text_in(data, "arguments"),
            )
        case "tool_result":
            return ToolResult(
                call_id=text_in(data, "call_id"),
                content=text_in(data, "content"),
                is_error=data["is_error"],
            )
        case unknown:
            raise ValueError(f"no content block: {unknown!r}")


def _result(data: _Data) -> ToolResult:
    block = _block(data)
    if not isinstance(block, ToolResult):
        raise ValueError(f"no tool result: {data['type']!r}")
    return block


def _started_calls(ids: object) -> list[str]:
    if not isinstance(ids, list):
        raise TypeError("no list")
    return [str(each) for each in ids]


def _message(data: _Data) -> Message:
    if data["role"] not in ("user", "assistant"):
        raise ValueError("no role")
    return Message(role=data["role"], blocks=tuple(_block(each) for each in data["blocks"]))


def _of_address(address: ChatAddress) -> _Data:
    return {
        "channel": address.channel,
        "account": address.account,
        "chat": address.chat,
        "thread": address.thread,
    }


def _address(data: _Data) -> ChatAddress:
    return ChatAddress(
        channel=text_in(data, "channel"),
        account=text_in(data, "account"),
        chat=text_in(data, "chat"),
        thread=text_in(data, "thread"),
    )


def sender_data(sender: Sender) -> _Data:
    """Give a person as a part of a larger text."""
    return {
        "channel": sender.channel,
        "realm": sender.realm,
        "user_id": sender.user_id,
        "name": sender.name,
        "language": sender.language,
        "timezone": sender.timezone,
        "is_person": sender.is_person,
        "is_guest": sender.is_guest,
    }


def sender_in(data: _Data) -> Sender:
    """Read a person, given their part of a text that is being read."""
    return Sender(
        channel=text_in(data, "channel"),
        realm=text_in(data, "realm"),
        user_id=text_in(data, "user_id"),
        name=text_in(data, "name"),
        language=data["language"],
        timezone=data.get("timezone", ""),
        is_person=data.get("is_person", True),
        is_guest=data.get("is_guest", False),
    )


def _of_inbound(message: InboundMessage) -> _Data:
    data: _Data = {
        "type": "message",
        "event_id": message.event_id,
        "address": _of_address(message.address),
        "kind": message.kind,
        "sender": sender_data(message.sender),
        "message_id": message.message_id,
        "text": message.text,
        "is_addressed": message.is_addressed,
        "sent_at": micros_of(message.sent_at),
        "quoted": message.quoted,
        "is_named": message.is_named,
    }
    if message.forwarded_from:
        data["forwarded_from"] = message.forwarded_from
    if message.attachments:
        data["attachments"] = [_of_attachment(each) for each in message.attachments]
    if message.album:
        data["album"] = message.album
    if message.is_follow_up:
        data["is_follow_up"] = True
    if message.is_unread:
        data["is_unread"] = True
    return data


def _of_attachment(attachment: Attachment) -> _Data:
    return {
        "kind": attachment.kind,
        "name": attachment.name,
        "media_type": attachment.media_type,
        "handle": attachment.handle,
        "size_bytes": attachment.size_bytes,
    }


def _attachment(data: _Data) -> Attachment:
    return Attachment(
        kind=data["kind"],
        name=data["name"],
        media_type=data["media_type"],
        handle=data["handle"],
        size_bytes=data["size_bytes"],
    )


def _inbound(data: _Data) -> InboundMessage:
    if data["type"] != "message":
        raise ValueError(f"no message: {data['type']!r}")
    return InboundMessage(
        event_id=text_in(data, "event_id"),
        address=_address(data["address"]),
        kind=data["kind"],
        sender=sender_in(data["sender"]),
        message_id=text_in(data, "message_id"),
        text=text_in(data, "text"),
        is_addressed=data["is_addressed"],
        sent_at=moment_of(data["sent_at"]),
        quoted=text_in(data, "quoted"),
        is_named=data.get("is_named", True),
        forwarded_from=data.get("forwarded_from", ""),
        attachments=tuple(_attachment(each) for each in data.get("attachments", ())),
        album=data.get("album", ""),
        is_follow_up=data.get("is_follow_up", False),
        is_unread=data.get("is_unread", False),
    )


def _of_button(button: Button) -> _Data:
    return {
        "label": button.label,
        "command": button.command,
        "token": button.token,
        "person": button.person,
    }


def _button(data: _Data) -> Button:
    return Button(
        label=data["label"],
        command=data["command"],
        token=data["token"],
        person=data["person"],
    )


def _outgoing_file(data: _Data) -> OutgoingFile:
    return OutgoingFile(name=data["name"], media_type=data["media_type"], content=b"")


def _reply(data: _Data) -> Reply:
    return Reply(
        address=_address(data["address"]),
        text=text_in(data, "text"),
        kind=data["kind"],
        reply_to=text_in(data, "reply_to"),
        buttons=tuple(_button(each) for each in data.get("buttons", ())),
        file=_outgoing_file(data["file"]) if "file" in data else None,
        for_person=data.get("for_person", ""),
        language=language_of(data.get("language", "")),
    )
