"""Who wrote a message that makes no sense as a whole, so that they are told that it was not read.

The law of this file: nothing of what the message says is taken from it, since what it means may
stand in the part that cannot be read: a forward without its author would be somebody's own words.
"""

from __future__ import annotations

from datetime import UTC, datetime

from bot.api import ChatAddress, ChatKind, InboundMessage, Sender, plain_name
from channels.telegram.inbound import KINDS, BotIdentity
from channels.telegram.utf16 import well_formed


def unread_message(raw: object, identity: BotIdentity, now: datetime) -> InboundMessage | None:
    """Tell of a raw update that a message was written; None where it is not clear by whom, to whom.

    ``now`` stands for when it was written, where the update does not say it.
    """
    match raw:
        case {
            "message": {
                "message_id": int(number),
                "chat": {"id": int(chat), "type": str(type_of_chat)},
                **said,
            }
        }:
            kind, sender = KINDS.get(type_of_chat), _sender(said)
        case _:
            return None
    if kind is None or sender is None or said.get("is_automatic_forward"):
        return None
    if not _is_addressed(said, kind, identity):
        return None
    is_topic, thread = said.get("is_topic_message"), said.get("message_thread_id")
    return InboundMessage(
        event_id=f"message:{identity.id}:{chat}:{number}",
        address=ChatAddress(
            channel="telegram",
            account=str(identity.id),
            chat=str(chat),
            thread=str(thread) if is_topic and isinstance(thread, int) else "",
        ),
        kind=kind,
        sender=sender,
        message_id=str(number),
        text="",
        is_addressed=True,
        sent_at=_moment(said.get("date")) or now,
        is_unread=True,
    )


def _sender(said: dict[object, object]) -> Sender | None:
    """Say who wrote it; None for bots, and for who writes as a chat: no person awaits a word."""
    match said:
        case {"sender_chat": _} | {"from": {"is_bot": True}}:
            return None
        case {"from": {"id": int(number), **person}}:
            name = f"{person.get('first_name') or ''} {person.get('last_name') or ''}"
            language = person.get("language_code")
            return Sender(
                channel="telegram",
                user_id=str(number),
                name=plain_name(well_formed(name)),
                language=language if isinstance(language, str) else "",
            )
    return None


def _is_addressed(said: dict[object, object], kind: ChatKind, identity: BotIdentity) -> bool:
    """Tell whether it is for the bot; in want of its marks, by its name anywhere in the text."""
    if kind == "private":
        return True
    match said:
        case {"reply_to_message": {"from": {"id": int(number)}}} if number == identity.id:
            return True
        case {"text": str(text)} | {"caption": str(text)}:
            words = text.casefold().replace(",", " ").split()
            return f"@{identity.username}".casefold() in words
    return False


def _moment(date: object) -> datetime | None:
    try:
        return datetime.fromtimestamp(date, UTC) if isinstance(date, int) else None
    except (OverflowError, OSError, ValueError):  # beyond what a calendar has
        return None
