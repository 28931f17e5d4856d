"""The work of the last half hour, told in a paragraph where it is no longer shown in full."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from datetime import datetime, timedelta, tzinfo

from bot.core.quoting import one_line
from bot.core.turns import Turn, TurnId

HALF_HOUR = timedelta(minutes=30)

MOST_CHARS = 1_200
"""Longest paragraph: the oldest work goes first."""

MOST_TURNS = 20

_ASKED_CHARS, _ANSWERED_CHARS = 80, 120


@dataclass(frozen=True, slots=True, kw_only=True)
class Work:
    """What was done in one turn.

    Attributes:
        at: When the turn was opened.
        told: What was asked, which tools ran, and what was answered, on one line.
    """

    turn_id: TurnId
    at: datetime
    told: str


def work_of(turn: Turn) -> Work:
    """Tell what was done in a turn."""
    calls = (call.name for step in turn.steps for call in step.answer.tool_calls)
    tools = ", ".join(
        name if count == 1 else f"{name} ({count} times)" for name, count in Counter(calls).items()
    )
    parts = (
        f"asked “{one_line(turn.request.text, _ASKED_CHARS)}”",
        f"used {tools}" if tools else "",
        f"answered “{one_line(turn.reply, _ANSWERED_CHARS)}”" if turn.reply.strip() else "",
    )
    return Work(turn_id=turn.id, at=turn.started_at, told=", ".join(filter(None, parts)))


def gone_out_of_view(
    known: tuple[Work, ...], before: tuple[Turn, ...], after: tuple[Turn, ...], first: TurnId
) -> tuple[Work, ...]:
    """Add the turns of ``before`` that ``after`` does not show as they were.

    Args:
        known: Work that is out of view already, oldest first.
        before: Turns as they were shown.
        after: Turns as they are shown from now on.
        first: Nothing from before this turn may be told: it was cleared.
    """
    still = frozenset(after)
    known_ids = {each.turn_id for each in known}
    gone = (work_of(turn) for turn in before if turn not in still and turn.id not in known_ids)
    together = sorted((*known, *gone), key=lambda each: each.turn_id)
    return tuple(each for each in together if each.turn_id >= first)[-MOST_TURNS:]


def recent_work(work: tuple[Work, ...], now: datetime, zone: tzinfo) -> str:
    """Tell the work of the last half hour in one paragraph, oldest first; empty for none."""
    lines: list[str] = []
    room = MOST_CHARS
    for each in reversed(work):
        line = f"{each.at.astimezone(zone):%H:%M} {each.told}"
        room -= len(line) + 2
        if now - each.at > HALF_HOUR or room < 0:
            break
        lines.append(line)
    if not lines:
        return ""
    lines.reverse()
    return f"Work of the last half hour that is not shown in full: {'; '.join(lines)}."
