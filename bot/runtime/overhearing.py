"""What a group says beside the bot: passed over, and remembered only as long as it may matter.

The law of this file: only what the bot would have answered, had it been said to the bot, is
remembered at all.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from bot.core.chat import EarlierMessage, Inbound, InboundDeletion, InboundEdit, InboundMessage
from bot.core.lifecycle import SetAside
from bot.core.looking_back import as_said
from bot.ports import Channel
from bot.runtime.albums import Albums
from bot.runtime.listening import Listener
from bot.runtime.overheard import Overheard


@dataclass(frozen=True, slots=True, kw_only=True)
class Overhearing:
    """Tells what concerns the bot from the rest, of which it remembers what may matter yet."""

    listener: Listener
    albums: Albums
    overheard: Overheard
    channels: Mapping[str, Channel]

    def concerns(self, event: Inbound | SetAside) -> bool:
        """Tell what may be for the bot from most of what a group says."""
        if isinstance(event, InboundMessage):
            return self._message_concerns(event)
        if isinstance(event, InboundEdit):
            message = event.message
            key = message.address.session_key
            self.overheard.change(key, message.event_id, self._said(message))
        elif isinstance(event, InboundDeletion):
            self.overheard.change(event.address.session_key, event.message_event_id, None)
        return True

    def _message_concerns(self, message: InboundMessage) -> bool:
        is_passed_over = self.listener.passes_over(message)
        if message.kind == "group" and self.listener.would_hear(message):
            if not self.channels[message.address.channel].capabilities.looks_back:
                self.overheard.hear(message.address.session_key, self._said(message))
            if is_passed_over and message.album:
                self.albums.hold(message)
        return not is_passed_over

    def _said(self, message: InboundMessage) -> EarlierMessage:
        """Put a message as one said before; with a command nothing is looked up."""
        calls = message.is_addressed and message.is_named
        return as_said(message, is_named=calls and not self.listener.gives_command(message))
