"""How long texts are cut: examples of what a reader sees."""

import pytest

from bot.core.rendering import split_markdown


def split(text: str, limit: int) -> tuple[str, ...]:
    return split_markdown(text, lambda part: len(part) <= limit)


@pytest.mark.parametrize("text", ["", " ", "\n\n", " \t\r\n\u3000"])
def test_nothing_to_see_gives_no_part(text: str) -> None:
    assert () == split(text, 10)


def test_a_text_that_fits_stays_as_it_is() -> None:
    assert ("    code\n\ntext  more",) == split("\n \n    code\n\ntext  more\n\n", 100)


def test_blocks_stay_whole() -> None:
    assert ("one two.", "three four.\nfive.", "six.") == split(
        "one two.\n\nthree four.\nfive.\n\nsix.", 20
    )


def test_a_long_paragraph_is_cut_at_its_lines() -> None:
    assert ("one two\nthree", "four five\nsix") == split("one two\nthree\nfour five\nsix", 14)


def test_a_long_line_is_cut_behind_a_sentence_else_behind_a_word() -> None:
    assert ("One two three.", "Four five six", "seven.") == split(
        "One two three. Four five six seven.", 16
    )


def test_a_long_word_is_cut_where_the_limit_is() -> None:
    assert ("aaaa", "aaaa", "aa") == split("a" * 10, 4)


def test_east_asian_text_is_cut_behind_its_marks() -> None:
    assert ("今天天气很好。", "我们去公园吧,好", "不好?") == split(
        "今天天气很好。我们去公园吧,好不好?", 8
    )


def test_punctuation_does_not_begin_a_part() -> None:
    assert ("今天天气很", "好。") == split("今天天气很好。", 6)


def test_joined_emoji_stay_whole() -> None:
    family = "👩\u200d👩\u200d👧\u200d👦"

    assert (family * 2, family) == split(family * 3, 20)


def test_code_points_are_the_last_resort() -> None:
    assert ("e", "\u0301", "x") == split("e\u0301x", 1)
    assert ("x", "y", "z") == split_markdown("xyz", lambda part: not part)


def test_a_fence_is_closed_and_opened_again() -> None:
    text = "Look:\n\n```py\n" + "\n".join(f"line_{n}()" for n in range(5)) + "\n```\n\nDone."

    assert (
        "Look:\n\n```py\nline_0()\nline_1()\n```",
        "```py\nline_2()\nline_3()\nline_4()\n```",
        "Done.",
    ) == split(text, 40)


def test_a_fence_around_fences_keeps_its_marks() -> None:
    assert ("````md\n```\na\n````", "````md\nb\n```\n````") == split(
        "````md\n```\na\nb\n```\n````", 18
    )


def test_a_fence_in_a_list_stays_one() -> None:
    assert ("- one", "~~~ x\na\n~~~", "~~~ x\nb\n~~~", "- two") == split(
        "- one\n\n  ~~~ x\n  a\n  b\n  ~~~\n- two", 12
    )


def test_a_fence_in_a_quote_stays_one() -> None:
    assert ("> ```\n> aa\n> ```", "> ```\n> bb\n> ```") == split("> ```\n> aa\n> bb\n> ```", 18)


def test_a_long_line_of_code_in_a_quote_stays_in_both() -> None:
    assert ("> ```\n> aa \n> ```", "> ```\n> bb\n> ```") == split("> ```\n> aa bb\n> ```", 18)


def test_code_is_cut_at_a_gap_if_one_is_near() -> None:
    before = "\n".join(f"a_{n} = 1" for n in range(5))

    assert (f"```\n{before}\n\n```", "```\nb = 4\nc = 5\n```") == split(
        f"```\n{before}\n\nb = 4\nc = 5\n```", 56
    )


def test_a_long_line_of_code_is_cut_and_keeps_its_spaces() -> None:
    assert ("```\nabc  \n```", "```\ndef \n```", "```\nghi\n```") == split(
        "```\nabc  def ghi\n```", 14
    )


def test_a_fence_without_its_end_is_cut_all_the_same() -> None:
    assert ("```\naaaa\n```", "```\nbbbb") == split("```\naaaa\nbbbb", 12)


def test_a_long_end_of_a_fence_is_as_good_as_a_short_one() -> None:
    assert ("```\naaaa\n```", "```\nbbbb\n``````````") == split("```\naaaa\nbbbb\n``````````", 20)
    assert ("```\naaaa\n```",) == split("```\naaaa\n``````````", 14)


def test_a_language_that_leaves_no_room_is_not_repeated() -> None:
    opening = "```" + "x" * 14

    assert (f"{opening}\n```", "```\naaaaaaa\nb\n```") == split(f"{opening}\naaaaaaa\nb\n```", 22)


def test_a_fence_that_leaves_no_room_is_left_out() -> None:
    parts = split("```\nabcdefgh\n```", 5)

    assert all(len(part) <= 5 for part in parts)
    assert "abcdefgh" in "".join(parts)


