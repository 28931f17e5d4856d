"""What all plugins can reach."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import tzinfo

from bot.ports import ChatRecords, Clock, Fetcher, MemoryRecords, ReminderRecords, Zones


@dataclass(frozen=True, slots=True, kw_only=True)
class PluginReach:
    """What a plugin's :class:`~bot.ports.PluginAPI` gives besides taking its offers."""

    clock: Clock
    timezone: tzinfo
    http: Fetcher
    chat: ChatRecords
    memory: MemoryRecords
    reminders: ReminderRecords
    zones: Zones
