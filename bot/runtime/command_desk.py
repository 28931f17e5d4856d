"""Where commands are answered: beside everything else, and within a limit of time."""

from __future__ import annotations

import contextlib
import logging
from collections.abc import Mapping
from dataclasses import dataclass

from bot.core.chat import InboundMessage, Reply
from bot.core.commands import CommandCall, with_prefix
from bot.errors import StoreLost
from bot.ports import Channel, Clock, CommandContext, Lifecycle
from bot.runtime import notices
from bot.runtime.access_gate import AccessGate
from bot.runtime.border import Incident, guarded
from bot.runtime.commands import CommandTable
from bot.runtime.delivery import Delivery
from bot.runtime.splitting import split_text
from bot.runtime.storing import until_stored
from bot.runtime.waiting import within

logger = logging.getLogger(__name__)

LIMIT_S = 60.0
"""How long a command may take; one of a plugin might never end."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CommandDesk:
    """Answers the commands of all chats."""

    commands: CommandTable
    gate: AccessGate
    lifecycle: Lifecycle
    delivery: Delivery
    channels: Mapping[str, Channel]
    clock: Clock

    async def serve(self, message: InboundMessage, call: CommandCall, *, is_admin: bool) -> None:
        """Answer a command that was received; a call without a name greets a stranger."""
        about: dict[str, object] = {"session": message.address.session_key, "command": call.name}
        context = CommandContext(arguments=call.arguments, message=message, is_admin=is_admin)
        with contextlib.suppress(StoreLost):  # the bot ends, and says why
            text = await until_stored(
                self.clock,
                "command",
                lambda: guarded(self._answer(call, context), self.clock, about),
            )
            if isinstance(text, Incident):
                text = notices.for_incident(text.number)
            replies = await self._replies(message, text)
            items = await until_stored(
                self.clock,
                "finish_command",
                lambda: self.lifecycle.finish_command(
                    message.address.channel, message.event_id, replies, at=self.clock.now()
                ),
            )
            self.delivery.enqueue(items)
            logger.info("command.answered", extra=about)

    async def _answer(self, call: CommandCall, context: CommandContext) -> str:
        if not call.name:
            return self.gate.greeting(context.message.sender)
        return await within(self.clock, LIMIT_S, self.commands.answer(call, context))

    async def _replies(self, message: InboundMessage, text: str) -> tuple[Reply, ...]:
        channel = self.channels[message.address.channel]
        worded = with_prefix(text, channel.capabilities.command_prefix)
        return tuple(
            Reply(address=message.address, text=part, kind="notice")
            for part in await split_text(channel, worded)
        )
