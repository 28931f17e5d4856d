"""What stands for turns of a person's private chats that the model is not shown any more."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime

from bot.core.chat import SessionKey
from bot.core.tasks import TaskState
from bot.core.turns import TurnId


@dataclass(frozen=True, slots=True, kw_only=True)
class OwnSummary:
    """A summary, in the order in which the model reads it.

    Attributes:
        through: The last turn that it stands for.
        points: What matters of single turns, a phrase at a time.
        pinned: Exact details that must not get lost.
    """

    through: TurnId
    made_at: datetime
    overview: str
    points: tuple[tuple[TurnId, str], ...] = ()
    pinned: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class OwnConversation:
    """What stands for the turns of one conversation.

    Attributes:
        tasks: States of a task, the present one first; then the one that a clear put aside.
        summaries: In the same order.
        digests: Notes on turns that no summary covers, in the same order.
    """

    session_key: SessionKey
    tasks: tuple[TaskState, ...] = ()
    summaries: tuple[OwnSummary, ...] = ()
    digests: tuple[str, ...] = ()

    @property
    def is_empty(self) -> bool:
        """Whether there is nothing of the kind."""
        return not (self.tasks or self.summaries or self.digests)


def values_of(of: OwnConversation, redact: Callable[[str], str]) -> dict[str, object]:
    """Give all but its chat as values of JSON; texts go through ``redact``."""

    def each_of(texts: tuple[str, ...]) -> list[str]:
        return [redact(text) for text in texts]

    return {
        "tasks": [
            {
                "goal": redact(task.goal),
                "done": each_of(task.done),
                "remaining": each_of(task.remaining),
            }
            for task in of.tasks
        ],
        "summaries": [
            {
                "through_turn": summary.through,
                "made_at": summary.made_at.isoformat(),
                "overview": redact(summary.overview),
                "points": [{"turn": turn, "text": redact(text)} for turn, text in summary.points],
                "pinned": each_of(summary.pinned),
            }
            for summary in of.summaries
        ],
        "digests": each_of(of.digests),
    }
