"""Where commands are answered: beside everything else, and within a limit of time."""

from __future__ import annotations

import contextlib
import logging
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, replace

from bot.core.chat import ButtonPress, InboundMessage, Reply
from bot.core.commands import CommandCall
from bot.core.presses import Refusal, redeemed
from bot.errors import StoreLost
from bot.languages import gettext, speaking
from bot.ports import (
    Channel,
    Clock,
    CommandAnswer,
    CommandContext,
    Lifecycle,
    PersonalRecords,
)
from bot.runtime import notices
from bot.runtime.answers import replies_to
from bot.runtime.border import Incident, guarded
from bot.runtime.commands import CommandTable
from bot.runtime.commands.elsewhere import Elsewhere
from bot.runtime.delivery import Delivery
from bot.runtime.language import LanguageFor
from bot.runtime.listening import Heard, Listener
from bot.runtime.platform_roles import PlatformRoles
from bot.runtime.storing import until_stored
from bot.runtime.waiting import within

logger = logging.getLogger(__name__)

LIMIT_S = 60.0
"""How long a command may take; one of a plugin might never end."""


Greet = Callable[[CommandContext], Awaitable[str | CommandAnswer]]
"""Answers somebody whom nobody asked for anything: a stranger, a group the bot was added to."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CommandDesk:
    """Answers the commands of all chats."""

    commands: CommandTable
    elsewhere: Elsewhere
    greet: Greet
    listener: Listener
    roles: PlatformRoles
    lifecycle: Lifecycle
    records: PersonalRecords
    delivery: Delivery
    channels: Mapping[str, Channel]
    clock: Clock
    language_for: LanguageFor

    async def serve(self, heard: Heard, call: CommandCall) -> None:
        """Answer a command that was received; a call without a name greets somebody."""
        message = self._placed(call, heard.message)
        about: dict[str, object] = {"session": message.address.session_key, "command": call.name}
        channel = self.channels[message.address.channel]
        is_admin = heard.decision == "admin"
        template = replace(
            self._notice(message),
            for_person=self._reader(call, message, by_admin=is_admin),
        )
        context = CommandContext(
            arguments=call.arguments,
            message=message,
            is_admin=is_admin,
            is_chat_admin=await self._is_chat_admin(heard, call),
            has_buttons=channel.capabilities.has_buttons,
            sends_files=channel.capabilities.sends_files,
            is_unseen=bool(template.for_person) and channel.capabilities.shows_to_one,
        )
        is_meant = context.is_chat_admin or not heard.is_for_chat_admins
        with contextlib.suppress(StoreLost):  # the bot ends, and says why
            if not is_meant:
                await self._finish(message, ())
                return
            with speaking(template.language):
                replies = await until_stored(
                    self.clock,
                    "command",
                    lambda: guarded(self._replies(call, context, template), self.clock, about),
                )
                if isinstance(replies, Incident):
                    replies = (replace(template, text=notices.for_incident(replies.number)),)
            await self._finish(message, replies)
            logger.info("command.answered", extra=about)

    async def pass_over(self, message: InboundMessage) -> None:
        """Let a command be that its sender may not give any more."""
        with contextlib.suppress(StoreLost):  # the bot ends, and says why
            await self._finish(message, ())

    async def redeem(self, press: ButtonPress) -> InboundMessage | None:
        """Give the command that a press which was received stands for; None when it does nothing.

        Who pressed is told why, unless others would have to read it too.
        """
        with contextlib.suppress(StoreLost):  # the bot ends, and says why
            return await self._redeem(press)
        return None

    async def _redeem(self, press: ButtonPress) -> InboundMessage | None:
        command: InboundMessage | Refusal = "foreign"
        if await self._may_press(press):
            command = await until_stored(
                self.clock, "redeem", lambda: self.lifecycle.redeem(press, at=self.clock.now())
            )
        if isinstance(command, InboundMessage):
            return command
        logger.debug("press.refused", extra={"event": press.event_id, "why": command})
        if press.kind != "private":
            await self._finish(press, ())
            return None
        notice = self._notice(press)
        with speaking(notice.language):
            words = notices.for_refused_press(command)
        await self._finish(press, (replace(notice, text=words),))
        return None

    async def _may_press(self, press: ButtonPress) -> bool:
        """Say whether a press takes buttons that everybody sees from those whom they are for."""
        if press.kind == "private":
            return True
        button = await until_stored(self.clock, "button", lambda: self.lifecycle.button_of(press))
        command = redeemed(button, press, self.clock.now())
        if button is None or button.person or not isinstance(command, InboundMessage):
            return True  # the store says why not, or it is for nobody else
        heard = self.listener.hear_again(command)
        if heard is None or heard.call is None:
            return False
        if heard.decision == "admin" or not self.commands.asks_for_rights(heard.call):
            return True
        return await self._is_chat_admin(heard, heard.call)

    async def _finish(
        self, event: InboundMessage | ButtonPress, replies: tuple[Reply, ...]
    ) -> None:
        items = await until_stored(
            self.clock,
            "finish_command",
            lambda: self.lifecycle.finish_command(
                event.address.channel, event.event_id, replies, at=self.clock.now()
            ),
        )
        self.delivery.enqueue(items)

    async def _replies(
        self, call: CommandCall, context: CommandContext, template: Reply
    ) -> tuple[Reply, ...]:
        message = context.message
        channel = self.channels[message.address.channel]
        if self._is_for_home(call, message):
            return await self._at_home(self.elsewhere.meant(call, message), context, template)
        answer = await self._answer(call, context)
        return await replies_to(answer, channel, template, message.sender)

    def _is_for_home(self, call: CommandCall, message: InboundMessage) -> bool:
        """Say whether a group is no place for the answer to a command that was given there."""
        if message.kind == "private" or message.is_unread or not call.name:
            return False
        readers = self.commands.readers_of(self.elsewhere.meant(call, message))
        can_whisper = self.channels[message.address.channel].capabilities.shows_to_one
        is_hidden = can_whisper and message.sender.is_person and readers == "asker"
        return readers != "chat" and not is_hidden

    async def _at_home(
        self, call: CommandCall, context: CommandContext, template: Reply
    ) -> tuple[Reply, ...]:
        """Answer in the asker's private chat, as though they had asked there; say so in the group.

        Who has none with the bot is told to write there: of the answer nothing is in the group.
        """
        message = context.message
        channel, sender = self.channels[message.address.channel], message.sender
        homes = await self.records.private_chats_of(sender.person_key, near=message.address)
        if not (homes and sender.is_person):
            way = notices.for_private_command(call.name)
            return await replies_to(way, channel, template, sender)
        inside = replace(message, address=homes[0], kind="private")
        asked = replace(context, arguments=call.arguments, message=inside, is_chat_admin=False)
        answer = await within(self.clock, LIMIT_S, self.commands.answer(call, asked))
        way = gettext(notices.ANSWERED_IN_PRIVATE)
        told = await replies_to(way, channel, template, sender)
        # The word in the group comes first: it takes the place of what was pressed there.
        at_home = replace(template, address=homes[0], for_person="")
        return (*told, *await replies_to(answer, channel, at_home, sender))

    async def _answer(self, call: CommandCall, context: CommandContext) -> str | CommandAnswer:
        if context.message.is_unread:
            return gettext(notices.UNREAD)
        if not call.name:
            return await self.greet(context)
        is_to_ask = self.commands.is_about_conversation(call) and self._is_beside(context.message)
        answer = self.elsewhere.ask if is_to_ask else self.commands.answer
        return await within(self.clock, LIMIT_S, answer(call, context))

    def _placed(self, call: CommandCall, message: InboundMessage) -> InboundMessage:
        """Say where a command is given: one that would begin a thread is given beside all.

        So it is if it is about a conversation, of which none can be there yet.
        """
        address = message.address
        begins_thread = bool(address.thread) and address.thread == message.message_id
        if not (begins_thread and self.commands.is_about_conversation(call)):
            return message
        beside = replace(message, address=address.whole_chat)
        return beside if self._is_beside(beside) else message

    def _is_beside(self, message: InboundMessage) -> bool:
        """Say whether a command was given beside all conversations of a group."""
        capabilities = self.channels[message.address.channel].capabilities
        is_thread = bool(message.address.thread)
        return message.kind == "group" and capabilities.groups_have_threads and not is_thread

    def _reader(self, call: CommandCall, message: InboundMessage, *, by_admin: bool) -> str:
        """Say who alone reads the answer to a command, as the platform names them; empty for all.

        In a group it is who gave it unseen, or gave one that others may not give, in whichever
        conversation it is to be carried out.
        """
        sender, call = message.sender, self.elsewhere.meant(call, message)
        is_for_asker = self.commands.is_for_admins(call) or self.commands.readers_of(call) != "chat"
        is_hidden = self._is_beside(message) or is_for_asker
        is_for_all = not call.name or self.commands.is_told_all(call, by_admin=by_admin)
        is_for_one = is_hidden and sender.is_person and not is_for_all
        return sender.user_id if message.kind == "group" and is_for_one else ""

    async def _is_chat_admin(self, heard: Heard, call: CommandCall) -> bool:
        """Ask, where it makes a difference, whether an admin of the group gives a command."""
        if heard.decision == "admin" or not self.commands.heeds_chat_admins(call):
            return False
        return await self.roles.is_chat_admin(heard.message)

    def _notice(self, event: InboundMessage | ButtonPress) -> Reply:
        """Give the notice that answers somebody, still without words."""
        language = self.language_for(event.address, event.sender)
        return Reply(address=event.address, text="", kind="notice", language=language)
