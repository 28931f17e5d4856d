"""Too many tokens in five turns or more: the first half leaves the window."""

from __future__ import annotations

from bot.core.window.leaving import let_leave
from bot.core.window.window import Limits, Window

FEW_TURNS = 5
"""Of fewer turns than these the words are kept before whole turns go."""


def halve_turns(window: Window, limits: Limits) -> Window:
    """Let n // 2 whole turns leave when the request is too long, the open one counted."""
    if window.turns < FEW_TURNS or not limits.is_over(window):
        return window
    return let_leave(window, window.turns // 2, limits)
