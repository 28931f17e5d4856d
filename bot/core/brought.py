"""What files bring into a request: what was read of them, how much has room, and its blocks.

The law of this file: whatever a file holds, it ends where its blocks end. A document stands in a
fence that is longer than any in it, so that no line of it can pose as what somebody says.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import assert_never

from bot.core.files import Attachment, remark_on
from bot.core.messages import ContentBlock, Image, Text
from bot.core.tokens import BLOCK_TOKENS, IMAGE_TOKENS

NO_ROOM = "there are more files here than I can look at in one go"

_WRAPPING_TOKENS = 60
"""What heading, fence and note of an excerpt take, and of a remark the whole."""

_TICKS = re.compile("`{3,}")


@dataclass(frozen=True, slots=True, kw_only=True)
class Excerpt:
    """Text that was read of a file, from its beginning.

    Attributes:
        left_out_chars: How much more there is; what was not read is not counted.
        note: What else the model must know, one line: which pages were read; empty for nothing.
    """

    text: str
    left_out_chars: int = 0
    note: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Unreadable:
    """Nothing could be read; ``why`` goes on from the file's name: ``I cannot read this kind``."""

    why: str


Reading = Image | Excerpt | Unreadable
"""What became of one attachment."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Brought:
    """An attachment and what was read of it."""

    attachment: Attachment
    reading: Reading


def with_room(
    brought: tuple[Brought, ...], room_tokens: int, count: Callable[[str], int]
) -> tuple[Brought, ...]:
    """Shorten what files bring, so that all of it together has at most so many tokens.

    Pictures come first, in their order, as many as have room; documents share what is left, each
    from its beginning, the short ones whole.
    """
    kept: list[Brought] = []
    for each in brought:
        cost = _least_tokens(each.reading)
        fits = cost <= room_tokens
        room_tokens -= cost if fits else _WRAPPING_TOKENS
        kept.append(each if fits else replace(each, reading=Unreadable(why=NO_ROOM)))
    texts = [each.reading.text for each in kept if isinstance(each.reading, Excerpt)]
    share = _share([count(text) for text in texts], max(0, room_tokens))
    return tuple(
        replace(each, reading=_cut(each.reading, share, count))
        if isinstance(each.reading, Excerpt)
        else each
        for each in kept
    )


def blocks_of(brought: Brought) -> tuple[ContentBlock, ...]:
    """Give the blocks that stand behind the message's text: at least one."""
    attachment, reading = brought.attachment, brought.reading
    match reading:
        case Image():
            return (reading,)
        case Unreadable():
            return (Text(text=remark_on(attachment, reading.why)),)
        case Excerpt():
            return (Text(text=_quoted(attachment, reading)),)
        case _:
            assert_never(reading)


def _least_tokens(reading: Reading) -> int:
    return IMAGE_TOKENS if isinstance(reading, Image) else _WRAPPING_TOKENS + BLOCK_TOKENS


def _share(sizes: list[int], room: int) -> int:
    """Say how much each may take at most, so that all fit and nobody gives more than they must."""
    left = len(sizes)
    for size in sorted(sizes):
        if size * left > room:
            return room // left
        room -= size
        left -= 1
    return max(sizes, default=0)


def _cut(excerpt: Excerpt, most_tokens: int, count: Callable[[str], int]) -> Excerpt:
    """Keep the head of a text that has so many tokens."""
    text, tokens = excerpt.text, count(excerpt.text)
    while tokens > most_tokens:
        # A little less than in proportion, so that few rounds are enough.
        text = text[: int(len(text) * most_tokens / tokens * 0.97)]
        tokens = count(text)
    left_out = excerpt.left_out_chars + len(excerpt.text) - len(text)
    return excerpt if text is excerpt.text else replace(excerpt, text=text, left_out_chars=left_out)


def _quoted(attachment: Attachment, excerpt: Excerpt) -> str:
    text = excerpt.text.strip("\n")
    longest = max((len(ticks) for ticks in _TICKS.findall(text)), default=2)
    fence = "`" * (longest + 1)
    notes = [excerpt.note] if excerpt.note else []
    if excerpt.left_out_chars:
        notes.append(f"{excerpt.left_out_chars:,} more characters are left out".replace(",", " "))
    heading = remark_on(attachment, "; ".join(["its text follows", *notes]))
    return f"{heading}\n{fence}\n{text}\n{fence}"
