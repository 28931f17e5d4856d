"""How likely a piece answers a question: a number from 0 to 1 that means something.

The law of this file: a piece is judged beside all others of its kind that were found with it, and
beside one more rival, that nothing there answers the question. Being much better than all of these
is what tells a right answer, so that one which is merely alone is none. A fact and the turn that it
was read out of say the same, and are no rivals. Of what scores 0.9 or more, about seven of eight
turns are right ones, and of facts more; of 60 pieces four of five (``docs/memory.md``).

The constants were fitted by ``benchmarks/recall_fit.py`` on conversations of others, whole ones and
parts that do not have the answer, and are shown on ones that they were not fitted on
(``benchmarks/RESULTS.md``).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import exp, log


@dataclass(frozen=True, slots=True, kw_only=True)
class Evidence:
    """What speaks for a piece.

    Attributes:
        own: The share of the question's words that it has itself, rare ones counting more; those
            that nothing has, most of all.
        near: The same with what was said around it, which counts less the further away.
        likeness: How near in meaning it and what was said around it are to the question, -1 to 1.
        is_said_by: Whether the person that the question is about said it.
        is_dated: Whether it is of the time that the question names.
        is_question: Whether it asks something itself, at its end.
        only_asked: What of ``own`` stands in its own questions alone.
        was_asked: The share of the question's words that the piece right before it has, where that
            is a question.
        tells: Whether it names a time, where one is asked for, or a number, likewise.
    """

    own: float
    near: float
    likeness: float
    is_said_by: bool
    is_dated: bool
    is_question: bool
    only_asked: float = 0.0
    was_asked: float = 0.0
    tells: bool = False

    @property
    def signals(self) -> tuple[float, ...]:
        """All of it in its order."""
        return (
            self.own,
            self.near,
            self.likeness,
            self.is_said_by,
            self.is_dated,
            self.is_question,
            self.only_asked,
            self.was_asked,
            self.tells,
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Weights:
    """What evidence counts for.

    Attributes:
        nothing: The strength of there being no answer, where nobody is asked about.
    """

    own: float
    near: float
    likeness: float
    person: float
    date: float
    question: float
    only_asked: float
    was_asked: float
    tells: float
    nothing: float

    @property
    def of_signals(self) -> tuple[float, ...]:
        """What each of :attr:`Evidence.signals` counts for."""
        return (
            self.own,
            self.near,
            self.likeness,
            self.person,
            self.date,
            self.question,
            self.only_asked,
            self.was_asked,
            self.tells,
        )


WEIGHTS = Weights(
    own=1.48,
    near=5.22,
    likeness=9.02,
    person=2.86,
    date=4.15,
    question=-1.35,
    only_asked=-2.05,
    was_asked=1.15,
    tells=1.19,
    nothing=6.5,
)
"""Where words and meaning were compared."""

WEIGHTS_OF_WORDS = Weights(
    own=2.44,
    near=7.14,
    likeness=0.0,
    person=2.94,
    date=4.17,
    question=-0.82,
    only_asked=-1.57,
    was_asked=2.77,
    tells=1.4,
    nothing=5.26,
)
"""Where words alone were."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Calibration:
    """How strengths become scores: by ``1 / (1 + exp(-x))`` of a sum.

    Attributes:
        lead: Of the logarithm of a piece's odds against the others.
        start: What is added.
    """

    lead: float
    start: float


CALIBRATION = Calibration(lead=0.98, start=0.94)
"""Of strengths by :data:`WEIGHTS`."""

CALIBRATION_OF_WORDS = Calibration(lead=1.0, start=0.87)
"""Of strengths by :data:`WEIGHTS_OF_WORDS`."""

MOST_RIVALS = 50
"""The best pieces of a kind, beside which each is judged."""

_MOST_ODDS = 1e6


def evidence_of(signals: Sequence[float]) -> Evidence:
    """Give the evidence of which these are the :attr:`~Evidence.signals`."""
    own, near, likeness, is_said_by, is_dated, is_question, only_asked, was_asked, tells = signals
    return Evidence(
        own=own,
        near=near,
        likeness=likeness,
        is_said_by=bool(is_said_by),
        is_dated=bool(is_dated),
        is_question=bool(is_question),
        only_asked=only_asked,
        was_asked=was_asked,
        tells=bool(tells),
    )


def strength(evidence: Evidence, weights: Weights = WEIGHTS) -> float:
    """Say how much speaks for a piece: what pieces are put in order by."""
    pairs = zip(weights.of_signals, evidence.signals, strict=True)
    return sum(weight * signal for weight, signal in pairs)


def strength_of_nothing(weights: Weights, *, is_about_somebody: bool) -> float:
    """Say how much speaks for there being no answer: of a person asked about, none of theirs."""
    return weights.nothing + weights.person * is_about_somebody


def scores(
    found: Sequence[tuple[str, float]], nothing: float, fitted: Calibration = CALIBRATION
) -> list[float]:
    """Give the scores of pieces in their order.

    Args:
        found: The kind and the strength of each.
        nothing: The strength of there being no answer among those of a kind.
        fitted: How their odds become scores.
    """
    given = [0.0] * len(found)
    best_first = sorted(range(len(found)), key=lambda place: found[place][1], reverse=True)
    for kind in {kind for kind, _ in found}:
        places = [place for place in best_first if found[place][0] == kind]
        against = odds([found[place][1] for place in places], nothing)
        for place, odds_ in zip(places, against, strict=True):
            given[place] = score(odds_, fitted)
    return given


def odds(strengths: Sequence[float], nothing: float) -> list[float]:
    """Give each piece's odds of being the right one, if just one of them is, or none.

    Args:
        strengths: Those of the pieces, the greatest first.
        nothing: The strength of there being no answer among them.
    """
    most = max((nothing, *strengths[:1]))
    whole = exp(nothing - most) + sum(exp(each - most) for each in strengths[:MOST_RIVALS])
    shares = (exp(each - most) for each in strengths)
    return [share / max(whole - share, share / _MOST_ODDS, 1 / _MOST_ODDS) for share in shares]


def score(against: float, fitted: Calibration = CALIBRATION) -> float:
    """Give the calibrated score of a piece with these :func:`odds`."""
    return 1 / (1 + exp(-fitted.lead * log(max(against, 1 / _MOST_ODDS)) - fitted.start))
