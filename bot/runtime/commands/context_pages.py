"""How a chat's context is laid out for people, on a phone too, and as data."""

from __future__ import annotations

import json
import unicodedata
from collections.abc import Iterator
from datetime import datetime, tzinfo

from bot.core.llm import Usage
from bot.core.window.conversation import Compaction, CompactionKind
from bot.core.window.report import TurnLine
from bot.languages import gettext, gettext_noop, ngettext
from bot.languages.rows import all_of, in_a_row, in_clauses, in_commas
from bot.runtime.commands.context_memory import memory_data
from bot.runtime.context.steering import ContextView

BAR_CELLS = 16

_WHY: dict[CompactionKind, str] = {
    "restart": gettext_noop("because the bot was restarted"),
    "turns": gettext_noop("because there were too many turns"),
    "tokens": gettext_noop("because it was too long"),
    "text": gettext_noop("because it was too long, so older turns were reduced to their words"),
    "overflow": gettext_noop("because the model found it too long"),
    "emptied": gettext_noop("because the model found it too long twice"),
    "asked": gettext_noop("because it was asked for"),
    "clear": gettext_noop("because it was cleared"),
}
_ROLES = {
    "user": gettext_noop("{count} user"),
    "assistant": gettext_noop("{count} assistant"),
    "tool results": gettext_noop("{count} tool results"),
}
_LABELS = {
    "system": gettext_noop("system"),
    "tools": gettext_noop("tools"),
    "summary": gettext_noop("summary"),
    "memory": gettext_noop("memory"),
    "history": gettext_noop("history"),
    "current": gettext_noop("current"),
    "free": gettext_noop("free"),
}
_LABEL_COLUMNS = 8
"""What the longest label takes, a space behind it included, with two columns for a wide letter."""


def overview(view: ContextView, zone: tzinfo) -> str:
    """Lay a context out: its size against the limits, a bar a category, what happened last."""
    report = view.report
    scale = max(view.max_tokens, report.total_tokens)
    free = max(0, view.max_tokens - report.total_tokens)
    head = ngettext(
        "**Context** of {count} turn (limit {limit}), about {tokens} of {most} tokens",
        "**Context** of {count} turns (limit {limit}), about {tokens} of {most} tokens",
        view.turns,
        limit=view.max_turns,
        tokens=short(report.total_tokens),
        most=short(view.max_tokens),
    )
    bars = _bars((*report.tokens, ("free", free)), scale)
    lines = (f"- {line}" for line in _lines(view, zone))
    return "\n".join((head, "", "```", *bars, "```", "", *lines))


def _lines(view: ContextView, zone: tzinfo) -> Iterator[str]:
    report = view.report
    roles = in_a_row(gettext(_ROLES[role], count=count) for role, count in report.by_role)
    yield gettext("Messages: {count} ({roles})", count=report.messages, roles=roles)
    yield gettext("Characters: {count}", count=short(report.characters))
    yield from _opened(view, zone)
    yield gettext("Left this view: {turns}", turns=_left(view))
    yield gettext("Last compaction: {account}", account=_last(view, zone))
    yield gettext("Read from the cache: {share}", share=_cache(view.usage))
    yield _model(view)


def turn_list(view: ContextView) -> str:
    """List the turns in view, oldest first, one line each."""
    if not view.report.turns:
        return gettext("No turn of this chat is in view.")
    head = ngettext(
        "**{count} turn in view**, oldest first",
        "**{count} turns in view**, oldest first",
        view.turns,
    )
    return "\n".join((head, "", *map(_turn_line, view.report.turns)))


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
    label = gettext(_LABELS[name])
    gap = " " * (_LABEL_COLUMNS - _columns(label))
    return f"{label}{gap}{bar:<{BAR_CELLS}} {short(tokens):>5}".rstrip()


def _columns(text: str) -> int:
    """Count what a text takes where all letters are equally wide, and some twice that."""
    return sum(1 + (unicodedata.east_asian_width(each) in "WF") for each in text)


