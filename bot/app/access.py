"""Who may talk to the bot, wired together: the gate, who asks to be let in, groups, the menu."""

from __future__ import annotations

from dataclasses import dataclass

from bot.app.outside import Outside
from bot.config import Config
from bot.core.access import AccessPolicy
from bot.ports import CommandAnswer, CommandContext
from bot.runtime.access_gate import AccessGate
from bot.runtime.commands.groups import Groups
from bot.runtime.delivery import Delivery
from bot.runtime.live_settings import LiveSettings
from bot.runtime.pairing import Pairings
from bot.runtime.platform_roles import PlatformRoles
from bot.runtime.telling import Telling


@dataclass(frozen=True, slots=True, kw_only=True)
class Access:
    """What decides on people and groups."""

    gate: AccessGate
    roles: PlatformRoles
    pairings: Pairings
    groups: Groups
    telling: Telling

    async def load(self) -> None:
        """Read what was decided before."""
        await self.gate.load()
        await self.pairings.load()

    async def greet(self, context: CommandContext) -> str | CommandAnswer:
        """Greet a stranger, or a group that the bot was added to."""
        if context.message.kind == "group":
            return await self.groups.added(context)
        return await self.pairings.greet(context.message)


def build_access(
    config: Config,
    outside: Outside,
    delivery: Delivery,
    settings: LiveSettings,
) -> Access:
    """Build it; groups set which messages they want the bot to listen to."""
    roles = PlatformRoles(
        outside.channels,
        outside.clock,
        for_groups=config.group_admins_may_configure,
        for_workspaces=config.platform_admins_are_admins,
    )
    policy = AccessPolicy(
        mode=config.access, admins=frozenset(config.admins), allowed=frozenset(config.allow)
    )
    gate = AccessGate(
        policy,
        outside.store,
        outside.clock,
        mode_of=settings.group_mode,
        is_workspace_admin=roles.is_workspace_admin,
    )
    telling = Telling(outside.channels, gate, delivery, outside.clock, settings.language)
    return Access(
        gate=gate,
        roles=roles,
        pairings=Pairings(gate, outside.store, telling, outside.clock),
        groups=Groups(gate, telling),
        telling=telling,
    )
