"""The life of a message in values: received, claimed into a turn, answered, delivered.

The store keeps these, the runtime moves them on. Each verb of :class:`bot.ports.Lifecycle` takes
and gives values of this file, so that what must land together is one call.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
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
from bot.core.turns import Outcome, Turn

OutboxId = NewType("OutboxId", int)

Route = Literal["turn", "command", "none"]
"""What a stored event waits for: the next turn of its chat, its own command, or nothing (kept only
so that a redelivery is known; its content is not written down)."""

DeliveryState = Literal["pending", "sending", "sent", "failed"]

UNKNOWN_FATE = "whether it arrived is not known"
"""How the reason of a failed item begins of which a copy may stand in the chat."""

MAX_MESSAGES_TOGETHER = 20
MAX_CHARS_TOGETHER = 50_000
"""What one turn takes of the messages that wait: a flood is answered bit by bit."""

RETRYABLE: frozenset[Outcome] = frozenset({"failed", "empty"})
"""Ends of a turn after which it can be tried again; its messages are kept for that."""


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
    """The messages that a turn owns, and the turn as far as it got.

    Attributes:
        started: Ids of calls whose start was recorded and whose result was not: whether these
            tools did their work is not known.
        has_more: More was waiting than one turn takes; said when it is claimed, not kept.
    """

    turn: Turn
    messages: tuple[InboundMessage, ...]
    started: frozenset[str] = frozenset()
    has_more: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelCall:
    """One call of a model, as it is accounted for.

    ``local_tokens`` is the request's size by the local count, uncorrected; 0 when nobody counted.
    """

    session_key: SessionKey
    person_key: PersonKey
    model: str
    purpose: Literal["answer", "summary"]
    usage: Usage
    at: datetime
    local_tokens: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class OutboxItem:
    """A platform message on its way out.

    Attributes:
        is_preview: An unfinished answer shown meanwhile: no answer by itself.
        receipt: Set once the platform has the message.
        replaces: The receipt of the preview that this item finishes by editing it.
        reason: Why it failed; empty in every other state.
        failed_at: When it did.
    """

    id: OutboxId
    reply: Reply
    state: DeliveryState
    is_preview: bool = False
    receipt: Receipt | None = None
    replaces: Receipt | None = None
    reason: str = ""
    failed_at: datetime | None = None


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


def taken_together(waiting: tuple[InboundMessage, ...]) -> tuple[InboundMessage, ...]:
    """Say which of the waiting messages, oldest first, the next turn takes: at least one."""
    taken = waiting[:MAX_MESSAGES_TOGETHER]
    chars = 0
    for number, message in enumerate(taken):
        chars += len(message.text) + len(message.quoted)
        if chars > MAX_CHARS_TOGETHER and number:
            return taken[:number]
    return taken


def reopened(turn: Turn) -> Turn | None:
    """Say how an ended turn goes on when it is tried again, None when its end stands.

    A failed one goes on from its last step; the step that was an empty answer is asked for anew.
    """
    if turn.outcome not in RETRYABLE:
        return None
    steps = turn.steps[:-1] if turn.outcome == "empty" else turn.steps
    return replace(turn, outcome=None, steps=steps)


def sent_again(item: OutboxItem) -> OutboxItem:
    """Say how a failed item is delivered once more: in doubt if a copy may stand in the chat."""
    is_in_doubt = item.reason.startswith(UNKNOWN_FATE)
    state: DeliveryState = "sending" if is_in_doubt else "pending"
    return replace(item, state=state, reason="", failed_at=None)


def compose_request(messages: tuple[InboundMessage, ...]) -> Message:
    """Join the messages taken together into one turn into one user message, a block each.

    In a group the speaker's name stands before the text; what a message replies to stands above
    it as a quotation. ``messages`` is not empty.
    """
    return Message(role="user", blocks=tuple(Text(text=_worded(each)) for each in messages))


def _worded(message: InboundMessage) -> str:
    text = message.text.strip() or "(no text)"
    if message.kind == "group":
        # Indented, so that a line of the message cannot pose as what somebody else said.
        indented = "\n  ".join(text.splitlines())
        text = f"{_one_line(message.sender.name)}: {indented}"
    if message.quoted.strip():
        quotation = "\n".join(f"> {line}" for line in message.quoted.strip().splitlines())
        text = f"{quotation}\n\n{text}"
    return text


def _one_line(name: str) -> str:
    """Keep a name from posing as several lines of the conversation, or as another speaker."""
    return " ".join(name.replace(":", " ").split())[:64] or "someone"
