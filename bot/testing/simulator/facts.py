"""The facts that a simulation is judged by: something said, a turn, a reply on its way."""

from __future__ import annotations

import math
import re
from collections import Counter
from dataclasses import dataclass, field
from typing import Literal

from bot.core.chat import Inbound, InboundMessage, SessionKey
from bot.core.lifecycle import DeliveryState, OutboxId, OutboxItem
from bot.core.turns import Outcome, TurnId

Trouble = Literal["refused", "passing", "unknown"]
"""How a delivery failed: for good, for now, or nobody can say."""

Kind = Literal["message", "command", "stop", "chatter"]
"""What a person did: spoke to the bot, gave a command, pressed stop, spoke to somebody else."""

_ID = re.compile(r"\bm(\d+)\b(?!…)")  # not what a note cut in the middle


def ids_named(text: str) -> tuple[str, ...]:
    """List the messages that a text names, each once, in the order of their first naming."""
    return tuple(dict.fromkeys(f"m{number}" for number in _ID.findall(text)))


@dataclass(slots=True)
class Said:
    """Something a person did.

    Attributes:
        is_told: The platform heard that it was received.
        is_out_of_line: Its first offer came to nothing; if it comes all the same, then not in its
            place.
        answer: What a command was answered.
        answered_in: The number of the process that did so.
        undelivered: How many replies of the chat had failed before the command came, and had still
            failed when it was answered.
        was_busy: Whether a turn was open, or a reply on its way, at some moment in between.
    """

    inbound: Inbound
    session_key: SessionKey
    kind: Kind
    is_told: bool = False
    is_out_of_line: bool = False
    stored_at: float = math.inf
    settled_at: float = math.inf
    answers: int = 0
    answer: str = ""
    answered_in: int = 0
    undelivered: int = 0
    was_busy: bool = False

    @property
    def id(self) -> str:
        """How answers name it."""
        message = self.inbound
        return f"m{message.message_id}" if isinstance(message, InboundMessage) else "button"


@dataclass(frozen=True, slots=True, kw_only=True)
class Ending:
    """How a turn ended, what it left in the outbox, and how many processes had gone on with it.

    ``process`` is the number of the process that ended it.
    """

    outcome: Outcome
    items: tuple[OutboxId, ...]
    resumes: int
    process: int
    opened_at: float
    ended_at: float


@dataclass(slots=True)
class TurnFacts:
    """A turn as the store holds it; it has one ending for each time that it was opened."""

    session_key: SessionKey
    messages: tuple[str, ...]
    generation: int
    claimed_at: float
    opened_at: float
    openings: int = 1
    resumes: int = 0
    ended_at: float = math.inf
    endings: list[Ending] = field(default_factory=list)


@dataclass(slots=True)
class ItemFacts:
    """A reply in the outbox; ``unknowns`` counts the sendings of which nobody knows the fate."""

    item: OutboxItem
    session_key: SessionKey
    turn_id: TurnId | None
    state: DeliveryState
    marked_at: float = math.inf
    unknowns: int = 0
    sent_again: int = 0
    troubles: Counter[Trouble] = field(default_factory=Counter)

    @property
    def text(self) -> str:
        """What people are to read."""
        return self.item.reply.text

    @property
    def brings_something(self) -> bool:
        """Whether it is a message to be read, no preview of one and no taking back."""
        return not self.item.is_preview and not self.item.reply.takes_back
