"""An open turn of which not even five rounds fit: fewer stay in full, the newest always."""

from __future__ import annotations

from dataclasses import replace

from bot.core.window.window import Limits, Window


def fold_all_but_newest(window: Window, limits: Limits) -> Window:
    """Fold one more of the rounds that are shown, the oldest."""
    rounds = window.rounds
    if len(rounds) <= 1 or not limits.is_over(window):
        return window
    return replace(window, folded_steps=rounds[1])
