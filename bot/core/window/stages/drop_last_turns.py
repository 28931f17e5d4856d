"""Even the words of the last turns are too much beside the request: they leave, half by half."""

from __future__ import annotations

from bot.core.window.leaving import let_leave
from bot.core.window.window import Limits, Window


def drop_last_turns(window: Window, limits: Limits) -> Window:
    """Let the older half of fewer than five turns leave."""
    if not window.past or not limits.is_over(window):
        return window
    return let_leave(window, window.turns // 2, limits)
