"""Episodes: the record of a past session of a chat.

The law of this file: what is recorded never depends on a model alone. Tasks that the agent left
open and exact details stand in an account whatever the model wrote of them.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import NewType

from bot.core.chat import PersonKey, SessionKey
from bot.core.memory.audience import Audience
from bot.core.tasks import TaskState
from bot.core.turns import Turn, TurnId

EpisodeId = NewType("EpisodeId", int)

IDLE_FOR = timedelta(hours=8)
"""A chat that was silent for so long has ended a session."""

LEAST_TURNS = 2
"""A single question is no session: it waits, and becomes part of the next record."""

MOST_TURNS = 100
"""A session of more turns gets several records."""

MOST_TASKS = 12


@dataclass(frozen=True, slots=True, kw_only=True)
class Outline:
    """What a record says of a session where no model summarised it.

    Attributes:
        turns: How many there were.
        beginning: How the first words of it begin; empty where there were only files.
        ending: How the last reply begins; empty for none.
    """

    turns: int
    beginning: str
    ending: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Account:
    """What a session was about, in phrases.

    Attributes:
        summary: A few sentences; for models to read, also where there is an outline.
        outline: What the summary says where no model wrote it, for people of any language.
        details: Exact details that were mentioned, collected mechanically.
    """

    summary: str
    attempted: tuple[str, ...] = ()
    succeeded: tuple[str, ...] = ()
    failed: tuple[str, ...] = ()
    decisions: tuple[str, ...] = ()
    open_tasks: tuple[str, ...] = ()
    details: tuple[str, ...] = ()
    outline: Outline | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Episode:
    """The record of the turns of one chat from ``first`` through ``through``.

    Attributes:
        person_key: Whose session it was; empty where several people spoke.
    """

    id: EpisodeId
    session_key: SessionKey
    audience: Audience
    person_key: PersonKey
    first: TurnId
    through: TurnId
    started_at: datetime
    ended_at: datetime
    account: Account


@dataclass(frozen=True, slots=True, kw_only=True)
class Unrecorded:
    """A run of a chat's ended turns that no episode covers, with none between them that one does.

    Attributes:
        turns: Oldest first; empty when there are none.
        task: What the agent noted of the task of their session, None for nothing.
        is_closed: Whether nothing can join them any more: turns behind them are recorded, or a
            person cleared them away.
    """

    turns: tuple[Turn, ...]
    task: TaskState | None = None
    is_closed: bool = False

    @property
    def is_session(self) -> bool:
        """Whether they are worth a record: two turns, or a task."""
        return len(self.turns) >= LEAST_TURNS or (bool(self.turns) and self.task is not None)


@dataclass(frozen=True, slots=True, kw_only=True)
class Borders:
    """Where sessions of a chat ended, as ids of turns.

    Attributes:
        recorded_from: The first turn behind the oldest unrecorded one that a record covers, or that
            is never to be; None for none.
        cleared_before: What a person cleared away is before it.
        begun_from: The first turn of the session of now, however it was begun.
    """

    recorded_from: int | None
    cleared_before: int
    begun_from: int


def first_run(
    turns: tuple[Turn, ...], borders: Borders, task: TaskState | None, former: TaskState | None
) -> Unrecorded:
    """Cut turns off where their session surely ended.

    Args:
        turns: Those that no record covers, oldest first.
        borders: Where sessions of their chat ended.
        task: What the agent noted of the task of now.
        former: And of the one that was put away last.
    """
    if not turns:
        return Unrecorded(turns=(), task=task)
    ends = (borders.recorded_from or 0, borders.cleared_before)
    end = min((each for each in ends if each > turns[0].id), default=None)
    run = turns if end is None else tuple(turn for turn in turns if turn.id < end)
    if borders.recorded_from is not None:
        return Unrecorded(turns=run, is_closed=True)
    if end is not None and end != borders.begun_from:  # another task was put away since
        return Unrecorded(turns=run, is_closed=True)
    is_now = run[-1].id >= borders.begun_from
    return Unrecorded(turns=run, task=task if is_now else former, is_closed=end is not None)


def with_task(account: Account, task: TaskState | None) -> Account:
    """Add what the agent noted of the task, as far as an account does not say it."""
    if task is None:
        return account
    remaining = task.remaining or (() if task.done else (task.goal,))
    return replace(
        account,
        attempted=_joined(account.attempted, (task.goal,)),
        succeeded=_joined(account.succeeded, task.done),
        open_tasks=_joined(remaining, account.open_tasks)[:MOST_TASKS],
    )


def _joined(first: tuple[str, ...], second: tuple[str, ...]) -> tuple[str, ...]:
    known = {each.casefold() for each in first}
    return (*first, *(each for each in second if each.casefold() not in known))
