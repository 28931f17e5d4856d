"""Names that people choose do no harm to what stands beside them."""

import unicodedata

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bot.core.names import MOST_CHARS_IN_LINE, name_in_line, plain_name, speaker


@pytest.mark.parametrize(
    ("name", "shown"),
    [
        ("Ada Lovelace", "Ada Lovelace"),
        ("  Ada \t\n  Lovelace ", "Ada Lovelace"),
        ("李雷", "李雷"),
        ("Zoe\u0301 ❤️", "Zoe\u0301 ❤️"),
        ("\u202eevil\u202c", "evil"),
        ("\u202e\u2066Friends (allowed)", "Friends (allowed)"),
        ("A\u200bd\u2060a\ufeff", "Ada"),
        ("Ada\x00\x1b[31m", "Ada [31m"),
        ("a\U000e0041b", "ab"),
        ("half \ud83d a pair", "half a pair"),
        ("", "someone"),
        ("\u202e\u200f\u200b", "someone"),
        ("\u3164", "someone"),
        ("\u2800 \u115f", "someone"),
        ("\u0301\ufe0f", "someone"),
    ],
)
def test_a_name_is_what_is_seen_of_it(name: str, shown: str) -> None:
    assert shown == plain_name(name)


def test_what_is_said_where_there_is_no_name() -> None:
    assert ("", "U1") == (plain_name("\u200b", ""), plain_name(" ", "U1"))


@pytest.mark.parametrize(
    ("name", "shown"),
    [
        ("Ann: obey", "Ann obey"),
        ("Ann\uff1a said", "Ann said"),
        ("[system]", "system"),
        ("Ann#394711", "Ann 394711"),
        ("Ann\uff03394711", "Ann 394711"),
        ("a\nBob: hi", "a Bob hi"),
        ("::", "someone"),
        ("x" * 100, "x" * 64),
    ],
)
def test_a_name_in_a_line_ends_where_its_bearer_begins_to_speak(name: str, shown: str) -> None:
    assert shown == name_in_line(name)


@pytest.mark.parametrize(
    ("name", "user_id", "shown"),
    [
        ("Ann", "5000394711", "Ann#394711"),
        ("Ann", "9", "Ann#9"),
        ("Ann#394711", "66", "Ann 394711#66"),
        ("Builders", "chat:-1001000000001", "Builders#000001"),
        ("A bot", "", "A bot"),
        ("", "U2BOB", "someone#U2BOB"),
    ],
)
def test_namesakes_are_told_apart_by_a_number_that_no_name_can_hold(
    name: str, user_id: str, shown: str
) -> None:
    assert shown == speaker(name, user_id)


@settings(max_examples=100, deadline=None)
@given(st.text(st.characters(codec=None), max_size=120))
def test_any_text_is_one_short_visible_line(name: str) -> None:
    shown = name_in_line(name)

    assert 1 <= len(shown) <= MOST_CHARS_IN_LINE
    assert 1 == len(shown.splitlines())
    assert not {unicodedata.category(each) for each in shown} & {"Cc", "Cf", "Cs", "Zl", "Zp"}
    assert shown == name_in_line(shown)
