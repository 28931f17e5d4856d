"""What is still to be remembered, in values that the store keeps."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date, datetime
from typing import Literal, NewType

from bot.core.chat import PersonKey, SessionKey
from bot.core.memory.audience import Audience
from bot.core.turns import TurnId

JobId = NewType("JobId", int)

MemoryJobKind = Literal["summary", "remember", "facts", "episode"]
"""``summary`` covers all that left a chat's window; ``remember`` writes turns to the daily file and
leaves the window as it is; ``facts`` are read out of what people said; an ``episode`` records a
session."""


@dataclass(frozen=True, slots=True, kw_only=True)
class MemoryJob:
    """One durable piece of background work: at most one of a kind waits in a chat.

    Attributes:
        person_key: On whose account the model is asked: who wrote last.
        generation: That of the conversation when it was asked for.
        through: The newest turn that it is about.
        attempts: How often it failed.
        due_at: When it may be tried.
    """

    id: JobId
    kind: MemoryJobKind
    session_key: SessionKey
    audience: Audience
    person_key: PersonKey
    generation: int
    through: TurnId
    attempts: int
    due_at: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class MemoryEntry:
    """What a daily memory file gets of one turn, once.

    A turn that was noted and is tried again afterwards gets a second entry, of its later moment.

    Attributes:
        moment: When the turn was opened, the last time. Ids begin anew with another database, and
            stand for other turns in one that was restored: id and moment never do.
        day: Names the file.
        text: Markdown without headings.
        revision: That of the turn it was made of. One that was changed takes the place of all that
            its file has of the turn; 0 for an entry that is added to it.
    """

    turn_id: TurnId
    moment: datetime
    audience: Audience
    day: date
    text: str
    revision: int = 0
