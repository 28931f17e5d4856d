"""The form of a daily memory file: Markdown that people may write in too.

The law of this file: what stands in a file stays, letter for letter. Entries are only added, each
behind a marker with its turn's id and moment, and the markers alone say which entries a file has.
No entry can pose as a marker or a heading. Only what somebody took back goes: the entries of its
turn, which are their markers and the bullets right beneath them, give way to another one.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime

from bot.core.memory.jobs import MemoryEntry

_MARKER = re.compile(
    r"^[ \t\ufeff]*<!-- turn ([0-9]{1,19})(?: ([0-9T:.+-]{16,40}))? -->[ \t\r]*$", re.MULTILINE
)
_BLOCK = re.compile(_MARKER.pattern + r"\n?(?P<bullets>(?:[ \t]*- .*(?:\n|\Z))*)", re.MULTILINE)
_TIME = re.compile(r"- ((?:[0-9]{4}-[0-9]{2}-[0-9]{2} )?[0-9]{2}:[0-9]{2}) ")
_TITLE = re.compile(r"^\ufeff?# [0-9]{4}-[0-9]{2}-[0-9]{2}[ \t\r]*$", re.MULTILINE)
_CONTROLS = re.compile("[\x00-\x08\x0e-\x1f\x7f-\x9f\ud800-\udfff]")
_MARKUP = re.compile(r"<(?=!--|/?h[1-6]\b)", re.IGNORECASE)
_HEADING = re.compile(r"((?:(?:[-+*>]|[0-9]{1,9}[.)])\s*)*)#")


@dataclass(frozen=True, slots=True, kw_only=True)
class DayPart:
    """A part of a daily file: the entry of a turn, or what somebody wrote between entries.

    Attributes:
        turn_id: Of the entry; 0 for what somebody wrote.
        moment: What its marker says, None where it says nothing.
        text: The bullets of an entry, or what was written, as they stand there.
    """

    turn_id: int
    moment: datetime | None
    text: str


def parts_of(text: str) -> Iterator[DayPart]:
    """Take a file apart, in order; its title is no part of it."""
    start = 0
    for found in _BLOCK.finditer(text):
        yield from _written_between(text[start : found.start()])
        yield DayPart(
            turn_id=int(found[1]), moment=_read_moment(found[2]), text=found["bullets"].strip()
        )
        start = found.end()
    yield from _written_between(text[start:])


def turns_in(text: str) -> frozenset[int]:
    """Say which turns a file has."""
    return frozenset(int(found[1]) for found in _MARKER.finditer(text))


def shown_lines(text: str) -> tuple[str, ...]:
    """Give what a file says, for people: without its title, its markers and the bullets' signs."""
    lines = (line.strip() for line in _MARKER.sub("", text).splitlines())
    return tuple(
        line.removeprefix("- ").replace("<\\", "<")
        for line in lines
        if line and not line.startswith("#")
    )


def written_lines(lines: Iterable[str]) -> tuple[str, ...]:
    """Give what people said or wrote of some lines of files, as they are shown it, each once.

    So neither a file's title nor its markers nor the signs of bullets.
    """
    text = _TITLE.sub("", _MARKER.sub("", "\n".join(lines)))
    shown = (line.strip().removeprefix("- ").replace("<\\", "<") for line in text.splitlines())
    return tuple(dict.fromkeys(filter(None, shown)))


def time_in_file(moment: datetime, day: date) -> str:
    """Give the time of day, with its date in the file of another day; ``moment`` is local."""
    return f"{moment:%H:%M}" if moment.date() == day else f"{moment:%Y-%m-%d %H:%M}"


def time_of(text: str) -> str:
    """Give the time that an entry begins with, empty for none."""
    found = _TIME.match(text)
    return "" if found is None else found[1]


def with_entries(text: str, day: date, entries: tuple[MemoryEntry, ...]) -> str:
    """Add the entries that a file does not have, in the order given; an empty file gets a title.

    The result begins with ``text``, and is ``text`` when nothing is missing; but entries of turns
    that were changed take the place of what the file has of them.
    """
    changed = {entry.turn_id: entry for entry in entries if entry.revision}
    for turn_id, entry in changed.items():
        text = _replaced(text, turn_id, entry)
    known = {(int(found[1]), found[2]) for found in _MARKER.finditer(text)}
    blocks: list[str] = []
    for entry in entries:
        moment = _moment(entry)
        if (entry.turn_id, moment) in known:
            continue
        known.add((entry.turn_id, moment))
        blocks.append(_block(entry))
    if not blocks:
        return text
    if not text.strip():
        blocks.insert(0, f"# {day.isoformat()}\n")
    return text + gap_after(text) + "\n".join(blocks)


def joined(first: str, second: str, day: date) -> str:
    """Put what two files have of one day into one, which begins with ``first``.

    ``second`` as it is, when it is such a file already.
    """
    if second.startswith(first):
        return second
    rest = second.removeprefix(f"# {day.isoformat()}\n").lstrip("\n")
    return first + gap_after(first) + rest if rest else first


def without_turns(text: str, turn_ids: frozenset[int]) -> tuple[str, tuple[str, ...]]:
    """Remove all entries of turns; give what is left, and the lines that went."""
    gone: list[str] = []
    for each in reversed([each for each in _BLOCK.finditer(text) if int(each[1]) in turn_ids]):
        gone += (line.strip() for line in each["bullets"].splitlines())
        text = text[: each.start()] + text[each.end() :].removeprefix("\n")
    return text, tuple(gone)


def plain_line(text: str) -> str:
    """Make one line of a text that is neither a comment nor a heading."""
    return _plain(" ".join(_CONTROLS.sub(" ", text).split()))


def gap_after(text: str, end: str = "\n") -> str:
    """Give the line ends that keep what follows from being taken for a part of ``text``."""
    if not text:
        return ""
    ends = text[len(text.rstrip("\r\n")) :].count("\n")
    return end * max(0, 2 - ends)


def _replaced(text: str, turn_id: int, entry: MemoryEntry) -> str:
    """Put an entry in the place of all that a file has of its turn, if it has anything."""
    found = [each for each in _BLOCK.finditer(text) if int(each[1]) == turn_id]
    if not found:
        return text
    time = time_of(found[0]["bullets"].lstrip())
    if time and not time_of(entry.text):
        entry = replace(entry, text=f"- {time} {entry.text.removeprefix('- ').lstrip()}")
    for each in reversed(found[1:]):
        text = text[: each.start()] + text[each.end() :].removeprefix("\n")
    return text[: found[0].start()] + _block(entry) + text[found[0].end() :]


def _written_between(text: str) -> Iterator[DayPart]:
    words = _TITLE.sub("", text).strip("\ufeff \t\r\n")
    if words:
        yield DayPart(turn_id=0, moment=None, text=words)


def _read_moment(text: str | None) -> datetime | None:
    try:
        moment = None if text is None else datetime.fromisoformat(text)
    except ValueError:
        return None
    return moment if moment is not None and moment.tzinfo is not None else None


def _block(entry: MemoryEntry) -> str:
    marker = f"<!-- turn {entry.turn_id} {_moment(entry)} -->"
    return "\n".join((marker, *_bullets(entry.text), ""))


def _moment(entry: MemoryEntry) -> str:
    return entry.moment.astimezone(UTC).isoformat(timespec="microseconds")


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
