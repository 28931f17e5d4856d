"""The menu of commands that a platform shows, kept as it is now."""

from __future__ import annotations

import logging
from collections.abc import Mapping

from bot.core.commands import MenuEntry
from bot.errors import ChannelError
from bot.ports import Channel
from bot.runtime.access_gate import AccessGate
from bot.runtime.commands import CommandTable
from bot.runtime.supervisor import Spawn

logger = logging.getLogger(__name__)


class CommandMenu:
    """Offers the commands to channels that receive; nothing waits for it, and it may fail."""

    def __init__(
        self,
        channels: Mapping[str, Channel],
        commands: CommandTable,
        gate: AccessGate,
        spawn: Spawn,
    ) -> None:
        self._channels = channels
        self._commands = commands
        self._gate = gate
        self._spawn = spawn
        self._receiving: set[str] = set()
        self._at_work: set[str] = set()
        self._outdated: set[str] = set()
        self._told: set[str] = set()

    def begin(self, channel: str) -> None:
        """Offer it to a channel that receives for the first time."""
        if channel not in self._receiving:
            self._receiving.add(channel)
            self._refresh(channel)

    def refresh(self) -> None:
        """Offer it anew: who is an admin has changed, or where they can be reached."""
        for channel in sorted(self._receiving):
            self._refresh(channel)

    def _refresh(self, channel: str) -> None:
        self._outdated.add(channel)
        if channel not in self._at_work:
            self._at_work.add(channel)
            self._spawn(f"menu of {channel}", self._offer(channel))

    async def _offer(self, name: str) -> None:
        """Offer it until it is as it should be; one offer at a time, so that the newest stays."""
        try:
            while name in self._outdated:
                self._outdated.discard(name)
                admins = tuple(home for home in self._gate.admin_homes if home.channel == name)
                former = tuple(home for home in self._gate.former_homes if home.channel == name)
                await self._channels[name].offer_commands(self.entries, admins, former=former)
        except ChannelError as error:
            if name not in self._told:
                self._told.add(name)
                logger.warning("menu.not_offered", extra={"channel": name, "why": str(error)})
        finally:
            self._at_work.discard(name)

    @property
    def entries(self) -> tuple[MenuEntry, ...]:
        """The commands as menus list them."""
        return tuple(
            MenuEntry(
                name=command.name,
                description=command.description,
                reader=command.reader,
            )
            for command in self._commands.listed
        )
