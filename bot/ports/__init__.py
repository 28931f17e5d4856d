"""What the inside asks of the outside, each port as narrow as its user needs.

An adapter, a channel or a fake of ``bot.testing`` fills each of these. The docstring of a class is
its contract; the kits in ``bot.testing`` check it.
"""

from bot.core.access import Grant
from bot.ports.attachments import AttachmentReader, Transcriber
from bot.ports.channels import Channel, Inbox
from bot.ports.conversations import (
    Conversations,
    KeptResults,
    ModelLimits,
    Sessions,
    TaskStates,
)
from bot.ports.lifecycle import Lifecycle, Presence, TurnFiles
from bot.ports.memory import MemoryFiles, MemoryJobs, Redactor
from bot.ports.model import ModelClient, TokenCounter
from bot.ports.people import Granted, Pairing, People, Place
from bot.ports.plugins import (
    ChatRecords,
    Choice,
    CommandAnswer,
    CommandContext,
    CommandHandler,
    PluginAPI,
    Tool,
    ToolContext,
)
from bot.ports.recall import (
    ChatMemories,
    Embedder,
    Episodes,
    Facts,
    MemoryItems,
    SearchIndex,
)
from bot.ports.screens import Screens, UsageLog
from bot.ports.settings import EVERYWHERE, OF_GROUPS, Override, SettingChange, Settings
from bot.ports.world import Calendar, Clock, Fetcher, JobSlots, Page, Timer

__all__ = [
    "EVERYWHERE",
    "OF_GROUPS",
    "AttachmentReader",
    "Calendar",
    "Channel",
    "ChatMemories",
    "ChatRecords",
    "Choice",
    "Clock",
    "CommandAnswer",
    "CommandContext",
    "CommandHandler",
    "Conversations",
    "Embedder",
    "Episodes",
    "Facts",
    "Fetcher",
    "Grant",
    "Granted",
    "Inbox",
    "JobSlots",
    "KeptResults",
    "Lifecycle",
    "MemoryFiles",
    "MemoryItems",
    "MemoryJobs",
    "ModelClient",
    "ModelLimits",
    "Override",
    "Page",
    "Pairing",
    "People",
    "Place",
    "PluginAPI",
    "Presence",
    "Redactor",
    "Screens",
    "SearchIndex",
    "Sessions",
    "SettingChange",
    "Settings",
    "TaskStates",
    "Timer",
    "TokenCounter",
    "Tool",
    "ToolContext",
    "Transcriber",
    "TurnFiles",
    "UsageLog",
]
