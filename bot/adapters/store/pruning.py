"""Cleaning up, in steps short enough that nobody waits for one.

The law of this file: a step looks at no more than ``CHUNK`` rows, in the order of their ids, and
says how far it got. So it needs no index, which every message would have to pay for, and no row
is missed because a clock was wrong for a while. What is still to be done is never removed.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from bot.adapters.store.codec import micros_of
from bot.adapters.store.schema import Tables

CHUNK = 500


@dataclass(frozen=True, slots=True, kw_only=True)
class Pruned:
    """How many rows a step removed, and the id behind which the next begins; None at the end."""

    rows: int
    next_after: int | None


def prune_inbox(tables: Tables, before: datetime, after: int) -> Pruned:
    """Remove events received before a moment that are done, set aside, or kept for a retry."""
    last = tables.execute(
        "SELECT MAX(id) FROM (SELECT id FROM inbox WHERE id > ? ORDER BY id LIMIT ?)", after, CHUNK
    ).fetchone()[0]
    if last is None:
        return Pruned(rows=0, next_after=None)
    removed = tables.execute(
        "DELETE FROM inbox WHERE id > ? AND id <= ? AND received_at < ?"
        " AND state IN ('done', 'set_aside', 'kept')",
        after,
        last,
        micros_of(before),
    )
    return Pruned(rows=removed.rowcount, next_after=last)


def prune_outbox(tables: Tables, before: datetime, after: int) -> Pruned:
    """Remove replies made before a moment that were sent, and previews of turns that ended."""
    last = tables.execute(
        "SELECT MAX(id) FROM (SELECT id FROM outbox WHERE id > ? ORDER BY id LIMIT ?)", after, CHUNK
    ).fetchone()[0]
    if last is None:
        return Pruned(rows=0, next_after=None)
    removed = tables.execute(  # an open turn still goes on with the preview that it has shown
        "DELETE FROM outbox WHERE id > ? AND id <= ? AND created_at < ?"
        " AND CASE is_preview WHEN 0 THEN state = 'sent' ELSE NOT EXISTS ("
        " SELECT 1 FROM turn WHERE turn.id = outbox.turn_id AND outcome IS NULL) END",
        after,
        last,
        micros_of(before),
    )
    return Pruned(rows=removed.rowcount, next_after=last)
