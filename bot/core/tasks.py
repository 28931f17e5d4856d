"""What the agent notes of the task at hand; it survives compaction and restart."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class TaskState:
    """The goal of a chat's present work, what is done and what remains, in the agent's words."""

    goal: str
    done: tuple[str, ...] = ()
    remaining: tuple[str, ...] = ()
