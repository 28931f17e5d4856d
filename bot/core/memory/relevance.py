"""How likely a piece answers a question: a number from 0 to 1 that means something.

The law of this file: a piece is judged beside all others of its kind that were found with it, and
beside one more rival, that nothing there answers the question. Being much better than all of these
is what tells a right answer, so that one which is merely alone is none. A fact and the turn that it
was read out of say the same, and are no rivals. Of what scores 0.9 or more, about four of five
pieces are right ones, and among few pieces more (``docs/memory.md``).

The constants were fitted by ``benchmarks/recall_fit.py`` on conversations of others, whole ones and
parts that do not have the answer, and are shown on ones that they were not fitted on
(``benchmarks/RESULTS.md``).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import exp, log

QUESTION_MARKS = ("?", "？", "؟")


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
        is_question: Whether it asks something itself.
    """

    own: float
    near: float
    likeness: float
    is_said_by: bool
    is_dated: bool
    is_question: bool


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
    nothing: float


WEIGHTS = Weights(
    own=1.4, near=5.25, likeness=9.07, person=2.88, date=4.07, question=-1.68, nothing=6.77
)
"""Where words and meaning were compared."""

WEIGHTS_OF_WORDS = Weights(
    own=2.13, near=7.49, likeness=0.0, person=3.01, date=4.13, question=-1.15, nothing=5.51
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


CALIBRATION = Calibration(lead=1.0, start=0.67)

MOST_RIVALS = 50
"""The best pieces of a kind, beside which each is judged."""

_MOST_ODDS = 1e6


def is_question(text: str) -> bool:
    """Say whether a text ends by asking something."""
    return text.rstrip().endswith(QUESTION_MARKS)


def strength(evidence: Evidence, weights: Weights = WEIGHTS) -> float:
    """Say how much speaks for a piece: what pieces are put in order by."""
    return (
        weights.own * evidence.own
        + weights.near * evidence.near
        + weights.likeness * evidence.likeness
        + weights.person * evidence.is_said_by
        + weights.date * evidence.is_dated
        + weights.question * evidence.is_question
    )


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
