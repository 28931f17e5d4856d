"""Words of people and models, quoted and read back: sections of a request, JSON of an answer.

The law of this file: a line that begins with the mark is somebody's words, every other line is the
bot's own. So no text can pose as an instruction, or as the end of its quotation.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator

MARK = "| "

_CONTROLS = re.compile("[\x00-\x1f\x7f-\x9f\u2028\u2029]+")
_TRIES = 10


def one_line(text: str, max_chars: int) -> str:
    """Give the head of a text on one line; an ellipsis says that it goes on."""
    line = " ".join(_CONTROLS.sub(" ", text[: 4 * max_chars]).split())
    is_whole = len(line) <= max_chars and len(text) <= 4 * max_chars
    return line if is_whole else f"{line[: max_chars - 1]}…"


def written(text: str) -> str:
    """Take out of a text what no file or database can hold: halves of surrogate pairs."""
    return text.encode("utf-8", "replace").decode("utf-8")


def section(label: str, text: str) -> str:
    """Quote a text under a label of the bot's own; every kind of line break makes a quoted line."""
    return "\n".join((f"== {label} ==", *(f"{MARK}{line}" for line in text.splitlines())))


def sections_in(text: str) -> Iterator[tuple[str, str]]:
    """Read back what :func:`section` wrote: labels and texts in their order."""
    label, lines = "", list[str]()
    for line in text.split("\n"):
        if line.startswith(MARK):
            lines.append(line.removeprefix(MARK))
        elif line.startswith("== ") and line.endswith(" =="):
            if label:
                yield label, "\n".join(lines)
            label, lines = line[3:-3], []
    if label:
        yield label, "\n".join(lines)


def objects_in(text: str) -> Iterator[dict[str, object]]:
    """Read the JSON objects of an answer, bare, in a fence or among words, the outermost first."""
    decoder = json.JSONDecoder()
    start = text.find("{")
    for _ in range(_TRIES):
        if start < 0:
            return
        try:
            read: object = decoder.raw_decode(text, start)[0]
        except (ValueError, RecursionError):
            read = None
        if isinstance(read, dict):
            yield read
        start = text.find("{", start + 1)
