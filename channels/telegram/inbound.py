"""What a Telegram update says, in the bot's words.

The law of this file: pure. Telegram's objects come in and go no further. Which kinds of update
there are, and what each of them means to the bot, stands in ``updates``.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING

from bot.api import (
    Attachment,
    BotStanding,
    ButtonPress,
    ChatAddress,
    ChatKind,
    ChatMoved,
    Inbound,
    InboundEdit,
    InboundMessage,
    Sender,
    Standing,
    StopRequest,
    plain_name,
)
from channels.telegram.content import attachments_of, worded_content, worded_files
from channels.telegram.text import Span, as_markdown
from channels.telegram.utf16 import cut_utf16, well_formed

if TYPE_CHECKING:  # the SDK is slow to import, and only its names are needed here
    from telegram import (
        CallbackQuery,
        Chat,
        ChatMember,
        ChatMemberUpdated,
        ExternalReplyInfo,
        Message,
        MessageEntity,
        MessageOrigin,
        Update,
        User,
    )

MAX_QUOTED_CHARS = 1000

KINDS: dict[str, ChatKind] = {"private": "private", "group": "group", "supergroup": "group"}
"""The types of chats in which the bot can answer."""

_STANDINGS: dict[str, Standing] = {
    "creator": "admin",
    "administrator": "admin",
    "member": "member",
    "left": "gone",
    "kicked": "gone",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class BotIdentity:
    """Who the bot is on Telegram; ``username`` without the @."""

    id: int
    username: str


def to_inbound(update: Update, identity: BotIdentity, now: datetime) -> Inbound | None:
    """Read an update; None when it is nothing that somebody did where the bot can answer.

    ``now`` is when a button was pressed: Telegram does not say it.
    """
    if update.message is not None:
        return _moved(update.message, identity) or _read_message(update.message, identity)
    if update.edited_message is not None:
        return _read_edit(update.edited_message, identity)
    if update.callback_query is not None:
        return _read_press(update.callback_query, identity, now)
    if update.my_chat_member is not None:
        return _read_standing(update.my_chat_member, identity, update.update_id)
    stopped: object = update.api_kwargs.get("stopped_message_generation")
    return None if stopped is None else _read_stop(stopped, identity, update.update_id)


def _read_message(message: Message, identity: BotIdentity) -> InboundMessage | None:
    kind = KINDS.get(message.chat.type)
    sender = _read_sender(message)
    # What a channel says in its group is not said to anybody there, and what the bot itself
    # offered below a person's message are its own words.
    is_echo = message.is_automatic_forward or _is_bot(message.via_bot, identity)
    attachments = attachments_of(message)
    text = _content(message)
    if kind is None or sender is None or is_echo or not (text or attachments):
        return None
    namings = tuple(_namings(message, identity))
    bot = _commanded(message)
    is_anothers = kind == "group" and bot not in (None, "", identity.username.casefold())
    is_meant = kind == "private" or bool(namings) or _answers(message, identity)
    is_named = is_meant and not is_anothers
    return InboundMessage(
        event_id=f"message:{identity.id}:{message.chat.id}:{message.message_id}",
        address=_address(message.chat, identity, _thread(message)),
        kind=kind,
        sender=sender,
        message_id=str(message.message_id),
        text=_content(message, namings) if namings else text,
        is_addressed=is_named or bot == "",
        is_named=is_named,
        sent_at=message.date,
        quoted=_quoted(message),
        forwarded_from=_forwarded_from(message),
        attachments=(*attachments, *_attachments_quoted(message, kind, identity)),
        album=message.media_group_id or "",
    )


def _read_edit(message: Message, identity: BotIdentity) -> InboundEdit | None:
    """Read a changed message; a live location changes every few seconds, and nothing is said."""
    if message.edit_date is None or message.location is not None:
        return None
    told = _read_message(message, identity)
    if told is None:
        return None
    moment = int(message.edit_date.timestamp())
    # A moment is a whole second, in which somebody may change a message twice.
    words = hashlib.sha256(told.text.encode("utf-8", "surrogatepass")).hexdigest()[:16]
    event_id = f"edit:{identity.id}:{message.chat.id}:{message.message_id}:{moment}:{words}"
    return InboundEdit(event_id=event_id, message=told, edited_at=message.edit_date)


def _moved(message: Message, identity: BotIdentity) -> ChatMoved | None:
    """Read that a group became a supergroup, which both of them tell."""
    chat = message.chat
    if message.migrate_to_chat_id is not None:
        old, new = chat.id, message.migrate_to_chat_id
    elif message.migrate_from_chat_id is not None:
        old, new = message.migrate_from_chat_id, chat.id
    else:
        return None
    address = ChatAddress(channel="telegram", account=str(identity.id), chat=str(old))
    return ChatMoved(
        event_id=f"moved:{identity.id}:{old}:{new}", address=address, new_chat=str(new)
    )


def _read_press(query: CallbackQuery, identity: BotIdentity, now: datetime) -> ButtonPress | None:
    """Read the press of a button below one of the bot's messages, however old that is."""
    from telegram import Message  # imported by now: it made the query

    message = query.message
    kind = None if message is None else KINDS.get(message.chat.type)
    if message is None or kind is None or not query.data:
        return None
    thread = _thread(message) if isinstance(message, Message) else ""
    return ButtonPress(
        event_id=f"press:{identity.id}:{query.id}",
        address=_address(message.chat, identity, thread),
        kind=kind,
        sender=_person(query.from_user),
        message_id=str(message.message_id),
        token=query.data,
        pressed_at=now,
    )


