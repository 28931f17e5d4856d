"""How much waits, counted."""

from __future__ import annotations

from bot.adapters.store.codec import moment_of
from bot.adapters.store.schema import Tables
from bot.core.backlog import Backlog

_COUNTS = """
    SELECT
        (SELECT COUNT(*) FROM inbox WHERE state = 'waiting'),
        (SELECT COUNT(*) FROM outbox WHERE state IN ('pending', 'sending') AND is_preview = 0),
        (SELECT COUNT(*) FROM outbox WHERE state = 'failed' AND is_preview = 0),
        (SELECT COUNT(*) FROM memory_job),
        (SELECT COUNT(*) FROM memory_job WHERE attempts > 0),
        (SELECT MIN(due_at) FROM memory_job)
"""
"""Each reads an index of what is open, or a table of that: none grows with what was said."""


def backlog(tables: Tables) -> Backlog:
    """Count what waits."""
    unanswered, undelivered, failed, jobs, failing, due_at = tables.execute(_COUNTS).fetchone()
    return Backlog(
        unanswered=unanswered,
        undelivered=undelivered,
        failed_replies=failed,
        memory_jobs=jobs,
        failing_jobs=failing,
        oldest_due_at=None if due_at is None else moment_of(due_at),
    )
