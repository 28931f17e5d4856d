"""All that a channel or a plugin imports of the bot: re-exports, nothing else."""

from bot.core.chat import (
    Capabilities,
    ChatAddress,
    ChatKind,
    Inbound,
    InboundDeletion,
    InboundEdit,
    InboundMessage,
    Receipt,
    Reply,
    Sender,
    StopRequest,
)
from bot.core.lifecycle import SetAside
from bot.core.rendering import split_markdown
from bot.core.tasks import TaskState
from bot.errors import (
    ChannelAuthError,
    ChannelError,
    ConfigError,
    DeliveryError,
    FateUnknown,
    ToolError,
)
from bot.ports import (
    Channel,
    ChatRecords,
    Clock,
    CommandContext,
    Fetcher,
    Inbox,
    Page,
    PluginAPI,
    ToolContext,
)

__all__ = [
    "Capabilities",
    "Channel",
    "ChannelAuthError",
    "ChannelError",
    "ChatAddress",
    "ChatKind",
    "ChatRecords",
    "Clock",
    "CommandContext",
    "ConfigError",
    "DeliveryError",
    "FateUnknown",
    "Fetcher",
    "Inbound",
    "InboundDeletion",
    "InboundEdit",
    "InboundMessage",
    "Inbox",
    "Page",
    "PluginAPI",
    "Receipt",
    "Reply",
    "Sender",
    "SetAside",
    "StopRequest",
    "TaskState",
    "ToolContext",
    "ToolError",
    "split_markdown",
]
