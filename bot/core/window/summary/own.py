"""A summary as it is given to the person whose chat it is of."""

from __future__ import annotations

from bot.core.memory.own_conversations import OwnSummary
from bot.core.window.conversation import Summary
from bot.core.window.summary.render import phrases_of


def own_summary(summary: Summary) -> OwnSummary:
    """Give all that a summary says; of what kind a point is, its words tell."""
    return OwnSummary(
        through=summary.through,
        made_at=summary.made_at,
        overview=summary.overview,
        points=tuple(
            (each.turn_id, text) for each in summary.key_points for text in phrases_of(each)
        ),
        pinned=summary.pinned,
    )
