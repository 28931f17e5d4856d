"""How turns leave a window: the one way, whatever the reason."""

from __future__ import annotations

from dataclasses import replace

from bot.core.window.window import Limits, Window


def let_leave(window: Window, count: int, limits: Limits) -> Window:
    """Let the ``count`` oldest past turns leave; the digest stands for them from now on."""
    leaving, past = window.past[:count], window.past[count:]
    first = past[0] if past else window.open_turn
    uncovered = (*window.uncovered, *leaving)
    cut = replace(
        window.cut,
        kept_from=first.id,
        turns_left=window.cut.turns_left + len(leaving),
        digest=limits.digest(uncovered),
    )
    return replace(window, past=past, uncovered=uncovered, cut=cut)
