"""``/allow``, ``/disallow``: groups in which everybody may talk to the bot, or nobody."""

from __future__ import annotations

from bot.core.access import PlaceState
from bot.core.addresses import short_name
from bot.core.chat import ChatAddress, InboundMessage, Sender, SessionKey
from bot.languages import gettext, gettext_noop
from bot.languages.rows import in_a_row
from bot.ports import Choice, CommandAnswer, CommandContext, Place
from bot.runtime.access_gate import AccessGate
from bot.runtime.commands.table import Command
from bot.runtime.telling import Telling, in_code

ALLOWED = gettext_noop(
    "Everybody in this group may talk to me now: mention me, or reply to me. `/disallow` ends that."
)
REFUSED = gettext_noop(
    "I keep silent in this group from now on. An admin of mine can say `/allow` here."
)
ALLOWED_ALREADY = gettext_noop(
    "Everybody in this group may talk to me already: mention me, or reply to me."
)
ASKED = gettext_noop("An admin of mine has to allow this group before I answer everybody here.")
FOR_ADMINS = gettext_noop("`/allow` is for the bot's admins.")
UNKNOWN = gettext_noop("I know no such group; `/allow` in a private chat lists those that I know.")

BY_BUTTON = "--ask"
"""Stands behind the command of the button below :data:`ASKED`: whoever presses it, all read the
answer, which takes the place of what all have read."""

_LISTED: dict[PlaceState, str] = {
    "asked": gettext_noop("{group}, not allowed yet: {ways}"),
    "allowed": gettext_noop("{group}, allowed: {ways}"),
    "refused": gettext_noop("{group}, refused: {ways}"),
}
_SET_ALREADY: dict[PlaceState, str] = {
    "allowed": gettext_noop("The group {group} is allowed already."),
    "refused": gettext_noop("The group {group} is refused already."),
}
_SET_NOW: dict[PlaceState, str] = {
    "allowed": gettext_noop("The group {group} is allowed now."),
    "refused": gettext_noop("The group {group} is refused now."),
}


class Groups:
    """What becomes of groups as a whole."""

    def __init__(self, gate: AccessGate, telling: Telling) -> None:
        self._gate = gate
        self._telling = telling

    async def added(self, context: CommandContext) -> str | CommandAnswer:
        """Answer that the bot was added to a group; the message's text is the group's title.

        By an admin of the bot it is allowed by that; else somebody is asked to.
        """
        message = context.message
        if context.is_admin:
            await self._set(message.address, "allowed", message, title=message.text)
            return gettext(ALLOWED)
        known = self._gate.place_of(message.address)
        if known is not None and known.state != "asked":
            return ""  # decided on meanwhile
        place = Place(address=message.address.whole_chat, state="asked", title=message.text)
        told = await self._telling.to_admins(lambda: _question(message.sender, place))
        self._telling.deliver(
            await self._gate.set_place(place, by=message.sender.person_key, told=told)
        )
        return _asking()

    async def allow(self, context: CommandContext) -> str | CommandAnswer:
        """Let everybody in a group talk to the bot, or list the groups that are known."""
        if context.message.kind == "private":
            if not context.is_admin:
                return gettext(FOR_ADMINS)
            if not context.arguments:
                return _listed(self._gate.places)
            return await self._set_known(context, "allowed")
        known = self._gate.place_of(context.message.address)
        if known is not None and known.state == "allowed":  # from afar, with the question left here
            return gettext(ALLOWED_ALREADY)
        if not context.is_admin:
            return gettext(FOR_ADMINS) if context.is_unseen else _asking()
        title = context.arguments.removeprefix(BY_BUTTON)
        await self._set(context.message.address, "allowed", context.message, title=title)
        return gettext(ALLOWED)

    async def disallow(self, context: CommandContext) -> str:
        """Keep silent in a group, whoever speaks."""
        if context.message.kind == "private":
            if not context.arguments:
                return gettext(
                    "Write `/disallow` in the group itself, or with a group that `/allow` lists."
                )
            return await self._set_known(context, "refused")
        await self._set(context.message.address, "refused", context.message)
        return gettext(REFUSED)

    async def _set_known(self, context: CommandContext, state: PlaceState) -> str:
        place = self._known(context.arguments)
        if place is None:
            return gettext(UNKNOWN)
        if place.state == state:
            return gettext(_SET_ALREADY[state], group=_named(place))
        await self._set(place.address, state, context.message)
        return gettext(_SET_NOW[state], group=_named(place))

    async def _set(
        self, address: ChatAddress, state: PlaceState, message: InboundMessage, title: str = ""
    ) -> None:
        """Set what becomes of a group, and tell it when that is decided elsewhere."""
        place = Place(address=address.whole_chat, state=state, title=title)
        is_there = address.whole_chat == message.address.whole_chat
        told = (
            await self._telling.to(place.address, lambda: gettext(ALLOWED))
            if state == "allowed" and not is_there
            else ()
        )
        by = str(message.sender.person_key)
        self._telling.deliver(await self._gate.set_place(place, by=by, told=told))

    def _known(self, key: str) -> Place | None:
        """Find a group by its key, or by the platform's own id where that means one alone."""
        by_id = [each for each in self._gate.places if each.address.chat == key]
        if len(by_id) == 1:
            return by_id[0]
        try:
            return self._gate.place_of(ChatAddress.from_session_key(SessionKey(key)))
        except ValueError:
            return None


def allow_command(groups: Groups) -> Command:
    """Let everybody in a group talk to the bot."""
    return Command(
        name="allow",
        description=gettext_noop("Let everybody in this group talk to me."),
        handler=groups.allow,
        is_for_admins=True,
        refuses_itself=True,
        is_told_all=lambda arguments, by_admin: by_admin or arguments == BY_BUTTON,
    )


def disallow_command(groups: Groups) -> Command:
    """Keep silent in a group."""
    return Command(
        name="disallow",
        description=gettext_noop("Keep silent in this group."),
        handler=groups.disallow,
        is_for_admins=True,
    )


def _question(who: Sender, place: Place) -> CommandAnswer:
    """Ask admins what becomes of a group that the bot was added to."""
    key = place.address.session_key
    return CommandAnswer(
        text=gettext(
            "{name} (`{person}`) has added me to the group {group}. "
            "May everybody there talk to me?",
            name=in_code(who.name),
            person=short_name(who),
            group=in_code(place.title),
        ),
        choices=(
            Choice(label=gettext("Allow"), command=f"allow {key}", for_anyone=True),
            Choice(label=gettext("Refuse"), command=f"disallow {key}", for_anyone=True),
        ),
    )


def _asking() -> CommandAnswer:
    label = gettext("Allow this group")
    allow = Choice(label=label, command=f"allow {BY_BUTTON}", for_anyone=True)
    return CommandAnswer(text=gettext(ASKED), choices=(allow,))


def _listed(places: tuple[Place, ...]) -> str:
    if not places:
        return gettext(
            "I know of no group yet. `/allow` in a group lets everybody there talk to me."
        )
    return "\n".join((gettext("**Groups**"), "", *(f"- {_line(place)}" for place in places)))


def _line(place: Place) -> str:
    """Tell what became of a group, with what to write to change that."""
    key = place.address.session_key
    ways = {"asked": ("allow", "disallow"), "allowed": ("disallow",), "refused": ("allow",)}
    changes = in_a_row(f"`/{name} {key}`" for name in ways[place.state])
    return gettext(_LISTED[place.state], group=_named(place), ways=changes)


def _named(place: Place) -> str:
    return in_code(place.title or place.address.chat)
