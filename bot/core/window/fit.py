"""Guaranteed fit: the stages work until a window keeps to its limits, or nothing more can go."""

from __future__ import annotations

from bot.core.window.stages import STAGES, Stage
from bot.core.window.window import Limits, Window
from bot.errors import CannotFit


def fit(window: Window, limits: Limits, stages: tuple[Stage, ...] = STAGES) -> Window:
    """Make a window keep to its limits, by the gentlest stages that do.

    Each time a stage has acted, all are asked again from the gentlest on. Every act takes a turn, a
    round, a shape or a part away for good, so this ends. What fits comes back equal.

    Raises:
        CannotFit: Nothing more can go.
    """
    while True:
        smaller = _once(window, limits, stages)
        if smaller is None:
            break
        window = smaller
    needed = limits.weigh(window)
    if needed > limits.max_tokens:
        raise CannotFit(needed, limits.max_tokens)
    return window


def _once(window: Window, limits: Limits, stages: tuple[Stage, ...]) -> Window | None:
    for stage in stages:
        smaller = stage(window, limits)
        if smaller is not window and smaller != window:
            return smaller
    return None
