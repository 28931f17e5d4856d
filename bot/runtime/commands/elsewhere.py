"""``/in``: a command of a conversation, given beside all conversations of its chat.

Slack lets nobody write a slash command in a thread, and does not say in which one it was meant. So
a command that is about a conversation is answered with those of the chat, to choose from.
"""

from __future__ import annotations

from dataclasses import replace
from datetime import tzinfo

from bot.core.chat import InboundMessage, SessionKey
from bot.core.commands import CommandCall, parse_command
from bot.core.messages import Text
from bot.ports import Choice, CommandAnswer, CommandContext, Conversations, Presence
from bot.ports.plugins import MOST_CHOICES
from bot.runtime.commands.table import Command, CommandTable

NAME = "in"
WHOLE = "-"
"""Stands for the conversation of the chat itself, beside its threads."""

USAGE = "`/in THREAD COMMAND` gives a command in another conversation of this chat."
NO_CONVERSATION = "There is no conversation here yet. Mention me, and one begins below your words."
UNKNOWN = "There is no such conversation here any more."

_MOST_TOPIC_CHARS = 60
_MOST_LABEL_CHARS = 40


class Elsewhere:
    """Finds out which conversation of a chat a command is about."""

    def __init__(
        self,
        commands: CommandTable,
        presence: Presence,
        conversations: Conversations,
        zone: tzinfo,
    ) -> None:
        self._commands = commands
        self._presence = presence
        self._conversations = conversations
        self._zone = zone

    async def ask(self, call: CommandCall, context: CommandContext) -> CommandAnswer:
        """Ask in which of the newest conversations a command is to be given."""
        address = context.message.address
        heard = await self._presence.heard_in(address, limit=MOST_CHOICES)
        if not heard:
            return CommandAnswer(text=NO_CONVERSATION)
        words = f"{call.name} {call.arguments}".rstrip()
        if len(heard) == 1:
            inside = _within(context.message, heard[0].address.thread, words)
            self._commands.begin(call, inside)
            return await self._given(call, context, inside)
        lines, choices = ["Which conversation?", ""], []
        for number, chat in enumerate(heard, start=1):
            topic = await self._topic(chat.address.session_key)
            at = chat.heard_at.astimezone(self._zone)
            lines.append(f"{number}. {at:%Y-%m-%d %H:%M}: `{_shortened(topic, _MOST_TOPIC_CHARS)}`")
            label = _shortened(f"{number}. {topic}", _MOST_LABEL_CHARS)
            command = f"{NAME} {chat.address.thread or WHOLE} {words}"
            choices.append(Choice(label=label, command=command))
        return CommandAnswer(text="\n".join(lines), choices=tuple(choices))

    async def answer(self, context: CommandContext) -> str | CommandAnswer:
        """Give a command in another conversation of the chat."""
        inner = _inner(context.message)
        if inner is None:
            return USAGE
        message, call = inner
        if not await self._presence.takes_part(message.address.session_key):
            return UNKNOWN
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

    async def _topic(self, session_key: SessionKey) -> str:
        """Give the first words of what was asked last in a conversation."""
        turns = (await self._conversations.load(session_key)).turns
        if not turns:
            return "(nothing is in view)"
        texts = (block.text for block in turns[-1].request.blocks if isinstance(block, Text))
        return " ".join(texts)


def elsewhere_command(elsewhere: Elsewhere) -> Command:
    """Give a command in another conversation of the same chat."""
    return Command(
        name="in",
        description="Give a command in another conversation of this chat.",
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
