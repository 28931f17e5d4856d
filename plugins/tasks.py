"""Tasks: lets the model note what it is working at, so that long work does not lose its thread."""

from __future__ import annotations

from typing import Annotated

from bot.api import PluginAPI, TaskState, ToolContext, ToolError

MOST_ITEMS = 20
MOST_ITEM_CHARS = 200
MOST_GOAL_CHARS = 300


def register(api: PluginAPI) -> None:
    """Offer ``task_update``."""

    @api.tool(safe_to_repeat=True)
    async def task_update(
        context: ToolContext,
        goal: Annotated[str, "What is to be reached, in one sentence; empty when all is done."],
        done: Annotated[list[str] | None, "What is done, a few words each."] = None,
        remaining: Annotated[list[str] | None, "What is still to do, in order."] = None,
    ) -> str:
        """Note goal, done and remaining steps of work that takes several turns.

        The whole state is replaced. It is shown to you with every message, also when the earlier
        conversation is not.
        """
        task = _state(_one_line(goal), _lines(done), _lines(remaining))
        await api.chat.note_task(context, task)
        if task is None:
            return "Noted: no task is open."
        return (
            f"Noted: {task.goal}\n"
            f"Done: {'; '.join(task.done) or 'nothing yet'}\n"
            f"Remaining: {'; '.join(task.remaining) or 'nothing'}"
        )


def _state(goal: str, done: tuple[str, ...], remaining: tuple[str, ...]) -> TaskState | None:
    if not goal:
        return None
    if len(goal) > MOST_GOAL_CHARS:
        raise ToolError(f"The goal has {len(goal)} characters; say it in {MOST_GOAL_CHARS}.")
    for items in (done, remaining):
        if len(items) > MOST_ITEMS:
            raise ToolError(f"A list has {len(items)} items; join some, {MOST_ITEMS} are enough.")
        if (longest := max(map(len, items), default=0)) > MOST_ITEM_CHARS:
            raise ToolError(
                f"An item has {longest} characters; say each in {MOST_ITEM_CHARS} at most."
            )
    return TaskState(goal=goal, done=done, remaining=remaining)


def _lines(items: list[str] | None) -> tuple[str, ...]:
    return tuple(filter(None, map(_one_line, items or ())))


def _one_line(text: str) -> str:
    return " ".join(text.split())
