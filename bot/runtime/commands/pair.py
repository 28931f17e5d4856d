"""``/pair``, ``/unpair``: who waits to be let in, and who is.

What is listed is for admins alone, so it is told in private chats only.
"""

from __future__ import annotations

from datetime import datetime, tzinfo

from bot.core.access import Grant
from bot.core.addresses import sender_of, short_name
from bot.languages import gettext, gettext_noop
from bot.languages.rows import in_a_row
from bot.ports import CommandContext, Granted, Pairing
from bot.runtime.access_gate import AccessGate
from bot.runtime.commands.table import Command
from bot.runtime.pairing import Pairings
from bot.runtime.telling import in_code

MOST_LISTED = 30
IN_PRIVATE = gettext_noop("Write `/pair` in a private chat with me: it names people.")

_HEADINGS: dict[Grant, str] = {
    "owner": gettext_noop("Owner"),
    "admin": gettext_noop("Admins"),
    "allowed": gettext_noop("Let in"),
    "refused": gettext_noop("Refused"),
}


def pair_command(pairings: Pairings, gate: AccessGate, zone: tzinfo) -> Command:
    """Let somebody in by their code or their name, or list who waits and who is let in."""

    async def answer(context: CommandContext) -> str:
        if context.arguments:
            by = str(context.message.sender.person_key)
            return (await pairings.let_in(context.arguments, by=by)).text
        if context.message.kind != "private":
            return gettext(IN_PRIVATE)
        return _listed(pairings.asking, gate.granted, zone)

    description = gettext_noop("Let somebody in, or list who waits.")
    return Command(name="pair", description=description, handler=answer, is_for_admins=True)


def unpair_command(pairings: Pairings) -> Command:
    """Answer somebody no more."""

    async def answer(context: CommandContext) -> str:
        if not context.arguments:
            return gettext("Write `/unpair PERSON`, with somebody whom `/pair` lists.")
        by = str(context.message.sender.person_key)
        return (await pairings.refuse(context.arguments, by=by)).text

    description = gettext_noop("Refuse somebody who waits, or was let in.")
    return Command(name="unpair", description=description, handler=answer, is_for_admins=True)


def _listed(asking: tuple[Pairing, ...], granted: tuple[Granted, ...], zone: tzinfo) -> str:
    lines = _section(gettext("Waiting"), [_waiting(each, zone) for each in asking])
    for grant, heading in _HEADINGS.items():
        people = [_person(each) for each in granted if each.grant == grant]
        lines += _section(gettext(heading), people)
    if not lines:
        return gettext(
            "Nobody waits, and nobody was let in here; the settings may name people besides."
        )
    return "\n".join(lines).strip()


def _section(heading: str, people: list[str]) -> list[str]:
    if not people:
        return []
    shown = people[:MOST_LISTED]
    if len(people) > MOST_LISTED:
        shown.append(gettext("… and {count} more", count=len(people) - MOST_LISTED))
    return [f"**{heading}**", "", *(f"- {each}" for each in shown), ""]


def _waiting(pairing: Pairing, zone: tzinfo) -> str:
    person = short_name(sender_of(pairing.person_key))
    at: datetime = pairing.asked_at.astimezone(zone)
    return gettext(
        "{name} since {when}: {ways}",
        name=in_code(pairing.name),
        when=f"{at:%Y-%m-%d %H:%M}",
        ways=in_a_row((f"`/pair {person}`", f"`/unpair {person}`")),
    )


def _person(granted: Granted) -> str:
    person = short_name(sender_of(granted.person_key))
    if not granted.name:
        return f"`{person}`"
    return gettext("{name} (`{person}`)", name=in_code(granted.name), person=person)
