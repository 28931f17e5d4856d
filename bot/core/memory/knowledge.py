"""A Markdown page in pieces, each under the headings that it stands under."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from hashlib import sha256

from bot.core.memory.audience import GLOBAL
from bot.core.memory.cutting import cut
from bot.core.memory.items import ItemId, ItemRef, MemoryItem

BETWEEN_HEADINGS = " / "

_HEADING = re.compile(r" {0,3}(#{1,6})(?:[ \t]+(.*?))?(?:[ \t]+#+)?[ \t]*")
_FENCE = re.compile(r" {0,3}(`{3,}|~{3,})")
_COMMENT = re.compile(r"<!--.*?-->", re.DOTALL)


def knowledge_pieces(ref: ItemRef, text: str) -> tuple[MemoryItem, ...]:
    """Give the pieces of a page of global knowledge; one without headings is called by its name."""
    name = ref.partition(":")[2].removesuffix(".md")
    whole = MemoryItem(
        id=ItemId(ref), ref=ref, kind="knowledge", text="", origin=GLOBAL, title=name, thread=ref
    )
    return page_pieces(whole, text)


def page_pieces(whole: MemoryItem, text: str) -> tuple[MemoryItem, ...]:
    """Divide a page, all of whose pieces are as ``whole`` but for text, title and place.

    A piece is known by what it says: one that was rewritten is another one. So whoever found it
    before finds nothing rather than other words.
    """
    pieces: list[MemoryItem] = []
    seen: dict[str, int] = {}
    for title, section in _sections(text):
        for words in cut(_COMMENT.sub("", section)):
            mark = sha256(f"{title}\n{words}".encode("utf-8", "surrogatepass")).hexdigest()[:12]
            seen[mark] = seen.get(mark, 0) + 1
            copy = f"-{seen[mark]}" if seen[mark] > 1 else ""
            pieces.append(
                replace(
                    whole,
                    id=ItemId(f"{whole.ref}#{mark}{copy}"),
                    text=words,
                    title=title or whole.title,
                    place=len(pieces),
                )
            )
    return tuple(pieces)


def _sections(text: str) -> Iterator[tuple[str, str]]:
    """Give the text under each heading, with all headings that it stands under."""
    path: list[tuple[int, str]] = []
    lines: list[str] = []
    fence = ""
    for line in text.removeprefix("\ufeff").splitlines():
        fence = _fence_after(line, fence)
        heading = None if fence else _HEADING.fullmatch(line)
        if heading is None:
            lines.append(line)
            continue
        yield _titled(path), "\n".join(lines)
        lines = []
        level = len(heading[1])
        path = [each for each in path if each[0] < level]
        path.append((level, (heading[2] or "").strip()))
    yield _titled(path), "\n".join(lines)


def _titled(path: list[tuple[int, str]]) -> str:
    return BETWEEN_HEADINGS.join(title for _, title in path if title)


def _fence_after(line: str, fence: str) -> str:
    """Say which fence of a code block is open behind a line; empty for none."""
    found = _FENCE.match(line)
    if found is None:
        return fence
    if not fence:
        return found[1]
    closes = found[1].startswith(fence) and not line[found.end() :].strip()
    return "" if closes else fence
