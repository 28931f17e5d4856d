"""The way of what comes in, wired together: commands, who answers them, menu and dispatcher."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from bot.app.access import Access
from bot.app.agent import Agent
from bot.app.commands import add_the_rest, build_commands, build_elsewhere
from bot.app.memory import build_memory_command
from bot.app.moves import build_moves
from bot.app.outside import Outside
from bot.config import Config
from bot.ports import Recall
from bot.runtime.activity import Activity
from bot.runtime.command_desk import CommandDesk
from bot.runtime.command_menu import CommandMenu
from bot.runtime.commands import CommandTable
from bot.runtime.commands.elsewhere import Elsewhere
from bot.runtime.commands.status import Vitals
from bot.runtime.delivery import Delivery
from bot.runtime.dispatcher import DispatcherParts
from bot.runtime.edits import Edits
from bot.runtime.forgetting import Forgetting
from bot.runtime.lanes import Lanes
from bot.runtime.listening import Listener
from bot.runtime.overheard import Overheard
from bot.runtime.plugin_host import PluginHost
from bot.runtime.supervisor import Spawn


@dataclass(frozen=True, slots=True, kw_only=True)
class Among:
    """What the dispatcher works among."""

    config: Config
    outside: Outside
    agent: Agent
    access: Access
    lanes: Lanes
    delivery: Delivery
    host: PluginHost
    overheard: Overheard
    recall: Recall
    forgetting: Forgetting
    activity: Activity
    spawn: Spawn
    wake_memory: Callable[[], None]
    vitals: Callable[[], Vitals]


def build_dispatching(among: Among) -> tuple[DispatcherParts, CommandMenu]:
    """Build what the dispatcher works with, and the menu that lists its commands."""
    config, outside, agent, access = among.config, among.outside, among.agent, among.access
    commands = build_commands(config, outside, agent, among.lanes, among.delivery, access)
    commands.add(
        build_memory_command(config, outside, agent, access, among.recall, among.forgetting)
    )
    add_the_rest(commands, outside, among.host, among.vitals)
    listener = Listener(access.gate, access.pairings, commands, outside.channels)
    elsewhere = build_elsewhere(commands, config, outside, among.lanes)
    menu = CommandMenu(outside.channels, commands, access.gate, among.spawn)
    access.gate.on_admins_change = menu.refresh
    parts = DispatcherParts(
        lifecycle=outside.store,
        gate=access.gate,
        roles=access.roles,
        listener=listener,
        overheard=among.overheard,
        edits=Edits(
            listener=listener,
            lanes=among.lanes,
            clock=outside.clock,
            wake_memory=among.wake_memory,
        ),
        moves=build_moves(
            outside,
            agent,
            access,
            among.lanes,
            among.activity,
            (among.spawn, among.wake_memory),
        ),
        redactor=outside.redactor,
        commands=commands,
        desk=_build_desk(among, commands, elsewhere, listener),
        lanes=among.lanes,
        delivery=among.delivery,
        channels=outside.channels,
        clock=outside.clock,
        activity=among.activity,
        spawn=among.spawn,
    )
    return parts, menu


def _build_desk(
    among: Among, commands: CommandTable, elsewhere: Elsewhere, listener: Listener
) -> CommandDesk:
    outside = among.outside
    return CommandDesk(
        commands=commands,
        elsewhere=elsewhere,
        greet=among.access.greet,
        listener=listener,
        roles=among.access.roles,
        lifecycle=outside.store,
        records=outside.store,
        delivery=among.delivery,
        channels=outside.channels,
        clock=outside.clock,
        language_for=among.agent.settings.language,
    )
