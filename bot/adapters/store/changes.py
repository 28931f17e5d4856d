"""What the search index has to follow: of each ref the newest change, in order.

The law of this file: whoever changes something that can be recalled notes it in the same
transaction. So an index that has applied all changes knows nothing that is not so any more.
"""

from __future__ import annotations

from bot.adapters.store.schema import Tables
from bot.core.memory.items import ItemChange, ItemRef
from bot.core.memory.pieces import episode_ref as episode_ref
from bot.core.memory.pieces import fact_ref as fact_ref
from bot.core.memory.pieces import turn_ref as turn_ref


def note_change(tables: Tables, *refs: ItemRef) -> None:
    """Note that what refs name is new, changed or gone."""
    tables.news.is_any |= bool(refs)
    for ref in refs:
        tables.execute("INSERT OR REPLACE INTO change (ref) VALUES (?)", ref)


def note_turns(tables: Tables, first_key: str, behind: str) -> None:
    """Note that all turns of chats are changed or gone, by a range of session keys."""
    tables.news.is_any = True
    tables.execute(
        "INSERT OR REPLACE INTO change (ref) SELECT 'turn:' || id FROM turn"
        " WHERE session_key >= ? AND session_key < ?",
        first_key,
        behind,
    )


def changes_after(tables: Tables, seq: int, limit: int) -> tuple[ItemChange, ...]:
    """Give what changed behind a number, in order."""
    rows = tables.execute(
        "SELECT seq, ref FROM change WHERE seq > ? ORDER BY seq LIMIT ?", seq, limit
    )
    return tuple(ItemChange(seq=seq, ref=ItemRef(ref)) for seq, ref in rows)


def newest_seq(tables: Tables) -> int:
    """Give the number of the newest change there ever was, 0 for none."""
    row = tables.execute("SELECT seq FROM sqlite_sequence WHERE name = 'change'").fetchone()
    return 0 if row is None else int(row[0])
