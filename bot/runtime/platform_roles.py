"""What people are by the platform's own rules, asked of the channels and kept for a while."""

from __future__ import annotations

import logging
from collections.abc import Mapping

from bot.core.chat import (
    ButtonPress,
    ChatAddress,
    Inbound,
    InboundEdit,
    InboundMessage,
    PersonKey,
    Sender,
)
from bot.core.lifecycle import SetAside
from bot.errors import ChannelError
from bot.ports import Channel, Clock
from bot.runtime.waiting import within

logger = logging.getLogger(__name__)

PATIENCE_S = 2.0
"""How long a platform may take to say what somebody is; a message waits for it, and Slack wants to
hear within three seconds that it came."""

KEPT_S = 300.0
"""How long the answer counts; one that could not be had is asked for again after as long."""

MOST_KEPT = 1_000


class PlatformRoles:
    """Asks channels for roles, and only for those that the operator gives any weight."""

    def __init__(
        self,
        channels: Mapping[str, Channel],
        clock: Clock,
        *,
        for_groups: bool = True,
        for_workspaces: bool = False,
    ) -> None:
        """Begin knowing nothing.

        Args:
            channels: Those that are asked.
            clock: By which answers grow old.
            for_groups: Whether admins of a group may steer the bot there.
            for_workspaces: Whether admins of a workspace are admins of the bot.
        """
        self._channels = channels
        self._clock = clock
        self._for_groups = for_groups
        self._for_workspaces = for_workspaces
        self._admins: dict[PersonKey, tuple[bool, float]] = {}
        self._is_told = False

    async def is_chat_admin(self, message: InboundMessage) -> bool:
        """Say whether somebody may steer the bot in the group in which they wrote."""
        if not self._for_groups or message.kind != "group":
            return False
        return await self._is_admin(message.address, message.sender)

    async def learn(self, event: Inbound | SetAside) -> None:
        """Find out, where it counts, whether an event comes from an admin of its workspace."""
        if not self._for_workspaces or isinstance(event, SetAside):
            return
        said = event.message if isinstance(event, InboundEdit) else event
        if not isinstance(said, InboundMessage | ButtonPress) or said.sender.is_guest:
            return
        channel = self._channels.get(said.address.channel)
        if channel is None or not channel.capabilities.has_workspace_roles:
            return
        person, now_s = said.sender.person_key, self._clock.monotonic()
        if person in self._admins and now_s < self._admins[person][1]:
            return
        if len(self._admins) >= MOST_KEPT:
            self._admins = {who: kept for who, kept in self._admins.items() if now_s < kept[1]}
        is_admin = await self._is_admin(said.address, said.sender)
        self._admins[person] = (is_admin, now_s + KEPT_S)

    def is_workspace_admin(self, person: PersonKey) -> bool:
        """Say what :meth:`learn` found out of late."""
        is_admin, until_s = self._admins.get(person, (False, 0.0))
        return is_admin and self._clock.monotonic() < until_s

    async def _is_admin(self, address: ChatAddress, sender: Sender) -> bool:
        """Ask; where there is no answer, nobody has more rights than others.

        A guest never has: who is an admin elsewhere, or not known yet, steers nothing here.
        """
        if sender.is_guest:
            return False
        try:
            asked = self._channels[address.channel].role_of(address, sender)
            return await within(self._clock, PATIENCE_S, asked) == "admin"
        except (ChannelError, TimeoutError) as error:
            if not self._is_told:
                logger.warning(
                    "role.unknown", extra={"session": address.session_key, "why": str(error)}
                )
            self._is_told = True
            return False
