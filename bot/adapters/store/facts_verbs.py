"""The store's verbs on facts about people."""

from __future__ import annotations

from datetime import datetime

from bot.adapters.store import facts
from bot.adapters.store.verbs import Verbs
from bot.core.chat import PersonKey
from bot.core.memory.audience import Viewer
from bot.core.memory.extraction import UnreadTurn
from bot.core.memory.facts import Fact, FactId, NewFact
from bot.core.memory.jobs import MemoryJob


class FactsVerbs(Verbs):
    """A part of the store, told apart by what it is about; it fills the port Facts."""

    async def facts_for(self, viewer: Viewer) -> tuple[Fact, ...]:
        """Give the facts that hold and may be recalled by a viewer."""
        return await self._read(facts.facts_for, viewer)

    async def facts_about(
        self, viewer: Viewer, people: tuple[PersonKey, ...], *, most: int
    ) -> tuple[Fact, ...]:
        """Give of the facts about some people that hold and may be recalled the newest."""
        return await self._read(facts.facts_about, viewer, people, most)

    async def history_of(self, fact_id: FactId, viewer: Viewer) -> tuple[Fact, ...]:
        """Give all versions of what a fact's key said, for whom it is about."""
        return await self._read(facts.history_of, fact_id, viewer)

    async def keep_facts(self, new: tuple[NewFact, ...]) -> tuple[tuple[Fact, Fact | None], ...]:
        """Keep statements; gives of each the fact, and what it ended."""
        return await self._call(facts.keep_facts, new)

    async def confirm_fact(self, fact_id: FactId, viewer: Viewer, *, at: datetime) -> bool:
        """Note that a fact was said to hold still."""
        return await self._call(facts.confirm_fact, fact_id, viewer, at)

    async def ask_to_read(self) -> int:
        """Keep jobs for turns that are to be read for facts; gives how many are new or grew."""
        return await self._call(facts.ask_to_read)

    async def unread(self, job: MemoryJob, *, limit: int) -> tuple[UnreadTurn, ...]:
        """Give the turns of a job that no facts were read out of."""
        return await self._read(facts.unread, job, limit)

    async def land_facts(
        self, job: MemoryJob, read: tuple[UnreadTurn, ...], new: tuple[NewFact, ...]
    ) -> None:
        """Keep what was read out of turns, and end the job with the last of them."""
        await self._call(facts.land_facts, job, read, new)
