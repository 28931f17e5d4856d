"""Follow-ups: what is written to nobody by name in a thread where the bot takes part."""

from __future__ import annotations

from dataclasses import dataclass, replace

from bot.core.chat import Inbound, InboundMessage
from bot.core.lifecycle import SetAside
from bot.ports import Presence


@dataclass(frozen=True, slots=True, kw_only=True)
class FollowUps:
    """Addresses to the bot what goes on with a conversation of its own.

    An edit is left alone: one of a message that the bot has is followed anyway, and any other was
    written before the bot took part.
    """

    presence: Presence

    async def joined(self, event: Inbound | SetAside) -> Inbound | SetAside:
        """Give the event as it is to be heard.

        Raises:
            StoreError: Whether the bot takes part cannot be read.
        """
        if not isinstance(event, InboundMessage) or not event.is_follow_up:
            return event
        if event.is_addressed and event.is_named:
            return event
        if not await self.presence.takes_part(event.address.session_key):
            return event
        return replace(event, is_addressed=True, is_named=True)
