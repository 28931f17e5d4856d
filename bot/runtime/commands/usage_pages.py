"""How what was used and what it cost is laid out for people, on a telephone too."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date, datetime

from bot.core.cost import Axis, Scope, Spent, Standing, dollars
from bot.core.quoting import one_line
from bot.languages import gettext, gettext_noop, ngettext
from bot.languages.rows import in_commas
from bot.runtime.commands.context_pages import short
from bot.runtime.notices import clock_time

SHOWN_DAYS = 30
"""A column each: as many as a line of a telephone has."""

WEEK = 7

_BLOCKS = "▁▂▃▄▅▆▇█"
_MOST_NAME_CHARS = 120
"""A name of 40, and an id behind it that is not to be cut."""

_LEFT: dict[Scope, str] = {
    "person": gettext_noop("For you: {left}"),
    "chat": gettext_noop("For this chat: {left}"),
    "bot": gettext_noop("For all together: {left}"),
}
_BY: dict[Axis, str] = {
    "chat": gettext_noop("**By chat**, {count} days"),
    "person": gettext_noop("**By person**, {count} days"),
    "model": gettext_noop("**By model**, {count} days"),
    "purpose": gettext_noop("**By purpose**, {count} days"),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class UsagePage:
    """What a page says.

    Attributes:
        title: Whose usage it is.
        last: The newest of the days.
        days: What was spent on each of the last days, oldest first.
        tops: What took most of it, by what it is told apart by.
        standings: The caps that are of interest to who asks.
        is_of_admin: Whether who asks may read how much all use together; others read only that it
            is used up, which is why they get no answer.
        resets_at: When the next day begins.
    """

    title: str
    last: date
    days: tuple[Spent, ...]
    tops: tuple[tuple[Axis, tuple[tuple[str, Spent], ...]], ...]
    standings: tuple[Standing, ...]
    resets_at: datetime
    is_of_admin: bool = False


def usage_page(page: UsagePage) -> str:
    """Lay a page out."""
    month = sum(page.days, Spent())
    week = sum(page.days[-WEEK:], Spent())
    lines = [
        f"**{page.title}**",
        "",
        "- " + gettext("Today: {spent}", spent=spent_words(page.days[-1])),
        "- " + gettext("{days} days: {spent}", days=WEEK, spent=spent_words(week)),
        "- " + gettext("{days} days: {spent}", days=len(page.days), spent=spent_words(month)),
        *_unpriced(month),
        *_chart(page),
        *_caps(page),
    ]
    for axis, rows in page.tops:
        lines += ["", gettext(_BY[axis], count=len(page.days)), ""]
        lines += (f"- `{_plain(row)}` {money(spent)}" for row, spent in rows)
    return "\n".join(lines)


def spent_words(spent: Spent) -> str:
    """Say what was used: ``$0.123, 12.3k tokens in, 4.5k out, 80% from the cache, 12 calls``."""
    if not spent.calls:
        return gettext("nothing")
    parts = [
        money(spent),
        gettext("{tokens} tokens in", tokens=short(spent.usage.prompt_tokens)),
        gettext("{tokens} out", tokens=short(spent.usage.output_tokens)),
    ]
    if spent.cache_rate is not None:
        parts.append(gettext("{share} of in from the cache", share=f"{spent.cache_rate:.0%}"))
    parts.append(ngettext("{count} call", "{count} calls", spent.calls))
    return in_commas(parts)


def money(spent: Spent) -> str:
    """Write what it cost: to the tenth of a cent, and never nothing where nobody knows."""
    if spent.calls and spent.unpriced == spent.calls:
        return gettext("price unknown")
    known = dollars(spent.nano_usd)
    return gettext("{dollars} and more", dollars=known) if spent.unpriced else known


def _unpriced(month: Spent) -> Iterator[str]:
    if month.unpriced:
        yield "- " + gettext(
            "Without a price: {unpriced} of {calls} calls. They count towards caps at the dearest "
            "price; the operator can set theirs under `prices`.",
            unpriced=month.unpriced,
            calls=month.calls,
        )


def _chart(page: UsagePage) -> Iterator[str]:
    """Draw a column a day: money, or tokens where nothing cost any."""
    is_money = any(each.nano_usd for each in page.days)
    heights = [each.nano_usd if is_money else each.amount.tokens for each in page.days]
    most = max(heights)
    if not most:
        return
    first = page.last.toordinal() - len(heights) + 1
    top = dollars(most) if is_money else gettext("{tokens} tokens", tokens=short(most))
    dates = f"{date.fromordinal(first):%m-%d}", f"{page.last:%m-%d}"
    yield from ("", "```", gettext("most a day: {amount}", amount=top))
    yield "".join(_column(height, most) for height in heights).rstrip()
    yield f"{dates[0]}{dates[1]:>{max(len(heights) - len(dates[0]), 6)}}"
    yield "```"


def _column(height: int, most: int) -> str:
    return _BLOCKS[(height * len(_BLOCKS) - 1) // most] if height else " "


def _caps(page: UsagePage) -> Iterator[str]:
    told = [
        line
        for each in page.standings
        for line in _standing(each, has_figures=page.is_of_admin or each.scope != "bot")
    ]
    if told:
        yield from ("", gettext("Left until {time}:", time=clock_time(page.resets_at)), "")
        yield from told


def _standing(standing: Standing, *, has_figures: bool) -> Iterator[str]:
    cap, used = standing.cap, standing.used
    if not has_figures:
        if standing.is_used_up:
            yield "- " + gettext(_LEFT[standing.scope], left=gettext("nothing"))
        return
    left = []
    if cap.nano_usd is not None:
        rest = max(0, cap.nano_usd - used.nano_usd)
        left.append(gettext("{rest} of {cap}", rest=dollars(rest), cap=dollars(cap.nano_usd)))
    if cap.tokens is not None:
        tokens = short(max(0, cap.tokens - used.tokens))
        left.append(gettext("{rest} of {cap} tokens", rest=tokens, cap=short(cap.tokens)))
    if left:
        yield "- " + gettext(_LEFT[standing.scope], left=in_commas(left))


def _plain(name: str) -> str:
    return one_line(name, _MOST_NAME_CHARS).replace("`", "'") or "?"
