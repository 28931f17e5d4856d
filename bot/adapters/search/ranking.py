"""From a question to the pieces that answer it best.

Seeds are the pieces with most of the question's words, and those nearest to it in meaning. To them
come their neighbours, what was said right before and after, since an answer seldom repeats the
words of its question. All of these are weighed, each beside its own neighbours.
"""

from __future__ import annotations

import sqlite3
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from math import log1p

import numpy as np
import numpy.typing as npt

from bot.adapters.search.directions import Directions, Numbers
from bot.adapters.search.postings import Ids, has_speaker, pieces_asking, pieces_with
from bot.adapters.search.scopes import ScopeId
from bot.adapters.search.surroundings import Surroundings, read_surroundings
from bot.core.memory.question import Sought
from bot.core.memory.relevance import Evidence, Weights, evidence_of
from bot.core.memory.terms import words_of

MOST_SEEDS = 64
"""By words, and as many by meaning."""

BEFORE = (0.7, 0.5, 0.4)
AFTER = (0.5, 0.4, 0.3)
ELSEWHERE = 0.2
"""What a word counts for that was said one, two, three pieces before or after; and that was found
in the same thread."""

MEANT_BEFORE = 0.7
MEANT_AFTER = 0.4
"""The shares of its neighbours in the direction of a piece with what is around it."""

NAMED = 0.3
"""What a word counts for that is of a name of who spoke, where there are others: it tells who is
asked about, and may be what is asked about."""

_LEAST = 1e-6

_Flags = npt.NDArray[np.bool_]


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """A question as the index can answer it.

    Attributes:
        persons: Words of names of people who spoke, whom it is about.
        listed: For each term that is found at all, the pieces that have it.
        asking: Of these the pieces in which it stands in questions alone.
        rarity: What each of these terms weighs, in the order of ``listed``.
        whole: What all terms that are asked for weigh together.
    """

    sought: Sought
    persons: frozenset[str]
    listed: Mapping[str, Ids]
    asking: Mapping[str, Ids]
    rarity: Numbers
    whole: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Candidates:
    """Pieces that may answer, and what speaks for them, a row each.

    Attributes:
        signals: Those of the evidence of each, in their order.
    """

    ids: Ids
    kinds: tuple[str, ...]
    signals: Numbers

    def evidence(self, row: int) -> Evidence:
        """Give what speaks for one."""
        return evidence_of(self.signals[row].tolist())

    def strengths(self, weights: Weights) -> Numbers:
        """Give how much speaks for each."""
        return _sums(self.signals, np.array(weights.of_signals, np.float32))

    def best(self, strengths: Numbers, most: int) -> list[int]:
        """Give the rows of the strongest of each kind, these first; of equal ones the newest."""
        counted, rows = Counter[str](), list[int]()
        for row in np.lexsort((self.ids, strengths))[::-1].tolist():
            counted[self.kinds[row]] += 1
            if counted[self.kinds[row]] <= most:
                rows.append(row)
        return rows


def ask(connection: sqlite3.Connection, sought: Sought, seen: Mapping[ScopeId, int]) -> Asked:
    """Look the words of a question up in the scopes that are seen."""
    total = sum(seen.values())
    names = {each.word for each in sought.words} | set(sought.myself)
    persons = frozenset(name for name in names if has_speaker(connection, name, seen))
    shares = _shares(sought, persons)
    lists = {term: pieces_with(connection, term, seen) for term in shares}
    rarity = {
        term: shares[term] * log1p((total - len(ids) + 0.5) / (len(ids) + 0.5))
        for term, ids in lists.items()
    }
    listed = {term: ids for term, ids in lists.items() if len(ids)}
    return Asked(
        sought=sought,
        persons=persons,
        listed=listed,
        asking={term: pieces_asking(connection, term, seen) for term in listed},
        rarity=np.array([rarity[term] for term in listed], np.float32),
        whole=max(sum(rarity.values()), _LEAST),
    )


def candidates(
    connection: sqlite3.Connection,
    directions: Directions,
    asked: Asked,
    seen: Mapping[ScopeId, int],
    meant: Numbers | None,
) -> Candidates | None:
    """Give the pieces worth weighing, in no order; None where there are none.

    Args:
        connection: That of the index.
        directions: Those of its pieces.
        asked: The question.
        seen: The scopes that it was looked up in.
        meant: Its direction; None for a search by words alone.
    """
    seeds = _most_words(asked)
    if meant is not None:
        seeds = np.union1d(seeds, directions.nearest(seen, meant, MOST_SEEDS))
    if not len(seeds):
        return None
    around = read_surroundings(connection, seeds, seen, before=len(BEFORE), after=len(AFTER))
    return _weighed(asked, around, _likeness(around, meant, directions))


