"""What a conversation resumes with after the process began anew."""

from __future__ import annotations

from dataclasses import replace

from bot.core.window.leaving import let_leave
from bot.core.window.shapes import as_text
from bot.core.window.window import Limits, Window

FEWEST_TURNS = 3
SHARE_OF_TURNS = 6


def turns_after_restart(max_turns: int) -> int:
    """Say how many past turns a conversation resumes with."""
    return max(FEWEST_TURNS, max_turns // SHARE_OF_TURNS)


def resume_after_restart(window: Window, limits: Limits) -> Window:
    """Keep the words of the last few turns; what was before has its summary, or a digest.

    The open turn, perhaps cut by a crash, keeps all its steps.
    """
    kept = turns_after_restart(limits.max_turns)
    if len(window.past) > kept:
        window = let_leave(window, len(window.past) - kept, limits)
    past = tuple(map(as_text, window.past))
    if past == window.past:
        return window
    return replace(window, past=past, cut=replace(window.cut, text_through=past[-1].id))
