"""How a chat's context is laid out for people, on a phone too, and as data."""

from __future__ import annotations

import json
from collections.abc import Iterator
from datetime import datetime, tzinfo

from bot.core.llm import Usage
from bot.core.window.conversation import CompactionKind
from bot.core.window.report import TurnLine
from bot.runtime.commands.context_memory import memory_data
from bot.runtime.context.steering import ContextView
from bot.runtime.nouns import how_many

BAR_CELLS = 16

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


def overview(view: ContextView, zone: tzinfo) -> str:
    """Lay a context out: its size against the limits, a bar a category, what happened last."""
    report = view.report
    scale = max(view.max_tokens, report.total_tokens)
    free = max(0, view.max_tokens - report.total_tokens)
    roles = ", ".join(f"{count} {role}" for role, count in report.by_role)
    lines = [
        f"**Context** of {counted(view.turns)} (limit {view.max_turns}), "
        f"about {short(report.total_tokens)} of {short(view.max_tokens)} tokens",
        "",
        "```",
        *_bars((*report.tokens, ("free", free)), scale),
        "```",
        "",
        f"- Messages: {report.messages} ({roles})",
        f"- Characters: {short(report.characters)}",
        *_opened(view, zone),
        f"- Left this view: {_left(view)}",
        f"- Last compaction: {_last(view, zone)}",
        f"- Read from the cache: {_cache(view.usage)}",
        f"- Model: `{view.model}`{_limited(view)}",
    ]
    return "\n".join(lines)


def turn_list(view: ContextView) -> str:
    """List the turns in view, oldest first, one line each."""
    if not view.report.turns:
        return "No turn of this chat is in view."
    lines = [f"**{counted(view.turns)} in view**, oldest first", ""]
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
            "opened_with": None
            if view.opening is None
            else {
                "session_of": None
                if view.opening.last is None
                else view.opening.last.ended_at.isoformat(),
                "facts": len(view.opening.facts),
            },
            "cache_hit_rate": _hit_rate(view.usage),
            "can_undo": view.can_undo,
            "memory": memory_data(view),
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


def _bars(parts: tuple[tuple[str, int], ...], whole: int) -> Iterator[str]:
    """Draw a bar for each part of a whole; together they are ``BAR_CELLS`` long at most."""
    sum_before = 0
    for name, tokens in parts:
        begin, sum_before = sum_before, sum_before + tokens
        cells = _cells(sum_before, whole) - _cells(begin, whole)
        yield _bar(name, tokens, cells)


def _cells(tokens: int, whole: int) -> int:
    return round(tokens * BAR_CELLS / whole) if whole else 0


def _bar(name: str, tokens: int, cells: int) -> str:
    """Draw a bar in 30 columns, which a telephone has."""
    filled = "░" if name == "free" else "█"
    bar = (filled * cells) or ("▏" if tokens else "")
    return f"{name:<8}{bar:<{BAR_CELLS}} {short(tokens):>5}".rstrip()


def short(tokens: int) -> str:
    """Write a number of tokens in few characters: ``950``, ``12.3k``, ``123k``."""
    if tokens < 1_000:
        return str(tokens)
    return f"{tokens / 1000:.1f}k" if tokens < 100_000 else f"{round(tokens / 1000)}k"


def counted(count: int) -> str:
    """Write a number of turns: ``1 turn``, ``2 turns``."""
    return f"{count} turn{'' if count == 1 else 's'}"


def _opened(view: ContextView, zone: tzinfo) -> Iterator[str]:
    """Say what a session that was begun with ``/new`` opened with."""
    opening = view.opening
    if opening is None:
        return
    parts: list[str] = []
    if opening.last is not None:
        parts.append(
            f"the record of a session of {opening.last.ended_at.astimezone(zone):%Y-%m-%d}"
        )
    if facts := len(opening.facts):
        parts.append(how_many(facts, "fact"))
    yield f"- Opened with: {' and '.join(parts)}"


def _left(view: ContextView) -> str:
    if not view.turns_left:
        was_cleared = view.compaction is not None and view.compaction.kind == "clear"
        return "what was cleared" if was_cleared and view.can_undo else "nothing"
    them, their = ("it", "its") if view.turns_left == 1 else ("them", "their")
    stands = "a summary stands" if view.has_summary else "a note stands"
    if view.has_summary and view.waits_for_summary:
        stands = "a summary and a note stand"
    waits = f" until {their} summary is written" if view.waits_for_summary else ""
    return f"{counted(view.turns_left)}; {stands} for {them}{waits}"


def _limited(view: ContextView) -> str:
    """Say why a request may have less than is set, where the model's window is the reason."""
    if view.max_tokens >= view.set_tokens:
        return ""
    return (
        f", which reads {short(view.window_tokens)} tokens with its answer: so not the "
        f"{short(view.set_tokens)} that are set"
    )


def _last(view: ContextView, zone: tzinfo) -> str:
    compaction = view.compaction
    if compaction is None:
        return "none yet"
    taken_back = "" if view.can_undo else "; it was taken back"
    when: datetime = compaction.at.astimezone(zone)
    sizes = ""
    if compaction.tokens_before:
        sizes = f", {short(compaction.tokens_before)} → {short(compaction.tokens_after)} tokens"
    left = f"{counted(compaction.turns_left)} left" if compaction.turns_left else "no turn left"
    return f"{when:%Y-%m-%d %H:%M}, {left}{sizes}, because {_WHY[compaction.kind]}{taken_back}"


def _hit_rate(usage: Usage) -> float | None:
    return usage.cache_read_tokens / usage.prompt_tokens if usage.prompt_tokens else None


def _cache(usage: Usage) -> str:
    rate = _hit_rate(usage)
    if rate is None:
        return "nothing was asked yet"
    return f"{rate:.0%} of {short(usage.prompt_tokens)} tokens since the last clear"


def _turn_line(line: TurnLine) -> str:
    words = line.first_words.replace("`", "'") or "(no text)"
    calls = f"{line.tool_calls} tool call{'' if line.tool_calls == 1 else 's'}"
    tools = f", {calls}" if line.tool_calls else ""
    shape = ", words only" if line.is_text_only else ""
    return f"{line.number}. `{words}` {short(line.tokens)} tokens{tools}{shape}"
