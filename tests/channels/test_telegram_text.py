"""Text of people: what they see stays, what makes links and code is added, names go."""

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from telegram import MessageEntity

from channels.telegram.text import Span, as_markdown
from channels.telegram.utf16 import cut_utf16, utf16_length, well_formed


def marked(
    kind: str, offset: int, length: int, *, url: str | None = None, language: str | None = None
) -> MessageEntity:
    return MessageEntity(type=kind, offset=offset, length=length, url=url, language=language)


@pytest.mark.parametrize(
    ("text", "entities", "expected"),
    [
        ("plain *text* `as is`", [], "plain *text* `as is`"),
        ("bold", [marked("bold", 0, 4)], "bold"),
        ("👍 run", [marked("code", 3, 3)], "👍 `run`"),
        ("a`b", [marked("code", 0, 3)], "``a`b``"),
        ("`", [marked("code", 0, 1)], "`` ` ``"),
        ("ab", [marked("code", 0, 1), marked("code", 1, 1)], "`a``b`"),
        ("x", [marked("pre", 0, 1)], "```\nx\n```"),
        ("see x now", [marked("pre", 4, 1, language="sh")], "see \n```sh\nx\n```\n now"),
        ("x\n", [marked("pre", 0, 2)], "```\nx\n```"),
        ("```", [marked("pre", 0, 3)], "````\n```\n````"),
        ("here", [marked("text_link", 0, 4, url="https://a.org/b")], "[here](https://a.org/b)"),
        ("b", [marked("text_link", 0, 1, url="https://a.org/(b)")], "[b](<https://a.org/(b)>)"),
        ("ab", [marked("code", 0, 2), marked("pre", 1, 1)], "`ab`"),
        ("ab", [marked("code", 1, 9), marked("code", 0, 0)], "ab"),
    ],
)
def test_examples(text: str, entities: list[MessageEntity], expected: str) -> None:
    assert as_markdown(text, entities) == expected


def test_a_name_goes_and_the_marks_around_it_stay() -> None:
    entities = [marked("code", 0, 2), marked("code", 8, 2)]
    assert as_markdown("ls @bot ps", entities, [Span(offset=3, length=4)]) == "`ls` `ps`"
    assert as_markdown("@bot ps", [marked("code", 5, 2)], [Span(offset=0, length=4)]) == "`ps`"


KINDS = ("code", "pre", "text_link", "bold", "spoiler")
WORDS = st.text(st.sampled_from("ab \n👍é`[]_*"), max_size=12)


@st.composite
def formatted(draw: st.DrawFn) -> tuple[str, list[MessageEntity]]:
    """Make a text of pieces, each plain or marked as a whole."""
    text, entities = "", []
    for piece in draw(st.lists(WORDS, max_size=6)):
        if piece and draw(st.booleans()):
            kind = draw(st.sampled_from(KINDS))
            url = "https://a.org" if kind == "text_link" else None
            entities.append(marked(kind, utf16_length(text), utf16_length(piece), url=url))
        text += piece
    return text, entities


def without_marks(text: str) -> str:
    """Leave what is neither a mark nor a space."""
    return re.sub(r"\]\(https://a\.org\)|[`\[\]\s]", "", text)


@given(formatted())
@settings(max_examples=100)
def test_visible_text_is_unchanged(given_text: tuple[str, list[MessageEntity]]) -> None:
    text, entities = given_text
    assert without_marks(as_markdown(text, entities)) == without_marks(text)
    plain = [each for each in entities if each.type in ("bold", "spoiler")]
    assert as_markdown(text, plain) == text


@given(formatted())
@settings(max_examples=100)
def test_code_is_kept_letter_for_letter(given_text: tuple[str, list[MessageEntity]]) -> None:
    text, entities = given_text
    told = as_markdown(text, entities)
    for entity in entities:
        if entity.type in ("code", "pre"):
            assert cut_utf16(text, entity.offset, entity.length)[1] in told


@given(st.text(), st.integers(-2, 9), st.integers(-2, 9), st.sampled_from(KINDS))
@settings(max_examples=100)
def test_any_entity_on_any_text_loses_nothing(
    text: str, offset: int, length: int, kind: str
) -> None:
    told = iter(as_markdown(text, [marked(kind, offset, length)]))
    assert all(character in told for character in well_formed(text))
