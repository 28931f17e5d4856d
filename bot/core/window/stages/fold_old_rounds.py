"""A long open turn: its older rounds become one paragraph, the newest five to ten stay."""

from __future__ import annotations

from dataclasses import replace

from bot.core.window.window import Limits, Window

FEWEST_ROUNDS = 5
MOST_ROUNDS = 10
ROOM_SHARE = 0.8
"""How full a window may be after folding: the next rounds are not to fold it again at once."""


def fold_old_rounds(window: Window, limits: Limits) -> Window:
    """Keep as many of the newest rounds in full as leave some room, five at least."""
    rounds = window.rounds
    if len(rounds) <= FEWEST_ROUNDS or not limits.is_over(window):
        return window
    room = int(limits.max_tokens * ROOM_SHARE)
    most = min(MOST_ROUNDS, len(rounds) - 1)
    for kept in range(most, FEWEST_ROUNDS, -1):
        folded = replace(window, folded_steps=rounds[-kept])
        if limits.weigh(folded) <= room:
            return folded
    return replace(window, folded_steps=rounds[-FEWEST_ROUNDS])
