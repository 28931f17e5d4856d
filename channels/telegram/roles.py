"""What people are in a group, asked of Telegram and kept in mind for some minutes."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Final

from bot.api import ChatAddress, Clock, Role, Sender

Ask = Callable[[str, dict[str, object]], Awaitable[object]]
"""Calls a method of the Bot API by its name, with its parameters; gives its result as it came."""

KEPT_S: Final = 300.0
"""How long somebody stays what they were: who was an admin until just now may do little harm."""

MOST_KEPT: Final = 1_000

_ROLES: dict[str, Role] = {
    "creator": "admin",
    "administrator": "admin",
    "member": "member",
    "restricted": "member",
}
"""By ``ChatMember.status``; who is ``left`` or ``kicked`` is nothing there."""


class Roles:
    """Asks for each person once in a while."""

    def __init__(self, ask: Ask, clock: Clock) -> None:
        self._ask = ask
        self._clock = clock
        self._kept: dict[tuple[str, str], tuple[Role, float]] = {}

    async def role_of(self, address: ChatAddress, sender: Sender) -> Role:
        """Say what somebody is in a chat; in a private one there are no roles.

        Who writes as the group itself is an admin of it who wants to stay unnamed. A channel that
        writes there has no rights of its own.

        Raises:
            ChannelError: Telegram does not say.
        """
        if int(address.chat) > 0:
            return "unknown"
        if not sender.is_person:
            return "admin" if sender.user_id == f"chat:{address.chat}" else "member"
        place, now_s = (address.chat, sender.user_id), self._clock.monotonic()
        known = self._kept.get(place)
        if known is not None and now_s < known[1]:
            return known[0]
        member = await self._ask(
            "getChatMember", {"chat_id": int(address.chat), "user_id": int(sender.user_id)}
        )
        role = _read(member)
        if len(self._kept) >= MOST_KEPT:
            self._kept = {where: kept for where, kept in self._kept.items() if now_s < kept[1]}
        if len(self._kept) >= MOST_KEPT:
            self._kept.clear()
        self._kept[place] = (role, now_s + KEPT_S)
        return role


def _read(member: object) -> Role:
    match member:
        case {"status": str(status)}:
            return _ROLES.get(status, "unknown")
    return "unknown"
