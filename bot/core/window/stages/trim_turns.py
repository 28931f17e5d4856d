"""Too many turns: the oldest half leaves the window."""

from __future__ import annotations

from dataclasses import replace

from bot.core.window.assemble import Window


def trim_turns(window: Window, max_turns: int) -> Window:
    """Drop the oldest half (n // 2 whole turns) when there are more than ``max_turns``.

    The open turn counts and always stays. Halving, not sliding: the beginning of the window moves
    once in many turns, so the prompt cache holds in between.
    """
    past = window.past
    has_left = window.has_left
    while past and len(past) + 1 > max_turns:
        leaving = max(1, (len(past) + 1) // 2)
        past = past[leaving:]
        has_left = True
    return replace(window, past=past, has_left=has_left)
