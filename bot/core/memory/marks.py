"""The form of ``MEMORY.md``: what the bot wrote between two marks, a person's notes around them.

The law of this file: what a person writes outside the marks stays, byte for byte. What they write
between them is moved below the block, where it stays from then on. Lines that the bot wrote are the
only ones that ever go, and lines that are marks are nobody's notes.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise

from bot.core.memory.daily import gap_after, plain_line

BEGIN = "<!-- daybook:begin (the bot writes from here to the end mark; write above or below) -->"
END = "<!-- daybook:end -->"

SHRUNK_BELOW = 0.5
"""A block that is left with a smaller share of its length is worth a warning."""

_MARK = re.compile(
    r"^[ \t\ufeff]*"
    r"(?P<mark><!--[ \t]*daybook:[ \t]*(?P<which>begin|end)\b(?:(?!-->).)*-->)"
    r"[ \t]*\r?$",
    re.MULTILINE,
)
_LINE = re.compile(r"[^\n]*\n|[^\n]+")
_DATED = re.compile(r"- [0-9]{4}-[0-9]{2}-[0-9]{2} .")
_DATE = re.compile(r"- [0-9-]{10} ")
_DOUBT = re.compile(r" \(unverified since [0-9-]{10}\)$")
_HEADING = re.compile(r"## [A-Z][a-z ]+")


@dataclass(frozen=True, slots=True, kw_only=True)
class Placed:
    """A file with its block.

    Attributes:
        moved_out: How many lines that stood between the marks, and that the bot had not written,
            stand below the block now.
    """

    text: str
    moved_out: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class _Cut:
    """A part of a file that is the bot's, and what in it is not."""

    start: int
    stop: int
    foreign: str = ""


def with_block(text: str, lines: tuple[str, ...], written: frozenset[str] | None) -> Placed:
    """Put lines between the marks of a file; without marks they come at its end.

    Marks that are doubled or that lost their other half go, and of what stands by them only what
    the bot wrote. A file without marks does not get any for nothing.

    Args:
        text: The file.
        lines: What is to stand there.
        written: Lines that the bot wrote there before; None where that is not known: then their
            form tells.
    """
    cuts = _cuts(text, None if written is None else written.union(line.strip() for line in lines))
    if not cuts and not lines:
        return Placed(text=text)
    former = text[cuts[0].start : cuts[0].stop] if cuts else ""
    end = _line_end(former if "\n" in former else text)
    block = end.join((BEGIN, *lines, END))
    if not cuts:
        return Placed(text=text + gap_after(text, end) + block + end)
    foreign = "".join(cut.foreign for cut in cuts)
    first = cuts[0]
    after = _without(text, cuts[1:])[first.stop :]
    if foreign:
        foreign = end * 2 + foreign.rstrip("\r\n")
    if not after.startswith(("\n", "\r\n")):
        after = end + after
    return Placed(
        text=text[: first.start] + block + foreign + after,
        moved_out=sum(1 for line in _lines(foreign) if line.strip()),
    )


def own_notes(text: str) -> str:
    """Give what a person wrote outside the marks, as it stands."""
    return _without(text, tuple(_blocks(text, None)))


def block_lines(text: str) -> tuple[str, ...]:
    """Give what stands between the marks, without blank lines."""
    found: list[str] = []
    for begin, end in _pairs(list(_MARK.finditer(text))):
        inner = text[begin.end() : end.start()]
        found += (line.strip() for line in _lines(inner) if line.strip())
    return tuple(found)


def has_stray_marks(text: str) -> bool:
    """Say whether marks are doubled, or lack their other half; no marks at all are fine."""
    return [mark["which"] for mark in _MARK.finditer(text)] not in ([], ["begin", "end"])


def merged(first: str, second: str) -> str:
    """Put the own notes of two files into one, which keeps the block of ``second``.

    ``second`` as it is, when it has them already.
    """
    notes = own_notes(first).strip("\ufeff\r\n")
    if not notes.strip() or notes in second:
        return second
    return notes + _line_end(second) * 2 + second.removeprefix("\ufeff") if second else first


def is_shrunk(before: tuple[str, ...], after: tuple[str, ...]) -> bool:
    """Say whether a block lost more than half of its length."""
    return sum(map(len, after)) < SHRUNK_BELOW * sum(map(len, before))


