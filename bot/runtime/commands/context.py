"""``/context`` and ``/compact``: what the model sees of this chat, and how to change it."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from datetime import tzinfo

from bot.core.files import OutgoingFile, clean_file_name
from bot.languages import gettext, gettext_noop, ngettext
from bot.languages.rows import one_behind_the_other
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
UNDOES_LAST = gettext_noop("`/context undo` takes the last compaction or clear back.")
NOTHING_LEFT = gettext_noop("Nothing is in my view now.")
BRINGS_BACK = gettext_noop("`/context undo` takes that back.")
ONLY_ADMINS = gettext_noop("In a group only admins can do that, since it is everybody's.")
USAGE = gettext_noop(
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
        page = overview(view, zone)
        spelled_out = f"{page}\n\n{gettext(UNDOES_LAST)}"
        return with_undo(page, view, asked.context, spelled_out)

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
            return gettext(USAGE)
        if wish in (CLEAR, KEEP, UNDO) and not may_change(context):
            return gettext(ONLY_ADMINS)
        steering = runner.steering_of(context.message.address.session_key)
        return await actions[wish](_Asked(context=context, steering=steering, words=tuple(rest)))

    return Command(
        name="context",
        description=gettext_noop("Show what the model sees of this chat, or clear it."),
        handler=answer,
        heeds_chat_admins=True,
        is_about_conversation=always,
    )


def compact_command(runner: AgentRunner) -> Command:
    """Let the older half of a chat leave the window at a person's wish."""

    async def answer(context: CommandContext) -> str | CommandAnswer:
        if not may_change(context):
            return gettext(ONLY_ADMINS)
        steering = runner.steering_of(context.message.address.session_key)
        done = await steering.compact()
        if isinstance(done, Refused):
            return gettext("Nothing was compacted: {reason}.", reason=done.reason)
        text = _worded(done)
        return with_undo(text, await steering.view(), context, _undoable(text))

    return Command(
        name="compact",
        description=gettext_noop("Summarise the older half of this chat now."),
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
        return CommandAnswer(text=gettext(USAGE))
    is_shared = context.message.kind == "group"
    if _YESES.isdisjoint(asked.words) and (context.has_buttons or is_shared):
        view = await steering.view()
        if not view.turns and not view.has_summary:
            return CommandAnswer(text=gettext(NOTHING_LEFT))
        keep = Choice(label=gettext("Keep"), command=f"context {KEEP}")
        clear = Choice(label=gettext("Clear"), command=f"context {CLEAR} {YES}")
        choices = (clear, keep) if context.has_buttons else (clear,)
        return CommandAnswer(text=_question(view, is_shared=is_shared), choices=choices)
    turns = await steering.clear()
    text = gettext(NOTHING_LEFT)
    if turns:
        text = ngettext(
            "Cleared: {count} turn left my view. What was said stays stored.",
            "Cleared: {count} turns left my view. What was said stays stored.",
            turns,
        )
    return with_undo(text, await steering.view(), context, _undoable(text))


def _question(view: ContextView, *, is_shared: bool) -> str:
    tokens = short(_history_tokens(view))
    if is_shared:
        return ngettext(
            "Clear? {count} turn, about {tokens} tokens, would leave everybody's view of this "
            "chat. What was said stays stored.",
            "Clear? {count} turns, about {tokens} tokens, would leave everybody's view of this "
            "chat. What was said stays stored.",
            view.turns,
            tokens=tokens,
        )
    return ngettext(
        "Clear? {count} turn, about {tokens} tokens, would leave my view. What was said stays "
        "stored.",
        "Clear? {count} turns, about {tokens} tokens, would leave my view. What was said stays "
        "stored.",
        view.turns,
        tokens=tokens,
    )


async def _keep(asked: _Asked) -> str:
    return gettext("Nothing was cleared.")


async def _undo(asked: _Asked) -> str:
    """Take back the last change, or the one that the button was about, if it is the last."""
    if asked.words and asked.words[0] != _moment(await asked.steering.view()):
        return gettext("Not undone: this chat was compacted or cleared again since then.")
    done = await asked.steering.undo()
    if isinstance(done, Refused):
        return gettext("Not undone: {reason}.", reason=done.reason)
    return ngettext(
        "Undone: {count} turn in view again, about {tokens} tokens.",
        "Undone: {count} turns in view again, about {tokens} tokens.",
        done.turns,
        tokens=short(done.tokens_after),
    )


def with_undo(
    text: str, view: ContextView, context: CommandContext, spelled_out: str
) -> CommandAnswer:
    """Offer to take the last change back: by a button, or by a text that says what to write."""
    if not view.can_undo:
        return CommandAnswer(text=text)
    if not context.has_buttons:
        return CommandAnswer(text=spelled_out)
    undo = Choice(label=gettext("Undo"), command=f"context {UNDO} {_moment(view)}".rstrip())
    return CommandAnswer(text=text, choices=(undo,))


def _undoable(text: str) -> str:
    return one_behind_the_other(text, gettext(BRINGS_BACK))


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
    return ngettext(
        "Compacted: {left} left my view, {count} stays; about {before} → {after} tokens. Their "
        "summary is being written.",
        "Compacted: {left} left my view, {count} stay; about {before} → {after} tokens. Their "
        "summary is being written.",
        done.turns,
        left=counted(done.turns_left),
        before=short(done.tokens_before),
        after=short(done.tokens_after),
    )
