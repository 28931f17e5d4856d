"""The store's verb on how much waits."""

from __future__ import annotations

from bot.adapters.store import backlog
from bot.adapters.store.verbs import Verbs
from bot.core.backlog import Backlog


class BacklogVerbs(Verbs):
    """A part of the store, told apart by what it is about; it fills the port Backlogs."""

    async def backlog(self) -> Backlog:
        """Count what waits."""
        return await self._read(backlog.backlog)
