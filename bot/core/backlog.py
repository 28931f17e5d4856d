"""How much waits in the store at a moment, as numbers that name nobody."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class Backlog:
    """What waits.

    Attributes:
        unanswered: Messages, commands and presses that came in and are still to be seen to.
        undelivered: Replies that are not with their platform yet.
        failed_replies: Replies that could not be delivered, and lie there.
        memory_jobs: Pieces of work on what is to be remembered, those that wait for their time too.
        failing_jobs: Those of them that failed at least once.
        oldest_due_at: Since when the oldest of them may be tried; None where there are none.
    """

    unanswered: int = 0
    undelivered: int = 0
    failed_replies: int = 0
    memory_jobs: int = 0
    failing_jobs: int = 0
    oldest_due_at: datetime | None = None
