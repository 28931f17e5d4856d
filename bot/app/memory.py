"""What people are told of their memory, wired together."""

from __future__ import annotations

from zoneinfo import ZoneInfo

from bot.app.access import Access
from bot.app.agent import Agent
from bot.app.outside import Outside
from bot.config import Config
from bot.ports import Recall
from bot.runtime.commands.memory import MemoryParts, memory_command
from bot.runtime.commands.memory_files import FileHistory
from bot.runtime.commands.memory_forgetting import ForgettingTalk
from bot.runtime.commands.table import Command
from bot.runtime.exporting import Exporter
from bot.runtime.forgetting import Forgetting, MemorySwitch


def build_exporter(outside: Outside, agent: Agent) -> Exporter:
    """Build what puts exports together."""
    return Exporter(
        records=outside.store,
        people=outside.store,
        usage=outside.store,
        reminders=outside.store,
        zones=outside.store,
        files=outside.memory_files,
        is_on=MemorySwitch(settings=agent.settings).is_on,
        redactor=outside.redactor,
        clock=outside.clock,
    )


def build_memory_command(
    config: Config,
    outside: Outside,
    agent: Agent,
    access: Access,
    recall: Recall,
    forgetting: Forgetting,
) -> Command:
    """Build ``/memory``."""
    zone = ZoneInfo(config.timezone)
    return memory_command(
        MemoryParts(
            facts=outside.store,
            records=outside.store,
            recall=recall,
            forgetting=ForgettingTalk(
                forgetting=forgetting, chat_admins_may=config.group_admins_may_forget
            ),
            switch=MemorySwitch(settings=agent.settings),
            exporter=build_exporter(outside, agent),
            history=FileHistory(files=outside.memory_files, zone=zone),
            title_of=access.gate.title_of,
            redactor=outside.redactor,
            clock=outside.clock,
            zone=zone,
        )
    )
