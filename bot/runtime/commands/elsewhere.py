"""``/in``: a command of a conversation, given beside all conversations of its chat.

Slack lets nobody write a slash command in a thread, and does not say in which one it was meant. So
a command that is about a conversation is answered with those of the chat, to choose from.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import datetime, tzinfo

from bot.core.chat import ChatAddress, InboundMessage, SessionKey
from bot.core.commands import CommandCall, parse_command
from bot.core.lifecycle import worded
from bot.core.names import without_numbers
from bot.core.window.notes import said_in
from bot.languages import gettext, gettext_noop
from bot.ports import Choice, CommandAnswer, CommandContext, Conversations, Presence
from bot.ports.plugins import MOST_CHOICES
from bot.runtime.commands.table import Command, CommandTable

NAME = "in"
WHOLE = "-"
"""Stands for the conversation of the chat itself, beside its threads."""

USAGE = gettext_noop("`/in THREAD COMMAND` gives a command in another conversation of this chat.")
NO_CONVERSATION = gettext_noop(
    "There is no conversation here yet. Mention me, and one begins below your words."
)
UNKNOWN = gettext_noop("There is no such conversation here any more.")

_MOST_TOPIC_CHARS = 60
_MOST_LABEL_CHARS = 40
_MOST_LOOKED_AT = 200
"""Among so many of the newest conversations of a chat those are looked for in which a command has
something to do: more than turns can run at once."""

AskedIn = Callable[[SessionKey], InboundMessage | None]
"""Gives what the turn that runs in a conversation is to answer; None without one."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Place:
    """A conversation that may be meant; of one whose first turn waits nobody knows since when."""

    address: ChatAddress
    heard_at: datetime | None


class Elsewhere:
    """Finds out which conversation of a chat a command is about."""

    def __init__(
        self,
        commands: CommandTable,
        presence: Presence,
        conversations: Conversations,
        zone: tzinfo,
        asked_in: AskedIn,
    ) -> None:
        self._commands = commands
        self._presence = presence
        self._conversations = conversations
        self._zone = zone
        self._asked_in = asked_in

    async def ask(self, call: CommandCall, context: CommandContext) -> CommandAnswer:
        """Ask in which of the newest conversations a command is to be given.

        Of one that has something to do in some of them alone, those are meant.
        """
        scope, address = self._commands.scope_of(call), context.message.address
        busy = None if scope is None else scope.conversations(address)
        places = await self._places(address, busy)
        if not places:
            none = NO_CONVERSATION if scope is None else scope.otherwise
            return CommandAnswer(text=gettext(none))
        words = f"{call.name} {call.arguments}".rstrip()
        if len(places) == 1:
            inside = _within(context.message, places[0].address.thread, words)
            self._commands.begin(call, inside)
            return await self._given(call, context, inside)
        lines, choices = [gettext("Which conversation?"), ""], []
        for number, place in enumerate(places, start=1):
            topic = await self._topic(place.address.session_key)
            lines.append(f"{number}. {self._when(place)}`{_shortened(topic, _MOST_TOPIC_CHARS)}`")
            label = _shortened(f"{number}. {topic}", _MOST_LABEL_CHARS)
            command = f"{NAME} {place.address.thread or WHOLE} {words}"
            choices.append(Choice(label=label, command=command))
        return CommandAnswer(text="\n".join(lines), choices=tuple(choices))

    async def answer(self, context: CommandContext) -> str | CommandAnswer:
        """Give a command in another conversation of the chat."""
        inner = _inner(context.message)
        if inner is None:
            return gettext(USAGE)
        message, call = inner
        if not await self._presence.takes_part(message.address.session_key):
            return gettext(UNKNOWN)
        return await self._given(call, context, message)

    def meant(self, call: CommandCall, message: InboundMessage) -> CommandCall:
        """Give the command that is carried out: of ``/in`` the one inside."""
        inner = _inner(message) if call.name == NAME else None
        return call if inner is None else inner[1]

    def begin(self, message: InboundMessage) -> None:
        """Do what the command inside does at once."""
        inner = _inner(message)
        if inner is not None:
            self._commands.begin(inner[1], inner[0])

    async def _given(
        self, call: CommandCall, context: CommandContext, inside: InboundMessage
    ) -> CommandAnswer:
        """Give a command inside a conversation; what it offers is given there as well."""
        moved = replace(context, arguments=call.arguments, message=inside)
        answer = await self._commands.answer(call, moved)
        if isinstance(answer, str):
            return CommandAnswer(text=answer)
        into = f"{NAME} {inside.address.thread or WHOLE}"
        choices = (replace(each, command=f"{into} {each.command}") for each in answer.choices)
        return replace(answer, choices=tuple(choices))

    async def _places(
        self, address: ChatAddress, busy: tuple[SessionKey, ...] | None
    ) -> tuple[_Place, ...]:
        """Give the newest conversations of a chat; with ``busy`` those alone.

        What waits for its first turn is no conversation to the store.
        """
        most = MOST_CHOICES if busy is None else _MOST_LOOKED_AT
        heard = await self._presence.heard_in(address, limit=most)
        known = [_Place(address=each.address, heard_at=each.heard_at) for each in heard]
        if busy is None:
            return tuple(known)
        keys = {place.address.session_key for place in known}
        new = [ChatAddress.from_session_key(key) for key in busy if key not in keys]
        places = [_Place(address=each, heard_at=None) for each in new]
        places += [place for place in known if place.address.session_key in busy]
        return tuple(places[:MOST_CHOICES])

    def _when(self, place: _Place) -> str:
        if place.heard_at is None:
            return ""
        return f"{place.heard_at.astimezone(self._zone):%Y-%m-%d %H:%M}: "

    async def _topic(self, session_key: SessionKey) -> str:
        """Give what was asked last in a conversation, as people are shown it."""
        asked = self._asked_in(session_key)
        if asked is not None:
            return without_numbers(worded(asked))
        turns = (await self._conversations.load(session_key)).turns
        return said_in(turns[-1].request) if turns else gettext("(nothing is in view)")


def elsewhere_command(elsewhere: Elsewhere) -> Command:
    """Give a command in another conversation of the same chat."""
    return Command(
        name="in",
        description=gettext_noop("Give a command in another conversation of this chat."),
        handler=elsewhere.answer,
        heeds_chat_admins=True,
        is_listed=False,
        at_once=elsewhere.begin,
    )


def _inner(message: InboundMessage) -> tuple[InboundMessage, CommandCall] | None:
    """Read the message and the command that stand in ``/in THREAD COMMAND``; none within one."""
    outer = parse_command(f"/{message.text[1:]}")
    thread, _, rest = (outer.arguments if outer else "").partition(" ")
    call = parse_command(f"/{rest.strip().lstrip('/')}")
    if call is None or call.name == NAME:
        return None
    words = f"{call.name} {call.arguments}".rstrip()
    return _within(message, "" if thread == WHOLE else thread, words), call


def _within(message: InboundMessage, thread: str, words: str) -> InboundMessage:
    address = replace(message.address, thread=thread)
    return replace(message, address=address, text=f"/{words}")


def _shortened(text: str, most_chars: int) -> str:
    words = " ".join(text.replace("`", "'").split())
    return words if len(words) <= most_chars else f"{words[: most_chars - 1]}…"
