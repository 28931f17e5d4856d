"""The window: the part of a conversation that the model is shown, and what limits it.

::

    instructions + tools | opening, summary, digest | past turns | open turn | volatile

"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from bot.core.turns import Turn
from bot.core.window.conversation import Cut

SHEDDING = ("instructions", "history", "opening", "recalled", "facts", "moment")
"""What is left out one after the other when space is short, least important first: the operator's
general instructions beyond their beginning, the summary and digest of what left, what the session
opened with, what was recalled for the message, what is known of who writes, the time and the task.
Rules and tool schemas always stay, and so do the last turns as long as these can make room."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Window:
    """What the model is shown, as values; :func:`~bot.core.window.assemble.assemble` writes it out.

    Attributes:
        past: Ended turns in the shape that ``cut`` gives them, oldest first.
        open_turn: The turn being answered, as far as it got.
        uncovered: Turns that left and that no summary covers, oldest first; ``cut.digest`` stands
            for them.
        opening: What the session opened with, as it is shown; empty for nothing.
        summary: The summary as it is shown; empty for none.
        instructions: The operator's general instructions.
        conduct: How the model is to treat what is remembered; empty where nothing is.
        volatile: What holds for this turn only and is never kept: the time, the task.
        facts: What is known of who writes, likewise for this turn only; empty for nothing.
        recalled: What was recalled for the message, likewise.
        shed: How many of :data:`SHEDDING` are left out.
        folded_steps: So many of the open turn's oldest steps are shown as one paragraph.
        newest_cap: Longest piece of the open turn's other steps, in characters; None for any.
    """

    cut: Cut = field(default_factory=Cut)
    past: tuple[Turn, ...] = ()
    open_turn: Turn
    uncovered: tuple[Turn, ...] = ()
    opening: str = ""
    summary: str = ""
    instructions: str = ""
    conduct: str = ""
    volatile: tuple[str, ...] = ()
    facts: str = ""
    recalled: str = ""
    shed: int = 0
    folded_steps: int = 0
    newest_cap: int | None = None

    @property
    def turns(self) -> int:
        """How many turns it has, the open one counted."""
        return len(self.past) + 1

    @property
    def rounds(self) -> tuple[int, ...]:
        """Where in the open turn's steps those stand that called tools and are shown in full."""
        steps = self.open_turn.steps
        return tuple(
            number
            for number in range(self.folded_steps, len(steps))
            if steps[number].answer.tool_calls
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """What a window has to keep to.

    Attributes:
        max_turns: Most turns, the open one counted.
        max_tokens: Most tokens of a whole request.
        weigh: Estimates the tokens of the whole request that a window makes.
        digest: Writes the mechanical note that stands for turns until a summary covers them.
    """

    max_turns: int
    max_tokens: int
    weigh: Callable[[Window], int]
    digest: Callable[[tuple[Turn, ...]], str]

    def is_over(self, window: Window) -> bool:
        """Say whether a window's request is over the token limit."""
        return self.weigh(window) > self.max_tokens
