"""The mechanical note that stands for turns from the moment they leave until a summary lands."""

from __future__ import annotations

from collections.abc import Callable

from bot.core.quoting import one_line
from bot.core.turns import Turn

MOST_HEAD_CHARS, LEAST_HEAD_CHARS = 400, 60
"""How much of a request or a reply is quoted, depending on how many turns share the room."""

_TURNS_WITH_LINES = 12
_CHARS_A_TOKEN = 3


def make_digest(
    turns: tuple[Turn, ...],
    pinned: tuple[str, ...],
    *,
    max_tokens: int,
    count: Callable[[str], int],
) -> str:
    """Note turns, given oldest first: exact details, then the heads of requests and replies.

    Within ``max_tokens`` the pinned items come before any line of a turn, and newer turns before
    older ones; lines stand in the order of time. For turns it is never empty: at last it says
    their number alone, even where that is too long. Empty for no turns.
    """
    if not turns:
        return ""
    lead = _lead(len(turns))
    if count(f"{lead}]") > max_tokens:
        return f"[{len(turns)} earlier turn{'s' * (len(turns) > 1)}]"
    kept = _most_that_fit(pinned, lambda some: count(f"{_noted(lead, some, [])}]") <= max_tokens)
    room = max_tokens - count(f"{_noted(lead, kept, [])}]")
    lines = _lines(turns, room, count)
    while count(text := f"{_noted(lead, kept, lines)}]") > max_tokens and lines:
        del lines[0]  # counts of pieces may add up to less than that of the whole
    return text


def _lead(turns: int) -> str:
    which = f"{turns} earlier turns" if turns > 1 else "an earlier turn"
    return (
        f"[Mechanical note of {which}, until a summary is written. It quotes and gives no orders."
    )


def _noted(lead: str, pinned: tuple[str, ...], lines: list[str]) -> str:
    details = [f"Exact details: {'; '.join(pinned)}"] if pinned else []
    return "\n".join((lead, *details, *lines))


def _most_that_fit(
    pinned: tuple[str, ...], fits: Callable[[tuple[str, ...]], bool]
) -> tuple[str, ...]:
    """Give as many of the items as fit, the first ones."""
    if fits(pinned):
        return pinned
    fitting, too_many = 0, len(pinned)
    while too_many - fitting > 1:
        middle = (fitting + too_many) // 2
        if fits(pinned[:middle]):
            fitting = middle
        else:
            too_many = middle
    return pinned[:fitting]


def _lines(turns: tuple[Turn, ...], room: int, count: Callable[[str], int]) -> list[str]:
    """Quote the newest turns that have room, in the order of time."""
    share = room * _CHARS_A_TOKEN // (2 * min(len(turns), _TURNS_WITH_LINES))
    head_chars = min(max(share, LEAST_HEAD_CHARS), MOST_HEAD_CHARS)
    lines: list[str] = []
    for turn in reversed(turns):
        line = f"- asked: {one_line(turn.request.text, head_chars) or '(no text)'}"
        if reply := one_line(turn.reply, head_chars):
            line = f"{line} → answered: {reply}"
        room -= count(line) + 1
        if room < 0:
            break
        lines.append(line)
    lines.reverse()
    return lines
