"""Texts that are too long: their head and their tail stay, and a note says what is gone."""

from __future__ import annotations

import re
from collections.abc import Callable

LEAST_PART_CHARS = 80
"""A part of a text is cut no further than to about so many."""


def head_and_tail(text: str, max_chars: int, note: Callable[[int], str]) -> str:
    """Keep two thirds of ``max_chars`` from the head and one third from the tail.

    The result, ``note`` of the number of characters left out in its middle, is never longer than
    ``max_chars``; a note that finds no room is cut itself. Text that is short enough comes back
    as it is. ``note`` must not get shorter for a larger number.
    """
    if len(text) <= max_chars:
        return text
    room = max_chars - len(note(len(text)))
    if room <= 0:
        return note(len(text))[:max_chars]
    head, tail = _ends(text, room)
    return f"{head}{note(len(text) - room)}{tail}"


def short_result(content: str, max_chars: int, call_id: str) -> str:
    """Cut a tool's result to head and tail; the note says how the model reads on.

    What was cut before may be cut again: the note counts what is missing of the whole, and where
    the head ends is the same place in the whole.
    """
    if len(content) <= max_chars:
        return content
    hidden = _left_out_before(content, call_id)
    whole_chars = len(content) + hidden
    longest_note = _result_note(call_id, whole_chars, whole_chars)
    room = max_chars - len(longest_note)
    if room <= 0:
        return longest_note[:max_chars]
    head, tail = _ends(content, room)
    return f"{head}{_result_note(call_id, whole_chars - room, len(head))}{tail}"


def with_shorter_parts(
    write: Callable[[int], str], part_chars: int, max_tokens: int, count: Callable[[str], int]
) -> str:
    """Write a text with ever shorter parts until it fits, or they are as short as may be.

    ``write`` is told how many characters each part may have, ``part_chars`` at first.
    """
    while True:
        text = write(part_chars)
        if count(text) <= max_tokens or part_chars <= LEAST_PART_CHARS:
            return text
        part_chars = part_chars * 2 // 3


def _ends(text: str, room: int) -> tuple[str, str]:
    tail = room // 3
    return text[: room - tail], text[len(text) - tail :]


def _result_note(call_id: str, count: int, offset: int) -> str:
    return (
        f"\n[… {count} characters are left out here; "
        f'tool_result_get(call_id="{call_id}", offset={offset}) gives them …]\n'
    )


def _left_out_before(content: str, call_id: str) -> int:
    """Say how much longer the whole is than a result that may have been cut."""
    found = re.search(
        r"\n\[… ([0-9]{1,9}) characters are left out here; "
        rf'tool_result_get\(call_id="{re.escape(call_id)}", offset=[0-9]+\) gives them …\]\n',
        content,
    )
    return 0 if found is None else int(found[1]) - len(found[0])
