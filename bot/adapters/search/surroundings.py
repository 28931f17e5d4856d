"""Pieces with what stands before and after them in their threads."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterable
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
import numpy.typing as npt

from bot.adapters.search.postings import Ids
from bot.adapters.search.scopes import ScopeId

_Rows = npt.NDArray[np.int64]
_Columns = tuple[str, int | None, int, str, str]

_COLUMNS = "item.thread, item.day, item.asks, item.speaker, item.kind"

_SEEDS = f"""
SELECT item.id, item.id, {_COLUMNS} FROM json_each(?) AS seed JOIN item ON item.id = seed.value
"""  # noqa: S608 - words of this file

_BESIDE = """
SELECT own.id, item.id, {columns} FROM json_each(?) AS seed
JOIN item AS own ON own.id = seed.value
JOIN item ON item.id IN (
    SELECT other.id FROM item AS other
    WHERE other.thread = own.thread AND other.thread != ''
    AND (other.place, other.id) {side} (own.place, own.id)
    AND EXISTS (SELECT 1 FROM member WHERE scope IN ({scopes}) AND member.item = other.id)
    ORDER BY other.place {order}, other.id {order} LIMIT {most}
)
ORDER BY own.id, item.place, item.id
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Surroundings:
    """Pieces, a row each.

    Attributes:
        before: The row of what stands before each; -1 where that was not read.
        after: The row of what stands after it; likewise.
        threads: A number for each thread; 0 for none.
        days: The ordinal of the day; 0 for none.
        ask: Whether it asks something.
        speakers: Names.
        kinds: What each is a piece of.
    """

    ids: Ids
    before: _Rows
    after: _Rows
    threads: _Rows
    days: _Rows
    ask: npt.NDArray[np.bool_]
    speakers: tuple[str, ...]
    kinds: tuple[str, ...]


def read_surroundings(
    connection: sqlite3.Connection,
    seeds: Ids,
    scopes: Iterable[ScopeId],
    *,
    before: int,
    after: int,
) -> Surroundings:
    """Read pieces, and as many before and after each as are asked for.

    Only what is in the scopes is seen; what else stands between is passed over.
    """
    wanted = json.dumps(seeds.tolist())
    seen = ", ".join(map(str, scopes))
    rows: dict[int, _Columns] = {}

    def read(query: str) -> dict[int, list[int]]:
        found: dict[int, list[int]] = {}
        for seed, item_id, *columns in connection.execute(query, (wanted,)):
            found.setdefault(seed, []).append(item_id)
            thread, day, asks, speaker, kind = columns
            rows[item_id] = (thread, day, asks, speaker, kind)
        return found

    def beside(side: str, order: str, most: int) -> dict[int, list[int]]:
        return read(
            _BESIDE.format(columns=_COLUMNS, scopes=seen, side=side, order=order, most=most)
        )

    there = read(_SEEDS)
    earlier, later = beside("<", "DESC", before), beside(">", "ASC", after)
    chains = ([*earlier.get(seed, ()), seed, *later.get(seed, ())] for seed in there)
    return _arranged(rows, {pair for chain in chains for pair in pairwise(chain)})


def _arranged(rows: dict[int, _Columns], pairs: set[tuple[int, int]]) -> Surroundings:
    row_of = {item_id: row for row, item_id in enumerate(rows)}
    before, after = np.full(len(rows), -1), np.full(len(rows), -1)
    for one, following in pairs:
        after[row_of[one]], before[row_of[following]] = row_of[following], row_of[one]
    threads = {"": 0}
    return Surroundings(
        ids=np.fromiter(rows, np.int64, len(rows)),
        before=before,
        after=after,
        threads=np.array(
            [threads.setdefault(thread, len(threads)) for thread, *_ in rows.values()], np.int64
        ),
        days=np.array([day or 0 for _, day, *_ in rows.values()], np.int64),
        ask=np.array([bool(asks) for _, _, asks, *_ in rows.values()], bool),
        speakers=tuple(speaker for *_, speaker, _ in rows.values()),
        kinds=tuple(kind for *_, kind in rows.values()),
    )
