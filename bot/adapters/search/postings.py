"""Postings: which pieces of a scope have a term, kept by FTS5.

A term is written behind its scope, as one word, so that the list of a scope's pieces is read
without touching those of others. FTS5 keeps nothing but these lists; the texts are in ``item``, and
the weighing is done where the viewer is known (``ranking.py``).
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable

import numpy as np
import numpy.typing as npt

from bot.adapters.search.scopes import ScopeId
from bot.core.memory.asking import terms_only_asked
from bot.core.memory.items import MemoryItem
from bot.core.memory.terms import terms_of, words_of

Ids = npt.NDArray[np.int64]

_TERM = "x"
_SPEAKER = "y"
_ONLY_ASKED = "z"


def add_postings(
    connection: sqlite3.Connection, item_id: int, item: MemoryItem, scopes: Iterable[ScopeId]
) -> None:
    """Have a piece found by its terms, and as what its speaker said."""
    connection.execute(
        "INSERT INTO posting (rowid, terms) VALUES (?, ?)", (item_id, _written(item, scopes))
    )


def remove_postings(
    connection: sqlite3.Connection, item_id: int, item: MemoryItem, scopes: Iterable[ScopeId]
) -> None:
    """Have it found no more; it has to be given as it was added."""
    connection.execute(
        "INSERT INTO posting (posting, rowid, terms) VALUES ('delete', ?, ?)",
        (item_id, _written(item, scopes)),
    )


def merge_postings(connection: sqlite3.Connection, pages: int) -> None:
    """Go on to write all lists anew, without what was removed; it begins with less than nothing.

    FTS5 notes removals in lists of their own, and drops them with what they removed once all is in
    one list again.
    """
    connection.execute("INSERT INTO posting (posting, rank) VALUES ('merge', ?)", (pages,))


def pieces_with(connection: sqlite3.Connection, term: str, scopes: Iterable[ScopeId]) -> Ids:
    """Give the ids of the pieces in some scopes that have a term."""
    found = [_listed(connection, f"{scope}{_TERM}{term}") for scope in scopes]
    return np.concatenate(found) if found else np.empty(0, np.int64)


def pieces_asking(connection: sqlite3.Connection, term: str, scopes: Iterable[ScopeId]) -> Ids:
    """Give the ids of those of them in which it stands in questions alone."""
    return np.concatenate([_listed(connection, f"{scope}{_ONLY_ASKED}{term}") for scope in scopes])


def has_speaker(connection: sqlite3.Connection, word: str, scopes: Iterable[ScopeId]) -> bool:
    """Say whether a word is of the name of somebody who said a piece in some scopes."""
    return any(
        connection.execute(
            "SELECT 1 FROM posting WHERE posting MATCH ? LIMIT 1", (f'"{scope}{_SPEAKER}{word}"',)
        ).fetchone()
        for scope in scopes
    )


def _listed(connection: sqlite3.Connection, word: str) -> Ids:
    """Read a whole list as one text: a row for each id would cost five times as much."""
    (text,) = connection.execute(
        "SELECT group_concat(rowid) FROM posting WHERE posting MATCH ?", (f'"{word}"',)
    ).fetchone()
    if text is None:
        return np.empty(0, np.int64)
    return np.fromstring(text, dtype=np.int64, sep=",")


def _written(item: MemoryItem, scopes: Iterable[ScopeId]) -> str:
    terms = dict.fromkeys((*terms_of(item.title), *terms_of(item.text)))
    speakers = dict.fromkeys(words_of(item.speaker))
    return " ".join(
        f"{scope}{sign}{word}"
        for scope in scopes
        for sign, words in (
            (_TERM, terms),
            (_SPEAKER, speakers),
            (_ONLY_ASKED, terms_only_asked(item.text)),
        )
        for word in words
    )