def short(tokens: int) -> str:
    """Write a number of tokens in few characters: ``950``, ``12.3k``, ``123k``."""
    if tokens < 1_000:
        return str(tokens)
    return f"{tokens / 1000:.1f}k" if tokens < 100_000 else f"{round(tokens / 1000)}k"


def counted(count: int) -> str:
    """Write a number of turns: ``1 turn``, ``2 turns``."""
    return ngettext("{count} turn", "{count} turns", count)


def _opened(view: ContextView, zone: tzinfo) -> Iterator[str]:
    """Say what a session that was begun with ``/new`` opened with."""
    opening = view.opening
    if opening is None:
        return
    parts: list[str] = []
    if opening.last is not None:
        day = f"{opening.last.ended_at.astimezone(zone):%Y-%m-%d}"
        parts.append(gettext("the record of a session of {day}", day=day))
    if facts := len(opening.facts):
        parts.append(ngettext("{count} fact", "{count} facts", facts))
    yield gettext("Opened with: {pieces}", pieces=all_of(parts))


def _left(view: ContextView) -> str:
    if not view.turns_left:
        was_cleared = view.compaction is not None and view.compaction.kind == "clear"
        is_cleared = was_cleared and view.can_undo
        return gettext("what was cleared") if is_cleared else gettext("nothing")
    if view.has_summary and view.waits_for_summary:
        return ngettext(
            "{count} turn; a summary and a note stand for it until its summary is written",
            "{count} turns; a summary and a note stand for them until their summary is written",
            view.turns_left,
        )
    if view.has_summary:
        return ngettext(
            "{count} turn; a summary stands for it",
            "{count} turns; a summary stands for them",
            view.turns_left,
        )
    if view.waits_for_summary:
        return ngettext(
            "{count} turn; a note stands for it until its summary is written",
            "{count} turns; a note stands for them until their summary is written",
            view.turns_left,
        )
    return ngettext(
        "{count} turn; a note stands for it",
        "{count} turns; a note stands for them",
        view.turns_left,
    )


def _model(view: ContextView) -> str:
    """Name the model, and say where its window is why a request may have less than is set."""
    if view.max_tokens >= view.set_tokens:
        return gettext("Model: `{model}`", model=view.model)
    return gettext(
        "Model: `{model}`, which reads {window} tokens with its answer: so not the {set} that are "
        "set",
        model=view.model,
        window=short(view.window_tokens),
        set=short(view.set_tokens),
    )


def _last(view: ContextView, zone: tzinfo) -> str:
    compaction = view.compaction
    if compaction is None:
        return gettext("none yet")
    when: datetime = compaction.at.astimezone(zone)
    account = in_commas((f"{when:%Y-%m-%d %H:%M}", *_happened(compaction)))
    return account if view.can_undo else in_clauses((account, gettext("it was taken back")))


def _happened(compaction: Compaction) -> Iterator[str]:
    if compaction.turns_left:
        yield ngettext("{count} turn left", "{count} turns left", compaction.turns_left)
    else:
        yield gettext("no turn left")
    if compaction.tokens_before:
        yield gettext(
            "{before} → {after} tokens",
            before=short(compaction.tokens_before),
            after=short(compaction.tokens_after),
        )
    yield gettext(_WHY[compaction.kind])


def _hit_rate(usage: Usage) -> float | None:
    return usage.cache_read_tokens / usage.prompt_tokens if usage.prompt_tokens else None


def _cache(usage: Usage) -> str:
    rate = _hit_rate(usage)
    if rate is None:
        return gettext("nothing was asked yet")
    return gettext(
        "{share} of {tokens} tokens since the last clear",
        share=f"{rate:.0%}",
        tokens=short(usage.prompt_tokens),
    )


def _turn_line(line: TurnLine) -> str:
    words = line.first_words.replace("`", "'") or gettext("(no text)")
    told = [gettext("{tokens} tokens", tokens=short(line.tokens))]
    if line.tool_calls:
        told.append(ngettext("{count} tool call", "{count} tool calls", line.tool_calls))
    if line.is_text_only:
        told.append(gettext("words only"))
    return f"{line.number}. `{words}` {in_commas(told)}"
