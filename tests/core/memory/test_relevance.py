"""What evidence weighs, and scores between 0 and 1."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.core.memory.relevance import (
    MOST_RIVALS,
    WEIGHTS,
    WEIGHTS_OF_WORDS,
    Evidence,
    Weights,
    evidence_of,
    odds,
    score,
    scores,
    strength,
    strength_of_nothing,
)

NOTHING = Evidence(
    own=0.0,
    near=0.0,
    likeness=0.0,
    is_said_by=False,
    is_dated=False,
    is_question=False,
)
SOME = replace(NOTHING, own=0.5, near=0.5, likeness=0.3)
NEVER = -100.0
"""The strength of there being no answer, where there surely is one."""

strengths = st.lists(st.floats(-20, 40), min_size=1, max_size=2 * MOST_RIVALS).map(
    lambda found: sorted(found, reverse=True)
)


@pytest.mark.parametrize(
    "better",
    [
        replace(SOME, own=0.6),
        replace(SOME, near=0.6),
        replace(SOME, likeness=0.4),
        replace(SOME, is_said_by=True),
        replace(SOME, is_dated=True),
        replace(SOME, was_asked=0.4),
        replace(SOME, tells=True),
    ],
)
def test_more_evidence_is_stronger(better: Evidence) -> None:
    assert strength(better) > strength(SOME)


@pytest.mark.parametrize("weights", [WEIGHTS, WEIGHTS_OF_WORDS])
def test_who_asks_the_same_seldom_answers_it(weights: Weights) -> None:
    assert strength(replace(SOME, is_question=True), weights) < strength(SOME, weights)
    assert strength(replace(SOME, only_asked=0.4), weights) < strength(SOME, weights)


@given(
    st.tuples(*[st.floats(0, 1)] * 3, *[st.booleans()] * 3, *[st.floats(0, 1)] * 2, st.booleans())
)
def test_evidence_is_its_signals(signals: tuple[float, ...]) -> None:
    evidence = evidence_of(signals)

    assert signals == evidence.signals
    assert len(signals) == len(WEIGHTS.of_signals)


def test_odds_are_against_all_others() -> None:
    assert pytest.approx([1.0, 1.0]) == odds([2.0, 2.0], NEVER)
    assert pytest.approx([1 / 3] * 4) == odds([0.0] * 4, NEVER)
    assert odds([5.0], NEVER)[0] > 1_000
    assert [] == odds([], 0.0)


def test_odds_are_against_there_being_no_answer_too() -> None:
    assert pytest.approx([1.0]) == odds([2.0], 2.0)
    assert pytest.approx([0.5, 0.5]) == odds([2.0, 2.0], 2.0)
    assert odds([-5.0], 2.0)[0] < 0.001


@given(strengths)
def test_better_pieces_have_better_scores(found: list[float]) -> None:
    given_ = [score(each) for each in odds(found, WEIGHTS.nothing)]

    assert sorted(given_, reverse=True) == given_
    assert all(0 <= each <= 1 for each in given_)


@given(strengths, st.floats(0, 30), st.floats(-30, 30))
def test_a_rival_makes_nothing_likelier(found: list[float], rival: float, nothing: float) -> None:
    with_rival = sorted([*found, rival], reverse=True)

    before, after = odds(found, nothing)[0], odds(with_rival, nothing)
    assert after[with_rival.index(found[0])] <= before * (1 + 1e-9)


def test_kinds_are_no_rivals() -> None:
    """A fact and the turn that it was read out of say the same: each is as likely as alone."""
    alone, beside = scores([("turn", 12.0)], 9.0), scores([("turn", 12.0), ("turn", 12.0)], 9.0)
    both = scores([("fact", 12.0), ("turn", 3.0), ("turn", 12.0)], 9.0)

    assert pytest.approx(alone[0]) == both[0] == pytest.approx(both[2], abs=1e-3)
    assert beside[0] < both[0]
    assert both[1] < 0.01
    assert [] == scores([], 9.0)


@pytest.mark.parametrize("weights", [WEIGHTS, WEIGHTS_OF_WORDS])
def test_being_alone_is_no_certainty(weights: Weights) -> None:
    """One word of six that were asked for is no answer, though nothing else has any."""
    nothing = strength_of_nothing(weights, is_about_somebody=False)
    one_word = strength(replace(NOTHING, own=0.2, near=0.2, likeness=0.2), weights)
    all_words = strength(replace(NOTHING, own=1, near=1, likeness=0.6), weights)

    assert scores([("turn", one_word)], nothing)[0] < 0.5
    assert scores([("turn", all_words)], nothing)[0] > 0.9


@pytest.mark.parametrize("weights", [WEIGHTS, WEIGHTS_OF_WORDS])
def test_where_somebody_is_asked_about_others_say_less(weights: Weights) -> None:
    theirs = strength(replace(SOME, is_said_by=True), weights)
    of_nobody = strength(SOME, weights)
    asked = strength_of_nothing(weights, is_about_somebody=True)
    unasked = strength_of_nothing(weights, is_about_somebody=False)

    assert pytest.approx(odds([theirs], asked)) == odds([of_nobody], unasked)
    assert odds([of_nobody], asked) < odds([of_nobody], unasked)
