"""``/usage``: what was used, what it cost, and what may still be used today.

The law of this file: people read what was used on their own account and nothing of others; admins
of the bot read all of it, in figures only. In a group it is answered to the asker alone.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import tzinfo

from bot.core.addresses import sender_of, short_name
from bot.core.chat import PersonKey, SessionKey
from bot.core.cost import Axis, SpentLine, days_through, largest, span_of
from bot.core.llm import Payer
from bot.core.memory.audience import audience_of
from bot.ports import Clock, CommandContext, UsageLog
from bot.runtime.commands.memory_pages import TitleOf
from bot.runtime.commands.table import Command
from bot.runtime.commands.usage_pages import SHOWN_DAYS, UsagePage, usage_page
from bot.runtime.spending import Spending, Standing

ME = "me"
MOST_ROWS = 5
USAGE = (
    "`/usage` shows what was used and what it cost: today, in 7 and in 30 days. To admins it shows "
    f"that of everybody; `/usage {ME}` their own."
)

_Tops = tuple[tuple[Axis, Callable[[str], str]], ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class UsageParts:
    """What ``/usage`` works with.

    Attributes:
        title_of: Names a chat, as an admin knows it; empty where nobody gave it a name.
        zone: Whose midnight divides the days.
    """

    usage: UsageLog
    spending: Spending
    title_of: TitleOf
    clock: Clock
    zone: tzinfo


def usage_command(parts: UsageParts) -> Command:
    """Show what was used."""
    tops: _Tops = (
        ("chat", lambda key: _chat(parts, SessionKey(key))),
        ("person", lambda key: _person(PersonKey(key))),
        ("model", str),
        ("purpose", str),
    )

    async def answer(context: CommandContext) -> str:
        wish = context.arguments.lower()
        if wish not in ("", ME):
            return USAGE
        is_of_all = context.is_admin and not wish
        return usage_page(await page_of(context, tops if is_of_all else (), is_of_all=is_of_all))

    async def page_of(context: CommandContext, tops: _Tops, *, is_of_all: bool) -> UsagePage:
        person = context.message.sender.person_key
        today = parts.clock.now().astimezone(parts.zone).date()
        spans = tuple(span_of(day, parts.zone) for day in days_through(today, SHOWN_DAYS))
        days = await parts.usage.spent_in(spans, person_key=None if is_of_all else person)
        lines: tuple[SpentLine, ...] = ()
        if is_of_all:
            lines = await parts.usage.spent_lines((spans[0][0], spans[-1][1]))
        return UsagePage(
            title="What all used" if is_of_all else "What you used",
            last=today,
            days=days,
            tops=tuple(
                (axis, largest(_on(axis, lines), by, MOST_ROWS)) for axis, by in tops if lines
            ),
            standings=await _standings(parts, context),
            resets_at=parts.spending.resets_at,
        )

    return Command(
        name="usage",
        description="Show what was used and what it cost.",
        handler=answer,
        read_by=lambda _: "asker",
    )


async def _standings(parts: UsageParts, context: CommandContext) -> tuple[Standing, ...]:
    """Give the caps that an asker may know of: how much all use is for admins."""
    message = context.message
    payer = Payer(
        session_key=message.address.session_key,
        person_key=message.sender.person_key,
        purpose="answer",
    )
    standings = await parts.spending.standings(payer)
    return tuple(each for each in standings if each.scope != "bot" or context.is_admin)


def _on(axis: Axis, lines: tuple[SpentLine, ...]) -> Iterator[SpentLine]:
    return (line for line in lines if line.axis == axis)


def _person(key: PersonKey) -> str:
    return short_name(sender_of(key)) if key else "nobody"


def _chat(parts: UsageParts, key: SessionKey) -> str:
    audience = audience_of(key, "group")
    return parts.title_of(audience) or f"{audience.channel}:{audience.chat}"
