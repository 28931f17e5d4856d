"""Too many turns: the oldest half leaves the window."""

from __future__ import annotations

from bot.core.window.leaving import let_leave
from bot.core.window.window import Limits, Window


def trim_turns(window: Window, limits: Limits) -> Window:
    """Let n // 2 whole turns leave when there are more than ``max_turns``, the open one counted.

    Halving, not sliding: the beginning of the window moves once in many turns, so the prompt cache
    holds in between.
    """
    if window.turns <= limits.max_turns or not window.past:
        return window
    return let_leave(window, window.turns // 2, limits)
