"""Where visible characters end, held against the ``regex`` package's idea of it."""

import pytest
import regex  # type: ignore[import-untyped]  # ships without types
from hypothesis import given
from hypothesis import strategies as st

from bot.core.rendering.graphemes import first_boundary, floor_boundary, is_boundary

JOINED = st.sampled_from(
    [*"aé👩🚀🏽🇩🇪❤1각가각कष \u0301\u200d\ufe0f\u20e3\u094d\u0e33\u0600\r\n\U000e0067\U000e007f"]
)


@pytest.mark.parametrize(
    "character",
    [
        pytest.param("👩\u200d👩\u200d👧\u200d👦", id="joined emoji"),
        pytest.param("🇩🇪", id="flag"),
        pytest.param("👍🏽", id="skin tone"),
        pytest.param("🏴\U000e0067\U000e0062\U000e007f", id="tagged flag"),
        pytest.param("e\u0301\u0323", id="combining marks"),
        pytest.param("1\ufe0f\u20e3", id="keycap"),
        pytest.param("각", id="jamo"),
        pytest.param("ᄀ가", id="jamo before a syllable"),
        pytest.param("각", id="jamo behind a syllable"),
        pytest.param("각ᆨ", id="jamo behind a closed syllable"),
        pytest.param("\u1100\ud7b0", id="extended jamo"),
        pytest.param("क\u094dष", id="conjunct"),
        pytest.param("\r\n", id="line end"),
        pytest.param("\ud83d\ude00", id="two surrogates"),
        pytest.param("\u0600\u0661", id="prepended sign"),
    ],
)
def test_visible_characters_stay_whole(character: str) -> None:
    text = f"x{character}y"

    assert [1, 1 + len(character)] == [
        place for place in range(1, len(text)) if is_boundary(text, place)
    ]


@given(st.lists(JOINED, max_size=12).map("".join))
def test_every_boundary_is_one_of_unicode(text: str) -> None:
    ours = {place for place in range(len(text) + 1) if is_boundary(text, place)}
    theirs = {0, *(match.end() for match in regex.finditer(r"\X", text))}

    assert set() == ours - theirs


@given(st.text(max_size=12))
def test_plain_text_has_the_boundaries_of_unicode(text: str) -> None:
    ours = {place for place in range(len(text) + 1) if is_boundary(text, place)}
    theirs = {0, *(match.end() for match in regex.finditer(r"\X", text))}

    assert set() == ours - theirs


def test_flags_are_counted_from_the_beginning_of_a_part() -> None:
    text = "🇩🇪🇫🇷"

    assert 2 == first_boundary(text, 0)
    assert 2 == floor_boundary(text, 0, 3)
    assert 3 == first_boundary(text, 1)


def test_an_endless_character_is_cut_as_it_comes() -> None:
    endless = "a" + "\u0301" * 5000

    assert 256 == first_boundary(endless, 0)
    assert 4000 == floor_boundary(endless, 0, 4000)
    assert 0 == floor_boundary(endless, 0, 200)
