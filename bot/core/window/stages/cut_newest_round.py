"""The request and its newest round are too large: that round is cut, its largest pieces first."""

from __future__ import annotations

from dataclasses import replace

from bot.core.window.window import Limits, Window

SHORTEST_PIECE_CHARS = 200
"""What is left of each piece at the least."""

LONGEST_PIECE_CHARS = 1_048_576
"""No piece is longer: a tool's result is bounded by the host, an answer by ``max_tokens``."""


def cut_newest_round(window: Window, limits: Limits) -> Window:
    """Find the longest piece that may stay: cutting all that is longer cuts the largest first."""
    if not window.rounds or not limits.is_over(window):
        return window
    most = min(window.newest_cap or LONGEST_PIECE_CHARS, LONGEST_PIECE_CHARS)
    if most <= SHORTEST_PIECE_CHARS:
        return window
    low, high = SHORTEST_PIECE_CHARS, most
    while high - low > low // 16:  # near enough: a sixteenth more would not matter
        middle = (low + high) // 2
        if limits.is_over(replace(window, newest_cap=middle)):
            high = middle
        else:
            low = middle
    return replace(window, newest_cap=low)
