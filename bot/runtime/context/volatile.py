"""What holds for one turn only: told to the model at the end of the request, never kept."""

from __future__ import annotations

from datetime import datetime, tzinfo

from bot.core.tasks import TaskState

MOST_TASK_CHARS = 2_000


def volatile_lines(now: datetime, zone: tzinfo, task: TaskState | None) -> tuple[str, ...]:
    """Give the time to the minute, and the state of the chat's task if there is one."""
    local = now.astimezone(zone)
    lines = [f"It is {local:%A, %Y-%m-%d %H:%M} ({zone})."]
    if task is not None:
        lines.append(_worded(task))
    return tuple(lines)


def _worded(task: TaskState) -> str:
    parts = [f"Task: {task.goal}"]
    if task.done:
        parts.append(f"done: {', '.join(task.done)}")
    if task.remaining:
        parts.append(f"remaining: {', '.join(task.remaining)}")
    text = "; ".join(parts)
    return (text if len(text) <= MOST_TASK_CHARS else f"{text[: MOST_TASK_CHARS - 1]}…") + "."
