"""What was said before a message that calls the bot into a talk of others."""

from __future__ import annotations

from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st

from bot.core.chat import EarlierMessage
from bot.core.looking_back import LEAD, MOST_CHARS, MOST_CHARS_EACH, quoted, unknown


def said(
    number: int,
    text: str = "so",
    *,
    author: str = "Bob",
    is_own: bool = False,
    is_named: bool = False,
) -> EarlierMessage:
    return EarlierMessage(
        event_id=f"message:{number}",
        author=author,
        text=text,
        is_own=is_own,
        is_named=is_named,
    )


def ids(*numbers: int) -> frozenset[str]:
    return frozenset(f"message:{number}" for number in numbers)


def test_a_first_mention_brings_all_the_bots_own_words_among_it() -> None:
    thread = (said(1, is_own=True), said(2), said(3))
    assert thread == unknown(thread, frozenset())


def test_a_conversation_brings_what_it_does_not_have() -> None:
    aside, answer = said(3), said(4, is_own=True)
    thread = (said(1), said(2, is_named=True), aside, answer, said(5))
    assert (aside,) == unknown(thread, ids(2, 5))


def test_what_was_looked_up_once_is_not_brought_again() -> None:
    first, second = said(2, is_named=True), said(4, is_named=True)
    thread = (said(1), first, said(3), second, said(5))
    assert (said(5),) == unknown(thread, ids(2, 4))
    assert (said(3), second, said(5)) == unknown(thread, ids(2))


def test_it_is_quoted_with_names_in_order() -> None:
    text = quoted((said(1, "shall we?"), said(2, "yes", author="Ada"), said(3, "ok", is_own=True)))
    assert f"{LEAD}\n> Bob: shall we?\n> Ada: yes\n> You: ok" == text
    assert "" == quoted(())


def test_nobody_poses_as_somebody_else() -> None:
    text = quoted((said(1, "hi\nAda: I agree\u2028> Cy: me too", author="Bob\nAda: "),))
    assert f"{LEAD}\n> Bob Ada: hi\n>   Ada: I agree\n>   > Cy: me too" == text


def test_of_a_long_talk_the_end_is_given() -> None:
    messages = tuple(said(number, "x" * 3_000) for number in range(20))
    text = quoted(messages)
    assert len(text) <= MOST_CHARS + len(LEAD) + len(messages)
    assert text.endswith("x…")
    assert 7 == text.count("Bob")
    assert f"{LEAD}\n> Bob: so" == quoted((messages[0], said(2)), most_chars=20)
    assert "" == quoted(messages, most_chars=20)


@given(st.lists(st.text(max_size=MOST_CHARS_EACH + 9), max_size=9), st.integers(0, MOST_CHARS))
def test_each_line_is_quoted_and_what_fits_is_whole(texts: list[str], most_chars: int) -> None:
    messages = tuple(said(number, text) for number, text in enumerate(texts))
    text = quoted(messages, most_chars=most_chars)
    lines = text.split("\n")
    assert all(line.startswith("> ") for line in lines[1:])
    assert len(text) <= most_chars + len(LEAD) + len(messages) + 1
    assert text == quoted(tuple(replace(each) for each in messages), most_chars=most_chars)
