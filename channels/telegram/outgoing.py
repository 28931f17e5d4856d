"""A reply on its way: what Telegram is asked, and what is left out where it dislikes something.

The law of this file: pure, and no names of the SDK. Everything is decided before the first call;
after a refusal one thing is taken away, and nothing ever comes back.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace

from bot.api import Button, OutgoingFile, Reply, gettext, gettext_noop
from channels.telegram.failures import ErrorName
from channels.telegram.keyboards import keyboard_of
from channels.telegram.render import MAX_SPANS, MAX_UNITS, Rendered, plain, render
from channels.telegram.rich import rich_html
from channels.telegram.utf16 import cut_utf16, utf16_length

MAX_CAPTION_UNITS = 1024
MAX_PHOTO_BYTES = 10_000_000
"""Source of both: Telegram Bot API, sendPhoto, read 2026-11-30."""

PHOTOS = frozenset({"image/jpeg", "image/png"})
"""What Telegram shows as a picture; of other formats it would make something else."""

TOPIC_IS_GONE = gettext_noop("*(Its topic is gone.)*")

_TAIL_UNITS = 100
"""What is kept of the end of a caption that is too long: there the bot says that it repeats."""

_UNQUOTABLE = re.compile(r"[\"\x00-\x1f\x7f]")
_HALF = "\N{REPLACEMENT CHARACTER}"

Parameters = dict[str, object]


@dataclass(frozen=True, slots=True, kw_only=True)
class Outgoing:
    """A message on its way; ``source`` is the Markdown that ``rendered`` was made of.

    Attributes:
        rich: The same as HTML of a rich message; empty when it is sent as text and entities.
        is_photo: The file is shown as a picture.
    """

    chat_id: int
    source: str
    rendered: Rendered
    thread: int | None = None
    reply_to: int | None = None
    buttons: tuple[Button, ...] = ()
    file: OutgoingFile | None = None
    is_photo: bool = False
    rich: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Request:
    """A call of the Bot API; ``field`` is where its file goes, if it has one.

    No quote or line break is in the file's name: servers read them in different ways.
    """

    method: str
    parameters: Parameters
    field: str = ""
    file: OutgoingFile | None = None


def outgoing(reply: Reply, *, takes_rich: bool = False) -> Outgoing:
    """Make a message of a reply; a rich one where that shows more, and Telegram takes it."""
    return Outgoing(
        chat_id=int(reply.address.chat),
        source=reply.text,
        rendered=render(reply.text),
        thread=thread_of(reply.address.thread),
        reply_to=int(reply.reply_to) if reply.reply_to else None,
        buttons=reply.buttons,
        file=reply.file,
        is_photo=reply.file is not None and _is_photo(reply.file),
        rich=rich_html(reply.text) if takes_rich and reply.file is None else "",
    )


def thread_of(thread: str) -> int | None:
    """Name the topic as Telegram does; None for a chat without, and for a group's general one."""
    return int(thread) if thread else None


def sending(message: Outgoing) -> Request:
    """Ask for a message to be sent."""
    place: Parameters = {
        "chat_id": message.chat_id,
        "message_thread_id": message.thread,
        "reply_markup": _markup(message),
    }
    if message.reply_to is not None:
        # Without this an answer to a message deleted meanwhile would be refused.
        target = {"message_id": message.reply_to, "allow_sending_without_reply": True}
        place["reply_parameters"] = target
    if message.file is not None:
        method, field = ("sendPhoto", "photo") if message.is_photo else ("sendDocument", "document")
        parameters = place | _caption(message)
        file = replace(message.file, name=_UNQUOTABLE.sub("'", message.file.name))
        return Request(method=method, parameters=parameters, field=field, file=file)
    method = "sendRichMessage" if message.rich else "sendMessage"
    return Request(method=method, parameters=place | _content(message))


def changing(message: Outgoing, message_id: int) -> Request:
    """Ask for a message to be changed; one without buttons loses those it had.

    Where a file is to take its place, which is no change, it loses its buttons only.
    """
    place: Parameters = {"chat_id": message.chat_id, "message_id": message_id}
    if message.file is not None:
        return Request(method="editMessageReplyMarkup", parameters=place)
    parameters = place | {"reply_markup": _markup(message)} | _content(message)
    return Request(method="editMessageText", parameters=parameters)


def drafting(message: Outgoing, draft_id: int) -> Request:
    """Ask for an unfinished text to be shown."""
    parameters: Parameters = {
        "chat_id": message.chat_id,
        "message_thread_id": message.thread,
        "draft_id": draft_id,
        "text": message.rendered.text,
        "entities": _entities(message.rendered),
    }
    return Request(method="sendMessageDraft", parameters=parameters)


def mended(message: Outgoing, complaint: ErrorName) -> Outgoing | None:
    """Say how a refused message could be accepted after all; None when it could not."""
    if message.rich and complaint in ("refused", "formatting", "too long"):
        return replace(message, rich="")
    if complaint == "thread gone" and message.thread is not None:
        source = f"{message.source}\n\n{gettext(TOPIC_IS_GONE)}"
        return replace(message, thread=None, source=source, rendered=render(source))
    if complaint == "reply gone" and message.reply_to is not None:
        return replace(message, reply_to=None)
    if complaint == "formatting" and message.rendered.spans:
        return replace(message, rendered=_unformatted(message))
    if complaint == "picture" and message.is_photo:
        return replace(message, is_photo=False)
    return None


def entities_of(rendered: Rendered) -> list[Parameters]:
    """Word the formatting as the Bot API does."""
    return [
        {
            "type": span.kind,
            "offset": span.offset,
            "length": span.length,
            **({} if span.url is None else {"url": span.url}),
            **({} if span.language is None else {"language": span.language}),
        }
        for span in rendered.spans[:MAX_SPANS]
    ]


def _entities(rendered: Rendered) -> list[Parameters] | None:
    return entities_of(rendered) or None


def _content(message: Outgoing) -> Parameters:
    if message.rich:
        return {"rich_message": {"html": message.rich}}
    return {
        "text": message.rendered.text,
        "entities": _entities(message.rendered),
        "link_preview_options": {"is_disabled": True},
    }


def _caption(message: Outgoing) -> Parameters:
    """Give the caption; of one that is too long the middle is left out."""
    if not message.source.strip():
        return {}
    rendered = message.rendered
    too_long = utf16_length(rendered.text) - MAX_CAPTION_UNITS
    if too_long > 0:
        length = utf16_length(rendered.text) - _TAIL_UNITS
        head, _, tail = cut_utf16(rendered.text, length - too_long - 1, too_long + 1)
        # Of a character that was cut in two neither half is kept.
        rendered = Rendered(text=f"{head.removesuffix(_HALF)}…{tail.removeprefix(_HALF)}")
    return {"caption": rendered.text, "caption_entities": _entities(rendered)}


def _markup(message: Outgoing) -> Parameters | None:
    return {"inline_keyboard": keyboard_of(message.buttons)} if message.buttons else None


def _unformatted(message: Outgoing) -> Rendered:
    as_written = plain(message.source)
    if utf16_length(as_written.text) <= MAX_UNITS:
        return as_written
    return Rendered(text=message.rendered.text)


def _is_photo(file: OutgoingFile) -> bool:
    return file.media_type in PHOTOS and len(file.content) <= MAX_PHOTO_BYTES
