"""What holds for one turn only: told to the model at the end of the request, never kept."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime, tzinfo

from bot.core.chat import InboundMessage, Sender
from bot.core.names import speaker
from bot.core.tasks import TaskState
from bot.core.zone_names import zone_in_words

MOST_TASK_CHARS = 2_000
MOST_CLOCKS = 5
"""Of so many people of a group is told what time it is for them."""

PersonClock = tuple[str, tzinfo]
"""A speaker as the model sees them named, and the time zone that they live by."""


def clocks_of(
    messages: tuple[InboundMessage, ...],
    zone: tzinfo,
    zone_of: Callable[[Sender], tzinfo] | None,
) -> tuple[tzinfo, tuple[PersonClock, ...]]:
    """Say by which clock a turn is told the time, and by which others besides.

    One person's chat goes by theirs. A group goes by ``zone``, the bot's, and those who wrote and
    live by another are named. Without ``zone_of`` all live by the bot's.
    """
    if not messages or zone_of is None:
        return zone, ()
    if messages[-1].kind == "private":
        return zone_of(messages[-1].sender), ()
    people = {each.sender.person_key: each.sender for each in messages}.values()
    clocks = ((speaker(each.name, each.user_id), zone_of(each)) for each in people)
    return zone, tuple(each for each in clocks if str(each[1]) != str(zone))[:MOST_CLOCKS]


def volatile_lines(
    now: datetime, zone: tzinfo, task: TaskState | None, others: tuple[PersonClock, ...] = ()
) -> tuple[str, ...]:
    """Give the time to the minute, for others too, and the state of the chat's task if any."""
    lines = [f"It is {_told(now, zone)}."]
    lines += (f"For {name} it is {_told(now, their)}." for name, their in others)
    if task is not None:
        lines.append(_worded(task))
    return tuple(lines)


def _told(now: datetime, zone: tzinfo) -> str:
    return f"{now.astimezone(zone):%A, %Y-%m-%d %H:%M} ({zone_in_words(zone)})"


def _worded(task: TaskState) -> str:
    parts = [f"Task: {task.goal}"]
    if task.done:
        parts.append(f"done: {', '.join(task.done)}")
    if task.remaining:
        parts.append(f"remaining: {', '.join(task.remaining)}")
    text = "; ".join(parts)
    return (text if len(text) <= MOST_TASK_CHARS else f"{text[: MOST_TASK_CHARS - 1]}…") + "."
