"""``/usage``: what was used, what it cost, and what may still be used today.

The law of this file: people read what was used on their own account and nothing of others; admins
of the bot read all of it, in figures only. In a group it is answered to the asker alone.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import tzinfo

from bot.core.addresses import sender_of, short_name
from bot.core.chat import PersonKey, Sender, SessionKey
from bot.core.cost import Axis, Spent, SpentLine, Standing, days_through, span_of
from bot.core.llm import Payer, Purpose
from bot.core.memory.audience import audience_of
from bot.core.names import plain_name
from bot.core.quoting import one_line
from bot.languages import gettext, gettext_noop
from bot.ports import Clock, CommandContext, Granted, UsageLog
from bot.runtime.commands.memory_pages import TitleOf
from bot.runtime.commands.table import Command
from bot.runtime.commands.usage_pages import SHOWN_DAYS, UsagePage, usage_page
from bot.runtime.spending import Spending

ME = "me"
MOST_ROWS = 5
MOST_NAME_CHARS = 40
USAGE = gettext_noop(
    "`/usage` shows what was used and what it cost: today, in 7 and in 30 days. To admins it shows "
    "that of everybody; `/usage me` their own."
)

_PURPOSES: dict[Purpose, str] = {
    "answer": gettext_noop("answer"),
    "summary": gettext_noop("summary"),
    "facts": gettext_noop("facts"),
    "episode": gettext_noop("episode"),
}

_Tops = tuple[tuple[Axis, Callable[[str], str]], ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class UsageParts:
    """What ``/usage`` works with.

    Attributes:
        title_of: Names a chat, as an admin knows it; empty where nobody gave it a name.
        grant_of: Gives what was decided of somebody, with what they were called then.
        zone: Whose midnight divides the days.
    """

    usage: UsageLog
    spending: Spending
    title_of: TitleOf
    grant_of: Callable[[PersonKey], Granted | None]
    clock: Clock
    zone: tzinfo


def usage_command(parts: UsageParts) -> Command:
    """Show what was used."""
    tops: _Tops = (
        ("chat", lambda key: _chat(parts, SessionKey(key))),
        ("person", lambda key: _person(parts, PersonKey(key))),
        ("model", str),
        ("purpose", _purpose),
    )

    async def answer(context: CommandContext) -> str:
        wish = context.arguments.lower()
        if wish not in ("", ME):
            return gettext(USAGE)
        is_of_all = context.is_admin and not wish
        return usage_page(await page_of(context, tops if is_of_all else (), is_of_all=is_of_all))

    async def page_of(context: CommandContext, tops: _Tops, *, is_of_all: bool) -> UsagePage:
        person = context.message.sender.person_key
        today = parts.clock.now().astimezone(parts.zone).date()
        spans = tuple(span_of(day, parts.zone) for day in days_through(today, SHOWN_DAYS))
        days = await parts.usage.spent_in(spans, person_key=None if is_of_all else person)
        lines: tuple[SpentLine, ...] = ()
        if is_of_all:
            span = (spans[0][0], spans[-1][1])
            lines = await parts.usage.largest_lines(span, most=MOST_ROWS)
        return UsagePage(
            title=gettext("What all used") if is_of_all else gettext("What you used"),
            last=today,
            days=days,
            tops=tuple((axis, _called(lines, axis, by)) for axis, by in tops if lines),
            standings=await _standings(parts, context),
            resets_at=parts.spending.resets_at,
            is_of_admin=context.is_admin,
        )

    return Command(
        name="usage",
        description=gettext_noop("Show what was used and what it cost."),
        handler=answer,
        read_by=lambda _: "asker",
    )


async def _standings(parts: UsageParts, context: CommandContext) -> tuple[Standing, ...]:
    """Give the caps that a question of the asker's would count towards."""
    message = context.message
    payer = Payer(
        session_key=message.address.session_key,
        person_key=message.sender.person_key,
        purpose="answer",
    )
    return await parts.spending.standings(payer)


def _called(
    lines: tuple[SpentLine, ...], axis: Axis, by: Callable[[str], str]
) -> tuple[tuple[str, Spent], ...]:
    return tuple((by(line.name), line.spent) for line in lines if line.axis == axis)


def _person(parts: UsageParts, key: PersonKey) -> str:
    if not key:
        return gettext("nobody")
    return _named(_name_of(parts, key), short_name(sender_of(key)))


def _purpose(name: str) -> str:
    known = (words for purpose, words in _PURPOSES.items() if purpose == name)
    return gettext(next(known, name))


def _chat(parts: UsageParts, key: SessionKey) -> str:
    """Name a chat by its title; a private one by who writes there, if both have one id."""
    audience = audience_of(key, "group")
    whose = Sender(channel=audience.channel, user_id=audience.chat, name="").person_key
    name = parts.title_of(audience) or _name_of(parts, whose)
    return _named(name, f"{audience.channel}:{audience.chat}")


def _name_of(parts: UsageParts, person: PersonKey) -> str:
    granted = parts.grant_of(person)
    return "" if granted is None else granted.name


def _named(name: str, number: str) -> str:
    """Write who or what it is so that no namesake is taken for it."""
    shown = one_line(plain_name(name, otherwise=""), MOST_NAME_CHARS)
    return f"{shown} ({number})" if shown else number
