"""Facts about a person: keyed, dated statements that outlast a conversation, all versions kept.

The law of this file: a fact is about who said it. Of one person, in one audience, under one key, at
most one value holds at a time; a new value ends the one before, which stays with its dates.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Literal, NewType

from bot.core.chat import PersonKey
from bot.core.memory.audience import Audience
from bot.core.turns import TurnId

FactId = NewType("FactId", int)

FactOrigin = Literal["told", "extracted"]
"""``told``: the person asked for it to be remembered; ``extracted``: read out of what they said."""

FactTopic = Literal["name", "preference", "environment", "accessibility", "style", "other"]
"""What is worth remembering: name, stated preferences, technical environment, accessibility needs,
communication style; ``other`` only of what somebody asked to be remembered."""


@dataclass(frozen=True, slots=True, kw_only=True)
class NewFact:
    """A statement that is to be remembered.

    Attributes:
        person_key: Who said it, and whom it is about.
        key: A few words in small letters under which a later value takes its place: ``home city``.
        text: The statement as one sentence, for people: ``Lives in Lisbon.``
        turn_id: The turn it was said in; None where it was told by a command.
        confidence: From 0 to 1.
        at: When it was said.
    """

    person_key: PersonKey
    audience: Audience
    topic: FactTopic
    key: str
    text: str
    origin: FactOrigin
    confidence: float
    at: datetime
    turn_id: TurnId | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Fact:
    """A statement that is remembered.

    Attributes:
        valid_from: Since when it holds.
        valid_to: Until when it held; None while it does.
        confirmed_at: When the person last said it.
    """

    id: FactId
    person_key: PersonKey
    audience: Audience
    topic: FactTopic
    key: str
    text: str
    origin: FactOrigin
    confidence: float
    turn_id: TurnId | None
    valid_from: datetime
    valid_to: datetime | None
    confirmed_at: datetime
