"""The plugins that the settings name, loaded."""

from __future__ import annotations

from zoneinfo import ZoneInfo

from bot.adapters.fetcher import PublicFetcher
from bot.app.outside import Outside
from bot.config import Config
from bot.runtime.chat_records import StoredChatRecords
from bot.runtime.plugin_host import PluginHost
from bot.runtime.tools import ToolRegistry

BUILT_IN_COMMANDS = frozenset(
    {
        "claim",
        "compact",
        "config",
        "context",
        "failed",
        "help",
        "new",
        "retry",
        "start",
        "status",
        "stop",
    }
)
"""Names that no plugin may take; ``start`` is what Telegram sends when a chat is opened."""


def load_plugins(config: Config, outside: Outside, tools: ToolRegistry) -> PluginHost:
    """Load what the settings name; the tools go into ``tools``, what is broken into the log."""
    host = PluginHost(
        outside.clock,
        ZoneInfo(config.timezone),
        PublicFetcher(),
        tools,
        StoredChatRecords(
            results=outside.store,
            tasks=outside.store,
            files=outside.store,
            clock=outside.clock,
            redactor=outside.redactor,
        ),
        reserved_commands=BUILT_IN_COMMANDS,
    )
    host.load(config.plugins)
    return host
