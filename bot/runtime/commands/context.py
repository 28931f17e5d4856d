"""``/context`` and ``/compact``: what the model sees of this chat, and how to change it."""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable
from datetime import datetime, tzinfo

from bot.core.llm import Usage
from bot.core.window.conversation import Compaction, CompactionKind
from bot.core.window.report import TurnLine
from bot.ports import CommandContext
from bot.runtime.commands.table import Command
from bot.runtime.context.steering import Compacted, ContextSteering, ContextView, Refused
from bot.runtime.runner import AgentRunner

BAR_CELLS = 16
ONLY_ADMINS = "In a group only the bot's admins can do that, since it is everybody's."
USAGE = (
    "`/context` shows what the model sees of this chat; `/context detail` its turns; "
    "`/context json` the same as data; `/context clear` empties it; `/context undo` takes the last "
    "compaction or clear back."
)

_WHY: dict[CompactionKind, str] = {
    "restart": "the bot was restarted",
    "turns": "there were too many turns",
    "tokens": "it was too long",
    "text": "it was too long, so older turns were reduced to their words",
    "overflow": "the model found it too long",
    "emptied": "the model found it too long twice",
    "asked": "it was asked for",
    "clear": "it was cleared",
}


def context_command(runner: AgentRunner, zone: tzinfo) -> Command:
    """Show, clear or bring back what the model sees of a chat."""

    async def show(steering: ContextSteering) -> str:
        return overview(await steering.view(), zone)

    async def detail(steering: ContextSteering) -> str:
        return turn_list(await steering.view())

    async def as_json(steering: ContextSteering) -> str:
        return f"```json\n{as_data(await steering.view())}\n```"

    async def clear(steering: ContextSteering) -> str:
        turns = await steering.clear()
        return (
            f"Cleared: {_turns(turns)} left my view. They stay stored, and `/context undo` brings "
            "them back."
        )

    async def undo(steering: ContextSteering) -> str:
        done = await steering.undo()
        if isinstance(done, Refused):
            return f"Not undone: {done.reason}."
        return f"Undone: {_turns(done.turns)} in view again, about {_k(done.tokens_after)} tokens."

    actions: dict[str, Callable[[ContextSteering], Awaitable[str]]] = {
        "": show,
        "detail": detail,
        "json": as_json,
        "clear": clear,
        "undo": undo,
    }

    async def answer(context: CommandContext) -> str:
        wish = context.arguments.strip().lower()
        if wish not in actions:
            return USAGE
        if wish in ("clear", "undo") and not may_change(context):
            return ONLY_ADMINS
        return await actions[wish](runner.steering_of(context.message.address.session_key))

    description = "Show what the model sees of this chat, or clear it."
    return Command(name="context", description=description, handler=answer)


def compact_command(runner: AgentRunner) -> Command:
    """Let the older half of a chat leave the window at a person's wish."""

    async def answer(context: CommandContext) -> str:
        if not may_change(context):
            return ONLY_ADMINS
        steering = runner.steering_of(context.message.address.session_key)
        done = await steering.compact()
        if isinstance(done, Refused):
            return f"Nothing was compacted: {done.reason}."
        return _worded(done)

    description = "Summarise the older half of this chat now."
    return Command(name="compact", description=description, handler=answer)


def overview(view: ContextView, zone: tzinfo) -> str:
    """Lay a context out: its size against the limits, a bar a category, what happened last."""
    report = view.report
    roles = ", ".join(f"{count} {role}" for role, count in report.by_role)
    lines = [
        f"**Context** of {_turns(view.turns)} (limit {view.max_turns}), "
        f"about {_k(report.total_tokens)} of {_k(view.max_tokens)} tokens",
        "",
        "```",
        *(_bar(name, tokens, view.max_tokens) for name, tokens in report.tokens),
        _bar("free", max(0, view.max_tokens - report.total_tokens), view.max_tokens),
        "```",
        "",
        f"- Messages: {report.messages} ({roles})",
        f"- Characters: {report.characters:,}".replace(",", " "),
        f"- Left this view: {_left(view)}",
        f"- Last compaction: {_last(view.compaction, zone)}",
        f"- Read from the cache: {_cache(view.usage)}",
        f"- Model: `{view.model}`",
    ]
    if view.can_undo:
        lines += ["", "`/context undo` takes the last compaction or clear back."]
    return "\n".join(lines)


