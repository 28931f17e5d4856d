"""The form of a daily memory file: Markdown that people may write in too.

The law of this file: what stands in a file stays, letter for letter. Entries are only added, each
behind a marker with its turn's id, and the markers alone say which turns a file has. No entry can
pose as a marker or a heading.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import date

from bot.core.memory.jobs import MemoryEntry

_MARKER = re.compile(r"^[ \t\ufeff]*<!-- turn ([0-9]{1,19}) -->[ \t\r]*$", re.MULTILINE)
_CONTROLS = re.compile("[\x00-\x08\x0e-\x1f\x7f-\x9f\ud800-\udfff]")
_MARKUP = re.compile(r"<(?=!--|/?h[1-6]\b)", re.IGNORECASE)
_HEADING = re.compile(r"((?:(?:[-+*>]|[0-9]{1,9}[.)])\s*)*)#")


def turns_in(text: str) -> frozenset[int]:
    """Say which turns a file has."""
    return frozenset(int(found[1]) for found in _MARKER.finditer(text))


def with_entries(text: str, day: date, entries: tuple[MemoryEntry, ...]) -> str:
    """Add the entries that a file does not have, in the order given; an empty file gets a title.

    The result begins with ``text``, and is ``text`` when nothing is missing.
    """
    known = set(turns_in(text))
    blocks: list[str] = []
    for entry in entries:
        if entry.turn_id in known:
            continue
        known.add(entry.turn_id)
        blocks.append("\n".join((f"<!-- turn {entry.turn_id} -->", *_bullets(entry.text), "")))
    if not blocks:
        return text
    if not text.strip():
        blocks.insert(0, f"# {day.isoformat()}\n")
    return text + _gap_after(text) + "\n".join(blocks)


def _gap_after(text: str) -> str:
    """Give the line ends that keep what follows from being taken for a part of ``text``."""
    if not text:
        return ""
    ends = text[len(text.rstrip("\r\n")) :].count("\n")
    return "\n" * max(0, 2 - ends)


def _bullets(text: str) -> Iterator[str]:
    """Make every line of an entry a bullet that is neither a comment nor a heading."""
    for line in text.splitlines():
        words = _CONTROLS.sub(" ", line).strip().removeprefix("- ").strip()
        if words:
            yield f"- {_plain(words)}"


def _plain(line: str) -> str:
    line = _MARKUP.sub(r"<\\", line)
    found = _HEADING.match(line)
    return line if found is None else f"{found[1]}\\{line[found.end(1) :]}"