def without_lines(text: str, unwanted: tuple[str, ...]) -> tuple[str, tuple[str, ...]]:
    """Remove lines from a memory file; give what is left, and the lines that went.

    A line goes that says exactly one of ``unwanted``, as a bullet or not; and, between the marks of
    the bot, one in which it occurs.
    """
    exact = {line for each in unwanted if (line := _said(each))}
    within = tuple(line for each in unwanted if (line := plain_line(each)))
    kept: list[str] = []
    gone: list[str] = []
    blocks = [(begin.end(), end.start()) for begin, end in _pairs(list(_MARK.finditer(text)))]
    for found in _LINE.finditer(text):
        line = found[0]
        is_ours = any(start <= found.start() < stop for start, stop in blocks)
        if _said(line) in exact or (is_ours and any(each in line for each in within)):
            gone.append(line.strip("\ufeff\r\n"))
        else:
            kept.append(line)
    return "".join(kept), tuple(gone)


def _cuts(text: str, written: frozenset[str] | None) -> tuple[_Cut, ...]:
    """Say what of a file is to give way; the first is where the block stands from then on."""
    marks = list(_MARK.finditer(text))
    if not marks:
        return tuple(_unmarked(text, written)) if written else ()
    paired = {mark for pair in _pairs(marks) for mark in pair}
    strays = (_stray(text, mark, written) for mark in marks if mark not in paired)
    return tuple(sorted((*_blocks(text, written), *strays), key=lambda cut: cut.start))


def _blocks(text: str, written: frozenset[str] | None) -> Iterator[_Cut]:
    for begin, end in _pairs(list(_MARK.finditer(text))):
        inner = _lines(text[begin.end() : end.start()])
        foreign = "".join(line for line in inner if not _is_written(line, written))
        yield _Cut(start=begin.start("mark"), stop=end.end("mark"), foreign=foreign)


def _pairs(marks: list[re.Match[str]]) -> Iterator[tuple[re.Match[str], re.Match[str]]]:
    for one, following in pairwise(marks):
        if (one["which"], following["which"]) == ("begin", "end"):
            yield one, following


def _stray(text: str, mark: re.Match[str], written: frozenset[str] | None) -> _Cut:
    """Take a mark that lost its other half, with the lines of the bot right beside it."""
    start, stop = mark.start("mark"), mark.end("mark")
    if mark["which"] == "begin":
        return _Cut(start=start, stop=stop + _run(_lines(text[stop:]), written))
    return _Cut(start=start - _run(_lines(text[:start])[::-1], written), stop=stop)


def _run(lines: list[str], written: frozenset[str] | None) -> int:
    """Count the characters up to the last of the first lines that the bot wrote."""
    chars = chars_written = 0
    for line in lines:
        if not _is_written(line, written) or _MARK.match(line.rstrip("\n")):
            break
        chars += len(line)
        if line.strip():
            chars_written = chars
    return chars_written


def _unmarked(text: str, written: frozenset[str] | None) -> Iterator[_Cut]:
    """Take the lines that the bot wrote, whose marks are gone: those it dates, and headings."""
    found = list(_LINE.finditer(text))
    place = 0
    while place < len(found):
        start = found[place].start()
        run = _run([line[0] for line in found[place:]], written)
        taken = text[start : start + run]
        if any(_DATED.match(line) for line in _lines(taken)):
            start += len(taken) - len(taken.lstrip())
            yield _Cut(start=start, stop=found[place].start() + len(taken.rstrip("\r\n")))
        place += max(1, len(_lines(taken)))


def _is_written(line: str, written: frozenset[str] | None) -> bool:
    line = line.strip()
    if not line:
        return True
    if written is not None:
        return line in written
    return bool(_HEADING.fullmatch(line) or _DATED.match(line))


def _without(text: str, cuts: tuple[_Cut, ...]) -> str:
    for cut in reversed(cuts):
        text = text[: cut.start] + text[cut.stop :]
    return text


def _line_end(text: str) -> str:
    return "\r\n" if "\r\n" in text else "\n"


def _lines(text: str) -> list[str]:
    return _LINE.findall(text)


def _said(line: str) -> str:
    """Give what a line says, without what the bot puts around a fact."""
    line = line.strip(" \t\r\n\ufeff")
    if _DATED.match(line):
        line = _DOUBT.sub("", _DATE.sub("", line))
    return line.removeprefix("- ").strip()
