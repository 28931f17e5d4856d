"""All commands that people have: the bot's own, then those of plugins."""

from __future__ import annotations

from collections.abc import Callable
from zoneinfo import ZoneInfo

from bot.app.access import Access
from bot.app.agent import Agent
from bot.app.outside import Outside
from bot.config import Config
from bot.runtime.commands import Command, CommandTable
from bot.runtime.commands.claim import claim_command
from bot.runtime.commands.config import config_command
from bot.runtime.commands.context import compact_command, context_command
from bot.runtime.commands.elsewhere import Elsewhere, elsewhere_command
from bot.runtime.commands.failed import failed_command
from bot.runtime.commands.groups import allow_command, disallow_command
from bot.runtime.commands.help import help_command
from bot.runtime.commands.new import new_command
from bot.runtime.commands.pair import pair_command, unpair_command
from bot.runtime.commands.retry import retry_command
from bot.runtime.commands.start import start_command
from bot.runtime.commands.status import Vitals, status_command
from bot.runtime.commands.stop import stop_command
from bot.runtime.commands.usage import UsageParts, usage_command
from bot.runtime.delivery import Delivery
from bot.runtime.lanes import Lanes
from bot.runtime.plugin_host import PluginHost


def build_commands(
    config: Config,
    outside: Outside,
    agent: Agent,
    lanes: Lanes,
    delivery: Delivery,
    access: Access,
) -> CommandTable:
    """Build the bot's own commands but those that speak of the whole bot."""
    zone = ZoneInfo(config.timezone)
    return CommandTable(
        (
            new_command(agent.runner, agent.openings),
            context_command(agent.runner, zone),
            compact_command(agent.runner),
            stop_command(lanes),
            retry_command(outside.store, delivery, lanes, outside.clock),
            failed_command(outside.store, zone),
            config_command(agent.settings, zone, agent.in_force),
            claim_command(access.gate),
            start_command(),
            pair_command(access.pairings, access.gate, zone),
            unpair_command(access.pairings),
            allow_command(access.groups),
            disallow_command(access.groups),
            usage_command(
                UsageParts(
                    usage=outside.store,
                    spending=agent.spending,
                    title_of=access.gate.title_of,
                    grant_of=access.gate.grant_of,
                    clock=outside.clock,
                    zone=zone,
                )
            ),
        )
    )


def build_elsewhere(
    table: CommandTable, config: Config, outside: Outside, lanes: Lanes
) -> Elsewhere:
    """Build what finds out which conversation is meant; it adds the command that names one."""
    zone, store = ZoneInfo(config.timezone), outside.store
    elsewhere = Elsewhere(table, store, store, zone, lanes.asked_in)
    table.add(elsewhere_command(elsewhere))
    return elsewhere


def add_the_rest(
    table: CommandTable, outside: Outside, host: PluginHost, vitals: Callable[[], Vitals]
) -> CommandTable:
    """Add what speaks of the whole bot, and what plugins offer."""
    table.add(status_command(vitals, outside.store))
    table.add(help_command(table))
    for each in host.commands.values():
        table.add(Command(name=each.name, description=each.description, handler=each.handler))
    return table
