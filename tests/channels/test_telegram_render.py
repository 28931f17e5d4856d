"""Markdown becomes text and entities that Telegram takes, and nothing gets lost."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bot.api import split_markdown
from bot.testing.telegram_rules import check_text, utf16_units
from bot.testing.texts import FAMILY, long_answer, words_of
from channels.telegram.render import INVISIBLE, Rendered, fits, render


def formatted(rendered: Rendered, kind: str) -> list[str]:
    """List the stretches of one kind of formatting."""
    units = rendered.text.encode("utf-16-le")
    return [
        units[2 * span.offset : 2 * (span.offset + span.length)].decode("utf-16-le")
        for span in rendered.spans
        if span.kind == kind
    ]


@pytest.mark.parametrize(
    ("markdown", "text"),
    [
        ("Vec<T> and Map<K, V>", "Vec<T> and Map<K, V>"),
        ("<div>\nVec<T>\n</div>\n\nafter", "<div>\nVec<T>\n</div>\n\nafter"),
        ("a<br>b <!-- c -->", "a<br>b <!-- c -->"),
        ("$x$ costs $5 and $10", "$x$ costs $5 and $10"),
        ("if a || b || c", "if a || b || c"),
        ("~5 and ~6, ~~gone~~", "~5 and ~6, gone"),
        ("# Title\n\ntext", "Title\n\ntext"),
        ("- a\n- b", "• a\n• b"),
        ("3. c\n4. d", "3. c\n4. d"),
        ("- [x] done\n- [ ] open", "☑ done\n☐ open"),
        ("see [main](src/main.py)", "see main (src/main.py)"),
        ("[src/main.py](src/main.py)", "src/main.py"),
        ("[top](#top)", "top (#top)"),
        ("| a | b |\n|-|-|\n| [l](http://x.org) | 2 |", None),
        ("[1]: http://unused.org\n\n**b**", "[1]: http://unused.org\n\nb"),
        ("see [1]\n\n[1]: http://used.org", "see 1"),
        ("a &amp; b &lt;", "a & b <"),
        ("***", "————————"),
        ("**", "**"),
        ("[]: x", "[]: x"),
        ("```py\n```", "```py\n```"),
        ("**b**\n\n```py\n```", "b"),
        ("\ud83d\ude00 \ud83d", "😀 \N{REPLACEMENT CHARACTER}"),
        (" \n\u200b", INVISIBLE),
        ("", INVISIBLE),
    ],
)
def test_everything_a_reader_of_the_markdown_sees_is_shown(markdown: str, text: str | None) -> None:
    shown = render(markdown).text
    assert shown == text if text is not None else "(http://x.org)" in shown


def test_a_cell_that_the_table_would_drop_keeps_the_markdown() -> None:
    markdown = "| a | b |\n|---|---|\n| 1 | 2 | three |"
    assert render(markdown) == Rendered(text=markdown)


@pytest.mark.parametrize(
    ("markdown", "text"),
    [
        (
            "| Name | Price |\n|:--|--:|\n| a | 1.20 |\n| bb | 112.00 |",
            "Name |  Price\n-----+-------\na    |   1.20\nbb   | 112.00",
        ),
        (
            "| 名前 | x |\n|:-:|---|\n| a | |\n| e\u0301 | y |",
            "名前 | x\n-----+--\n a   |\n e\u0301   | y",
        ),
    ],
)
def test_a_narrow_table_has_columns_and_no_blanks_behind_them(markdown: str, text: str) -> None:
    rendered = render(markdown)
    assert (text, [text]) == (rendered.text, formatted(rendered, "pre"))


def test_a_table_wider_than_a_telephone_is_a_block_of_lines_a_row() -> None:
    rendered = render(
        "Prices:\n\n"
        "| Name | What it *is* | Where |\n|---|---|--:|\n"
        f"| Apples | fresh, `1 < 2`, {'good ' * 6}| [here](https://x.org) |\n"
        "| Pears | | near |\n\n"
        "That is all."
    )
    assert rendered.text == (
        "Prices:\n\n"
        "Name: Apples\nWhat it is: fresh, 1 < 2, good good good good good good\n"
        "Where: here (https://x.org)\n\n"
        "Name: Pears\nWhat it is:\nWhere: near\n\n"
        "That is all."
    )
    assert rendered.spans == ()


def test_the_head_of_a_wide_table_without_rows_is_shown() -> None:
    names = [f"a long name {number}" for number in range(5)]
    assert render(f"| {' | '.join(names)} |\n{'|--' * 5}|").text == "\n".join(names)


def test_formatting_becomes_entities_counted_in_utf16() -> None:
    rendered = render(f"{FAMILY} **bold** _it_ `code` [l](https://x.org)\n\n```py\nx = 1\n```\n> q")
    assert formatted(rendered, "bold") == ["bold"]
    assert formatted(rendered, "italic") == ["it"]
    assert formatted(rendered, "code") == ["code"]
    assert formatted(rendered, "text_link") == ["l"]
    assert formatted(rendered, "pre") == ["x = 1"]
    assert formatted(rendered, "blockquote") == ["q"]
    assert [span.language for span in rendered.spans if span.kind == "pre"] == ["py"]
    assert [span.url for span in rendered.spans if span.kind == "text_link"] == ["https://x.org"]


@pytest.mark.parametrize(
    ("markdown", "text", "bold"),
    [
        ("**你好、**世界", "你好、世界", ["你好、"]),
        ("他说**「好」**吗、**可以。**走", "他说「好」吗、可以。走", ["「好」", "可以。"]),
        (
            "これは**重要「じゅうよう」**です",
            "これは重要「じゅうよう」です",
            ["重要「じゅうよう」"],
        ),
        ("**你好**世界", "你好世界", ["你好"]),
        ("- **注意。**别 `**这、**个`", "• 注意。别 **这、**个", ["注意。"]),
        (r"\*\*你好、\*\*世界", "**你好、**世界", []),
        ("2 ** 3 ** 4, a**b**, f(**kwargs), **(x)**y", None, ["b"]),
        ("```\n**你好、**世界\n```", "**你好、**世界", []),
    ],
)
def test_bold_beside_letters_that_know_no_spaces(
    markdown: str, text: str | None, bold: list[str]
) -> None:
    rendered = render(markdown)
    assert rendered.text == (text or "2 ** 3 ** 4, ab, f(**kwargs), **(x)**y")
    assert formatted(rendered, "bold") == bold


def test_long_quotes_are_not_folded_away() -> None:
    assert {span.kind for span in render("> " + "word " * 100).spans} == {"blockquote"}


@pytest.mark.parametrize(
    "text", ["😀" * 4000, f"{FAMILY} " * 900, "**b** " * 150, long_answer()], ids=str.__len__
)
def test_parts_of_a_long_text_fit_and_hold_all_of_it(text: str) -> None:
    rendered = [render(part) for part in split_markdown(text, fits)]
    assert len(rendered) > 1
    for each in rendered:
        check_text(each.text, [vars_of(each, number) for number in range(len(each.spans))])
    shown = "\n".join(each.text for each in rendered)
    assert words_of(shown) == words_of(text)
    assert shown.count("😀") == text.count("😀")
    assert shown.count(FAMILY) == text.count(FAMILY)


PIECES = st.sampled_from(
    [
        *("word", "字", "😀", "<T>", "<div>", "*", "**", "_", "`", "```", "~", "$", "|", "||"),
        *("[a](b)", "[a]: b", "[a]", "> ", "- ", "1. ", "# ", "\n", "\n\n", "    ", " ", "\\"),
        *("| a | b |\n|--|--|\n| c | d | e |\n", "![i](http://i.org)", "- [x] ", "&amp;", "7"),
    ]
)


@given(st.lists(PIECES, max_size=25).map("".join))
@settings(max_examples=200)
def test_any_markdown_is_sendable_and_shows_its_words(markdown: str) -> None:
    rendered = render(markdown)
    entities = [vars_of(rendered, number) for number in range(len(rendered.spans))]
    if utf16_units(rendered.text) <= 4096:
        check_text(rendered.text, entities)
    seen = rendered.text + " ".join(f"{span.url} {span.language}" for span in rendered.spans)
    for word in ("word", "字", "😀", "<T>", "<div>", "c", "d", "e"):
        assert seen.count(word) >= min(markdown.count(word), 1), word


def vars_of(rendered: Rendered, number: int) -> dict[str, object]:
    """Word a span as the Bot API does."""
    span = rendered.spans[number]
    return {"type": span.kind, "offset": span.offset, "length": span.length}
