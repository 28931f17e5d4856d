"""The bot's block in a person's file: whatever surrounds it stays."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bot.core.memory.marks import (
    BEGIN,
    END,
    block_lines,
    is_shrunk,
    merged,
    own_notes,
    with_block,
    without_lines,
)

TEA = ("## Preferences", "", "- 2026-11-30 Likes tea.")
COFFEE = ("## Preferences", "", "- 2026-12-01 Likes coffee.")
WRITTEN = frozenset(TEA)

pieces = st.sampled_from(
    (
        "mine",
        " ",
        "\t",
        "\n",
        "\r\n",
        "\ufeff",
        "# ",
        "- ",
        "<!--",
        "-->",
        "```",
        "茶",
        "\u2028",
        "\r",
    )
)
notes = st.lists(pieces, max_size=12).map("".join)
lines = st.lists(
    st.from_regex(r"- 2026-1[0-2]-[0-2][0-9] [a-z]{1,8}\.", fullmatch=True), max_size=5
).map(tuple)


@given(notes, notes, lines, lines)
@settings(max_examples=100)
def test_mem_3_what_stands_around_the_block_stays(
    before: str, after: str, first: tuple[str, ...], second: tuple[str, ...]
) -> None:
    end = "\r\n" if "\r\n" in before + after else "\n"
    block = end.join((BEGIN, *first, END))
    text = f"{before}\n{block}\n{after}"

    placed = with_block(text, second, frozenset(first))

    assert placed.text.startswith(f"{before}\n<!--")
    assert placed.text.endswith(f"-->\n{after}")
    assert placed.moved_out == 0
    assert block_lines(placed.text) == second
    assert own_notes(placed.text) == own_notes(text) == f"{before}\n\n{after}"


@given(notes, lines)
@settings(max_examples=100)
def test_mem_3_the_first_block_comes_behind_the_notes(text: str, said: tuple[str, ...]) -> None:
    placed = with_block(text, said, None).text

    assert placed.startswith(text)
    assert own_notes(placed).startswith(text)
    assert own_notes(placed)[len(text) :].strip("\r\n") == ""
    assert block_lines(placed) == said
    assert with_block(placed, said, None).text == placed
    assert with_block(text, (), None).text == text


def test_a_block_has_the_line_ends_of_its_file() -> None:
    placed = with_block("\ufeffmine\r\n", TEA, None).text

    assert placed.count("\n") == placed.count("\r\n")
    assert placed.startswith("\ufeffmine\r\n\r\n<!--")


@pytest.mark.parametrize(
    ("text", "left"),
    [
        pytest.param(f"a\n{BEGIN}\n{{}}\nb\n", "a\nb\n", id="the end mark was deleted"),
        pytest.param(f"a\n{{}}\n{END}\nb\n", "a\nb\n", id="the begin mark was deleted"),
        pytest.param("a\n{}\nb\n", "a\nb\n", id="both marks were deleted"),
        pytest.param("a\n" + f"{BEGIN}\n{{}}\n{END}\n" * 2 + "b\n", "a\n\nb\n", id="doubled"),
        pytest.param(
            f"a\n<!-- daybook:begin mine! -->\n{{}}\n{END}\nb\n", "a\nb\n", id="a mark was edited"
        ),
        pytest.param(f"a\n{END}\n{BEGIN}\nb\n", "a\n\nb\n", id="turned round"),
        pytest.param(f"a\n  {BEGIN}  \n{{}}\n\t{END}\nb\n", "a\n  \nb\n", id="indented"),
    ],
)
def test_mem_3_broken_marks_are_mended(text: str, left: str) -> None:
    before = text.replace("{}", "\n".join(TEA))

    placed = with_block(before, COFFEE, WRITTEN)

    assert block_lines(placed.text) == (COFFEE[0], COFFEE[2])
    assert placed.text.count("daybook:begin") == placed.text.count("daybook:end") == 1
    assert "Likes tea" not in placed.text
    assert [line for line in own_notes(placed.text).split("\n") if line.strip()] == ["a", "b"]
    assert with_block(placed.text, COFFEE, WRITTEN).text == placed.text


def test_mem_3_what_a_person_writes_between_the_marks_is_moved_below() -> None:
    inside = "\n".join((BEGIN, *TEA[:2], "- 2026-11-30 Likes no tea!", "mine", END))

    placed = with_block(f"a\n{inside}\nb\n", COFFEE, WRITTEN)

    assert placed.moved_out == 2
    assert block_lines(placed.text) == (COFFEE[0], COFFEE[2])
    _, _, below = placed.text.partition(END)
    assert below == "\n\n- 2026-11-30 Likes no tea!\nmine\nb\n"


def test_without_knowing_what_the_bot_wrote_its_form_tells() -> None:
    inside = "\n".join((BEGIN, *TEA, "mine", END))

    placed = with_block(inside, COFFEE, None)

    assert (placed.moved_out, "Likes tea" in placed.text) == (1, False)
    assert with_block("\n".join(TEA), COFFEE, None).text.startswith("\n".join(TEA))


def test_words_behind_a_mark_are_not_taken_for_one() -> None:
    text = f"{BEGIN} but this is mine\n{END} and this\n"

    assert own_notes(text) == text
    assert with_block(text, TEA, None).text.startswith(text)


@pytest.mark.parametrize(
    ("first", "second", "expected"),
    [
        (f"mine\n\n{BEGIN}\n{END}\n", f"yours\n\n{BEGIN}\nx\n{END}\n", "mine\n\nyours\n\n"),
        (f"{BEGIN}\nx\n{END}\n", "yours\n", "yours\n"),
        ("mine\n", "", "mine\n"),
        ("mine\n", "mine\n\nyours\n", "mine\n\nyours\n"),
    ],
)
def test_notes_of_two_files_become_one(first: str, second: str, expected: str) -> None:
    once = merged(first, second)

    assert once.startswith(expected)
    assert merged(first, once) == once
    assert block_lines(once) == block_lines(second)


def test_a_line_is_forgotten_where_it_says_exactly_that() -> None:
    block = "\n".join((BEGIN, "- 2026-11-30 Ann: Likes tea. (unverified since 2026-10-01)", END))
    text = f"Likes tea.\n- Likes tea.\r\n- 2026-11-29 Likes tea.\nShe says: Likes tea.\n{block}\n"

    left, gone = without_lines(text, ("Likes tea.", ""))

    assert left == f"She says: Likes tea.\n{BEGIN}\n{END}\n"
    assert gone == (
        "Likes tea.",
        "- Likes tea.",
        "- 2026-11-29 Likes tea.",
        "- 2026-11-30 Ann: Likes tea. (unverified since 2026-10-01)",
    )


@given(notes)
def test_nothing_unwanted_is_nothing_removed(text: str) -> None:
    assert without_lines(text, ()) == (text, ())


def test_half_is_where_shrinking_begins() -> None:
    assert not is_shrunk(("abcd",), ("ab",))
    assert is_shrunk(("abcd",), ("a",))
    assert not is_shrunk((), ())
