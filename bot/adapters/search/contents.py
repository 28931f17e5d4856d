"""What is in the index, and the verbs on it; those that write are a transaction each."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from heapq import nlargest

from bot.adapters.search.directions import Directions, Numbers, halves_of, signs_of
from bot.adapters.search.postings import add_postings, merge_postings, remove_postings
from bot.adapters.search.ranking import Asked, Candidates, ask, candidates
from bot.adapters.search.rows import item_of, text_of
from bot.adapters.search.scopes import ScopeId, enter, leave, scopes_seen
from bot.core.memory.asking import is_question, told_by
from bot.core.memory.audience import Viewer, may_recall
from bot.core.memory.items import Hit, ItemKind, ItemRef, MemoryItem
from bot.core.memory.question import Sought
from bot.core.memory.reasons import AROUND, DATE, MEANING, NOTHING_BETTER, SPEAKER, by_words, why
from bot.core.memory.relevance import (
    CALIBRATION,
    CALIBRATION_OF_WORDS,
    MOST_RIVALS,
    WEIGHTS,
    WEIGHTS_OF_WORDS,
    Evidence,
    scores,
    strength_of_nothing,
)

Piece = tuple[MemoryItem, Numbers | None]
"""A piece and its direction."""

_WORDS_TOLD = 6

MOST_REMOVED = 100
"""Pieces removed in one step: a search waits no longer than they take, some 30 ms."""

PAGES_A_WIPE = 200
"""Of lists of pieces that are written anew in one step, likewise."""

LEAST_MERGED = 2
"""Rows that change where FTS5 merges something. Source: SQLite FTS5, *The 'merge' Command*."""

_REMAINS, _NEW, _MERGING = "remains", "new", "merging"

_LIKE = 0.5
"""Cosine from which meaning is told as a reason; texts that have nothing in common stay below."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Look:
    """A question looked up for a viewer.

    Attributes:
        seen: The scopes of the viewer with pieces of the kinds asked for, and how many each has.
    """

    asked: Asked
    seen: Mapping[ScopeId, int]


