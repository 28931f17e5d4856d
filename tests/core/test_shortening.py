import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bot.core.shortening import head_and_tail, short_result

WHOLE = "".join(f"{number:07}" for number in range(20_000))
NOTE = re.compile(
    r'\n\[… (\d+) characters are left out here; tool_result_get\(call_id="(.*?)", offset=(\d+)\) '
    r"gives them …\]\n"
)


def gap(count: int) -> str:
    return f"[{count}]"


def test_two_thirds_of_the_room_are_head_and_one_third_tail() -> None:
    assert head_and_tail("abcdefghijklmnop", 13, gap) == "abcdef[7]nop"


@given(st.text(max_size=300), st.integers(0, 200))
@settings(max_examples=100)
def test_a_text_is_never_longer_than_allowed_and_short_ones_stay(text: str, most: int) -> None:
    cut = head_and_tail(text, most, gap)

    assert len(cut) <= most
    assert (cut is text) == (len(text) <= most) or text == ""
    assert head_and_tail(cut, most, gap) is cut


@pytest.mark.parametrize(("chars", "is_cut"), [(19_999, False), (20_000, False), (20_001, True)])
def test_a_result_is_cut_from_the_first_character_too_many_on(chars: int, is_cut: bool) -> None:
    content = WHOLE[:chars]

    cut = short_result(content, 20_000, "call-1")

    assert (cut is not content) == is_cut
    assert 19_900 <= len(cut) <= 20_000


@given(
    st.integers(200, 9_000), st.integers(200, 9_000), st.sampled_from(["c", "toolu_" + "x" * 58])
)
@settings(max_examples=100)
def test_the_note_is_true_of_the_whole_however_often_it_was_cut(
    first: int, second: int, call_id: str
) -> None:
    most = min(first, second)

    cut = short_result(short_result(WHOLE, max(first, second), call_id), most, call_id)

    assert len(cut) <= most
    found = NOTE.search(cut)
    assert found is not None
    head, tail = cut[: found.start()], cut[found.end() :]
    assert found[2] == call_id
    assert int(found[1]) == len(WHOLE) - len(head) - len(tail)
    assert WHOLE[: int(found[3])] == head
    assert WHOLE.endswith(tail)


def test_words_like_a_note_of_another_call_count_for_what_they_are() -> None:
    said = short_result(WHOLE, 1_000, "another") + WHOLE

    found = NOTE.search(short_result(said, 500, "mine"))

    assert found is not None
    assert int(found[1]) > len(WHOLE)
    assert found[2] == "mine"


def test_a_note_that_finds_no_room_is_cut_itself() -> None:
    assert head_and_tail("x" * 100, 2, gap) == "[1"
    assert len(short_result(WHOLE, 50, "call-1")) == 50