def test_a_table_gets_its_header_again() -> None:
    head = "| a | b |\n|---|---|\n"

    assert (f"{head}| 1 | 2 |\n| 3 | 4 |", f"{head}| 5 | 6 |") == split(
        f"{head}| 1 | 2 |\n| 3 | 4 |\n| 5 | 6 |", 40
    )


def test_a_header_that_leaves_no_room_is_not_repeated() -> None:
    head = "| a long header |\n|---|"

    assert (head, "| 1 |\n| 2 |\n| 3 |") == split(f"{head}\n| 1 |\n| 2 |\n| 3 |", 24)


def test_a_heading_stays_with_what_it_is_above() -> None:
    assert ("text text.", "# One\n\nmore more.") == split("text text.\n\n# One\n\nmore more.", 20)
    assert ("text text.", "Two\n---\nmore more.") == split("text text.\n\nTwo\n---\nmore more.", 20)


def test_a_heading_above_what_must_be_cut_is_not_alone() -> None:
    assert ("# One\n\naaa bbb", "ccc ddd") == split("# One\n\naaa bbb ccc ddd", 15)


def test_a_first_line_of_code_that_fits_is_not_cut_to_stay_with_a_heading() -> None:
    assert ("# A heading", "```\nab cd\nef gh\n```") == split(
        "# A heading\n```\nab cd\nef gh\n```", 22
    )


def test_headings_only_are_cut_somewhere() -> None:
    assert ("# a\n# b", "# c\n# d") == split("# a\n# b\n# c\n# d", 8)


def test_list_items_stay_whole() -> None:
    assert ("- one two\n- three", "- four five six", "- seven") == split(
        "- one two\n- three\n- four five six\n- seven", 18
    )


def test_what_comes_out_of_a_list_is_not_indented_like_code() -> None:
    text = "- outer text\n  - inner a\n  - inner b\n    - deep\n  - inner c\n- last"

    assert ("- outer text\n  - inner a", "- inner b\n  - deep\n- inner c", "- last") == split(
        text, 28
    )


def test_tabs_that_indent_a_list_count_as_columns() -> None:
    assert ("- outer text", "  - inner a b\n  \tc\td") == split(
        "- outer text\n\t- inner a b\n\t\tc\td", 22
    )


def test_the_item_after_the_rest_of_one_stays_an_item() -> None:
    assert ("1. alpha beta", "gamma\n\n2. delta") == split("1. alpha beta gamma\n2. delta", 16)


def test_the_rest_of_a_quoted_line_is_quoted() -> None:
    assert ("> alpha beta", "> gamma delta") == split("> alpha beta gamma delta", 14)


def test_the_empty_lines_of_a_quote_do_not_end_a_part() -> None:
    assert ("> alpha beta", "> gamma delta") == split("> alpha beta\n>\n> gamma delta", 15)


@pytest.mark.parametrize(
    "kept",
    [
        pytest.param("`some code`", id="code"),
        pytest.param("`` a ` tick ``", id="code with ticks"),
        pytest.param("**some bold**", id="bold"),
        pytest.param("~~struck out~~", id="struck out"),
        pytest.param("[some text](http://x)", id="link"),
        pytest.param("**bold `code a` on**", id="nested"),
    ],
)
def test_inline_markup_is_not_taken_apart(kept: str) -> None:
    assert any(kept in part for part in split(f"alpha beta gamma delta {kept} end", 30))


@pytest.mark.parametrize(
    "text",
    [
        pytest.param("alpha ` beta gamma delta epsilon", id="lone tick"),
        pytest.param("alpha 2 * 3 * 4 gamma delta eps", id="products"),
        pytest.param("alpha snake_case and other_name x", id="snake case"),
        pytest.param("alpha [ beta ]( gamma delta eps", id="broken link"),
        pytest.param("alpha ]( beta ) gamma delta eps", id="no link"),
        pytest.param(r"alpha \*beta gamma\* delta epsil", id="escaped"),
    ],
)
def test_marks_that_mean_nothing_do_not_hinder(text: str) -> None:
    assert text.split() == " ".join(split(text, 16)).split()


def test_no_part_begins_like_a_list_by_accident() -> None:
    assert ("alpha 5 - 3 is", "two and more") == split("alpha 5 - 3 is two and more", 15)
    assert ("alpha beta", "5 - 3 is two") == split("alpha beta 5 - 3 is two", 12)


def test_no_line_of_a_part_becomes_a_list_by_accident() -> None:
    assert ("alpha", "beta gamma\n2.", "delta") == split("alpha\nbeta gamma\n2. delta", 15)


def test_a_place_within_a_character_is_no_place() -> None:
    assert ("你\u0301", "你\u0301") == split("你\u0301你\u0301", 3)


def test_a_text_of_marks_only_is_cut_anyhow() -> None:
    assert "*" * 30 == "".join(split("*" * 30, 8))
