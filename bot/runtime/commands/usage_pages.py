"""How what was used and what it cost is laid out for people, on a telephone too."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date, datetime

from bot.core.cost import Scope, Spent, dollars
from bot.core.quoting import one_line
from bot.runtime.commands.context_pages import short
from bot.runtime.notices import clock_time
from bot.runtime.nouns import how_many
from bot.runtime.spending import Standing

SHOWN_DAYS = 30
"""A column each: as many as a line of a telephone has."""

WEEK = 7

_BLOCKS = "▁▂▃▄▅▆▇█"
_MOST_NAME_CHARS = 40
_WHOSE: dict[Scope, str] = {"person": "you", "chat": "this chat", "bot": "all together"}


@dataclass(frozen=True, slots=True, kw_only=True)
class UsagePage:
    """What a page says.

    Attributes:
        title: Whose usage it is.
        last: The newest of the days.
        days: What was spent on each of the last days, oldest first.
        tops: What took most of it, by what it is told apart by.
        standings: The caps that are of interest to who asks.
        resets_at: When the next day begins.
    """

    title: str
    last: date
    days: tuple[Spent, ...]
    tops: tuple[tuple[str, tuple[tuple[str, Spent], ...]], ...]
    standings: tuple[Standing, ...]
    resets_at: datetime


def usage_page(page: UsagePage) -> str:
    """Lay a page out."""
    month = sum(page.days, Spent())
    lines = [
        f"**{page.title}**",
        "",
        f"- Today: {spent_words(page.days[-1])}",
        f"- {WEEK} days: {spent_words(sum(page.days[-WEEK:], Spent()))}",
        f"- {len(page.days)} days: {spent_words(month)}",
        *_unpriced(month),
        *_chart(page),
        *_caps(page),
    ]
    for name, rows in page.tops:
        lines += ["", f"**By {name}**, {len(page.days)} days", ""]
        lines += (f"- `{_plain(row)}` {money(spent)}" for row, spent in rows)
    return "\n".join(lines)


def spent_words(spent: Spent) -> str:
    """Say what was used: ``$0.123, 12.3k tokens in, 4.5k out, 80% from the cache, 12 calls``."""
    if not spent.calls:
        return "nothing"
    parts = [
        money(spent),
        f"{short(spent.usage.prompt_tokens)} tokens in",
        f"{short(spent.usage.output_tokens)} out",
    ]
    if spent.cache_rate is not None:
        parts.append(f"{spent.cache_rate:.0%} of in from the cache")
    parts.append(how_many(spent.calls, "call"))
    return ", ".join(parts)


def money(spent: Spent) -> str:
    """Write what it cost: to the tenth of a cent, and never nothing where nobody knows."""
    if spent.calls and spent.unpriced == spent.calls:
        return "price unknown"
    return f"{dollars(spent.nano_usd)}{' and more' if spent.unpriced else ''}"


def _unpriced(month: Spent) -> Iterator[str]:
    if month.unpriced:
        yield (
            f"- Without a price: {month.unpriced} of {month.calls} calls; the operator can set one "
            "under `prices`"
        )


def _chart(page: UsagePage) -> Iterator[str]:
    """Draw a column a day: money, or tokens where nothing cost any."""
    is_money = any(each.nano_usd for each in page.days)
    heights = [each.nano_usd if is_money else each.amount.tokens for each in page.days]
    most = max(heights)
    if not most:
        return
    first = page.last.toordinal() - len(heights) + 1
    top = dollars(most) if is_money else f"{short(most)} tokens"
    dates = f"{date.fromordinal(first):%m-%d}", f"{page.last:%m-%d}"
    yield from ("", "```", f"most a day: {top}")
    yield "".join(_column(height, most) for height in heights).rstrip()
    yield f"{dates[0]}{dates[1]:>{max(len(heights) - len(dates[0]), 6)}}"
    yield "```"


def _column(height: int, most: int) -> str:
    return _BLOCKS[(height * len(_BLOCKS) - 1) // most] if height else " "


def _caps(page: UsagePage) -> Iterator[str]:
    told = [line for each in page.standings for line in _standing(each)]
    if told:
        yield from ("", f"Left until {clock_time(page.resets_at)}:", "")
        yield from told


def _standing(standing: Standing) -> Iterator[str]:
    cap, used = standing.cap, standing.used
    left = []
    if cap.nano_usd is not None:
        rest = max(0, cap.nano_usd - used.nano_usd)
        left.append(f"{dollars(rest)} of {dollars(cap.nano_usd)}")
    if cap.tokens is not None:
        left.append(f"{short(max(0, cap.tokens - used.tokens))} of {short(cap.tokens)} tokens")
    if left:
        yield f"- For {_WHOSE[standing.scope]}: {', '.join(left)}"


def _plain(name: str) -> str:
    return one_line(name, _MOST_NAME_CHARS).replace("`", "'") or "?"
