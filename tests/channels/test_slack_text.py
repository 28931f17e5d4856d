"""Slack's markup in, harmless Markdown out."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.testing.channels import UNUSUAL_TEXTS, long_answer, words_of
from channels.slack.text import (
    MAX_FALLBACK_BYTES,
    MAX_MARKDOWN_CHARS,
    decode,
    escape,
    escaped_beginning,
    fallback,
    mentioned_users,
    shortened,
    split,
)

CONTROL = re.compile(r"<(?!https?://|mailto:)")


def decoded(text: str) -> str:
    return decode(text, bot_user_id="U0BOT", names={"U1ADA": "Ada"})


@pytest.mark.parametrize(
    ("raw", "shown"),
    [
        ("<@U1ADA> and <@U2BOB> and <@U3|carol>", "@Ada and @U2BOB and @carol"),
        ("see <#C1ROOM|room>, not <#C2OPS>", "see #room, not #C2OPS"),
        ("<!here> <!channel> <!everyone|x>", "@here @channel @everyone"),
        ("<!subteam^S1|@team> <!date^1^{date}|Monday>", "@team Monday"),
        ("<https://a.example/?x=1&amp;y=2>", "https://a.example/?x=1&y=2"),
        ("<http://a.example|a.example>", "a.example"),
        ("<mailto:a@a.example|a@a.example>", "a@a.example"),
        ("<https://a.example|the page>", "[the page](https://a.example)"),
        ("1 &lt; 2 &amp;&amp; Vec&lt;T&gt;", "1 < 2 && Vec<T>"),
        ("&amp;lt; stays", "&lt; stays"),
        ("<@U0BOT> hello", "hello"),
        ("<@U0BOT|daybook>: hello", "hello"),
        ("hello <@U0BOT>, you", "hello, you"),
        ("<@U0BOT>", ""),
        ("!context clear", "!context clear"),
        ("<@U0BOT> !context", "!context"),
        ("<@U0BOT> /context", "/context"),
        ("!!! and !important", "!!! and !important"),
        ("so !important", "so !important"),
        ("zwei\nZeilen ", "zwei\nZeilen"),
    ],
)
def test_markup_is_decoded(raw: str, shown: str) -> None:
    assert decoded(raw) == shown


def test_mentions_are_found() -> None:
    assert mentioned_users("<@U1ADA> <@W2|x> <#C1> @U3") == {"U1ADA", "W2"}


@pytest.mark.parametrize(
    ("markdown", "sent"),
    [
        ("<!channel> <@U1ADA>", "&lt;!channel&gt; &lt;@U1ADA&gt;"),
        ("Vec<T> & a > b", "Vec&lt;T&gt; & a &gt; b"),
        ("<https://a.example/?x=1&y=2>", "<https://a.example/?x=1&y=2>"),
        ("<https://a.example|<!here>>", "&lt;https://a.example|&lt;!here&gt;&gt;"),
        ("> quoted\n> > twice", "> quoted\n> > twice"),
        ("a\n   > quoted <b>", "a\n   > quoted &lt;b&gt;"),
        ("half \ud83d", "half \ufffd"),
        ("`&lt;b&gt;` & &copy; &amp;", "`&amp;lt;b&amp;gt;` & &copy; &amp;amp;"),
    ],
)
def test_angle_brackets_are_escaped(markdown: str, sent: str) -> None:
    assert escape(markdown) == sent


@given(st.text(alphabet=st.sampled_from(list("<>!@#&|:/ \nUCahttps.")), max_size=60))
def test_nothing_escaped_holds_a_control_sequence(markdown: str) -> None:
    assert CONTROL.findall(escape(markdown)) == []


MARKUP = st.text(alphabet=st.sampled_from(list("<>!@#&;|:/ \nUClgtamphttps.")), max_size=60)


@given(st.one_of(st.text(max_size=100), MARKUP))
def test_people_see_what_was_written(text: str) -> None:
    shown = escape(text).replace("&lt;", "<").replace("&gt;", ">").replace("&amp;", "&")
    assert shown == text


@given(st.one_of(st.text(max_size=100), MARKUP), st.integers(0, 100))
def test_what_stands_of_a_growing_text_stays(text: str, length: int) -> None:
    beginning = escaped_beginning(text[:length])
    rest = escape(text).removeprefix(beginning)
    assert escape(text) == beginning + rest
    assert rest == rest.lstrip() or not text[:length].strip()
    assert len(text[:length].strip()) < 2 or beginning or "<" in text or "&" in text


@given(st.text(alphabet="<>a ", max_size=60), st.integers(1, 70))
def test_shortened_is_no_longer_than_it_may_be(text: str, most_chars: int) -> None:
    short = shortened(escape(text), most_chars)
    assert len(short) <= most_chars
    assert escape(text).startswith(short.removesuffix("…"))
    assert re.search(r"&[a-z]{0,3}…$", short) is None


@given(st.text(alphabet="<>&a值\n", min_size=1, max_size=50), st.integers(1, 300))
def test_the_fallback_is_short_and_whole(text: str, repeated: int) -> None:
    escaped = escape(text * repeated)
    short = fallback(escaped)
    assert len(short.encode()) <= MAX_FALLBACK_BYTES + len("…".encode())
    assert escaped.startswith(short.removesuffix("…"))
    assert re.search(r"&(l|g|lt|gt)…$", short) is None


@pytest.mark.parametrize("text", [long_answer() * 2, "<" * 30_000, "值" * 30_000, *UNUSUAL_TEXTS])
def test_parts_fit_and_lose_nothing(text: str) -> None:
    parts = split(text)
    assert all(len(escape(part)) <= MAX_MARKDOWN_CHARS for part in parts)
    assert words_of("\n".join(parts)) == words_of(text)