def _shares(sought: Sought, persons: frozenset[str]) -> dict[str, float]:
    """Say how much each term counts for; a name that is all that is asked for counts whole."""
    others = [each for each in sought.words if each.word not in persons]
    shares = {term: 1.0 for each in others for term in each.terms}
    for each in sought.words:
        for term in each.terms:
            shares.setdefault(term, NAMED if others else 1.0)
    return shares


def _most_words(asked: Asked) -> Ids:
    if not asked.listed:
        return np.empty(0, np.int64)
    ids, which = np.unique(np.concatenate([*asked.listed.values()]), return_inverse=True)
    weights = np.repeat(asked.rarity, [len(each) for each in asked.listed.values()])
    sums = np.bincount(which, weights)
    return ids[np.lexsort((ids, sums))[-MOST_SEEDS:]]  # of equal ones the newest


def _weighed(asked: Asked, around: Surroundings, likeness: Numbers) -> Candidates:
    has = _having(around.ids, asked.listed.values())
    own = _sums(has, asked.rarity) / asked.whole
    columns = (
        own,
        _sums(_spread(has, around), asked.rarity) / asked.whole,
        likeness,
        _said_by(asked, around),
        _dated(asked.sought, around),
        around.ask,
        _sums(_having(around.ids, asked.asking.values()), asked.rarity) / asked.whole,
        np.where(around.before >= 0, (own * around.ask)[around.before], 0),
        _told(asked.sought, around),
    )
    return Candidates(
        ids=around.ids, kinds=around.kinds, signals=np.stack(columns, 1, dtype=np.float32)
    )


def _having(ids: Ids, lists: Iterable[Ids]) -> Numbers:
    """Give a row for each piece and a column for each list, 1 where it is on it."""
    columns = [np.isin(ids, listed) for listed in lists]
    if not columns:
        return np.empty((len(ids), 0), np.float32)
    return np.stack(columns, 1, dtype=np.float32)


def _sums(has: Numbers, weights: Numbers) -> Numbers:
    """Add up weights by rows.

    Not by BLAS, which was seen to warn of invalid numbers where there were none.
    """
    sums: Numbers = np.einsum("ij,j->i", has, weights)
    return sums


def _spread(has: Numbers, around: Surroundings) -> Numbers:
    """Have each word count for the pieces around it too."""
    near = has.copy()
    for steps, shares in ((around.before, BEFORE), (around.after, AFTER)):
        at = np.arange(len(has))
        for share in shares:
            at = np.where(at >= 0, steps[at], -1)
            there = at >= 0
            near[there] = np.maximum(near[there], share * has[at[there]])
    threads = np.zeros((int(around.threads.max(initial=0)) + 1, has.shape[1]), np.float32)
    np.maximum.at(threads, around.threads, ELSEWHERE * has)
    threads[0] = 0  # that of pieces without one
    return np.maximum(near, threads[around.threads])


def _likeness(around: Surroundings, meant: Numbers | None, directions: Directions) -> Numbers:
    if meant is None:
        return np.zeros(len(around.ids), np.float32)
    own = directions.whole(around.ids, len(meant))
    whole = own.copy()
    for steps, share in ((around.before, MEANT_BEFORE), (around.after, MEANT_AFTER)):
        there = steps >= 0
        whole[there] += share * own[steps[there]]
    lengths = np.sqrt(np.einsum("ij,ij->i", whole, whole))
    likeness: Numbers = whole @ meant / np.maximum(lengths, _LEAST)
    return likeness


def _said_by(asked: Asked, around: Surroundings) -> _Flags:
    speakers = {name for name in set(around.speakers) if asked.persons.intersection(words_of(name))}
    return np.fromiter((name in speakers for name in around.speakers), bool, len(around.speakers))


def _dated(sought: Sought, around: Surroundings) -> _Flags:
    if sought.days is None:
        return np.zeros(len(around.ids), bool)
    first, last = sought.days.first.toordinal(), sought.days.last.toordinal()
    dated: _Flags = (around.days >= first) & (around.days <= last)
    return dated


def _told(sought: Sought, around: Surroundings) -> _Flags:
    if sought.wanted is None:
        return np.zeros(len(around.ids), bool)
    return around.tell[sought.wanted]
