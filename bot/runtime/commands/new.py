"""``/new``: begin afresh, knowing what was open."""

from __future__ import annotations

from bot.core.memory.opening import Opening
from bot.core.quoting import one_line
from bot.ports import CommandAnswer, CommandContext
from bot.runtime.commands.context import ONLY_ADMINS, may_change, with_undo
from bot.runtime.commands.table import Command, always
from bot.runtime.openings import Openings
from bot.runtime.runner import AgentRunner

BEGUN = "A new conversation begins; I no longer see what was said before."

_MOST_SUMMARY_CHARS = 400
_MOST_TASKS = 5
_MOST_TASK_CHARS = 160


def new_command(runner: AgentRunner, openings: Openings) -> Command:
    """Begin a new generation: no earlier turn is shown to the model again.

    What it opens with is told: what the last session was about, what is open, and how somebody
    likes to be answered. A turn that is running meanwhile is delivered, and belongs to what came
    before.
    """

    async def answer(context: CommandContext) -> str | CommandAnswer:
        if not may_change(context):
            return ONLY_ADMINS
        session_key = context.message.address.session_key
        steering = runner.steering_of(session_key)
        opening = await openings.opening_for(context.message)
        turns = await steering.begin_session(opening)
        await openings.ask_for_record(session_key)
        text = "\n\n".join((BEGUN, *_told(opening)))
        return with_undo(text, await steering.view(), context, "") if turns else text

    return Command(
        name="new",
        description="Begin a new conversation.",
        handler=answer,
        heeds_chat_admins=True,
        is_everybodys=True,
        is_about_conversation=always,
    )


def _told(opening: Opening | None) -> tuple[str, ...]:
    """Tell what the last session was about and what is open, each in a paragraph."""
    if opening is None or opening.last is None:
        return ()
    account = opening.last.account
    parts: list[str] = []
    if account.summary:
        parts.append(f"Last time: {one_line(account.summary, _MOST_SUMMARY_CHARS)}")
    if tasks := account.open_tasks:
        listed = "; ".join(one_line(task, _MOST_TASK_CHARS) for task in tasks[:_MOST_TASKS])
        more = f"; and {len(tasks) - _MOST_TASKS} more" if len(tasks) > _MOST_TASKS else ""
        parts.append(f"Still open: {listed}{more}")
    return tuple(parts)
