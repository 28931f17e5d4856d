"""The constants of relevance, fitted to cases of which is known what is right."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, fields

import numpy as np
import numpy.typing as npt

from bot.core.memory.relevance import (
    MOST_RIVALS,
    Calibration,
    Evidence,
    Weights,
    scores,
    strength,
    strength_of_nothing,
)

WHOLE = 0
WHOLE_COUNTS = 10
"""A whole conversation counts as much as so many sizes of parts."""

ANSWERED_COUNT = 1.65
"""Questions that have an answer, of a size, count so much more than those that have none."""

STEPS = 300
RATE = 0.1
SHRINKING = 1e-3
MOVED_UP = 0.6
"""By which 0.9 stands for what is right five times of six by itself."""

_Array = npt.NDArray[np.float64]
_NAMES = tuple(field.name for field in fields(Weights))


@dataclass(frozen=True, slots=True, kw_only=True)
class Case:
    """A question with what was found for it.

    Attributes:
        size: How many pieces there were; 0 for a whole conversation.
        right: How many right ones there are, found or not; 0 for a question without an answer.
    """

    corpus: str
    size: int
    found: tuple[tuple[str, Evidence, bool], ...]
    right: int
    is_about_somebody: bool

    @property
    def signals(self) -> _Array:
        """Give a row for each piece, and one for there being no answer, as in :class:`Weights`."""
        rows = [(*evidence.signals, 0) for _, evidence, _ in self.found]
        nothing = dict.fromkeys(_NAMES, 0) | {"person": self.is_about_somebody, "nothing": 1}
        return np.array([*rows, tuple(nothing.values())], float)

    @property
    def shares(self) -> _Array:
        """Give what of being right each row has."""
        right = np.array([*(is_right for *_, is_right in self.found), not self.right], float)
        shares: _Array = right / max(right.sum(), 1)
        return shares


@dataclass(frozen=True, slots=True, kw_only=True)
class Fitted:
    """What was fitted."""

    weights: Weights
    calibration: Calibration


def counts_of(cases: Sequence[Case]) -> _Array:
    """Say how much each case counts: those of a size, answered or not, a share of their own."""
    many = Counter((case.size, not case.right) for case in cases)
    of_size = (1 if case.size else WHOLE_COUNTS for case in cases)
    of_answer = (ANSWERED_COUNT if case.right else 1 for case in cases)
    each = [
        size * answer / many[case.size, not case.right]
        for case, size, answer in zip(cases, of_size, of_answer, strict=True)
    ]
    return np.array(each) / sum(each)


def fitted_weights(cases: Sequence[Case]) -> Weights:
    """Give the weights by which the right pieces are likeliest, by Adam."""
    given = [case for case in cases if case.shares.any()]
    rows = np.concatenate([each.signals for each in given])
    shares = np.concatenate([each.shares for each in given])
    starts = np.cumsum([0, *(len(case.found) + 1 for case in given[:-1])])
    case_of = np.repeat(np.arange(len(given)), [len(case.found) + 1 for case in given])
    counts = counts_of(given)[case_of]
    weights, mean, square = (np.zeros(len(_NAMES)) for _ in range(3))
    for step in range(1, STEPS + 1):
        strengths = rows @ weights
        likely = np.exp(strengths - np.maximum.reduceat(strengths, starts)[case_of])
        likely /= np.add.reduceat(likely, starts)[case_of]
        slope = rows.T @ ((likely - shares) * counts) + SHRINKING * weights
        mean, square = 0.9 * mean + 0.1 * slope, 0.999 * square + 0.001 * slope**2
        corrected = np.sqrt(square / (1 - 0.999**step)) + 1e-8
        weights -= RATE * (mean / (1 - 0.9**step)) / corrected
    return Weights(**dict(zip(_NAMES, weights.round(2).tolist(), strict=True)))


def judged(case: Case, weights: Weights, fitted: Calibration) -> list[tuple[float, float, bool]]:
    """Give the best pieces: score, strength, and whether it is right; best first."""
    nothing = strength_of_nothing(weights, is_about_somebody=case.is_about_somebody)
    found = [(kind, strength(evidence, weights)) for kind, evidence, _ in case.found]
    rows = zip(
        scores(found, nothing, fitted),
        (strength_ for _, strength_ in found),
        (is_right for *_, is_right in case.found),
        strict=True,
    )
    return sorted(rows, reverse=True)[:MOST_RIVALS]


def fitted_calibration(cases: Sequence[Case], weights: Weights) -> Calibration:
    """Give the calibration by which scores are likeliest, moved up, by Newton's method."""
    plain = Calibration(lead=1, start=0)
    best = [
        (score_, is_right, count)
        for case, count in zip(cases, counts_of(cases), strict=True)
        for score_, _, is_right in judged(case, weights, plain)
    ]
    likely, right, counts = (np.array(each, float) for each in zip(*best, strict=True))
    rows = np.stack([np.log(likely / (1 - likely)), np.ones(len(likely))], 1)
    kept = np.zeros(2)
    for _ in range(30):
        likely = 1 / (1 + np.exp(-rows @ kept))
        curve = (rows * (counts * likely * (1 - likely))[:, None]).T @ rows + 1e-9 * np.eye(2)
        kept -= np.linalg.solve(curve, rows.T @ (counts * (likely - right)))
    lead, start = kept.tolist()
    return Calibration(lead=round(lead, 2), start=round(start + MOVED_UP, 2))


def fitted(cases: Sequence[Case]) -> Fitted:
    """Fit everything."""
    weights = fitted_weights(cases)
    return Fitted(weights=weights, calibration=fitted_calibration(cases, weights))
