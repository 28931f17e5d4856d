"""The life of a message in values: received, claimed into a turn, answered, delivered.

The store keeps these, the runtime moves them on. Each verb of :class:`bot.ports.Lifecycle` takes
and gives values of this file, so that what must land together is one call.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Literal, NewType

from bot.core.chat import (
    ChatAddress,
    Inbound,
    InboundEdit,
    InboundMessage,
    PersonKey,
    Receipt,
    Reply,
    SessionKey,
)
from bot.core.llm import Usage
from bot.core.messages import Message, Text
from bot.core.turns import Turn

OutboxId = NewType("OutboxId", int)

Route = Literal["turn", "command", "none"]
"""What a stored event waits for: the next turn of its chat, its own command, or nothing (kept only
so that a redelivery is known; its content is not written down)."""

DeliveryState = Literal["pending", "sending", "sent", "failed"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Received:
    """An event that was understood and how it goes on."""

    inbound: Inbound
    route: Route


@dataclass(frozen=True, slots=True, kw_only=True)
class SetAside:
    """An event that could not be understood; ``raw`` is kept so that a person can look at it."""

    event_id: str
    channel: str
    raw: str
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Cursor:
    """How far a channel has read its platform's queue; stored together with what was read."""

    channel: str
    value: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Claim:
    """The messages that a turn owns, and the turn as far as it got."""

    turn: Turn
    messages: tuple[InboundMessage, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelCall:
    """One call of a model, as it is accounted for."""

    session_key: SessionKey
    person_key: PersonKey
    model: str
    purpose: Literal["answer", "summary"]
    usage: Usage
    at: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class OutboxItem:
    """A platform message on its way out.

    Attributes:
        is_preview: An unfinished answer shown meanwhile: no answer by itself.
        receipt: Set once the platform has the message.
        replaces: The receipt of the preview that this item finishes by editing it.
    """

    id: OutboxId
    reply: Reply
    state: DeliveryState
    is_preview: bool = False
    receipt: Receipt | None = None
    replaces: Receipt | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Unfinished:
    """What an earlier process left open, oldest first."""

    claims: tuple[Claim, ...] = ()
    waiting: tuple[SessionKey, ...] = ()
    commands: tuple[InboundMessage, ...] = ()
    outbox: tuple[OutboxItem, ...] = ()


def address_of(inbound: Inbound) -> ChatAddress:
    """Say in which chat something happened."""
    return inbound.message.address if isinstance(inbound, InboundEdit) else inbound.address


def compose_request(messages: tuple[InboundMessage, ...]) -> Message:
    """Join the messages taken together into one turn into one user message, a block each.

    In a group the speaker's name stands before the text; what a message replies to stands above
    it as a quotation. ``messages`` is not empty.
    """
    return Message(role="user", blocks=tuple(Text(text=_worded(each)) for each in messages))


def _worded(message: InboundMessage) -> str:
    text = message.text.strip() or "(no text)"
    if message.kind == "group":
        text = f"{_one_line(message.sender.name)}: {text}"
    if message.quoted.strip():
        quotation = "\n".join(f"> {line}" for line in message.quoted.strip().splitlines())
        text = f"{quotation}\n\n{text}"
    return text


def _one_line(name: str) -> str:
    """Keep a name from posing as several lines of the conversation."""
    return " ".join(name.split())[:64] or "someone"
