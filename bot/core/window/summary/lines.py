"""Texts made to stand on one line, where they cannot pose as anything but a piece of it."""

from __future__ import annotations

import re
from collections.abc import Callable

_CONTROLS = re.compile("[\x00-\x1f\x7f-\x9f\u2028\u2029]+")


def one_line(text: str, max_chars: int) -> str:
    """Give the head of a text on one line; an ellipsis says that it goes on."""
    line = " ".join(_CONTROLS.sub(" ", text[: 4 * max_chars]).split())
    is_whole = len(line) <= max_chars and len(text) <= 4 * max_chars
    return line if is_whole else f"{line[: max_chars - 1]}…"


def written(text: str) -> str:
    """Take out of a text what no file or database can hold: halves of surrogate pairs."""
    return text.encode("utf-8", "replace").decode("utf-8")


def middle_left_out(text: str, max_tokens: int, count: Callable[[str], int]) -> str:
    """Shorten a text from its middle until it has at most so many tokens; empty if none fits."""
    if count(text) <= max_tokens:
        return text
    fitting, most = 0, len(text)
    while most - fitting > 1:
        chars = (fitting + most) // 2
        if count(_halves(text, chars)) <= max_tokens:
            fitting = chars
        else:
            most = chars
    return _halves(text, fitting) if fitting else ""


def _halves(text: str, chars: int) -> str:
    tail = chars // 2
    return f"{text[: chars - tail].rstrip()} […] {text[len(text) - tail :].lstrip()}"
