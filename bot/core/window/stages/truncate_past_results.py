"""A long result of a tool in a past turn: its head and tail stay."""

from __future__ import annotations

from dataclasses import replace

from bot.core.window.shapes import PAST_RESULT_CHARS, with_short_results
from bot.core.window.window import Limits, Window


def truncate_past_results(window: Window, _: Limits) -> Window:
    """Cut results of more than 20 000 characters; those of the open turn stay as they are."""
    past = tuple(with_short_results(turn, PAST_RESULT_CHARS) for turn in window.past)
    return window if past == window.past else replace(window, past=past)
