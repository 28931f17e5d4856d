"""The life of a message in values: received, claimed into a turn, answered, delivered.

The store keeps these, the runtime moves them on. Each verb of :class:`bot.ports.Lifecycle` takes
and gives values of this file, so that what must land together is one call.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import datetime
from typing import Literal, NewType

from bot.core.chat import (
    ButtonPress,
    ChatAddress,
    ChatMoved,
    Inbound,
    InboundEdit,
    InboundMessage,
    PersonKey,
    Receipt,
    Reply,
    SessionKey,
)
from bot.core.files import label_of
from bot.core.llm import Payer, Purpose, Usage
from bot.core.messages import ContentBlock, Message, Text
from bot.core.names import name_in_line, speaker
from bot.core.turns import Outcome, Turn
from bot.languages import gettext_noop

OutboxId = NewType("OutboxId", int)

CallId = NewType("CallId", int)
"""A call of the model that was begun; another call may get it once this one has come to nothing."""

Route = Literal["turn", "command", "press", "none"]
"""What a stored event waits for: the next turn of its chat, its own command, to be redeemed for a
command, or nothing (kept only so that a redelivery is known; its content is not written down)."""

DeliveryState = Literal["pending", "sending", "sent", "failed"]

UNKNOWN_FATE = gettext_noop("whether it arrived is not known")
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

    Attributes:
        model: The name of who answered.
        asked: The name that was asked for, which may be an alias of it; empty for the same.
        local_tokens: The request's size by the local count, uncorrected; 0 when nobody counted.
        cost_nano_usd: What it cost, in billionths of a dollar; None where no price is known.
    """

    session_key: SessionKey
    person_key: PersonKey
    model: str
    purpose: Purpose
    usage: Usage
    at: datetime
    asked: str = ""
    local_tokens: int = 0
    cost_nano_usd: int | None = None

    @property
    def payer(self) -> Payer:
        """On whose account it is."""
        return Payer(session_key=self.session_key, person_key=self.person_key, purpose=self.purpose)

    @property
    def asked_model(self) -> str:
        """The name that was asked for."""
        return self.asked or self.model


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

    @property
    def is_in_doubt(self) -> bool:
        """Whether nobody knows if the platform has it."""
        return self.state == "sending" and self.receipt is None


@dataclass(frozen=True, slots=True, kw_only=True)
class Unfinished:
    """What an earlier process left open, oldest first.

    Attributes:
        waiting: Chats in which messages wait for a turn.
        albums: Those of the waiting messages of which a platform may bring more parts.
    """

    claims: tuple[Claim, ...] = ()
    waiting: tuple[SessionKey, ...] = ()
    albums: tuple[InboundMessage, ...] = ()
    commands: tuple[InboundMessage, ...] = ()
    outbox: tuple[OutboxItem, ...] = ()
    moves: tuple[ChatMoved, ...] = ()
    presses: tuple[ButtonPress, ...] = ()

    @property
    def replies(self) -> tuple[OutboxItem, ...]:
        """What is delivered by itself: a preview is gone on with, or finished, by its turn."""
        return tuple(item for item in self.outbox if not item.is_preview)


def address_of(inbound: Inbound) -> ChatAddress:
    """Say in which chat something happened."""
    return inbound.message.address if isinstance(inbound, InboundEdit) else inbound.address


def taken_together(waiting: tuple[InboundMessage, ...]) -> tuple[InboundMessage, ...]:
    """Say which of the waiting messages, oldest first, the next turn takes: at least one.

    An album is not cut, unless it is more than a turn can take: what comes before it goes first.
    """
    size = _most_together(waiting)
    while (shorter := _without_cut_album(waiting, size)) < size:
        size = shorter
    return waiting[: size or _most_together(waiting)]


def _most_together(waiting: tuple[InboundMessage, ...]) -> int:
    chars = 0
    for number, message in enumerate(waiting[:MAX_MESSAGES_TOGETHER]):
        chars += len(message.text) + len(message.quoted)
        if chars > MAX_CHARS_TOGETHER and number:
            return number
    return min(len(waiting), MAX_MESSAGES_TOGETHER)


