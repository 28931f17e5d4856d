"""Whether an audience is remembered: one switch for a chat with all its threads."""

from __future__ import annotations

from dataclasses import dataclass

from bot.core.chat import ChatAddress, PersonKey
from bot.core.memory.audience import Audience
from bot.runtime.live_settings import LiveSettings


@dataclass(frozen=True, slots=True, kw_only=True)
class MemorySwitch:
    """Switches memory on and off; who may is for the caller to say.

    In a private chat that is its person, in a group an admin. What is remembered stays until it is
    forgotten: while the switch is off it is neither recalled nor added to.
    """

    settings: LiveSettings

    def is_on(self, audience: Audience) -> bool:
        """Say whether an audience is remembered."""
        return self.settings.is_remembered(_address(audience).session_key)

    async def switch(self, audience: Audience, *, is_on: bool, by: PersonKey) -> bool:
        """Switch the memory of an audience on or off; give whether that changed anything.

        Raises:
            StoreError: It could not be kept.
        """
        scope, value = _address(audience).session_key, "on" if is_on else "off"
        return await self.settings.change("memory", value, scope=scope, by=by) is not None


def _address(audience: Audience) -> ChatAddress:
    return ChatAddress(channel=audience.channel, account=audience.account, chat=audience.chat)