class Contents:
    """The open index. What fails leaves it as it was before the call."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection
        self._directions = Directions(connection)

    def close(self) -> None:
        """Close the file."""
        self._connection.close()

    @property
    def embedder(self) -> str | None:
        """Name the embedder that its directions are of; None for a new index."""
        return self._state("embedder")

    def keep_to(self, embedder: str) -> None:
        """Note of which embedder its directions are."""
        self._set_state("embedder", embedder)

    def applied_seq(self) -> int:
        """Say through which change it is."""
        return int(self._state("seq") or 0)

    def refs(self, beginning: str) -> dict[ItemRef, str]:
        """Give the refs that begin with a text, each with its mark."""
        rows = self._connection.execute(
            "SELECT ref, mark FROM mark WHERE substr(ref, 1, ?) = ? ORDER BY ref",
            (len(beginning), beginning),
        )
        return {ItemRef(ref): str(mark) for ref, mark in rows}

    def replace(
        self, refs: tuple[ItemRef, ...], pieces: tuple[Piece, ...], seq: int, marks: tuple[str, ...]
    ) -> None:
        """Put pieces in the place of all that there is of the refs; a mark outlasts its pieces."""
        for stray in {item.ref for item, _ in pieces} - {*refs}:
            raise ValueError(f"{stray} has new pieces and is not replaced")
        new = {item for item, _ in pieces}
        with self._transaction():
            for ref in refs:
                self._remove(ref, new)
            for item, direction in pieces:
                self._add(item, direction)
            kept = {item.ref: "" for item, _ in pieces} | {
                ref: mark for ref, mark in zip(refs, marks, strict=False) if mark
            }
            self._connection.executemany("INSERT INTO mark VALUES (?, ?)", kept.items())
            self._set_state("seq", str(seq))

    def add(self, ref: ItemRef, pieces: tuple[Piece, ...], mark: str) -> None:
        """Put pieces beside those that there are of a ref, and give it a mark."""
        with self._transaction():
            for item, direction in pieces:
                self._add(item, direction)
            self._connection.execute("INSERT OR REPLACE INTO mark VALUES (?, ?)", (ref, mark))

    def shrink(self, refs: tuple[ItemRef, ...]) -> bool:
        """Remove some pieces where a ref has many, and its mark; False where none has."""
        for ref in refs:
            rows = self._connection.execute(
                "SELECT id, body FROM item WHERE ref = ? LIMIT ?", (ref, 2 * MOST_REMOVED)
            ).fetchall()
            if len(rows) == 2 * MOST_REMOVED:
                with self._transaction():
                    self._remove_pieces(rows[:MOST_REMOVED], set())
                    self._connection.execute("UPDATE mark SET mark = '' WHERE ref = ?", (ref,))
                return True
        return False

    def wipe(self) -> bool:
        """Go on to leave no bytes of what was removed; False once there are none."""
        if (remains := self._state(_REMAINS)) is None:
            return False
        more = -PAGES_A_WIPE if remains == _NEW else PAGES_A_WIPE
        before = self._connection.total_changes
        with self._transaction():
            merge_postings(self._connection, more)
            is_merged = self._connection.total_changes - before < LEAST_MERGED
            self._set_state(_REMAINS, _MERGING)
        if is_merged:
            self._connection.execute("DELETE FROM state WHERE name = ?", (_REMAINS,))
            self._connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()
        return not is_merged

    def ask(self, sought: Sought, viewer: Viewer, kinds: frozenset[ItemKind]) -> Look:
        """Look the words of a question up in what a viewer sees."""
        seen = scopes_seen(self._connection, viewer, kinds)
        return Look(asked=ask(self._connection, sought, seen), seen=seen)

    def hits(
        self, look: Look, viewer: Viewer, meant: Numbers | None, limit: int
    ) -> tuple[Hit, ...]:
        """Give the best answers, best first; of equal ones the newest."""
        found = self._candidates(look, meant)
        if found is None:
            return ()
        weights, calibration = (
            (WEIGHTS_OF_WORDS, CALIBRATION_OF_WORDS) if meant is None else (WEIGHTS, CALIBRATION)
        )
        strengths = found.strengths(weights)
        rows = found.best(strengths, max(limit, MOST_RIVALS))
        nothing = strength_of_nothing(weights, is_about_somebody=bool(look.asked.persons))
        best = strengths[rows].tolist()
        kinds = (found.kinds[row] for row in rows)
        scored = scores(list(zip(kinds, best, strict=True)), nothing, calibration)
        ranked = zip(scored, best, found.ids[rows].tolist(), rows, strict=True)
        hits = (
            self._hit(item_id, found.evidence(row), score, look.asked)
            for score, _, item_id, row in nlargest(limit, ranked)
        )
        return tuple(hit for hit in hits if hit is not None and may_recall(viewer, hit.item.origin))

    def weighed(self, look: Look, meant: Numbers | None) -> tuple[tuple[MemoryItem, Evidence], ...]:
        """Give all that is weighed for a question, in no order."""
        found = self._candidates(look, meant)
        if found is None:
            return ()
        return tuple(
            (item, found.evidence(row))
            for row, item_id in enumerate(found.ids.tolist())
            if (item := self._item(item_id)) is not None
        )

    def _candidates(self, look: Look, meant: Numbers | None) -> Candidates | None:
        return candidates(self._connection, self._directions, look.asked, look.seen, meant)

    def _hit(self, item_id: int, evidence: Evidence, score: float, asked: Asked) -> Hit | None:
        item = self._item(item_id)
        if item is None:
            return None
        words = [term for term, ids in asked.listed.items() if item_id in ids]
        return Hit(item=item, score=score, why=_why(evidence, words))

    def _item(self, item_id: int) -> MemoryItem | None:
        row = self._connection.execute("SELECT body FROM item WHERE id = ?", (item_id,)).fetchone()
        return None if row is None else item_of(row[0])

    def _add(self, item: MemoryItem, direction: Numbers | None) -> None:
        told = told_by(item.text)
        cursor = self._connection.execute(
            "INSERT INTO item (ref, kind, thread, place, day, asks, tells_time, tells_number,"
            " speaker, body) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
            (
                item.ref,
                item.kind,
                _storable(item.thread),
                item.place,
                item.moment.toordinal() if item.moment is not None else None,
                is_question(item.text),
                "time" in told,
                "number" in told,
                _storable(item.speaker),
                text_of(item),
            ),
        )
        item_id = int(cursor.lastrowid or 0)
        scopes = enter(self._connection, item.origin, item.kind)
        add_postings(self._connection, item_id, item, scopes)
        signs = None if direction is None else signs_of(direction)
        for scope in scopes:
            self._connection.execute("INSERT INTO member VALUES (?, ?, ?)", (scope, item_id, signs))
            self._directions.add(scope, item_id, signs)
        if direction is not None:
            self._connection.execute(
                "INSERT INTO direction VALUES (?, ?)", (item_id, halves_of(direction))
            )

    def _remove(self, ref: ItemRef, new: set[MemoryItem]) -> None:
        rows = self._connection.execute("SELECT id, body FROM item WHERE ref = ?", (ref,))
        self._remove_pieces(rows.fetchall(), new)
        self._connection.execute("DELETE FROM mark WHERE ref = ?", (ref,))

    def _remove_pieces(self, rows: list[tuple[int, str]], new: set[MemoryItem]) -> None:
        """Remove pieces; unless all come back as they were, their bytes are to be wiped."""
        for item_id, body in rows:
            item = item_of(body)
            if item not in new:
                self._set_state(_REMAINS, _NEW)
            scopes = leave(self._connection, item.origin, item.kind)
            remove_postings(self._connection, item_id, item, scopes)
            for scope in scopes:
                self._directions.remove(scope, item_id)
                self._connection.execute(
                    "DELETE FROM member WHERE scope = ? AND item = ?", (scope, item_id)
                )
            self._connection.execute("DELETE FROM direction WHERE item = ?", (item_id,))
            self._connection.execute("DELETE FROM item WHERE id = ?", (item_id,))

    def _state(self, name: str) -> str | None:
        row = self._connection.execute("SELECT value FROM state WHERE name = ?", (name,)).fetchone()
        return None if row is None else str(row[0])

    def _set_state(self, name: str, value: str) -> None:
        self._connection.execute("INSERT OR REPLACE INTO state VALUES (?, ?)", (name, value))

    @contextmanager
    def _transaction(self) -> Iterator[None]:
        self._connection.execute("BEGIN IMMEDIATE")
        try:
            yield
            self._connection.execute("COMMIT")
        except BaseException:
            self._directions.forget()
            if self._connection.in_transaction:
                self._connection.execute("ROLLBACK")
            raise


def _storable(text: str) -> str:
    """Give a sign for each half of a sign that a platform sent: SQLite takes whole ones only."""
    return text.encode("utf-8", "replace").decode()


def _why(evidence: Evidence, words: list[str]) -> str:
    reasons = [
        *([by_words(words[:_WORDS_TOLD])] if words else ()),
        *([AROUND] if evidence.near > evidence.own else ()),
        *([MEANING] if evidence.likeness >= _LIKE else ()),
        *([SPEAKER] if evidence.is_said_by else ()),
        *([DATE] if evidence.is_dated else ()),
    ]
    return why(reasons or (NOTHING_BETTER,))