def _read_standing(
    change: ChatMemberUpdated, identity: BotIdentity, update_id: int
) -> BotStanding | None:
    kind = KINDS.get(change.chat.type)
    standing = _standing(change.new_chat_member)
    if kind is None or standing is None or not _is_bot(change.new_chat_member.user, identity):
        return None
    at = int(change.date.timestamp())
    return BotStanding(
        event_id=f"standing:{identity.id}:{change.chat.id}:{at}:{update_id}",
        address=_address(change.chat, identity, ""),
        kind=kind,
        by=_person(change.from_user),
        standing=standing,
        title=_called(change.chat, otherwise=""),
        changed_at=change.date,
    )


def _standing(member: ChatMember) -> Standing | None:
    """Say what the bot is in a chat; None for what a later Telegram may call it."""
    if member.status != "restricted":
        return _STANDINGS.get(member.status)
    if not getattr(member, "is_member", True):
        return "gone"
    return "member" if getattr(member, "can_send_messages", True) else "silenced"


def _read_stop(stopped: object, identity: BotIdentity, update_id: int) -> StopRequest:
    """Read that a person stopped a draft, which the SDK does not know yet.

    Raises:
        ValueError: It is told in a form that was not foreseen.
    """
    match stopped:
        case {
            "chat": {"id": int(chat), "type": "private", **person},
            "draft_id": int(draft),
            **rest,
        }:
            thread = rest.get("message_thread_id") or ""
        case _:
            raise ValueError("a stopped draft of an unknown form")
    name = " ".join(str(person.get(part) or "") for part in ("first_name", "last_name"))
    return StopRequest(
        event_id=f"stop:{identity.id}:{chat}:{draft}:{update_id}",
        address=ChatAddress(
            channel="telegram", account=str(identity.id), chat=str(chat), thread=str(thread)
        ),
        sender=Sender(channel="telegram", user_id=str(chat), name=plain_name(well_formed(name))),
        draft_id=draft,
    )


def _address(chat: Chat, identity: BotIdentity, thread: str) -> ChatAddress:
    return ChatAddress(
        channel="telegram", account=str(identity.id), chat=str(chat.id), thread=thread
    )


def _thread(message: Message) -> str:
    """Name the topic; a chain of replies has such an id too, the general topic has none."""
    is_topic = message.is_topic_message and message.message_thread_id is not None
    return str(message.message_thread_id) if is_topic else ""


def _read_sender(message: Message) -> Sender | None:
    """Say who wrote it; None for bots.

    Who writes as a chat (an anonymous admin, a channel) is no person that a list could name.
    """
    chat = message.sender_chat
    if chat is not None:
        return Sender(
            channel="telegram", user_id=f"chat:{chat.id}", name=_called(chat), is_person=False
        )
    user = message.from_user
    return None if user is None or user.is_bot else _person(user)


def _person(user: User) -> Sender:
    return Sender(
        channel="telegram",
        user_id=str(user.id),
        name=_called(user),
        language=str(user.language_code or ""),
    )


def _called(bearer: User | Chat, otherwise: str = "someone") -> str:
    """Give the name of a person or a chat; a deleted account has an empty one."""
    title: str = getattr(bearer, "title", None) or ""
    # Not full_name: for an empty name it is None, whatever its type says.
    name = title or f"{bearer.first_name or ''} {bearer.last_name or ''}"
    return plain_name(well_formed(name), otherwise)


