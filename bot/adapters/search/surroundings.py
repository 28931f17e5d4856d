"""Pieces with what stands before and after them in their threads."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
import numpy.typing as npt

from bot.adapters.search.postings import Ids
from bot.adapters.search.scopes import ScopeId
from bot.core.memory.asking import Telling

_Rows = npt.NDArray[np.int64]
_Flags = npt.NDArray[np.bool_]

_READ = """
SELECT item.id, thread, place, day, asks, tells_time, tells_number, speaker, kind
FROM json_each(?) AS wanted JOIN item ON item.id = wanted.value
"""

_BESIDE = """
SELECT own.id, (
    SELECT group_concat(id) FROM (
        SELECT other.id FROM item AS other
        WHERE other.thread = own.thread AND other.thread != ''
        AND (other.place, other.id) {side} (own.place, own.id)
        AND EXISTS (SELECT 1 FROM member WHERE scope IN ({scopes}) AND member.item = other.id)
        ORDER BY other.place {order}, other.id {order} LIMIT {most}
    )
)
FROM json_each(?) AS seed JOIN item AS own ON own.id = seed.value
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
        tell: For a time and for a number, whether it tells one.
        speakers: Names.
        kinds: What each is a piece of.
    """

    ids: Ids
    before: _Rows
    after: _Rows
    threads: _Rows
    days: _Rows
    ask: _Flags
    tell: Mapping[Telling, _Flags]
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
    groups = [[int(seed)] for seed in seeds]
    group_of = {group[0]: group for group in groups}
    for side, order, most in (("<", "DESC", before), (">", "ASC", after)):
        query = _BESIDE.format(scopes=seen, side=side, order=order, most=most)
        for seed, beside in connection.execute(query, (wanted,)):
            group_of[seed] += map(int, beside.split(",")) if beside else ()
    return _read(connection, groups)


def _read(connection: sqlite3.Connection, groups: list[list[int]]) -> Surroundings:
    """Read groups of pieces that follow each other, each in any order.

    Row by row into columns: hundreds of rows held together would have Python look for garbage.
    """
    ids, places, threads, days = list[int](), list[int](), list[int](), list[int]()
    asks, times, numbers = list[bool](), list[bool](), list[bool]()
    speakers, kinds, number_of = list[str](), list[str](), {"": 0}
    wanted = json.dumps(list({item_id for group in groups for item_id in group}))
    for item_id, thread, place, day, ask, time, number, speaker, kind in connection.execute(
        _READ, (wanted,)
    ):
        ids.append(item_id)
        places.append(place)
        threads.append(number_of.setdefault(thread, len(number_of)))
        days.append(day or 0)
        asks.append(bool(ask))
        times.append(bool(time))
        numbers.append(bool(number))
        speakers.append(speaker)
        kinds.append(kind)
    before, after = _in_order(groups, dict(zip(ids, range(len(ids)), strict=True)), places)
    return Surroundings(
        ids=np.array(ids, np.int64),
        before=before,
        after=after,
        threads=np.array(threads, np.int64),
        days=np.array(days, np.int64),
        ask=np.array(asks, bool),
        tell={"time": np.array(times, bool), "number": np.array(numbers, bool)},
        speakers=tuple(speakers),
        kinds=tuple(kinds),
    )


def _in_order(
    groups: list[list[int]], row_of: dict[int, int], places: list[int]
) -> tuple[_Rows, _Rows]:
    """Give the rows of what stands before and after each row."""
    before, after = np.full(len(row_of), -1), np.full(len(row_of), -1)
    for group in groups:
        there = [item_id for item_id in group if item_id in row_of]
        there.sort(key=lambda item_id: (places[row_of[item_id]], item_id))
        for one, following in pairwise(row_of[item_id] for item_id in there):
            after[one], before[following] = following, one
    return before, after
