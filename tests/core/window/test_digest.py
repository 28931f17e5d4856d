"""The mechanical note that stands for turns until a summary lands."""

from __future__ import annotations

from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bot.core.window.summary.digest import make_digest
from bot.core.window.summary.pinned import collect_pinned
from bot.testing.chats import RandomChats
from tests.core.window.given import turn, turns


def by_fours(text: str) -> int:
    return -(-len(text) // 4)


@settings(max_examples=100)
@given(st.integers(0, 2**32), st.integers(1, 60), st.sampled_from((40, 120, 500, 1_000)))
def test_ctx_13_it_never_has_more_tokens_than_allowed(seed: int, many: int, most: int) -> None:
    dice = Random(seed)
    left = RandomChats(dice, dice.choice((20, 120, 800)), is_broken=True).past(many)
    pinned = collect_pinned(left)
    digest = make_digest(left, pinned, max_tokens=most, count=by_fours)

    assert by_fours(digest) <= most
    assert str(many) in digest or many == 1
    if by_fours("; ".join(pinned)) + 40 <= most:
        assert all(item in digest for item in pinned)


def test_it_says_what_it_is_and_quotes_the_newest_turns_in_order() -> None:
    digest = make_digest(turns(3), ("ORDER-4711",), max_tokens=1_000, count=by_fours)

    assert digest.startswith("[Mechanical note of 3 earlier turns")
    assert "Exact details: ORDER-4711\n" in digest
    assert digest.endswith("- asked: question 3 → answered: answer 3]")
    assert digest.index("question 1") < digest.index("question 2")


def test_where_space_is_short_older_turns_go_before_details() -> None:
    digest = make_digest(turns(9), ("ORDER-4711",), max_tokens=60, count=by_fours)

    assert "ORDER-4711" in digest
    assert "question 9" in digest
    assert "question 1" not in digest


@pytest.mark.parametrize(("many", "text"), [(1, "[1 earlier turn]"), (7, "[7 earlier turns]")])
def test_turns_never_vanish_without_a_word(many: int, text: str) -> None:
    assert text == make_digest(turns(many), ("ORDER-4711",), max_tokens=1, count=by_fours)


def test_where_the_whole_counts_for_more_than_its_pieces_it_fits_all_the_same() -> None:
    def squared(text: str) -> int:
        return len(text) ** 2

    digest = make_digest(turns(20), (), max_tokens=squared("x" * 400), count=squared)

    assert len(digest) <= 400
    assert digest.endswith("- asked: question 20 → answered: answer 20]")


def test_of_no_turns_nothing_is_said() -> None:
    assert "" == make_digest((), ("ORDER-4711",), max_tokens=1_000, count=by_fours)


def test_a_turn_cannot_write_lines_of_its_own() -> None:
    posing = make_digest((turn(1),), ("a\n- b",), max_tokens=1_000, count=by_fours)

    assert 4 >= posing.count("\n")
