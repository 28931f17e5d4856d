"""The plugins that the settings name, loaded."""

from __future__ import annotations

from zoneinfo import ZoneInfo

from bot.adapters.fetcher import PublicFetcher
from bot.app.outside import Outside
from bot.app.reminding import RemindingService
from bot.config import Config
from bot.ports import MemoryRecords
from bot.runtime.chat_records import StoredChatRecords
from bot.runtime.plugin_host import PluginHost
from bot.runtime.plugin_reach import PluginReach
from bot.runtime.tools import ToolRegistry

BUILT_IN_COMMANDS = frozenset(
    {
        "allow",
        "claim",
        "compact",
        "config",
        "context",
        "disallow",
        "failed",
        "help",
        "in",
        "memory",
        "new",
        "pair",
        "retry",
        "start",
        "status",
        "stop",
        "unpair",
        "usage",
    }
)
"""Names that no plugin may take; ``start`` is what Telegram sends when a chat is opened."""


def load_plugins(
    config: Config,
    outside: Outside,
    tools: ToolRegistry,
    memory: MemoryRecords,
    reminding: RemindingService,
) -> PluginHost:
    """Load what the settings name; the tools go into ``tools``, what is broken into the log."""
    reach = PluginReach(
        clock=outside.clock,
        timezone=ZoneInfo(config.timezone),
        http=PublicFetcher(),
        chat=StoredChatRecords(
            results=outside.store,
            tasks=outside.store,
            files=outside.store,
            clock=outside.clock,
            redactor=outside.redactor,
        ),
        memory=memory,
        reminders=reminding.records,
        zones=reminding.zones,
    )
    host = PluginHost(reach, tools, reserved_commands=BUILT_IN_COMMANDS)
    host.load(config.plugins)
    return host
