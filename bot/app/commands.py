"""All commands that people have: the bot's own, then those of plugins."""

from __future__ import annotations

from collections.abc import Callable
from zoneinfo import ZoneInfo

from bot.app.agent import Agent
from bot.app.outside import Outside
from bot.config import Config
from bot.runtime.access_gate import AccessGate
from bot.runtime.commands import Command, CommandTable
from bot.runtime.commands.claim import claim_command
from bot.runtime.commands.config import config_command
from bot.runtime.commands.context import compact_command, context_command
from bot.runtime.commands.failed import failed_command
from bot.runtime.commands.help import help_command
from bot.runtime.commands.new import new_command
from bot.runtime.commands.retry import retry_command
from bot.runtime.commands.status import Vitals, status_command
from bot.runtime.commands.stop import stop_command
from bot.runtime.delivery import Delivery
from bot.runtime.lanes import Lanes
from bot.runtime.plugin_host import PluginHost


def build_commands(
    config: Config,
    outside: Outside,
    agent: Agent,
    lanes: Lanes,
    delivery: Delivery,
    gate: AccessGate,
) -> CommandTable:
    """Build the bot's own commands but those that speak of the whole bot."""
    zone = ZoneInfo(config.timezone)
    return CommandTable(
        (
            new_command(agent.runner),
            context_command(agent.runner, zone),
            compact_command(agent.runner),
            stop_command(lanes),
            retry_command(outside.store, delivery, lanes, outside.clock),
            failed_command(outside.store, zone),
            config_command(agent.settings, zone),
            claim_command(gate),
        )
    )


def add_the_rest(
    table: CommandTable, outside: Outside, host: PluginHost, vitals: Callable[[], Vitals]
) -> CommandTable:
    """Add what speaks of the whole bot, and what plugins offer."""
    table.add(status_command(vitals, outside.store))
    table.add(help_command(table))
    for each in host.commands.values():
        table.add(Command(name=each.name, description=each.description, handler=each.handler))
    return table