def _without_cut_album(waiting: tuple[InboundMessage, ...], size: int) -> int:
    """Say how many of the first ``size`` stand before an album that goes on behind them."""
    behind = {(each.sender.person_key, each.album) for each in waiting[size:] if each.album}
    parts = (
        number
        for number, each in enumerate(waiting[:size])
        if (each.sender.person_key, each.album) in behind
    )
    return next(parts, size)


def placed(
    previews: tuple[OutboxItem, ...], replies: tuple[Reply, ...]
) -> tuple[tuple[Reply, OutboxItem | None], ...]:
    """Say which message of its preview, in their order, each reply of a turn takes the place of.

    Texts do so one by one, files never: no platform makes one of a text. What people have seen,
    or may have, beyond that is taken back by a reply more; but a turn that says nothing leaves all
    as it is.
    """
    left = list(previews)
    pairs = [(reply, left.pop(0) if left and reply.file is None else None) for reply in replies]
    if any(reply.file is None for reply in replies):
        pairs += (
            (Reply(address=each.reply.address, text=""), each)
            for each in left
            if each.receipt is not None or each.is_in_doubt
        )
    return tuple(pairs)


def reopened(turn: Turn, at: datetime) -> Turn | None:
    """Say how an ended turn goes on when it is tried again, None when its end stands.

    A failed one goes on from its last step; the step that was an empty answer is asked for anew.
    From now on the turn is one of this moment: what was noted of its failure is not noted of it.
    """
    if turn.outcome not in RETRYABLE:
        return None
    steps = turn.steps[:-1] if turn.outcome == "empty" else turn.steps
    return replace(turn, outcome=None, steps=steps, started_at=at)


def sent_again(item: OutboxItem) -> OutboxItem:
    """Say how a failed item is delivered once more: in doubt if a copy may stand in the chat."""
    is_in_doubt = item.reason.startswith(UNKNOWN_FATE)
    state: DeliveryState = "sending" if is_in_doubt else "pending"
    return replace(item, state=state, reason="", failed_at=None)


def compose_request(messages: tuple[InboundMessage, ...]) -> Message:
    """Join the messages taken together into one turn into one user message, a block each.

    ``messages`` is not empty. What their files bring is put in later, see :func:`with_files`.
    """
    return Message(role="user", blocks=tuple(Text(text=worded(each)) for each in messages))


def with_files(
    request: Message, brought: tuple[tuple[ContentBlock, ...], ...], first: int = 0
) -> tuple[Message, tuple[int, ...]]:
    """Put what each message's files brought behind its text, and say where each text stands then.

    ``request`` is as :func:`compose_request` made it, a block for each of ``brought``; ``first`` of
    them is behind what the bot noted before all messages.
    """
    blocks: list[ContentBlock] = list(request.blocks[:first])
    places: list[int] = []
    for text, behind in zip(request.blocks[first:], brought, strict=True):
        places.append(len(blocks))
        blocks += (text, *behind)
    return replace(request, blocks=tuple(blocks)), tuple(places)


def worded(message: InboundMessage) -> str:
    """Write a message as the model reads it, its files by their names.

    In a group the speaker stands before the text; what a message replies to stands above
    it as a quotation.
    """
    labels = "\n".join(map(label_of, message.attachments))
    text = "\n".join(filter(None, (labels, message.text.strip()))) or "(no text)"
    # Indented, so that a line of the message cannot pose as what somebody else said.
    indented = "\n  ".join(text.splitlines())
    if message.forwarded_from:
        text = f"Forwarded from {name_in_line(message.forwarded_from)}:\n  {indented}"
        indented = text.replace("\n", "\n  ")
    if message.kind == "group":
        text = f"{speaker(message.sender.name, message.sender.user_id)}: {indented}"
    if message.quoted.strip():
        quotation = "\n".join(f"> {line}" for line in message.quoted.strip().splitlines())
        text = f"{quotation}\n\n{text}"
    return text
