"""An opening as the model is shown it: the first block of a session that was begun on purpose.

The law of this file: what was said before stands behind a mark on every line, as what is recalled
does, so that it can neither end the block nor pose as somebody who speaks.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from datetime import tzinfo

from bot.core.memory.episodes import Account
from bot.core.memory.opening import Opening
from bot.core.quoting import MARK
from bot.core.window.notes import OPENING_LEAD
from bot.core.window.summary.lines import middle_left_out

_LEAST_SUMMARY_TOKENS = 40


def render_opening(
    opening: Opening, zone: tzinfo, *, max_tokens: int, count: Callable[[str], int]
) -> str:
    """Write an opening out; ``zone`` is where its dates are told.

    When it is too long, exact details go first, then what was decided and what failed, the middle
    of the summary, the last of the open tasks and at last the last facts; the lead always stays.
    """
    while count(text := _block(opening, zone)) > max_tokens:
        shorter = _shorter(opening, count(text) - max_tokens, count)
        if shorter is None:
            return f"{OPENING_LEAD}]"
        opening = shorter
    return text


def _shorter(opening: Opening, over: int, count: Callable[[str], int]) -> Opening | None:
    """Take away what matters least; None when nothing is left to go."""
    last = opening.last
    if last is not None:
        account = _shorter_account(last.account, over, count)
        if account is not None:
            return replace(opening, last=replace(last, account=account))
        return replace(opening, last=None)
    return replace(opening, facts=opening.facts[:-1]) if opening.facts else None


def _shorter_account(account: Account, over: int, count: Callable[[str], int]) -> Account | None:
    if account.details:
        return replace(account, details=account.details[: len(account.details) // 2])
    if account.decisions or account.failed:
        return replace(account, decisions=(), failed=())
    tokens = count(account.summary)
    if tokens > _LEAST_SUMMARY_TOKENS:
        room = max(_LEAST_SUMMARY_TOKENS, tokens - over - 1)
        summary = middle_left_out(account.summary, room, count)
        if summary != account.summary:
            return replace(account, summary=summary)
    if account.open_tasks:
        return replace(account, open_tasks=account.open_tasks[:-1])
    return None


def _block(opening: Opening, zone: tzinfo) -> str:
    lines = (line for told in _lines(opening, zone) for line in told.splitlines())
    return "\n".join((OPENING_LEAD, *(f"{MARK}{line}" for line in lines), "]"))


def _lines(opening: Opening, zone: tzinfo) -> Iterator[str]:
    last = opening.last
    if last is not None:
        account = last.account
        if account.summary:
            ended = last.ended_at.astimezone(zone)
            yield f"Last time ({ended:%Y-%m-%d}): {account.summary}"
        kinds = (
            ("Decided then", account.decisions),
            ("Failed then", account.failed),
            ("Still open", account.open_tasks),
            ("Exact details", account.details),
        )
        for label, phrases in kinds:
            if phrases:
                yield f"{label}: {'; '.join(phrases)}"
    if opening.facts:
        whose = f"Known of {opening.name}, who began it" if opening.name else "Known of the person"
        yield f"{whose}:"
        yield from (f"- {fact.text}" for fact in opening.facts)
