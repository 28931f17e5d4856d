"""Who is an admin of the workspace, asked of Slack and kept in mind for some minutes."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Final

from bot.api import Clock, Role, Sender

KEPT_S: Final = 300.0
"""How long somebody stays what they were."""

MOST_KEPT: Final = 1_000


class Roles:
    """Asks for each person once in a while."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._kept: dict[str, tuple[Role, float]] = {}

    async def role_of(
        self, sender: Sender, is_admin: Callable[[str, str], Awaitable[bool]]
    ) -> Role:
        """Say what somebody is; ``is_admin`` asks Slack, of a user id and a workspace's.

        Raises:
            ChannelError: Slack does not say.
        """
        now_s = self._clock.monotonic()
        known = self._kept.get(sender.user_id)
        if known is not None and now_s < known[1]:
            return known[0]
        role: Role = "admin" if await is_admin(sender.user_id, sender.realm) else "member"
        if len(self._kept) >= MOST_KEPT:
            self._kept = {who: kept for who, kept in self._kept.items() if now_s < kept[1]}
        if len(self._kept) >= MOST_KEPT:
            self._kept.clear()
        self._kept[sender.user_id] = (role, now_s + KEPT_S)
        return role
