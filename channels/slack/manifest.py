"""The manifest of the Slack app: all that the bot needs of a workspace, and nothing else.

The law of this file: each scope says what it is for, and each event is one that the bot reads.
"""

from __future__ import annotations

from typing import Final

from channels.slack.commands import COMMAND_FOR_ALL
from channels.slack.events import SUBSCRIPTIONS
from channels.slack.greeting import PROMPTS

Json = dict[str, object]

SCOPES: Final = {
    "app_mentions:read": "to be told of mentions",
    "assistant:write": "to be an assistant: its pane, its status, what it suggests to ask",
    "channels:history": "to read threads of public channels that it is in",
    "channels:read": "to know what channels are called",
    "chat:write": "to answer",
    "commands": "to have slash commands",
    "files:read": "to read files that come with messages",
    "files:write": "to send files",
    "groups:history": "to read threads of private channels that it is in",
    "groups:read": "to know what private channels are called",
    "im:history": "to be told of direct messages",
    "im:read": "to know its direct chats",
    "im:write": "to write to admins who did not write to it of late",
    "mpim:history": "to be told of messages in group direct chats",
    "mpim:read": "to know its group direct chats",
    "users:read": "to know names, time zones and languages, who is an admin and who a guest",
}
"""The scopes of the bot token, and what each is for."""

SLASH_COMMANDS: Final = (
    ("/context", "Show what the bot sees of a conversation, or clear it", "[detail|clear|undo]"),
    ("/memory", "Show what the bot remembers about you", "[search|forget|export|off]"),
    ("/usage", "Show what was used and what it cost", ""),
    ("/config", "Show or change a setting", "[KEY VALUE]"),
    ("/stop", "Stop the answer being written", ""),
    (COMMAND_FOR_ALL, "Give the bot any command; without one, list them", "[COMMAND]"),
)
"""Name, description and hint; what the others do, the last one does as well, since another app of
the workspace may own their names."""


def manifest(*, http_url: str = "") -> Json:
    """Write the manifest; with ``http_url`` Slack calls the bot there, else the bot calls Slack."""
    request_url: Json = {"request_url": http_url} if http_url else {}
    return {
        "display_information": {
            "name": "Daybook",
            "description": "A chat bot that loses no message",
        },
        "features": {
            "app_home": {
                "home_tab_enabled": True,
                "messages_tab_enabled": True,
                "messages_tab_read_only_enabled": False,
            },
            "agent_view": {
                "agent_description": "Answers, and remembers what was said",
                "suggested_prompts": [
                    {"title": title, "message": message} for title, message in PROMPTS
                ],
            },
            "bot_user": {"display_name": "Daybook", "always_online": True},
            "slash_commands": [_command(*command, http_url) for command in SLASH_COMMANDS],
        },
        "oauth_config": {"scopes": {"bot": sorted(SCOPES)}},
        "settings": {
            "event_subscriptions": request_url | {"bot_events": list(SUBSCRIPTIONS)},
            "interactivity": {"is_enabled": True} | request_url,
            "org_deploy_enabled": False,
            "socket_mode_enabled": not http_url,
            "token_rotation_enabled": False,
        },
    }


def _command(name: str, description: str, hint: str, http_url: str) -> Json:
    command: Json = {"command": name, "description": description, "should_escape": False}
    if hint:
        command["usage_hint"] = hint
    return command | ({"url": http_url} if http_url else {})
