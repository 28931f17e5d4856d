"""Values that Hypothesis makes up: what crosses the borders, conversations, Markdown documents.

All of them are as wild as the types allow and no wilder: call ids are unique in a turn, as the
loop sees to, and a request is never empty.
"""

from __future__ import annotations

from datetime import UTC, datetime

from hypothesis import strategies as st

from bot.core.chat import ChatAddress, ChatKind, InboundMessage, Sender, SessionKey
from bot.core.llm import StopReason
from bot.core.messages import (
    ContentBlock,
    Image,
    Message,
    Text,
    Thinking,
    ToolCall,
    ToolResult,
    user_text,
)
from bot.core.turns import Outcome, Step, Turn, TurnId

OUTCOMES: tuple[Outcome, ...] = ("answered", "cut", "refused", "empty", "failed", "stopped")
STOPS: tuple[StopReason, ...] = (
    "end_turn",
    "max_tokens",
    "stop_sequence",
    "tool_use",
    "pause_turn",
    "refusal",
    "window_full",
)
KINDS: tuple[ChatKind, ...] = ("private", "group")

_SHORT = st.text(max_size=12)
_IDS = st.text(min_size=1, max_size=12)
_MOMENTS = st.datetimes(
    min_value=datetime(2020, 1, 1),  # noqa: DTZ001 - Hypothesis wants its bounds naive
    max_value=datetime(2040, 1, 1),  # noqa: DTZ001 - likewise
    timezones=st.just(UTC),
)
_TEXTS = st.builds(Text, text=_SHORT)
_THOUGHTS = st.builds(Thinking, text=_SHORT, signature=_SHORT, is_redacted=st.booleans())
_IMAGES = st.builds(Image, media_type=st.just("image/png"), data=st.just("aGVsbG8="))
_ARGUMENTS = st.sampled_from(["{}", '{"a": 1}', '{"a": ', ""])
_NAMES = st.sampled_from(["clock", "web_fetch", "remember"])


def addresses() -> st.SearchStrategy[ChatAddress]:
    """Make places in which a message can be written, any text in their parts."""
    return st.builds(ChatAddress, channel=_SHORT, account=_SHORT, chat=_SHORT, thread=_SHORT)


def senders() -> st.SearchStrategy[Sender]:
    """Make people, with and without a realm."""
    return st.builds(
        Sender,
        channel=_IDS,
        user_id=_IDS,
        name=_SHORT,
        realm=_SHORT,
        language=st.just("en"),
        is_person=st.booleans(),
        is_guest=st.booleans(),
    )


def inbound_messages() -> st.SearchStrategy[InboundMessage]:
    """Make messages of people, empty and quoting ones among them."""
    return st.builds(
        InboundMessage,
        event_id=_IDS,
        address=addresses(),
        kind=st.sampled_from(KINDS),
        sender=senders(),
        message_id=_IDS,
        text=st.text(max_size=40),
        is_addressed=st.booleans(),
        sent_at=_MOMENTS,
        quoted=st.text(max_size=20),
    )


def moments() -> st.SearchStrategy[datetime]:
    """Make zone-aware UTC times."""
    return _MOMENTS


def messages() -> st.SearchStrategy[Message]:
    """Make single messages of either role; what they call and answer is paired with nothing."""
    answer = st.lists(st.one_of(_TEXTS, _THOUGHTS, _calls(_IDS)), max_size=4)
    results = st.builds(ToolResult, call_id=_IDS, content=_SHORT, is_error=st.booleans())
    request = st.lists(st.one_of(_TEXTS, _IMAGES, results), min_size=1, max_size=4)
    return st.one_of(
        st.builds(Message, role=st.just("assistant"), blocks=answer.map(tuple)),
        st.builds(Message, role=st.just("user"), blocks=request.map(tuple)),
    )


@st.composite
def steps(draw: st.DrawFn, number: int = 0) -> Step:
    """Make a step; its calls may have no result, one, or several in any order."""
    blocks: list[ContentBlock] = []
    for index in range(draw(st.integers(0, 4))):
        call = _calls(st.just(f"call_{number}_{index}"))
        blocks.append(draw(st.one_of(_TEXTS, _THOUGHTS, call, call)))
    answer = Message(role="assistant", blocks=tuple(blocks))
    results: tuple[ToolResult, ...] = ()
    if answer.tool_calls:
        ids = st.sampled_from([call.id for call in answer.tool_calls])
        result = st.builds(ToolResult, call_id=ids, content=_SHORT, is_error=st.booleans())
        results = tuple(draw(st.lists(result, max_size=5)))
    return Step(answer=answer, stop=draw(st.sampled_from(STOPS)), results=results)


