"""The ladder for a request that the model itself found too long, although it was thought to fit."""

from __future__ import annotations

from dataclasses import replace

from bot.core.window.leaving import let_leave
from bot.core.window.shapes import CAPPED_CHARS, shown
from bot.core.window.window import SHEDDING, Limits, Window

MOST_TURNS = 5
"""So many turns stay after the first overflow, the open one counted."""


def cap_everything(window: Window, limits: Limits) -> Window:
    """Keep at most five turns, with texts and results of at most 10 000 characters.

    The open turn's request stays whole: it is what is asked.
    """
    if window.turns > MOST_TURNS:
        window = let_leave(window, window.turns - MOST_TURNS, limits)
    cut = window.cut
    if window.past:
        cut = replace(cut, capped_through=window.past[-1].id)
    past = tuple(shown(turn, cut) for turn in window.past)
    return replace(window, cut=cut, past=past, newest_cap=_smaller_cap(window))


def empty_out(window: Window) -> Window:
    """Keep the request alone, with its newest round: the conversation begins anew with it.

    Nothing of what was before is shown, no digest, no summary and no opening; the turns stay in the
    store.
    """
    first = window.open_turn.id
    cut = replace(
        window.cut,
        kept_from=first,
        cleared_before=first,
        summary_version=0,
        digest="",
        turns_left=0,
        opening=None,
    )
    rounds = window.rounds
    return replace(
        window,
        cut=cut,
        past=(),
        uncovered=(),
        opening="",
        summary="",
        shed=len(SHEDDING),
        folded_steps=rounds[-1] if rounds else window.folded_steps,
        newest_cap=_smaller_cap(window),
    )


def _smaller_cap(window: Window) -> int:
    return min(window.newest_cap or CAPPED_CHARS, CAPPED_CHARS)
