"""A chat as a store in memory keeps it, and the work that waits for it."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime

from bot.core.chat import ChatKind, PersonKey, SessionKey
from bot.core.memory.jobs import MemoryJobKind
from bot.core.tasks import TaskState
from bot.core.window.conversation import Compaction, Cut

_NOBODY = PersonKey("")


@dataclass(slots=True)
class ChatSession:
    """What is kept of a chat; ``is_open`` until the store is opened anew."""

    generation: int = 0
    kind: ChatKind = "private"
    person_key: PersonKey = _NOBODY
    cut: Cut = field(default_factory=Cut)
    former: Cut | None = None
    compaction: Compaction | None = None
    task: TaskState | None = None
    former_task: TaskState | None = None
    heard_at: datetime | None = None
    calls_after: int = 0
    is_open: bool = False

    def hear(self, at: datetime) -> None:
        """Note that something came in."""
        self.heard_at = at if self.heard_at is None else max(self.heard_at, at)


@dataclass(slots=True)
class KeptJob:
    """One piece of background work that waits."""

    id: int
    kind: MemoryJobKind
    session_key: SessionKey
    generation: int
    through: int
    due_at: datetime
    attempts: int = 0
    reason: str = ""
