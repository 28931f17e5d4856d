"""``/context`` and ``/compact``: what the model sees of this chat, and how to change it."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from datetime import tzinfo

from bot.core.files import OutgoingFile, clean_file_name
from bot.ports import Choice, CommandAnswer, CommandContext
from bot.runtime.commands.context_memory import memory_list
from bot.runtime.commands.context_pages import (
    as_data,
    counted,
    overview,
    short,
    turn_list,
)
from bot.runtime.commands.table import Command, always
from bot.runtime.context.steering import Compacted, ContextSteering, ContextView, Refused
from bot.runtime.runner import AgentRunner

CLEAR = "clear"
YES = "--yes"
_YESES = frozenset({YES, "\u2013yes", "\u2014yes"})  # telephones make one dash of two
KEEP = "keep"
UNDO = "undo"
UNDOES_LAST = "\n\n`/context undo` takes the last compaction or clear back."
NOTHING_LEFT = "Nothing is in my view now."
BRINGS_BACK = " `/context undo` takes that back."
ONLY_ADMINS = "In a group only admins can do that, since it is everybody's."
USAGE = (
    "`/context` shows what the model sees of this chat; `/context detail` its turns "
    "and what was remembered for the newest message; "
    "`/context json` the same as data; `/context clear` empties it; `/context undo` takes the last "
    "compaction or clear back."
)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Asked:
    """A wish about a chat's context: the word that says what, and those behind it."""

    context: CommandContext
    steering: ContextSteering
    words: tuple[str, ...]


def context_command(runner: AgentRunner, zone: tzinfo) -> Command:
    """Show, clear or bring back what the model sees of a chat."""

    async def show(asked: _Asked) -> CommandAnswer:
        view = await asked.steering.view()
        return with_undo(overview(view, zone), view, asked.context, UNDOES_LAST)

    async def detail(asked: _Asked) -> str:
        view = await asked.steering.view()
        return "\n\n".join(filter(None, (turn_list(view), memory_list(view))))

    async def as_file(asked: _Asked) -> CommandAnswer:
        message = asked.context.message
        day = f"{message.sent_at.astimezone(zone):%Y-%m-%d}"
        file = OutgoingFile(
            name=clean_file_name(f"context-{message.address.chat}-{day}.json"),
            media_type="application/json",
            content=as_data(await asked.steering.view()).encode(errors="backslashreplace"),
        )
        return CommandAnswer(text="", file=file)

    actions: dict[str, Callable[[_Asked], Awaitable[str | CommandAnswer]]] = {
        "": show,
        "detail": detail,
        "json": as_file,
        CLEAR: _clear,
        KEEP: _keep,
        UNDO: _undo,
    }

    async def answer(context: CommandContext) -> str | CommandAnswer:
        wish, *rest = context.arguments.lower().split() or [""]
        if wish not in actions:
            return USAGE
        if wish in (CLEAR, KEEP, UNDO) and not may_change(context):
            return ONLY_ADMINS
        steering = runner.steering_of(context.message.address.session_key)
        return await actions[wish](_Asked(context=context, steering=steering, words=tuple(rest)))

    return Command(
        name="context",
        description="Show what the model sees of this chat, or clear it.",
        handler=answer,
        heeds_chat_admins=True,
        is_about_conversation=always,
    )


def compact_command(runner: AgentRunner) -> Command:
    """Let the older half of a chat leave the window at a person's wish."""

    async def answer(context: CommandContext) -> str | CommandAnswer:
        if not may_change(context):
            return ONLY_ADMINS
        steering = runner.steering_of(context.message.address.session_key)
        done = await steering.compact()
        if isinstance(done, Refused):
            return f"Nothing was compacted: {done.reason}."
        return with_undo(_worded(done), await steering.view(), context, BRINGS_BACK)

    return Command(
        name="compact",
        description="Summarise the older half of this chat now.",
        handler=answer,
        heeds_chat_admins=True,
        is_everybodys=True,
        is_about_conversation=always,
    )


async def _clear(asked: _Asked) -> CommandAnswer:
    """Clear at once, or ask first where that is a press away, or everybody's.

    In a terminal nobody else loses anything, and an undo is as short as a yes.
    """
    context, steering = asked.context, asked.steering
    if not _YESES.issuperset(asked.words):
        return CommandAnswer(text=USAGE)
    is_shared = context.message.kind == "group"
    if _YESES.isdisjoint(asked.words) and (context.has_buttons or is_shared):
        view = await steering.view()
        if not view.turns and not view.has_summary:
            return CommandAnswer(text=NOTHING_LEFT)
        whose = "everybody's view of this chat" if is_shared else "my view"
        text = (
            f"Clear? {counted(view.turns)}, about {short(_history_tokens(view))} tokens, would "
            f"leave {whose}. What was said stays stored."
        )
        keep = (Choice(label="Keep", command=f"context {KEEP}"),) if context.has_buttons else ()
        clear = Choice(label="Clear", command=f"context {CLEAR} {YES}")
        return CommandAnswer(text=text, choices=(clear, *keep))
    turns = await steering.clear()
    text = f"Cleared: {counted(turns)} left my view. What was said stays stored."
    if not turns:
        text = NOTHING_LEFT
    return with_undo(text, await steering.view(), context, BRINGS_BACK)


async def _keep(asked: _Asked) -> str:
    return "Nothing was cleared."


async def _undo(asked: _Asked) -> str:
    """Take back the last change, or the one that the button was about, if it is the last."""
    if asked.words and asked.words[0] != _moment(await asked.steering.view()):
        return "Not undone: this chat was compacted or cleared again since then."
    done = await asked.steering.undo()
    if isinstance(done, Refused):
        return f"Not undone: {done.reason}."
    return f"Undone: {counted(done.turns)} in view again, about {short(done.tokens_after)} tokens."


def with_undo(text: str, view: ContextView, context: CommandContext, hint: str) -> CommandAnswer:
    """Offer to take the last change back: by a button, or by saying what to write."""
    if not view.can_undo:
        return CommandAnswer(text=text)
    if not context.has_buttons:
        return CommandAnswer(text=f"{text}{hint}")
    undo = Choice(label="Undo", command=f"context {UNDO} {_moment(view)}".rstrip())
    return CommandAnswer(text=text, choices=(undo,))


def _history_tokens(view: ContextView) -> int:
    """Count what a clear takes out of the view: turns and their summary, and no instructions."""
    tokens = dict(view.report.tokens)
    return tokens["summary"] + tokens["history"]


def _moment(view: ContextView) -> str:
    """Name the last change by its moment, as one word in lower case."""
    return view.compaction.at.isoformat().lower() if view.compaction is not None else ""


def may_change(context: CommandContext) -> bool:
    """Say whether somebody may change what everybody in a chat sees."""
    return context.is_admin or context.is_chat_admin or context.message.kind == "private"


def _worded(done: Compacted) -> str:
    stay = "stays" if done.turns == 1 else "stay"
    return (
        f"Compacted: {counted(done.turns_left)} left my view, {done.turns} {stay}; about "
        f"{short(done.tokens_before)} → {short(done.tokens_after)} tokens. Their summary is being "
        "written."
    )
