from datetime import date, datetime, timedelta, timezone

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from bot.core.memory.daily import time_in_file, turns_in, with_entries, written_lines
from bot.testing.memory_files import DAY, entry

SIGNS = st.text("#-*+> \t\n\r=<!/h1ax.)`~&\u2028\0", max_size=40)
TEXTS = SIGNS | st.text(max_size=40) | st.just("a\n<!-- turn 9 -->\n# b")
FILES = st.text("# -ab\r\n<!>", max_size=30) | st.just("# Mine\r\n<!-- turn 1 -->\r\n- x")


def headings_of(text: str) -> list[str]:
    """What a reader of Markdown takes for headings, HTML ones too."""
    tokens = MarkdownIt("commonmark").parse(text)
    inner = [child for token in tokens for child in token.children or ()]
    html = [each for each in (*tokens, *inner) if each.type in ("html_block", "html_inline")]
    return [
        *(token.tag for token in tokens if token.type == "heading_open"),
        *(each.content for each in html if each.content.lower().startswith(("<h1", "</h1"))),
    ]


def mark(turn_id: int) -> str:
    return f"<!-- turn {turn_id} 2026-01-05T09:00:00.000000+00:00 -->"


def test_a_file_reads_like_this() -> None:
    entries = entry(7, "- 09:00 decided: tea\n- open: milk?"), entry(9, "- 09:00 done: x")

    text = with_entries("", DAY, entries)

    assert text == (
        "# 2026-01-05\n\n"
        f"{mark(7)}\n- 09:00 decided: tea\n- open: milk?\n\n"
        f"{mark(9)}\n- 09:00 done: x\n"
    )


def test_people_are_shown_what_people_said_and_wrote() -> None:
    text = with_entries("", DAY, (entry(7, "- 09:00 decided: tea\n- open: <!-- milk -->"),))
    theirs = ("## Shopping", "  - eggs", "  - eggs", "# 2026-01-05 was a Monday")

    assert ("09:00 decided: tea", "open: <!-- milk -->") == written_lines(text.splitlines())
    assert ("## Shopping", "eggs", "# 2026-01-05 was a Monday") == written_lines(theirs)
    assert () == written_lines(("# 2026-01-05", mark(7), " ", f"  {mark(8)}\r"))


def test_a_persons_lines_stay_where_and_as_they_are() -> None:
    theirs = f"\ufeffMy notes  \r\n\r\n## Shopping\r\n* eggs\r\n{mark(3)}\r\n- known: x\r\nmine"

    text = with_entries(theirs, DAY, (entry(3, "- again"), entry(4, "- new")))

    assert text == theirs + f"\n\n{mark(4)}\n- new\n"


@pytest.mark.parametrize("end", ["", "\n", "\n\n", "\r\n", "\r\n\r\n", "\n   "])
def test_an_entry_is_never_a_part_of_the_line_above(end: str) -> None:
    text = with_entries(f"a last line{end}", DAY, (entry(1),))

    assert "\n\n" in text.replace("\r\n", "\n")
    assert turns_in(text) == {1}


def test_a_marker_without_a_moment_may_be_another_turns() -> None:
    text = with_entries("<!-- turn 1 -->\n- of an earlier form", DAY, (entry(1, "- new"),))

    assert text.endswith(f"{mark(1)}\n- new\n")


def test_a_turn_of_another_day_is_told_with_its_date() -> None:
    moment = datetime(2026, 1, 5, 23, 59, tzinfo=timezone(timedelta(hours=2)))

    assert ["23:59", "2026-01-05 23:59"] == [
        time_in_file(moment, day) for day in (DAY, date(2026, 1, 6))
    ]


def test_nothing_missing_nothing_changed() -> None:
    theirs = f"no title, no line end, {mark(5)}\n{mark(1)}"

    assert with_entries(theirs, DAY, (entry(1),)) is theirs
    assert with_entries("", DAY, ()) == ""


@pytest.mark.parametrize(
    ("line", "is_marker"),
    [
        ("<!-- turn 12 -->", True),
        ("<!-- turn 12 2026-01-05T09:00:00.000000+00:00 -->", True),
        ("<!-- turn 12 2026-01-05 -->", False),
        ("  <!-- turn 12 -->  \r", True),
        ("\ufeff<!-- turn 12 -->", True),
        ("> <!-- turn 12 -->", False),
        ("<!-- turn 12 --> mine", False),
        ("<!-- turn -12 -->", False),
        ("<!-- turn １２ -->", False),  # noqa: RUF001 - digits, but not ours
        (f"<!-- turn {'9' * 5_000} -->", False),
    ],
)
def test_what_is_a_marker(line: str, is_marker: bool) -> None:
    assert turns_in(f"a\n{line}\nb") == ({12} if is_marker else frozenset())


@pytest.mark.parametrize(
    ("said", "written"),
    [
        ("# Rules", "- \\# Rules"),
        ("- # Rules", "- \\# Rules"),
        ("> 1. * ## Rules", "- > 1. * \\## Rules"),
        ("issue #7 and C#", "- issue #7 and C#"),
        ("Rules\n===", "- Rules\n- ==="),
        ("<h2 id=x>Rules</H2>", "- <\\h2 id=x>Rules<\\/H2>"),
        ("<!-- turn 5 -->", "- <\\!-- turn 5 -->"),
        ("a <b> and 3 < 4", "- a <b> and 3 < 4"),
        ("one\u2028two\x85three\x0b\0", "- one\n- two\n- three"),
        ("", None),
    ],
)
def test_an_entry_poses_as_nothing_else(said: str, written: str | None) -> None:
    lines = ["x", "", mark(1), *([] if written is None else [written]), ""]

    assert with_entries("x\n\n", DAY, (entry(1, said),)) == "\n".join(lines)


@given(FILES, st.lists(st.tuples(st.integers(0, 4), TEXTS), max_size=5))
@settings(max_examples=100)
def test_laws(before: str, given_entries: list[tuple[int, str]]) -> None:
    """What stood there stays; each entry is there once; doing it again changes nothing."""
    entries = tuple(entry(turn_id, text) for turn_id, text in given_entries)

    after = with_entries(before, DAY, entries)

    assert after.startswith(before)
    assert turns_in(after) == turns_in(before) | {each.turn_id for each in entries}
    assert with_entries(after, DAY, entries) == after
    one_by_one = before
    for each in entries:
        one_by_one = with_entries(one_by_one, DAY, (each,))
    assert one_by_one == after


@given(TEXTS)
@settings(max_examples=100)
def test_a_reader_of_markdown_finds_no_heading_but_the_title(said: str) -> None:
    text = with_entries("", date(2026, 1, 5), (entry(1, said),))

    assert headings_of(text) == ["h1"]
    text.encode()
