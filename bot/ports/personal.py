"""The port to what is kept of one person, for that person's own eyes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

from bot.core.chat import ChatAddress, PersonKey
from bot.core.memory.audience import Viewer
from bot.core.memory.episodes import Episode
from bot.core.memory.export import OwnTurn
from bot.core.memory.facts import Fact
from bot.core.memory.own_conversations import OwnConversation


@dataclass(frozen=True, slots=True, kw_only=True)
class OwnTurns:
    """Turns of a stretch of all turns in which somebody said something.

    Attributes:
        next_after: The id behind which the next stretch begins; None at the end.
    """

    turns: tuple[OwnTurn, ...]
    next_after: int | None


@dataclass(frozen=True, slots=True, kw_only=True)
class KeptOfChat:
    """How much is kept of an audience: turns, records of sessions, days that have a daily entry."""

    turns: int = 0
    sessions: int = 0
    days: int = 0


class PersonalRecords(Protocol):
    """What is kept of the person who asks: their own words and what was made of them alone.

    What may be recalled by a viewer is said by :func:`~bot.core.memory.audience.may_recall`; here
    only what is of the viewer's person counts, and all of their private chat. Each call is one
    transaction.

    * ``private_chats_of`` gives the chats that somebody alone has with the bot, without threads,
      the one in which something was heard last first; with ``near`` only those with the same
      account of the bot.
    * ``versions_for`` gives all versions of the facts about the person, by key, oldest first.
    * ``episodes_for`` gives the records of the sessions of their private chat, oldest first; in a
      group, and of groups, none.
    * ``conversations_for`` gives what stands for turns of their private chat that are not shown to
      the model: tasks, summaries, digests, by session key; in a group none. What is gone from the
      store, as earlier versions of a summary, is not there.
    * ``own_turns`` gives, of a stretch of all turns behind ``after``, those in which they said
      something, oldest first.
    * ``kept_in`` counts what is kept of the viewer's audience, whoever spoke.
    """

    async def private_chats_of(
        self, person_key: PersonKey, *, near: ChatAddress | None = None
    ) -> tuple[ChatAddress, ...]: ...
    async def versions_for(self, viewer: Viewer) -> tuple[Fact, ...]: ...
    async def episodes_for(self, viewer: Viewer) -> tuple[Episode, ...]: ...
    async def conversations_for(self, viewer: Viewer) -> tuple[OwnConversation, ...]: ...
    async def own_turns(self, viewer: Viewer, *, after: int) -> OwnTurns: ...
    async def kept_in(self, viewer: Viewer) -> KeptOfChat: ...
