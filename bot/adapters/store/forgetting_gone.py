"""What is known of what is gone, until it is proved: what went, runs of its words, where it stood.

The law of this file: a row is written in the transaction in which something goes, and never again.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass, field, replace

from bot.adapters.store import forgetting
from bot.adapters.store.codec import decode_reply
from bot.adapters.store.forgetting_codec import decode_gone, encode_gone
from bot.adapters.store.moved import audience_now
from bot.adapters.store.schema import Tables
from bot.adapters.store.wordy_columns import WORDLESS, WORDY
from bot.core.chat import SessionKey
from bot.core.memory.audience import Audience
from bot.core.memory.forgetting import NOTHING_GONE, ForgettingId, Gone, Removed, all_gone
from bot.core.memory.needles import forms_of, needles_of, too_short_of
from bot.core.turns import TurnId
from bot.errors import StoreUnreadable
from bot.ports.forgetting import RemovedTurns


@dataclass(slots=True)
class Going:
    """What went so far in one transaction."""

    texts: list[str] = field(default_factory=list)
    lines: list[str] = field(default_factory=list)
    removed: Removed = field(default_factory=Removed)
    groups: set[Audience] = field(default_factory=set)
    turn_ids: set[TurnId] = field(default_factory=set)
    watched: set[TurnId] = field(default_factory=set)
    sessions: set[SessionKey] = field(default_factory=set)
    open_in: set[SessionKey] = field(default_factory=set)

    def count(self, **layers: int) -> None:
        """Add to what was removed, by its layers."""
        self.removed = self.removed.plus(Removed(**layers))

    def keep(self, tables: Tables, forgetting_id: ForgettingId) -> RemovedTurns:
        """Note it with the forgetting."""
        texts = (*self.texts, *self.lines)
        gone = Gone(
            needles=needles_of(texts),
            too_short=too_short_of(texts),
            lines=tuple(self.lines),
            groups=frozenset(self.groups),
            turn_ids=frozenset(self.turn_ids),
            watched=frozenset(self.watched),
        )
        add(tables, forgetting_id, self.removed, gone)
        return RemovedTurns(sessions=frozenset(self.sessions), open_in=frozenset(self.open_in))


def add(tables: Tables, forgetting_id: ForgettingId, removed: Removed, gone: Gone) -> None:
    """Note what went; of a forgetting that is done, nothing."""
    if not forgetting.count(tables, forgetting_id, removed) or gone == NOTHING_GONE:
        return
    tables.execute(
        "INSERT INTO forgetting_gone (forgetting_id, body) VALUES (?, ?)",
        forgetting_id,
        encode_gone(gone),
    )


def read(tables: Tables, forgetting_id: ForgettingId) -> Gone:
    """Give all that was noted; chats that moved meanwhile are named by their new ids."""
    rows = tables.execute(
        "SELECT id, body FROM forgetting_gone WHERE forgetting_id = ? ORDER BY id", forgetting_id
    ).fetchall()
    noted = (
        tables.damage.read("forgetting_gone.body", row, decode_gone, body) for row, body in rows
    )
    gone = all_gone(each for each in noted if each is not None)
    groups = frozenset(audience_now(tables, each) for each in gone.groups)
    return replace(gone, groups=groups)


def still_said(tables: Tables, needles: tuple[str, ...]) -> frozenset[str]:
    """Give those of the needles that stand in rows which stay, or in the schema."""
    return frozenset(each for each in needles if _stands_somewhere(tables, each))


def texts_in(body: str) -> tuple[str, ...]:
    """Give all texts inside JSON; what is no JSON is one text."""
    try:
        return tuple(_texts(json.loads(body)))
    except (ValueError, RecursionError):
        return (body,)


def texts_of_reply(body: str, content: bytes | None) -> tuple[str, ...]:
    """Give what an undelivered reply says, and its file."""
    try:
        reply = decode_reply(body, key="")
    except StoreUnreadable:
        return (body, *texts_of_file(content))
    name = "" if reply.file is None else reply.file.name
    return (reply.text, name, *texts_of_file(content))


def texts_of_file(content: bytes | None) -> tuple[str, ...]:
    """Give what a file says, if that is text: as JSON all texts inside it."""
    if content is None:
        return ()
    try:
        return texts_in(content.decode())
    except UnicodeDecodeError:
        return ()


_EVERY_COLUMN = (
    *((each.table, each.column) for each in WORDY),
    *((table, column) for table, names in WORDLESS.items() for column in names.split()),
    ("sqlite_master", "sql"),
)


def _stands_somewhere(tables: Tables, needle: str) -> bool:
    # As bytes in both: what is compared as text ends at a NUL.
    forms = forms_of(needle)
    for table, column in _EVERY_COLUMN:
        found = " OR ".join([f"instr(CAST({column} AS BLOB), ?)"] * len(forms))
        if tables.execute(f"SELECT 1 FROM {table} WHERE {found} LIMIT 1", *forms).fetchone():  # noqa: S608 - names of ours
            return True
    return False


def _texts(data: object) -> Iterator[str]:
    if isinstance(data, str):
        yield data
    elif isinstance(data, list):
        for each in data:
            yield from _texts(each)
    elif isinstance(data, dict):
        for each in data.values():
            yield from _texts(each)
