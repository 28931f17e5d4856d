"""A chat's conversation and what compaction decided about it, as values that the store keeps.

The law of this file: :class:`Cut` says everything that was decided. The same turns, summary and cut
always give the same window, in this process or in the next one.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Literal

from bot.core.chat import SessionKey
from bot.core.lifecycle import ModelCall
from bot.core.memory.opening import LastSession, Opening
from bot.core.turns import Turn, TurnId

NO_TURN = TurnId(0)
"""Comes before every turn: ids count from 1."""

CompactionKind = Literal[
    "restart", "turns", "tokens", "text", "overflow", "emptied", "asked", "clear"
]
"""Why something left the window.

``restart``: the process began anew. ``turns``: there were too many. ``tokens``: they were too long.
``text``: nothing left, but turns were reduced to their words. ``overflow``: the model refused the
request as too long; ``emptied``: it did so again. ``asked``: a person asked for it. ``clear``: a
person cleared the chat.
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Cut:
    """What compaction decided about a conversation.

    Attributes:
        kept_from: The first turn that may be shown; those before it have left.
        cleared_before: No turn before it, and nothing made of one, is ever shown.
        text_through: Turns through this one are shown as their request's text and their reply.
        capped_through: Turns through this one have texts and results of 10 000 characters at most.
        summary_version: The summary that is shown, 0 for none.
        digest: Stands for the turns that left and that the summary does not cover; empty for none.
        turns_left: How many turns have left since the last clear.
        opening: What the session opens with, that was begun with the last clear; None for nothing.
        recalled_from: No turn before it, and nothing made of one, is recalled in this chat by
            itself or part of what a later session opens with: a person cleared them away. What was
            only left behind for a new session may be both.
    """

    kept_from: TurnId = NO_TURN
    cleared_before: TurnId = NO_TURN
    text_through: TurnId = NO_TURN
    capped_through: TurnId = NO_TURN
    summary_version: int = 0
    digest: str = ""
    turns_left: int = 0
    opening: Opening | None = None
    recalled_from: TurnId = NO_TURN


def emptied(before: Cut, first: TurnId, opening: Opening | None, *, is_recalled: bool) -> Cut:
    """Say what a clear makes of a cut: nothing before the turn ``first`` is shown from now on.

    ``is_recalled`` says whether it may still be recalled: a new session begins, and nothing was
    cleared away.
    """
    recalled_from = before.recalled_from if is_recalled else first
    return Cut(kept_from=first, cleared_before=first, opening=opening, recalled_from=recalled_from)


def is_emptied(cut: Cut, first: TurnId) -> bool:
    """Say whether nothing was shown since the last clear, whatever the session opened with."""
    return replace(cut, opening=None, recalled_from=NO_TURN) == Cut(
        kept_from=first, cleared_before=first
    )


def takes_in(cut: Cut, last: LastSession) -> bool:
    """Say whether a session may open with a record that was written after it was begun.

    Only one that opens with something, and with the record of what was left behind: what a person
    cleared away is part of no opening.
    """
    return (
        cut.opening is not None
        and cut.recalled_from <= last.first
        and (last.through < cut.cleared_before)
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Compaction:
    """What was last compacted.

    Attributes:
        turns_left: How many turns left the window.
        tokens_before: Estimated size of the whole request before, ``tokens_after`` after it.
    """

    kind: CompactionKind
    at: datetime
    turns_left: int
    tokens_before: int = 0
    tokens_after: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class KeyPoints:
    """What matters of one turn that left the window."""

    turn_id: TurnId
    decisions: tuple[str, ...] = ()
    information: tuple[str, ...] = ()
    actions: tuple[str, ...] = ()
    open_questions: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Summary:
    """Stands for all turns through ``through``.

    Attributes:
        version: Number given by the store, growing; 0 before it is stored.
        generation: The generation of the conversation that it was made for.
        overview: One paragraph about everything older than ``key_points``.
        key_points: Of the newest turns it covers, at most seven, oldest first.
        pinned: Exact details that must not get lost, collected mechanically.
    """

    version: int = 0
    generation: int
    through: TurnId
    overview: str
    key_points: tuple[KeyPoints, ...]
    pinned: tuple[str, ...]
    made_at: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class Conversation:
    """A session: the turns that may be shown, oldest first, and what was decided about them.

    Attributes:
        generation: Number of clears, of clears that were undone, and of changes of what an ended
            turn was asked: what was made of an earlier one is refused.
        turns: Ended turns from ``cut.kept_from`` on, as they were stored.
        summary: The one that ``cut`` names.
        former: The cut before the last compaction or clear, None when there is nothing to undo.
        is_fresh: Whether no turn of this chat was opened since the process started.
        calls: The newest calls of the model for answers of this chat, oldest first, at most eight.
    """

    session_key: SessionKey
    generation: int = 0
    turns: tuple[Turn, ...] = ()
    cut: Cut = field(default_factory=Cut)
    summary: Summary | None = None
    former: Cut | None = None
    compaction: Compaction | None = None
    is_fresh: bool = False
    calls: tuple[ModelCall, ...] = ()

    @property
    def uncovered_ids(self) -> range:
        """The ids between which the turns are that left and that no summary covers."""
        through = self.summary.through if self.summary is not None else NO_TURN
        return range(max(through + 1, self.cut.cleared_before), self.cut.kept_from)
