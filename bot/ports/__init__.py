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
from bot.ports.forgetting import Forgettings, MeantTurns, RawSearch, RemovedTurns, Standing
from bot.ports.health import Backlogs, Disk, DiskState
from bot.ports.lifecycle import Lifecycle, Presence, TurnFiles
from bot.ports.memory import (
    DailyFiles,
    FileVersions,
    LastingFiles,
    MemoryFiles,
    MemoryJobs,
    Redactor,
)
from bot.ports.model import ModelClient, ModelDirectory, TokenCounter
from bot.ports.people import Granted, Pairing, People, Place
from bot.ports.personal import KeptOfChat, OwnTurns, PersonalRecords
from bot.ports.plugins import (
    ChatRecords,
    Choice,
    CommandAnswer,
    CommandContext,
    CommandHandler,
    ForgetProposal,
    FoundPieces,
    MemoryRecords,
    PluginAPI,
    Remembered,
    ReminderRecords,
    Statement,
    Tool,
    ToolContext,
    Zones,
)
from bot.ports.recall import (
    ChatMemories,
    Embedder,
    Episodes,
    Facts,
    Findings,
    KeptItems,
    MemoryItems,
    Recall,
    RecalledFiles,
    SearchIndex,
)
from bot.ports.reminders import PersonZones, Reminders
from bot.ports.screens import Screens
from bot.ports.settings import EVERYWHERE, OF_GROUPS, Override, SettingChange, Settings
from bot.ports.spending import CallLog, UsageLog
from bot.ports.world import Attendance, Calendar, Clock, Fetcher, JobSlots, Page, Timer

__all__ = [
    "EVERYWHERE",
    "OF_GROUPS",
    "AttachmentReader",
    "Attendance",
    "Backlogs",
    "Calendar",
    "CallLog",
    "Channel",
    "ChatMemories",
    "ChatRecords",
    "Choice",
    "Clock",
    "CommandAnswer",
    "CommandContext",
    "CommandHandler",
    "Conversations",
    "DailyFiles",
    "Disk",
    "DiskState",
    "Embedder",
    "Episodes",
    "Facts",
    "Fetcher",
    "FileVersions",
    "Findings",
    "ForgetProposal",
    "Forgettings",
    "FoundPieces",
    "Grant",
    "Granted",
    "Inbox",
    "JobSlots",
    "KeptItems",
    "KeptOfChat",
    "KeptResults",
    "LastingFiles",
    "Lifecycle",
    "MeantTurns",
    "MemoryFiles",
    "MemoryItems",
    "MemoryJobs",
    "MemoryRecords",
    "ModelClient",
    "ModelDirectory",
    "ModelLimits",
    "Override",
    "OwnTurns",
    "Page",
    "Pairing",
    "People",
    "PersonZones",
    "PersonalRecords",
    "Place",
    "PluginAPI",
    "Presence",
    "RawSearch",
    "Recall",
    "RecalledFiles",
    "Redactor",
    "Remembered",
    "ReminderRecords",
    "Reminders",
    "RemovedTurns",
    "Screens",
    "SearchIndex",
    "Sessions",
    "SettingChange",
    "Settings",
    "Standing",
    "Statement",
    "TaskStates",
    "Timer",
    "TokenCounter",
    "Tool",
    "ToolContext",
    "Transcriber",
    "TurnFiles",
    "UsageLog",
    "Zones",
]
