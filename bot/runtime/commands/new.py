"""``/new``: begin afresh, knowing what was open."""

from __future__ import annotations

from bot.core.memory.opening import Opening
from bot.core.quoting import one_line
from bot.core.window.summary.sessions import outlined
from bot.languages import gettext, gettext_noop
from bot.languages.rows import in_clauses
from bot.ports import CommandAnswer, CommandContext
from bot.runtime.commands.context import ONLY_ADMINS, may_change, with_undo
from bot.runtime.commands.table import Command, always
from bot.runtime.openings import Openings
from bot.runtime.runner import AgentRunner

BEGUN = gettext_noop("A new conversation begins; I no longer see what was said before.")

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
        text = "\n\n".join((gettext(BEGUN), *_told(opening)))
        return with_undo(text, await steering.view(), context, text) if turns else text

    return Command(
        name="new",
        description=gettext_noop("Begin a new conversation."),
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
        summary = account.summary if account.outline is None else outlined(account.outline)
        summary = one_line(summary, _MOST_SUMMARY_CHARS)
        parts.append(gettext("Last time: {summary}", summary=summary))
    if tasks := account.open_tasks:
        listed = [one_line(task, _MOST_TASK_CHARS) for task in tasks[:_MOST_TASKS]]
        if len(tasks) > _MOST_TASKS:
            listed.append(gettext("and {count} more", count=len(tasks) - _MOST_TASKS))
        parts.append(gettext("Still open: {tasks}", tasks=in_clauses(listed)))
    return tuple(parts)
