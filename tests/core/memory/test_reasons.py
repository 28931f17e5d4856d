"""What speaks for a piece is kept in English and said in the reader's language."""

import pytest

from bot.core.memory.reasons import (
    AROUND,
    MEANING,
    NOTHING_BETTER,
    STANDING,
    by_words,
    reasons_in,
    why,
)
from bot.languages import Language, speaking

FOUND = why((by_words(("tea", "green")), AROUND, MEANING))


def test_reasons_are_kept_as_one_english_text() -> None:
    assert FOUND == "words: tea, green; words around it; meaning"
    assert why((NOTHING_BETTER,)) == "nothing better"


@pytest.mark.parametrize(
    ("language", "said"),
    [
        ("en", ["words: tea, green", "words around it", "meaning"]),
        ("zh", ["词：tea, green", "上下文中的词", "含义"]),  # noqa: RUF001 - full-width marks
        ("ja", ["言葉：tea, green", "前後の言葉", "意味"]),  # noqa: RUF001 - full-width marks
    ],
)
def test_each_is_said_in_the_reader_s_language(language: Language, said: list[str]) -> None:
    with speaking(language):
        assert list(reasons_in(FOUND)) == said


def test_what_another_index_gives_as_a_reason_is_said_as_it_is() -> None:
    with speaking("ja"):
        assert list(reasons_in("")) == []
        assert list(reasons_in("a hunch; meaning")) == ["a hunch", "意味"]


def test_a_standing_fact_has_one_reason() -> None:
    for reason in STANDING.values():
        assert list(reasons_in(reason)) == [reason]
