"""Only the last turns are left and it is still too much: what stands behind them makes room."""

from __future__ import annotations

from dataclasses import replace

from bot.core.window.window import SHEDDING, Limits, Window


def shed_background(window: Window, limits: Limits) -> Window:
    """Leave out one more of what matters less than the last turns (see ``SHEDDING``)."""
    if window.shed == len(SHEDDING) or not limits.is_over(window):
        return window
    return replace(window, shed=window.shed + 1)