@st.composite
def turns(draw: st.DrawFn, *, is_open: bool | None = None, number: int | None = None) -> Turn:
    """Make a turn at any point of its life; ``is_open`` None leaves that open, too."""
    turn_id = draw(st.integers(1, 1_000_000)) if number is None else number
    if is_open is None:
        is_open = draw(st.booleans())
    count = draw(st.integers(0, 4))
    return Turn(
        id=TurnId(turn_id),
        session_key=SessionKey("loopback:bot:1:"),
        request=user_text(draw(st.text(min_size=1, max_size=20))),
        started_at=draw(_MOMENTS),
        steps=tuple(draw(steps(number=turn_id * 10 + index)) for index in range(count)),
        outcome=None if is_open else draw(st.sampled_from(OUTCOMES)),
        generation=draw(st.integers(0, 3)),
    )


@st.composite
def histories(draw: st.DrawFn, *, max_past: int = 3) -> tuple[Turn, ...]:
    """Make a chat's turns, oldest first: all ended but the last; no call id stands twice."""
    past = draw(st.integers(0, max_past))
    ended = [draw(turns(is_open=False, number=number)) for number in range(1, past + 1)]
    return (*ended, draw(turns(is_open=True, number=past + 1)))


def markdown_documents(*, with_tables: bool = True) -> st.SearchStrategy[str]:
    """Make CommonMark documents of all block kinds, nested as models write them."""
    blocks = [_PARAGRAPHS, _FENCES, _HEADINGS, markdown_lists(), _QUOTES]
    if with_tables:
        blocks.append(markdown_tables())
    return st.lists(st.one_of(blocks), min_size=1, max_size=6).map("\n\n".join)


def markdown_lists(depth: int = 0) -> st.SearchStrategy[str]:
    """Make lists, with lists, paragraphs and fences inside."""
    inside = [st.none(), st.none(), _PARAGRAPHS.map(_apart), _FENCES, _FENCES.map(_apart)]
    if depth < 2:
        inside.append(st.deferred(lambda: markdown_lists(depth + 1)))
    items = st.lists(st.tuples(_LINES, st.one_of(inside)), min_size=1, max_size=3)
    return st.builds(_list_of, st.booleans(), items)


@st.composite
def markdown_tables(draw: st.DrawFn) -> str:
    """Make tables of the GitHub kind."""
    width = draw(st.integers(1, 3))
    cells = st.lists(_WORDS, min_size=width, max_size=width)
    head, *rows = draw(st.lists(cells, min_size=1, max_size=6))
    return "\n".join(f"| {' | '.join(row)} |" for row in (head, ["---"] * width, *rows))


def _apart(text: str) -> str:
    return f"\n{text}\n"


def _list_of(is_ordered: bool, items: list[tuple[str, str | None]]) -> str:
    lines: list[str] = []
    for number, (text, inside) in enumerate(items, start=1):
        marker = f"{number}. " if is_ordered else "- "
        lines.append(marker + text)
        for line in inside.split("\n") if inside is not None else ():
            lines.append((" " * len(marker) + line).rstrip())
    return "\n".join(lines)


def _quoted(text: str) -> str:
    return "\n".join(f"> {line}".rstrip() for line in text.split("\n"))


_WORDS = st.sampled_from(
    (
        "alpha",
        "beta.",
        "x",
        "你好世界。",
        "naïve",
        "snake_case",
        "👩\u200d🚀",
        "`code it`",
        "**two words**",
        "*em ph*",
        "[a link](https://example.org/a_b)",
    )
)
_LINES = st.lists(_WORDS, min_size=1, max_size=8).map(" ".join)
_PARAGRAPHS = st.lists(_LINES, min_size=1, max_size=3).map("\n".join)
_HEADINGS = st.builds(lambda level, line: f"{'#' * level} {line}", st.integers(1, 3), _WORDS)
_CODE_LINES = st.sampled_from(
    (
        "x = 1",
        "  indented",
        "",
        "# not a heading",
        "- not an item",
        "> not a quote",
        "a long line of code with many words in it",
        "a\ttab",
        "``",
        "~~",
    )
)
_FENCES = st.builds(
    lambda marks, language, lines: "\n".join((marks + language, *lines, marks)),
    st.sampled_from(["```", "````", "~~~"]),
    st.sampled_from(["", "py", "js title=x"]),
    st.lists(_CODE_LINES, max_size=8),
)
_QUOTES = st.one_of(_PARAGRAPHS, _FENCES, markdown_lists(1)).map(_quoted)


def _calls(ids: st.SearchStrategy[str]) -> st.SearchStrategy[ToolCall]:
    return st.builds(ToolCall, id=ids, name=_NAMES, arguments=_ARGUMENTS)
