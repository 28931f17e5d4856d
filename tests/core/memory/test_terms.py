"""Texts taken apart into terms."""

import string

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.core.memory.terms import MOST_TERM_CHARS, stem, terms_of, words_of


@pytest.mark.parametrize(
    "forms",
    [
        "paint paints painted painting",
        "study studies studied studying",
        "bake bakes baked baking",
        "run runs running ran",
        "class classes",
        "box boxes",
        "watch watches watched watching",
        "quick quickly",
        "buy buys buying bought",
        "child children",
        "go goes going went gone",
    ],
)
def test_forms_of_a_word_are_found_by_each_other(forms: str) -> None:
    assert 1 == len({stem(form) for form in forms.split()}), [stem(form) for form in forms.split()]


@pytest.mark.parametrize(
    "pair", ["bus bed", "ring r", "sing s", "red r", "this thing", "business busy"]
)
def test_different_words_stay_different(pair: str) -> None:
    first, second = pair.split()

    assert stem(first) != stem(second)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("Ann's café, twice!", ["ann", "cafe", "twice"]),
        ("naïve Ångström", ["naive", "angstrom"]),
        ("\uff26\uff35\uff2c\uff2c width ﬁt", ["full", "width", "fit"]),
        ("हिन्दी भाषा", ["हिन्दी", "भाषा"]),
        ("Ёлка и йод", ["ёлка", "и", "йод"]),
        ("snake_case-and 3.11", ["snake", "case", "and", "3", "11"]),
        ("", []),
        ("?! 😀", []),
    ],
)
def test_words_of_a_text(text: str, words: list[str]) -> None:
    assert words == words_of(text)


def test_scripts_without_spaces_are_found_by_signs_and_pairs() -> None:
    assert ["花", "生", "虾", "花生", "生虾"] == terms_of("花生虾")
    assert ["go", "语", "言", "语言"] == terms_of("Go语言")
    assert ["치", "과", "치과"] == terms_of("치과")
    assert terms_of("ガラス") == terms_of("ｶﾞﾗｽ")


def test_a_long_word_is_cut() -> None:
    assert [MOST_TERM_CHARS] == [len(term) for term in terms_of("x" * 1_000)]


@given(st.text(max_size=200))
def test_terms_can_stand_in_a_query(text: str) -> None:
    """Nothing in them ends a word for the ASCII tokenizer, or a quoted one."""
    ends = set(string.punctuation + string.whitespace + "\0")

    assert not [term for term in terms_of(text) if not term or ends.intersection(term)]


@given(st.text(max_size=100), st.text(max_size=100))
def test_what_was_written_is_found_as_it_was_written(before: str, after: str) -> None:
    """A text has the terms of each of its lines."""
    both = terms_of(f"{before}\n{after}")

    assert [*terms_of(before), *terms_of(after)] == both
