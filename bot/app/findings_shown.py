"""Findings as an operator reads them: on a terminal, in a pipe, as JSON."""

from __future__ import annotations

import json
import os
import shutil
import textwrap
from collections import Counter
from dataclasses import asdict
from typing import Protocol, TextIO

from bot.core.findings import Finding, Findings, Grade, gravest

_MARKS: dict[Grade, str] = {"ok": "✓", "warning": "!", "broken": "✗"}
_COLOURS: dict[Grade, str] = {"ok": "32", "warning": "33;1", "broken": "31;1"}
_MEND = "→ "
_FAINT = "2"


class Page(Protocol):
    """A form in which findings are shown: some lines with each part, some at the end."""

    def lines(self, findings: Findings) -> list[str]:
        """Give the lines of the next part."""
        ...

    def verdict(self, findings: Findings) -> list[str]:
        """Give the lines that end the page, of all findings."""
        ...


def page_for(stream: TextIO, *, as_json: bool, area: str = "") -> Page:
    """Choose the form for where the lines go; on a terminal ``NO_COLOR`` takes the colours away.

    The name of ``area`` is not shown: it stands above already.
    """
    if as_json:
        return JsonPage()
    if not stream.isatty() or not _can_show(stream.encoding, "".join(_MARKS.values()) + _MEND):
        return PlainPage()
    has_colours = not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"
    width = shutil.get_terminal_size().columns
    return TerminalPage(width, has_colours=has_colours, area=area)


class TerminalPage:
    """Lines for a person: an area's name once, a mark for each finding, the mend below it."""

    def __init__(self, width: int, *, has_colours: bool, area: str = "") -> None:
        self._width = max(40, width)
        self._has_colours = has_colours
        self._area = area

    def lines(self, findings: Findings) -> list[str]:
        """Give the lines of some more findings."""
        lines: list[str] = []
        for finding in findings:
            if finding.area != self._area:
                lines += ["", self._in(finding.area, "1")]
                self._area = finding.area
            lines += self._lines_of(finding)
        return lines

    def verdict(self, findings: Findings) -> list[str]:
        """Give the lines that end the page."""
        words = sum_up(findings)
        return ["", self._in(words, _COLOURS[gravest(findings)])]

    def _lines_of(self, finding: Finding) -> list[str]:
        first, *others = self._wrapped(finding.seen, "    ")
        mark = self._in(_MARKS[finding.grade], _COLOURS[finding.grade])
        lines = [f"  {mark} {first.lstrip()}", *others]
        if finding.mend:
            colour = _FAINT if finding.grade == "ok" else "36"
            mend = self._wrapped(finding.mend, "        ", first=f"      {_MEND}")
            lines += [self._in(line, colour) for line in mend]
        return lines

    def _wrapped(self, text: str, indent: str, *, first: str | None = None) -> list[str]:
        return textwrap.wrap(
            text,
            self._width,
            initial_indent=indent if first is None else first,
            subsequent_indent=indent,
            break_long_words=False,
            break_on_hyphens=False,
        )

    def _in(self, text: str, colour: str) -> str:
        return f"\x1b[{colour}m{text}\x1b[0m" if self._has_colours else text


class PlainPage:
    """One line a finding, for programs that read lines and for logs."""

    def lines(self, findings: Findings) -> list[str]:
        """Give grade, name, what was seen, and the mend behind an arrow."""
        return [
            f"{each.grade:<7} {each.area}.{each.check}: {each.seen}"
            + (f" -> {each.mend}" if each.mend else "")
            for each in findings
        ]

    def verdict(self, findings: Findings) -> list[str]:
        """Sum up in one line."""
        return [sum_up(findings)]


class JsonPage:
    """One JSON object a finding, each on a line of its own."""

    def lines(self, findings: Findings) -> list[str]:
        """Give an object for each, with its ``id``."""
        return [
            json.dumps({"id": each.id, **asdict(each)}, ensure_ascii=False) for each in findings
        ]

    def verdict(self, findings: Findings) -> list[str]:
        """Give nothing more: the exit code says how things are altogether."""
        return []


def sum_up(findings: Findings) -> str:
    """Say in one line how things are altogether."""
    counts = Counter(each.grade for each in findings)
    if not counts["broken"] and not counts["warning"]:
        return f"All is well: {counts['ok']} things were looked at."
    parts: tuple[tuple[Grade, str], ...] = (
        ("broken", "broken"),
        ("warning", "to look at"),
        ("ok", "well"),
    )
    words = ", ".join(f"{counts[grade]} {word}" for grade, word in parts if counts[grade])
    return f"{words[0].upper()}{words[1:]}."


def _can_show(encoding: str, text: str) -> bool:
    try:
        text.encode(encoding)
    except (UnicodeEncodeError, LookupError):
        return False
    return True
