"""What the lines of a Markdown text are, held against a parser of the whole language."""

import pyromark
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bot.core.rendering.lines import Line, scan_lines
from bot.testing.strategies import markdown_documents

PREFIXES = st.sampled_from(["", "  ", "   ", "    ", "\t", "> ", ">", "> > ", "- ", "  - ", "1. "])
CONTENTS = st.sampled_from(
    (
        *("text", "more words", "", "# h", "---", "===", "* * *", "    code"),
        *("```", "````", "~~~", "```py", "``` x`", "```\tx"),
        *("- ", "1. x", "2. x"),
    )
)
LINES = st.builds(str.__add__, PREFIXES, CONTENTS)


def kinds(text: str) -> list[str]:
    return [line.kind for line in scan_lines(text)]


def is_seen(text: str, line: Line) -> bool:
    return bool(text[line.start : line.end].strip(" \t>\r\n"))


def fenced_lines_by_pyromark(text: str) -> set[int]:
    fenced: set[int] = set()
    lines = scan_lines(text)
    for event, span in pyromark.events_with_range(text):
        match event:
            case {"Start": {"CodeBlock": {"Fenced": _}}}:
                fenced |= {
                    index
                    for index, line in enumerate(lines)
                    if line.start < span["end"] and line.end > span["start"] and is_seen(text, line)
                }
    return fenced


@given(st.lists(LINES, max_size=7).map(lambda lines: "\n".join([*lines, "end"])))
def test_fences_are_found_where_commonmark_has_them(text: str) -> None:
    ours = {
        index
        for index, line in enumerate(scan_lines(text))
        if line.fence is not None and is_seen(text, line)
    }

    assert fenced_lines_by_pyromark(text) == ours


@settings(max_examples=50)
@given(st.one_of(st.text(alphabet="a \t\r\n>-#`~|:1.", max_size=40), markdown_documents()))
def test_lines_lie_end_to_end(text: str) -> None:
    lines = scan_lines(text)

    assert text == "".join(text[line.start : line.end] for line in lines)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("# h\n\ntext", ["heading", "blank", "prose"]),
        ("title\n===\ntext", ["prose", "underline", "prose"]),
        ("text\n---", ["prose", "underline"]),
        ("text\n\n---", ["prose", "blank", "rule"]),
        ("- a\n- b\n  more", ["item", "item", "prose"]),
        ("text\n2. no list", ["prose", "prose"]),
        ("text\n1. a list", ["prose", "item"]),
        ("-\n\n  apart", ["item", "blank", "prose"]),
        ("text\n\n    code", ["prose", "blank", "indented"]),
        ("- a\n\n      code", ["item", "blank", "indented"]),
        ("~~~\n```\n~~~", ["fence_open", "code", "fence_close"]),
        ("````\n```\n````", ["fence_open", "code", "fence_close"]),
        ("```\n    ```\n```", ["fence_open", "code", "fence_close"]),
        ("> ```\nout", ["fence_open", "prose"]),
        ("- ```\n  code\nout", ["fence_open", "code", "prose"]),
        ("> a\nlazy\n> b", ["prose", "prose", "prose"]),
        ("a|b\n-|-\n1|2\n\nout", ["table_head", "table_rule", "row", "blank", "prose"]),
        ("text\n| a |\n|:-:|\n| 1 |", ["prose", "table_head", "table_rule", "row"]),
        ("- | a |\n  |---|\n  | 1 |", ["table_head", "table_rule", "row"]),
        ("| a \\| b |\n|---|\n| 1 |\n# h", ["table_head", "table_rule", "row", "heading"]),
        ("| a | b |\n|---|", ["prose", "prose"]),
        ("a\rb\r\nc", ["prose", "prose", "prose"]),
    ],
)
def test_kinds(text: str, expected: list[str]) -> None:
    assert expected == kinds(text)


def test_a_lazy_line_stays_in_its_containers() -> None:
    first, lazy = scan_lines("> - a\nlazy")

    assert first.containers == lazy.containers
    assert () == lazy.continued


def test_deep_nesting_ends_somewhere() -> None:
    (line,) = scan_lines("> " * 1000)

    assert 32 == len(line.containers)
