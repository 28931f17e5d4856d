"""The text of a message as the model and the commands read it.

The law of this file: what people see stays letter for letter. Only links behind words, code and
blocks of code get the marks of Markdown around them, since they say nothing without; where the bot
is named, its name is taken out.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import TYPE_CHECKING

from channels.telegram.utf16 import cut_utf16, utf16_length, well_formed

if TYPE_CHECKING:  # the SDK is slow to import, and only its names are needed here
    from telegram import MessageEntity

_FENCE = "```"
_MARKED = ("code", "pre", "text_link")


@dataclass(frozen=True, slots=True, kw_only=True)
class Span:
    """A stretch of a text, in UTF-16 code units."""

    offset: int
    length: int

    @property
    def end(self) -> int:
        """Where what follows begins."""
        return self.offset + self.length


@dataclass(frozen=True, slots=True, kw_only=True)
class _Change:
    """What stands in the place of a span; of a name, the gap that it leaves is closed too."""

    span: Span
    put: str = ""
    is_name: bool = False


def as_markdown(text: str, entities: Sequence[MessageEntity], names: Sequence[Span] = ()) -> str:
    """Mark links and code, and take names out, with the space or the comma they leave behind."""
    changes = [*_marks(text, entities), *(_Change(span=span, is_name=True) for span in names)]
    changes.sort(key=lambda each: each.span.offset)
    # From the back, so that the offsets of what is still to be changed stay right; of several at
    # one place, the last one first, and a name before a mark that is put where it stood.
    for change in reversed(changes):
        before, _, behind = cut_utf16(text, change.span.offset, change.span.length)
        if change.is_name:
            before, behind = _closed(before, behind)
        text = f"{before}{change.put}{behind}"
    return text.strip() if names else well_formed(text)


def _closed(before: str, behind: str) -> tuple[str, str]:
    if not before.strip():
        return before, behind.lstrip(" \t\n,:")
    if before[-1:].isspace() and behind[:1] == " ":
        return before, behind[1:]
    return before, behind


def _marks(text: str, entities: Sequence[MessageEntity]) -> Iterator[_Change]:
    """Give the marks in their order, two for each stretch; of stretches that overlap, the first."""
    whole, through = utf16_length(text), 0
    marked = (each for each in entities if each.type in _MARKED)
    for entity in sorted(marked, key=lambda each: each.offset):
        span = Span(offset=entity.offset, length=entity.length)
        if span.offset < through or span.length <= 0 or span.end > whole:
            continue
        pieces = cut_utf16(text, span.offset, span.length)
        if "".join(pieces) != well_formed(text):  # it begins or ends within a character
            continue
        through = span.end
        opening, closing = _pair(pieces, entity)
        yield _Change(span=Span(offset=span.offset, length=0), put=opening)
        yield _Change(span=Span(offset=span.end, length=0), put=closing)


def _pair(pieces: tuple[str, str, str], entity: MessageEntity) -> tuple[str, str]:
    """Give the marks around a stretch, from what stands before, in and behind it."""
    before, inside, behind = pieces
    if entity.type == "text_link":
        url = entity.url or ""
        return "[", f"](<{url}>)" if set(url) & set(" ()") else f"]({url})"
    if entity.type == "code":
        ticks = "`" * (_longest_run(inside) + 1)
        pad = " " if inside[:1] == "`" or inside[-1:] == "`" else ""
        return f"{ticks}{pad}", f"{pad}{ticks}"
    fence = "`" * max(len(_FENCE), _longest_run(inside) + 1)
    # A fence stands on a line of its own.
    first = "" if before[-1:] in ("", "\n") else "\n"
    last = "" if behind[:1] in ("", "\n") else "\n"
    gap = "" if inside[-1:] == "\n" else "\n"
    return f"{first}{fence}{entity.language or ''}\n", f"{gap}{fence}{last}"


def _longest_run(code: str) -> int:
    """Count the most backticks that stand together."""
    runs = (len(tuple(run)) for tick, run in groupby(code, key=lambda each: each == "`") if tick)
    return max(runs, default=0)
