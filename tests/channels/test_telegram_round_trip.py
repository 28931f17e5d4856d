"""Five hundred random documents: what a reader of the Markdown sees, a person on Telegram sees."""

from __future__ import annotations

import re
from itertools import combinations

import pytest

from bot.api import split_markdown
from bot.testing.markdown_documents import markdown_document, seen_in
from bot.testing.telegram_rules import check_text, utf16_units
from channels.telegram.outgoing import entities_of
from channels.telegram.render import Rendered, Span, fits, render
from channels.telegram.tables import MOST_COLUMNS

DOCUMENTS = 500
LONG_DOCUMENTS = 40
GROUPS = 4
"""Into how many tests they are shared out, for those who run tests side by side."""

DECORATION = re.compile(r"[\s•☐☑🖼|+—-]|\[[x ]\]")
"""What a rendering adds or leaves out: space, and the marks of lists, tables and rules."""


def essence(text: str) -> str:
    return DECORATION.sub("", text)


def stretches(rendered: Rendered, kind: str) -> list[str]:
    units = rendered.text.encode("utf-16-le")
    return [
        units[2 * span.offset : 2 * (span.offset + span.length)].decode("utf-16-le")
        for span in rendered.spans
        if span.kind == kind
    ]


def are_nested(first: Span, second: Span) -> bool:
    """Tell whether two spans do not cross; ``first`` begins no later than ``second``."""
    end, other_end = first.offset + first.length, second.offset + second.length
    return second.offset >= end or other_end <= end


def check_part(part: Rendered) -> None:
    """Telegram would take it: its length, its spans, and that none of them cross."""
    check_text(part.text, entities_of(part))
    assert utf16_units(part.text) <= 4096
    spans = sorted(part.spans, key=lambda span: (span.offset, -span.length))
    assert all(are_nested(first, second) for first, second in combinations(spans, 2))


@pytest.mark.parametrize("group", range(GROUPS))
def test_nothing_a_reader_sees_is_lost_and_nothing_is_added(group: int) -> None:
    for seed in range(group, DOCUMENTS, GROUPS):
        markdown = markdown_document(seed)
        seen, rendered = seen_in(markdown, most_columns=MOST_COLUMNS), render(markdown)
        pre = stretches(rendered, "pre")

        assert (seed, essence(seen.text)) == (seed, essence(rendered.text))
        assert (seed, list(seen.blocks)) == (seed, [each for each in pre if "begin" in each])
        assert (seed, list(seen.inline)) == (seed, stretches(rendered, "code"))
        for part in split_markdown(markdown, fits):
            check_part(render(part))


@pytest.mark.parametrize("group", range(GROUPS))
def test_long_documents_are_cut_without_a_loss(group: int) -> None:
    for seed in range(group, LONG_DOCUMENTS, GROUPS):
        markdown = markdown_document(seed, blocks=60)
        seen = seen_in(markdown, most_columns=MOST_COLUMNS)
        parts = [render(part) for part in split_markdown(markdown, fits)]
        code = [
            line for part in parts for each in stretches(part, "pre") for line in each.split("\n")
        ]

        assert len(parts) > 1 or len(markdown) < 6000
        for part in parts:
            check_part(part)
        assert (seed, essence(seen.text)) == (seed, essence("".join(part.text for part in parts)))
        assert {line for block in seen.blocks for line in block.split("\n")} <= set(code)
