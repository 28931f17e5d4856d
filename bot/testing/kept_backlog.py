"""How much waits, as the store in memory counts it."""

from __future__ import annotations

from bot.core.backlog import Backlog
from bot.core.lifecycle import Route
from bot.testing.kept_forgetting import KeptForgetting

_ROUTES: tuple[Route, ...] = ("turn", "command", "press")
"""By which something may wait."""


class KeptBacklog(KeptForgetting):
    """Fills the port Backlogs."""

    async def backlog(self) -> Backlog:
        """Count what waits."""
        replies = [item for item in self._outbox.items if not item.is_preview]
        jobs = self._jobs.values()
        return Backlog(
            unanswered=sum(len(self._inbox.waiting(route)) for route in _ROUTES),
            undelivered=sum(item.state in ("pending", "sending") for item in replies),
            failed_replies=sum(item.state == "failed" for item in replies),
            memory_jobs=len(jobs),
            failing_jobs=sum(job.attempts > 0 for job in jobs),
            oldest_due_at=min((job.due_at for job in jobs), default=None),
        )
