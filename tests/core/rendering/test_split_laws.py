"""What holds of every text that is cut, seen through a Markdown parser of others."""

import re
from collections.abc import Callable, Iterable

import pyromark
import pytest
import regex  # type: ignore[import-untyped]  # ships without types
from hypothesis import given, settings
from hypothesis import strategies as st

from bot.core.rendering import split_markdown
from bot.testing.strategies import markdown_documents

HEAD = "| name | value |\n|---|:-:|\n"
AWKWARD = st.text(alphabet="ab \t\n\r`~#->|*_[]()1.\\é\u0301\u200d👩🇩🇪你。", max_size=120)


def utf16_length(text: str) -> int:
    return len(text.encode("utf-16-le")) // 2


def at_most(limit: int) -> Callable[[str], bool]:
    return lambda part: utf16_length(part) <= limit


def seen(text: str) -> str:
    """Say what a reader sees: all text and code, without white space and markup."""
    pieces: list[str] = []
    for event in pyromark.events(text):
        match event:
            case {"Text": str(piece)} | {"Code": str(piece)}:
                pieces.append(piece)
    return "".join("".join(pieces).split())


def without_space(text: str) -> str:
    return "".join(text.split())


def is_subsequence(small: str, large: Iterable[str]) -> bool:
    rest = iter(large)
    return all(character in rest for character in small)


@given(markdown_documents(with_tables=False), st.integers(150, 400))
def test_a_reader_sees_the_same(text: str, limit: int) -> None:
    parts = split_markdown(text, at_most(limit))

    assert seen(text) == "".join(seen(part) for part in parts)


@given(st.one_of(markdown_documents(), AWKWARD, st.text(max_size=80)), st.integers(1, 60))
def test_every_part_fits_and_no_character_is_lost(text: str, limit: int) -> None:
    parts = split_markdown(text, at_most(limit))

    assert [] == [part for part in parts if utf16_length(part) > limit and len(part) > 1]
    assert [] == [part for part in parts if not part.strip()]
    assert is_subsequence(re.sub(r"[\s`~>]", "", text), "".join(parts))


@given(st.text(alphabet="ab \n.é\u0301\u200d\ufe0f👩🚀🏽🇩🇪ᄀ각क\u094d你。", max_size=120))
def test_visible_characters_stay_whole(text: str) -> None:
    parts = split_markdown(text, at_most(40))
    longest = max((utf16_length(each) for each in regex.findall(r"\X", text)), default=0)

    if longest <= 40:
        assert [each for each in regex.findall(r"\X", text) if each.strip()] == [
            each for part in parts for each in regex.findall(r"\X", part) if each.strip()
        ]


@settings(max_examples=30)
@given(markdown_documents())
def test_what_fits_is_one_part(text: str) -> None:
    assert (text.strip("\n"),) == split_markdown(text, at_most(10_000))


@given(st.text(alphabet="ab.1\n ", max_size=200), st.integers(5, 50))
def test_plain_text_loses_but_white_space(text: str, limit: int) -> None:
    parts = split_markdown(text, at_most(limit))

    assert without_space(text) == without_space("".join(parts))


@given(
    st.sampled_from(["```", "~~~~", "  ```"]),
    st.sampled_from(["", "py", "js title=x"]),
    st.lists(st.text(alphabet="xy #->|`", max_size=15), min_size=1, max_size=20),
)
def test_lines_of_code_come_in_order_and_fenced(
    marks: str, language: str, lines: list[str]
) -> None:
    lines = [line for line in lines if "```" not in line] or ["x"]
    opening = marks + language
    parts = split_markdown("\n".join([opening, *lines, marks]), at_most(50))

    assert all(part.startswith(opening) and part.endswith(f"\n{marks}") for part in parts)
    assert lines == [line for part in parts for line in part.split("\n")[1:-1]]


@given(st.lists(st.sampled_from(["| a | 1 |", "| two words | 22 |", "| 你好 | |"]), min_size=1))
def test_rows_come_in_order_under_their_header(rows: list[str]) -> None:
    parts = split_markdown(HEAD + "\n".join(rows), at_most(70))

    assert all(part.startswith(HEAD) for part in parts)
    assert rows == [row for part in parts for row in part.split("\n")[2:]]


@given(
    st.lists(
        st.one_of(
            st.just("word " * 12 + "end."),
            st.just("```py\n" + "code(1)\n" * 6 + "```"),
            st.just(HEAD + "| 1 | 2 |\n| 3 | 4 |"),
            st.just("- one\n- two\n- three\n  - four"),
            st.just("# Title\n\nText below."),
        ),
        max_size=8,
    )
)
def test_what_fits_is_not_cut(blocks: list[str]) -> None:
    parts = split_markdown("\n\n".join(blocks), at_most(80))

    assert [] == [block for block in blocks if not any(block in part for part in parts)]


LONG_TEXTS = {
    "one line": "word " * 200_000,
    "code": "```py\n" + "x = compute(1, 2)\n" * 55_000 + "```",
    "paragraphs": "\n\n".join(["Lorem ipsum dolor sit amet. " * 20] * 180),
    "one word": "a" * 100_000,
    "table": HEAD + "| c | d |\n" * 10_000,
    "nested list": "".join("  " * (n % 8) + "- item\n" for n in range(7_000)),
    "quote marks": "> " * 50_000,
    "list marks": "- " * 50_000,
    "brackets": "[" * 100_000,
    "combining marks": "a" + "\u0301" * 100_000,
}


@pytest.mark.parametrize("name", LONG_TEXTS)
def test_a_very_long_text_takes_few_measurements(name: str) -> None:
    text = LONG_TEXTS[name]
    lengths: list[int] = []

    def fits(part: str) -> bool:
        lengths.append(len(part))
        return len(part) <= 4096

    parts = split_markdown(text, fits)

    assert len(lengths) <= 13 * len(parts)
    assert sum(lengths) <= 15 * len(text)