def turn_list(view: ContextView) -> str:
    """List the turns in view, oldest first, one line each."""
    if not view.report.turns:
        return "No turn of this chat is in view."
    lines = [f"**{_turns(view.turns)} in view**, oldest first", ""]
    lines += map(_turn_line, view.report.turns)
    return "\n".join(lines)


def as_data(view: ContextView) -> str:
    """Give a context as JSON."""
    report, compaction = view.report, view.compaction
    return json.dumps(
        {
            "model": view.model,
            "turns": {"in_view": view.turns, "limit": view.max_turns, "left": view.turns_left},
            "tokens": {
                "estimated": report.total_tokens,
                "limit": view.max_tokens,
                "by_category": dict(report.tokens),
            },
            "messages": {"count": report.messages, **dict(report.by_role)},
            "characters": report.characters,
            "compaction": None
            if compaction is None
            else {
                "kind": compaction.kind,
                "at": compaction.at.isoformat(),
                "turns_left": compaction.turns_left,
                "tokens_before": compaction.tokens_before,
                "tokens_after": compaction.tokens_after,
            },
            "cache_hit_rate": _hit_rate(view.usage),
            "can_undo": view.can_undo,
            "turn_list": [
                {
                    "first_words": line.first_words,
                    "messages": line.messages,
                    "tool_calls": line.tool_calls,
                    "characters": line.characters,
                    "tokens": line.tokens,
                    "text_only": line.is_text_only,
                }
                for line in report.turns
            ],
        },
        ensure_ascii=False,
        indent=1,
    )


def may_change(context: CommandContext) -> bool:
    """Say whether somebody may change what everybody in a chat sees."""
    return context.is_admin or context.message.kind == "private"


def _bar(name: str, tokens: int, limit: int) -> str:
    cells = min(BAR_CELLS, round(tokens * BAR_CELLS / limit)) if limit else 0
    filled = "░" if name == "free" else "█"
    bar = (filled * cells) or ("▏" if tokens else "")
    return f"{name:<8}{bar:<{BAR_CELLS}} {_k(tokens):>6}".rstrip()


def _k(tokens: int) -> str:
    if tokens < 1_000:
        return str(tokens)
    return f"{tokens / 1000:.1f}k" if tokens < 100_000 else f"{round(tokens / 1000)}k"


def _turns(count: int) -> str:
    return f"{count} turn{'' if count == 1 else 's'}"


def _left(view: ContextView) -> str:
    if not view.turns_left:
        return "nothing"
    stands = "a summary" if view.has_summary else "a note"
    if view.waits_for_summary:
        stands = "a note, until their summary is written"
        stands = f"a summary and {stands}" if view.has_summary else stands
    return f"{_turns(view.turns_left)}; {stands} stands for them"


def _last(compaction: Compaction | None, zone: tzinfo) -> str:
    if compaction is None:
        return "none yet"
    when: datetime = compaction.at.astimezone(zone)
    sizes = ""
    if compaction.tokens_before:
        sizes = f", {_k(compaction.tokens_before)} → {_k(compaction.tokens_after)} tokens"
    left = f"{_turns(compaction.turns_left)} left" if compaction.turns_left else "no turn left"
    return f"{when:%Y-%m-%d %H:%M}, {left}{sizes}, because {_WHY[compaction.kind]}"


def _hit_rate(usage: Usage) -> float | None:
    return usage.cache_read_tokens / usage.prompt_tokens if usage.prompt_tokens else None


def _cache(usage: Usage) -> str:
    rate = _hit_rate(usage)
    if rate is None:
        return "nothing was asked yet"
    return f"{rate:.0%} of {_k(usage.prompt_tokens)} tokens since the last clear"


def _turn_line(line: TurnLine) -> str:
    words = line.first_words.replace("`", "'") or "(no text)"
    tools = f", {line.tool_calls} tool calls" if line.tool_calls else ""
    shape = ", words only" if line.is_text_only else ""
    return f"{line.number}. `{words}` {_k(line.tokens)} tokens{tools}{shape}"


def _worded(done: Compacted) -> str:
    return (
        f"Compacted: {_turns(done.turns_left)} left my view, {done.turns} stay; about "
        f"{_k(done.tokens_before)} → {_k(done.tokens_after)} tokens. Their summary is being "
        "written; `/context undo` brings them back."
    )
