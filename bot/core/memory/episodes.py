"""Episodes: the record of a past session of a chat."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import NewType

from bot.core.chat import PersonKey, SessionKey
from bot.core.memory.audience import Audience
from bot.core.turns import TurnId

EpisodeId = NewType("EpisodeId", int)


@dataclass(frozen=True, slots=True, kw_only=True)
class Account:
    """What a session was about, in phrases.

    Attributes:
        summary: A few sentences.
    """

    summary: str
    attempted: tuple[str, ...] = ()
    succeeded: tuple[str, ...] = ()
    failed: tuple[str, ...] = ()
    decisions: tuple[str, ...] = ()
    open_tasks: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Episode:
    """The record of the turns of one chat from ``first`` through ``through``.

    Attributes:
        person_key: Whose session it was; empty where several people spoke.
    """

    id: EpisodeId
    session_key: SessionKey
    audience: Audience
    person_key: PersonKey
    first: TurnId
    through: TurnId
    started_at: datetime
    ended_at: datetime
    account: Account
