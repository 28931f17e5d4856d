"""What people are shown beside the chat, wired together."""

from __future__ import annotations

from zoneinfo import ZoneInfo

from bot.app.access import Access
from bot.app.agent import Agent
from bot.app.outside import Outside
from bot.config import Config
from bot.ports import Screens
from bot.runtime.screens import BesideTheChat


def build_screens(config: Config, outside: Outside, agent: Agent, access: Access) -> Screens:
    """Build it."""
    return BesideTheChat(
        gate=access.gate,
        live=agent.settings,
        runner=agent.runner,
        usage=outside.store,
        facts=outside.store,
        memories=agent.settings,
        files=outside.memory_files,
        title_of=access.gate.title_of,
        clock=outside.clock,
        zone=ZoneInfo(config.timezone),
    )
