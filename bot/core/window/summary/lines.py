"""Texts that are shortened to a number of tokens."""

from __future__ import annotations

from collections.abc import Callable


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
