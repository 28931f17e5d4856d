"""The store's verbs on the records of past sessions."""

from __future__ import annotations

from datetime import datetime

from bot.adapters.store import episodes
from bot.adapters.store.verbs import Verbs
from bot.core.chat import SessionKey
from bot.core.memory.audience import Viewer
from bot.core.memory.episodes import Account, Episode, Unrecorded
from bot.core.memory.jobs import MemoryJob
from bot.core.turns import Turn


class EpisodeVerbs(Verbs):
    """A part of the store, told apart by what it is about; it fills the port Episodes."""

    async def ask_for_episodes(
        self, silent_since: datetime, *, at: datetime, session_key: str = ""
    ) -> int:
        """Keep jobs for sessions that are not recorded; gives how many."""
        return await self._call(episodes.ask_for_episodes, silent_since, at, session_key)

    async def unrecorded(self, session_key: SessionKey, *, through: int, limit: int) -> Unrecorded:
        """Give the oldest run of a chat's turns that no record covers."""
        return await self._read(episodes.unrecorded, session_key, through, limit)

    async def last_unrecorded(self, session_key: SessionKey, *, limit: int) -> Unrecorded:
        """Give the newest turns of a chat that no record covers, without what was cleared away."""
        return await self._read(episodes.last_unrecorded, session_key, limit)

    async def land_episode(
        self, job: MemoryJob, turns: tuple[Turn, ...], account: Account
    ) -> Episode | None:
        """Keep the record of turns that are still as they were."""
        return await self._call(episodes.land_episode, job, turns, account)

    async def pass_over(self, turns: tuple[Turn, ...]) -> None:
        """Have turns count as recorded."""
        await self._call(episodes.pass_over, turns)

    async def last_episodes(self, viewer: Viewer, *, limit: int) -> tuple[Episode, ...]:
        """Give the newest records of an audience, newest first."""
        return await self._read(episodes.last_episodes, viewer, limit)

    async def last_episode(self, viewer: Viewer, session_key: SessionKey) -> Episode | None:
        """Give the newest record of a chat that was not cleared away, else of its audience."""
        return await self._read(episodes.last_episode, viewer, session_key)
