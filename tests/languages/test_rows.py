"""What is put together has the marks of the language that is spoken."""

import pytest

from bot.languages import Language, speaking
from bot.languages.rows import (
    all_of,
    in_a_row,
    in_clauses,
    in_commas,
    one_behind_the_other,
)


@pytest.mark.parametrize(
    ("language", "row", "commas", "clauses", "both"),
    [
        ("en", "a, b, c", "a, b", "a; b", "a and b"),
        ("zh", "a、b、c", "a，b", "a；b", "a和b"),  # noqa: RUF001 - full-width marks
        ("ja", "a、b、c", "a、b", "a / b", "a、b"),
    ],
)
def test_phrases_stand_in_a_row(
    language: Language, row: str, commas: str, clauses: str, both: str
) -> None:
    with speaking(language):
        assert in_a_row(("a", "b", "c")) == row
        assert in_commas(("a", "b")) == commas
        assert in_clauses(("a", "b")) == clauses
        assert all_of(("a", "b")) == both
        assert (in_a_row(("a",)), in_a_row(())) == ("a", "")
        assert (in_commas(("a",)), in_commas(())) == ("a", "")


def test_only_english_has_a_space_between_sentences() -> None:
    assert one_behind_the_other("It is {so}.", "", "Is it?") == "It is {so}. Is it?"
    assert one_behind_the_other("", "") == ""
    with speaking("zh"):
        assert one_behind_the_other("是的。", "是吗？") == "是的。是吗？"  # noqa: RUF001 - full-width marks
