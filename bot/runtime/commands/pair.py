"""``/pair``, ``/unpair``: who waits to be let in, and who is.

What is listed is for admins alone, so it is told in private chats only.
"""

from __future__ import annotations

from datetime import datetime, tzinfo

from bot.core.access import Grant
from bot.core.addresses import sender_of, short_name
from bot.ports import CommandContext, Granted, Pairing
from bot.runtime.access_gate import AccessGate
from bot.runtime.commands.table import Command
from bot.runtime.pairing import Pairings
from bot.runtime.telling import in_code

MOST_LISTED = 30
IN_PRIVATE = "Write `/pair` in a private chat with me: it names people."

_HEADINGS: dict[Grant, str] = {
    "owner": "Owner",
    "admin": "Admins",
    "allowed": "Let in",
    "refused": "Refused",
}


def pair_command(pairings: Pairings, gate: AccessGate, zone: tzinfo) -> Command:
    """Let somebody in by their code or their name, or list who waits and who is let in."""

    async def answer(context: CommandContext) -> str:
        if context.arguments:
            by = str(context.message.sender.person_key)
            return (await pairings.let_in(context.arguments, by=by)).text
        if context.message.kind != "private":
            return IN_PRIVATE
        return _listed(pairings.asking, gate.granted, zone)

    description = "Let somebody in, or list who waits."
    return Command(name="pair", description=description, handler=answer, is_for_admins=True)


def unpair_command(pairings: Pairings) -> Command:
    """Answer somebody no more."""

    async def answer(context: CommandContext) -> str:
        if not context.arguments:
            return "Write `/unpair PERSON`, with somebody whom `/pair` lists."
        by = str(context.message.sender.person_key)
        return (await pairings.refuse(context.arguments, by=by)).text

    description = "Refuse somebody who waits, or was let in."
    return Command(name="unpair", description=description, handler=answer, is_for_admins=True)


def _listed(asking: tuple[Pairing, ...], granted: tuple[Granted, ...], zone: tzinfo) -> str:
    lines = _section("Waiting", [_waiting(each, zone) for each in asking])
    for grant, heading in _HEADINGS.items():
        people = [_person(each) for each in granted if each.grant == grant]
        lines += _section(heading, people)
    if not lines:
        lines = ["Nobody waits, and nobody was let in here; the settings may name people besides."]
    return "\n".join(lines).strip()


def _section(heading: str, people: list[str]) -> list[str]:
    if not people:
        return []
    shown = people[:MOST_LISTED]
    if len(people) > MOST_LISTED:
        shown.append(f"… and {len(people) - MOST_LISTED} more")
    return [f"**{heading}**", "", *(f"- {each}" for each in shown), ""]


def _waiting(pairing: Pairing, zone: tzinfo) -> str:
    sender = sender_of(pairing.person_key)
    at: datetime = pairing.asked_at.astimezone(zone)
    return (
        f"{in_code(pairing.name)} since {at:%Y-%m-%d %H:%M}: "
        f"`/pair {short_name(sender)}`, `/unpair {short_name(sender)}`"
    )


def _person(granted: Granted) -> str:
    short = f"`{short_name(sender_of(granted.person_key))}`"
    return f"{in_code(granted.name)} ({short})" if granted.name else short