def _content(message: Message, names: tuple[Span, ...] = ()) -> str:
    """Give the text, and in brackets what else is there; empty for a service message."""
    written, entities = _written(message)
    parts = (as_markdown(written, entities, names), worded_content(message))
    return "\n\n".join(part for part in parts if part)


def _written(message: Message) -> tuple[str, tuple[MessageEntity, ...]]:
    """Give the text or the caption, and what is marked in it."""
    if message.text:
        return message.text, tuple(message.entities)
    return message.caption or "", tuple(message.caption_entities)


def _forwarded_from(message: Message) -> str:
    """Say whose words these are: of a forward, or chosen from what another bot offered."""
    if message.forward_origin is not None:
        return _author(message.forward_origin)
    return f"@{message.via_bot.username}" if message.via_bot is not None else ""


def _author(origin: MessageOrigin) -> str:
    """Name who wrote a message first: a person, one who hides, a group or a channel."""
    user: User | None = getattr(origin, "sender_user", None)
    chat: Chat | None = getattr(origin, "sender_chat", None) or getattr(origin, "chat", None)
    hidden: str = getattr(origin, "sender_user_name", None) or ""
    bearer = user or chat
    return plain_name(well_formed(hidden)) if bearer is None else _called(bearer)


def _quoted(message: Message) -> str:
    """Give the text of the message this one replies to: the part picked out, or all of it."""
    picked = well_formed(message.quote.text) if message.quote is not None else ""
    target = _target(message)
    if target is not None:
        whole = "\n\n".join(part for part in (_content(target), worded_files(target)) if part)
        return (picked or whole)[:MAX_QUOTED_CHARS]
    if message.external_reply is not None:
        return _quoted_elsewhere(message.external_reply, picked)[:MAX_QUOTED_CHARS]
    if message.reply_to_story is not None:
        return f"[story of {_called(message.reply_to_story.chat)}]"
    return picked[:MAX_QUOTED_CHARS]


def _quoted_elsewhere(reply: ExternalReplyInfo, picked: str) -> str:
    """Tell of a message in another chat what Telegram tells of it."""
    parts = (picked, worded_content(reply), worded_files(reply))
    return f"{_author(reply.origin)}: " + ("\n".join(part for part in parts if part) or "[message]")


def _attachments_quoted(
    message: Message, kind: ChatKind, identity: BotIdentity
) -> tuple[Attachment, ...]:
    """Give the files of the message this one replies to, where the bot may not have seen them."""
    if message.external_reply is not None:
        return attachments_of(message.external_reply)
    target = _target(message)
    if target is None or kind == "private" or _is_bot(target.from_user, identity):
        return ()
    return attachments_of(target)


def _target(message: Message) -> Message | None:
    """Give the message this one replies to.

    In a topic every message that replies to none claims to reply to the topic's beginning.
    """
    target = message.reply_to_message
    return None if target is None or target.forum_topic_created is not None else target


def _namings(message: Message, identity: BotIdentity) -> Iterator[Span]:
    """Find where the bot is named: ``@bot``, its name as a link, ``/command@bot``."""
    text, entities = _written(message)
    suffix = f"@{identity.username}".casefold()
    for entity in entities:
        _, named, _ = cut_utf16(text, entity.offset, entity.length)
        is_mention = entity.type == "mention" and named.casefold() == suffix
        if is_mention or (entity.type == "text_mention" and _is_bot(entity.user, identity)):
            yield Span(offset=entity.offset, length=entity.length)
        elif _is_command(entity) and named.casefold().endswith(suffix):
            # What stands after the @ is ASCII, so that characters are code units.
            yield Span(
                offset=entity.offset + entity.length - len(suffix),
                length=len(suffix),
            )


def _answers(message: Message, identity: BotIdentity) -> bool:
    """Tell whether a message replies to one of the bot's."""
    target = _target(message)
    return target is not None and _is_bot(target.from_user, identity)


def _commanded(message: Message) -> str | None:
    """Say which bot a command names, in lower case: empty for none; None when it is no command."""
    text, entities = _written(message)
    for entity in entities:
        if _is_command(entity):
            return cut_utf16(text, entity.offset, entity.length)[1].partition("@")[2].casefold()
    return None


def _is_command(entity: MessageEntity) -> bool:
    """Tell whether the message is a command; elsewhere in it, ``/etc`` is marked like one."""
    return entity.type == "bot_command" and entity.offset == 0


def _is_bot(user: User | None, identity: BotIdentity) -> bool:
    return user is not None and user.id == identity.id
