"""Directions of pieces in the space of the embedder, and those nearest to a question's.

Each is kept twice: whole, as 16-bit floats, and as the signs of its numbers, a bit each. The signs
of all pieces of a scope are gone through, which costs a millisecond for 100 000; the whole ones are
read of the few hundred that are nearest by these.
"""

from __future__ import annotations

import json
import sqlite3
from collections import OrderedDict
from collections.abc import Iterable

import numpy as np
import numpy.typing as npt

from bot.adapters.search.postings import Ids
from bot.adapters.search.scopes import ScopeId

Numbers = npt.NDArray[np.float32]
_Signs = npt.NDArray[np.uint64]
_Apart = npt.NDArray[np.uint16]

MOST_HELD = 400_000
"""Pieces whose signs are held in memory, 72 bytes each, over all scopes."""

_LEAST_ROOM = 64


def signs_of(direction: Numbers) -> bytes:
    """Give a bit for each number: whether it is above zero."""
    return np.packbits(direction > 0).tobytes()


def halves_of(direction: Numbers) -> bytes:
    """Write a direction as 16-bit floats."""
    return direction.astype(np.float16).tobytes()


class Directions:
    """The signs of the scopes that were searched last, as they are in the file.

    It follows what its caller writes: every change of the table ``member`` goes through
    :meth:`add` and :meth:`remove`; :meth:`forget` after a transaction that came to nothing.
    """

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection
        self._held: OrderedDict[ScopeId, _Held] = OrderedDict()

    def add(self, scope: ScopeId, item_id: int, signs: bytes | None) -> None:
        """Note that a piece is in a scope."""
        if signs is not None and (held := self._held.get(scope)) is not None:
            held.add(item_id, signs)

    def remove(self, scope: ScopeId, item_id: int) -> None:
        """Note that it is no more."""
        if (held := self._held.get(scope)) is not None:
            held.remove(item_id)

    def forget(self) -> None:
        """Read everything from the file again."""
        self._held.clear()

    def nearest(self, scopes: Iterable[ScopeId], direction: Numbers, most: int) -> Ids:
        """Give the ids of the pieces whose signs differ least from those of ``direction``."""
        signs = np.frombuffer(signs_of(direction), np.uint64)
        found = [self._signs(scope).nearest(signs, most) for scope in scopes]
        if not found:
            return np.empty(0, np.int64)
        ids = np.concatenate([ids for ids, _ in found])
        apart = np.concatenate([apart for _, apart in found])
        return ids[_least(apart, most)]

    def whole(self, ids: Ids, dimensions: int) -> Numbers:
        """Give the directions of pieces, one a row; zeros for those that have none."""
        rows = np.zeros((len(ids), dimensions), np.float32)
        row_of = {item_id: row for row, item_id in enumerate(ids.tolist())}
        found, directions = list[int](), bytearray()
        for item_id, numbers in self._connection.execute(
            "SELECT item, numbers FROM json_each(?) JOIN direction ON item = value",
            (json.dumps(ids.tolist()),),
        ):
            found.append(row_of[item_id])
            directions += numbers
        if found:
            rows[found] = np.frombuffer(directions, np.float16).reshape(len(found), -1)
        return rows

    def _signs(self, scope: ScopeId) -> _Held:
        held = self._held.get(scope)
        if held is None:
            rows = self._connection.execute(
                "SELECT item, signs FROM member WHERE scope = ? AND signs IS NOT NULL", (scope,)
            ).fetchall()
            held = self._held[scope] = _Held(rows)
        self._held.move_to_end(scope)
        while len(self._held) > 1 and sum(each.size for each in self._held.values()) > MOST_HELD:
            self._held.popitem(last=False)
        return held


class _Held:
    """The signs of one scope, a column for each piece, in arrays with room for more."""

    def __init__(self, rows: list[tuple[int, bytes]]) -> None:
        self.size = len(rows)
        self._ids = np.array([item_id for item_id, _ in rows], np.int64)
        joined = np.frombuffer(b"".join(signs for _, signs in rows), np.uint64)
        self._signs: _Signs = np.array(joined.reshape(max(self.size, 1), -1).T, order="C")

    def add(self, item_id: int, signs: bytes) -> None:
        column = np.frombuffer(signs, np.uint64)
        if self.size == len(self._ids):
            room = max(_LEAST_ROOM, self.size // 2)
            ids, kept = self._ids, self._signs
            self._ids = np.zeros(self.size + room, np.int64)
            self._ids[: self.size] = ids
            self._signs = np.zeros((len(column), self.size + room), np.uint64)
            if self.size:
                self._signs[:, : self.size] = kept[:, : self.size]
        self._ids[self.size], self._signs[:, self.size] = item_id, column
        self.size += 1

    def remove(self, item_id: int) -> None:
        """Put the last one in its place."""
        for column in np.flatnonzero(self._ids[: self.size] == item_id)[:1]:
            last = self.size - 1
            self._ids[column], self._signs[:, column] = self._ids[last], self._signs[:, last]
            self.size = last

    def nearest(self, signs: _Signs, most: int) -> tuple[Ids, _Apart]:
        """Give the nearest, and in how many signs each differs."""
        apart = np.zeros(self.size, np.uint16)
        if self.size:
            for row, wanted in zip(self._signs, signs, strict=True):
                apart += np.bitwise_count(row[: self.size] ^ wanted)
        columns = _least(apart, most)
        return self._ids[columns], apart[columns]


def _least(values: _Apart, most: int) -> npt.NDArray[np.intp]:
    if len(values) <= most:
        return np.arange(len(values))
    return np.argpartition(values, most)[:most]
