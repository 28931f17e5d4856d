"""What a Telegram update says, in the bot's words.

The law of this file: pure. Telegram's objects come in and go no further.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from bot.api import ChatAddress, ChatKind, Inbound, InboundEdit, InboundMessage, Sender
from channels.telegram.utf16 import cut_utf16, well_formed

if TYPE_CHECKING:  # the SDK is slow to import, and only its names are needed here
    from telegram import Message, MessageEntity, Update, User

MAX_QUOTED_CHARS = 1000

_KINDS: dict[str, ChatKind] = {"private": "private", "group": "group", "supergroup": "group"}

_ATTACHMENTS = {
    "photo": "photo",
    "voice": "voice message",
    "video_note": "video message",
    "video": "video",
    "animation": "animation",  # before document: it is both
    "audio": "audio",
    "document": "document",
    "sticker": "sticker",
    "contact": "contact",
    "venue": "place",  # before location: it is both
    "location": "location",
    "poll": "poll",
    "dice": "dice",
    "game": "game",
    "story": "story",
    "checklist": "checklist",
    "paid_media": "paid media",
}
"""Fields of a message that hold something other than text, and what people call it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class BotIdentity:
    """Who the bot is on Telegram; ``username`` without the @."""

    id: int
    username: str


@dataclass(frozen=True, slots=True, kw_only=True)
class _Span:
    """A stretch of a message's text that names the bot, in UTF-16 code units."""

    offset: int
    length: int


def to_inbound(update: Update, identity: BotIdentity) -> Inbound | None:
    """Read an update; None when it is nothing that a person said where the bot can answer."""
    if update.message is not None:
        return _read_message(update.message, identity)
    edited = update.edited_message
    # A live location edits its message every few seconds; nothing is said by that.
    if edited is None or not (edited.text or edited.caption):
        return None
    message = _read_message(edited, identity)
    if message is None or edited.edit_date is None:
        return None
    edited_at = int(edited.edit_date.timestamp())
    event_id = f"edit:{identity.id}:{edited.chat.id}:{edited.message_id}:{edited_at}"
    return InboundEdit(event_id=event_id, message=message)


def _read_message(message: Message, identity: BotIdentity) -> InboundMessage | None:
    kind = _KINDS.get(message.chat.type)
    sender = _read_sender(message)
    text = _content(message)
    if kind is None or sender is None or not text:
        return None
    thread = message.message_thread_id if message.is_topic_message else None
    namings = tuple(_namings(message, identity))
    written = message.text or message.caption or ""
    is_named = bool(kind == "private" or namings or _answers(message, identity))
    return InboundMessage(
        event_id=f"message:{identity.id}:{message.chat.id}:{message.message_id}",
        address=ChatAddress(
            channel="telegram",
            account=str(identity.id),
            chat=str(message.chat.id),
            thread="" if thread is None else str(thread),
        ),
        kind=kind,
        sender=sender,
        message_id=str(message.message_id),
        text=_content(message, _without(written, namings)) if namings else text,
        is_addressed=is_named or _is_command_for_any(message),
        is_named=is_named,
        sent_at=message.date,
        quoted=_quoted(message),
    )


def _read_sender(message: Message) -> Sender | None:
    """Say who wrote it; None for bots.

    Who writes as a chat (an anonymous admin, a channel) is no person that a list could name.
    """
    chat = message.sender_chat
    if chat is not None:
        name = well_formed(chat.effective_name or "someone")
        return Sender(channel="telegram", user_id=f"chat:{chat.id}", name=name, is_person=False)
    user = message.from_user
    if user is None or user.is_bot:
        return None
    return Sender(
        channel="telegram",
        user_id=str(user.id),
        name=well_formed(user.full_name),
        language=str(user.language_code or ""),
    )


def _content(message: Message, text: str | None = None) -> str:
    """Give the text, and in brackets what else is there; empty for a service message."""
    written = (message.text or message.caption or "") if text is None else text
    parts = (well_formed(written), _attachment(message))
    return "\n\n".join(part for part in parts if part)


def _attachment(message: Message) -> str:
    for field, name in _ATTACHMENTS.items():
        if getattr(message, field):
            title = message.document.file_name if field == "document" and message.document else None
            return f"[{name}: {well_formed(title)}]" if title else f"[{name}]"
    return ""


def _quoted(message: Message) -> str:
    """Give the text of the message this one replies to: the part picked out, or all of it."""
    target = _target(message)
    if target is None:
        return ""
    picked = message.quote.text if message.quote is not None else ""
    return (well_formed(picked) or _content(target))[:MAX_QUOTED_CHARS]


def _target(message: Message) -> Message | None:
    """Give the message this one replies to.

    In a topic every message that replies to none claims to reply to the topic's beginning.
    """
    target = message.reply_to_message
    return None if target is None or target.forum_topic_created is not None else target


def _namings(message: Message, identity: BotIdentity) -> Iterator[_Span]:
    """Find where the bot is named: ``@bot``, its name as a link, ``/command@bot``."""
    text = message.text or message.caption or ""
    suffix = f"@{identity.username}".casefold()
    for entity in message.entities or message.caption_entities:
        _, named, _ = cut_utf16(text, entity.offset, entity.length)
        is_mention = entity.type == "mention" and named.casefold() == suffix
        if is_mention or (entity.type == "text_mention" and _is_bot(entity.user, identity)):
            yield _Span(offset=entity.offset, length=entity.length)
        elif _is_command(entity) and named.casefold().endswith(suffix):
            # What stands after the @ is ASCII, so that characters are code units.
            yield _Span(
                offset=entity.offset + entity.length - len(suffix),
                length=len(suffix),
            )


def _answers(message: Message, identity: BotIdentity) -> bool:
    """Tell whether a message replies to one of the bot's."""
    target = _target(message)
    return target is not None and _is_bot(target.from_user, identity)


def _is_command_for_any(message: Message) -> bool:
    """Tell whether a message is a command that names no bot."""
    text = message.text or message.caption or ""
    for entity in message.entities or message.caption_entities:
        if _is_command(entity):
            return "@" not in cut_utf16(text, entity.offset, entity.length)[1]
    return False


def _is_command(entity: MessageEntity) -> bool:
    """Tell whether the message is a command; elsewhere in it, ``/etc`` is marked like one."""
    return entity.type == "bot_command" and entity.offset == 0


def _is_bot(user: User | None, identity: BotIdentity) -> bool:
    return user is not None and user.id == identity.id


def _without(text: str, spans: tuple[_Span, ...]) -> str:
    """Take the bot's names out, with the space or the comma that they leave behind."""
    for span in sorted(spans, key=lambda span: span.offset, reverse=True):
        before, _, behind = cut_utf16(text, span.offset, span.length)
        if not before.strip():
            behind = behind.lstrip(" \t\n,:")
        elif before[-1:].isspace() and behind[:1] == " ":
            behind = behind[1:]
        text = before + behind
    return text.strip()
