"""The store's verbs on what is kept of one person."""

from __future__ import annotations

from bot.adapters.store import personal
from bot.adapters.store.verbs import Verbs
from bot.core.chat import ChatAddress, PersonKey
from bot.core.memory.audience import Viewer
from bot.core.memory.episodes import Episode
from bot.core.memory.facts import Fact
from bot.core.memory.own_conversations import OwnConversation
from bot.ports import KeptOfChat, OwnTurns


class PersonalVerbs(Verbs):
    """A part of the store; it fills the port PersonalRecords."""

    async def private_chats_of(
        self, person_key: PersonKey, *, near: ChatAddress | None = None
    ) -> tuple[ChatAddress, ...]:
        """Give the private chats of a person, the one heard last first."""
        return await self._read(personal.private_chats_of, person_key, near)

    async def versions_for(self, viewer: Viewer) -> tuple[Fact, ...]:
        """Give all versions of the facts about a person."""
        return await self._read(personal.versions_for, viewer)

    async def episodes_for(self, viewer: Viewer) -> tuple[Episode, ...]:
        """Give the records of a person's sessions."""
        return await self._read(personal.episodes_for, viewer)

    async def conversations_for(self, viewer: Viewer) -> tuple[OwnConversation, ...]:
        """Give what stands for turns of a person's private chat."""
        return await self._read(personal.conversations_for, viewer)

    async def own_turns(self, viewer: Viewer, *, after: int) -> OwnTurns:
        """Give what a person said in a stretch of turns."""
        return await self._read(personal.own_turns, viewer, after)

    async def kept_in(self, viewer: Viewer) -> KeptOfChat:
        """Count what is kept of an audience."""
        return await self._read(personal.kept_in, viewer)
