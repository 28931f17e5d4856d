"""What an examination finds: never without a mend, never more than a line."""

from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.core.findings import MOST_CLOCK_ERROR_S, Finding, Grade, gravest, judge_clock, one_line

NOON = datetime(2026, 1, 5, 12, tzinfo=UTC)


def finding(grade: Grade) -> Finding:
    return Finding(area="bot", check="x", grade=grade, seen="seen", mend="mend")


@pytest.mark.parametrize("grade", ["warning", "broken"])
def test_what_is_not_well_says_how_to_mend_it(grade: Grade) -> None:
    with pytest.raises(ValueError, match="mend"):
        Finding(area="bot", check="x", grade=grade, seen="seen")


@pytest.mark.parametrize(("seen", "mend"), [("two\nlines", ""), ("one", "two\nlines")])
def test_a_finding_is_one_line(seen: str, mend: str) -> None:
    with pytest.raises(ValueError, match="not one line"):
        Finding(area="bot", check="x", seen=seen, mend=mend)


@pytest.mark.parametrize(("grades", "whole"), [
    ((), "ok"),
    (("ok", "warning"), "warning"),
    (("broken", "ok", "warning"), "broken"),
])  # fmt: skip
def test_the_gravest_finding_counts(grades: tuple[Grade, ...], whole: Grade) -> None:
    assert whole == gravest(map(finding, grades))


@given(st.text(), st.integers(min_value=1, max_value=50))
def test_whatever_another_program_says_becomes_a_line(text: str, most_chars: int) -> None:
    line = one_line(text, most_chars)

    Finding(area="bot", check="x", seen=line)
    assert len(line) <= most_chars


@pytest.mark.parametrize(("off_s", "grade"), [
    (MOST_CLOCK_ERROR_S, "ok"),
    (-MOST_CLOCK_ERROR_S, "ok"),
    (MOST_CLOCK_ERROR_S + 1, "warning"),
    (-MOST_CLOCK_ERROR_S - 1, "warning"),
])  # fmt: skip
def test_a_clock_may_be_off_a_little(off_s: float, grade: Grade) -> None:
    found = judge_clock("telegram", ours=NOON + timedelta(seconds=off_s), theirs=NOON)

    assert grade == found.grade
