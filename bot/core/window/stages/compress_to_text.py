"""Too many tokens in fewer than five turns: of all but the open one, the words stay."""

from __future__ import annotations

from dataclasses import replace

from bot.core.window.shapes import as_text
from bot.core.window.stages.halve_turns import FEW_TURNS
from bot.core.window.window import Limits, Window


def compress_to_text(window: Window, limits: Limits) -> Window:
    """Reduce past turns to their request's text and their reply, which are never shortened here."""
    if window.turns >= FEW_TURNS or not window.past:
        return window
    past = tuple(map(as_text, window.past))
    if past == window.past or not limits.is_over(window):
        return window
    return replace(window, past=past, cut=replace(window.cut, text_through=past[-1].id))
