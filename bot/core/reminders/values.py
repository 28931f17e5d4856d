"""What a reminder is, who may see it, and the message that a scheduled prompt is."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Literal, NewType

from bot.core.chat import ChatAddress, ChatKind, InboundMessage, PersonKey, Sender

ReminderId = NewType("ReminderId", int)
"""By which people cancel it, too: no number is ever given twice."""

NOT_KEPT_YET = ReminderId(0)

ZoneName = NewType("ZoneName", str)
"""A time zone by its IANA name, ``Europe/Lisbon``; one that could be loaded when it was kept."""

ReminderKind = Literal["words", "prompt"]
"""Whether the person is told the words, or these are asked of the model as if they had written them
just then."""

MOST_OPEN = 50
"""So many may be open for one person: more is a flood, or a mistake of a model."""

MOST_TEXT_CHARS = 1_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Rhythm:
    """How often something is due again.

    Attributes:
        words: As the model reads it, behind a moment: ``every weekday``.
        cron: The cron expression of its moments, in the reminder's time zone.
    """

    words: str
    cron: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Reminder:
    """Something that a person wants told, or asked of the model, at a moment of theirs.

    Attributes:
        author: Who asked for it, on whose behalf it happens.
        address: Where it was asked for, and is told.
        zone: In which its moments are meant, whatever zone the author is in later.
        due_at: When it is due next.
        rhythm: None for once only.
        passed_at: When its last moment was seen to, by the clock of then; None before the first.
        origin: What it was made by (a call of a tool, a command): the same makes no second one.
    """

    author: Sender
    address: ChatAddress
    chat_kind: ChatKind
    kind: ReminderKind
    text: str
    zone: ZoneName
    due_at: datetime
    created_at: datetime
    origin: str
    rhythm: Rhythm | None = None
    passed_at: datetime | None = None
    id: ReminderId = NOT_KEPT_YET


@dataclass(frozen=True, slots=True, kw_only=True)
class DamagedReminder:
    """What is left of a reminder that cannot be read any more.

    Attributes:
        person_key: Whose it is.
        address: Where it was to be told; None where that cannot be read either.
    """

    id: ReminderId
    person_key: PersonKey
    address: ChatAddress | None


def is_seen_in(
    reminder: Reminder, author: Sender, address: ChatAddress, kind: ChatKind, *, is_admin: bool
) -> bool:
    """Say whether a reminder may be listed and cancelled by somebody in a chat.

    In their private chat people find those of theirs that are told there or in groups; in a group
    those of theirs that are told there, and its admins everybody's.
    """
    is_own = reminder.author.person_key == author.person_key
    is_here = reminder.address.whole_chat == address.whole_chat
    if kind == "private":
        return is_own and (is_here or reminder.chat_kind == "group")
    return (is_own or is_admin) and is_here


def slot_message(reminder: Reminder, slot: datetime, text: str, now: datetime) -> InboundMessage:
    """Write what a reminder's author is taken to say when its moment ``slot`` has come.

    The platform has no such message: nothing replies to it, and nothing stands before it.
    """
    moment = slot.astimezone(UTC)
    return InboundMessage(
        event_id=f"reminder:{reminder.id}:{moment:%Y%m%dT%H%M%SZ}",
        address=reminder.address,
        kind=reminder.chat_kind,
        sender=reminder.author,
        message_id="",
        text=text,
        is_addressed=True,
        is_named=False,
        sent_at=now,
    )
