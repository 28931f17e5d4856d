"""What somebody sees who opens the assistant's pane: a greeting, and what could be asked."""

from __future__ import annotations

from collections.abc import Mapping

from pydantic import ValidationError

from channels.slack.events import GREETED_TYPE
from channels.slack.payloads import AssistantThread

GREETING = "Hello. What can I do for you?"

PROMPTS: tuple[tuple[str, str], ...] = (
    ("What can you do?", "What can you do for me?"),
    ("What do you know about me?", "What do you know about me?"),
    ("Plan my day", "Help me to plan my day: ask me what I need to know."),
)
"""Title and message; Slack shows no more than four."""


def prompts() -> list[Mapping[str, object]]:
    """Write the suggestions as Slack takes them."""
    return [{"title": title, "message": message} for title, message in PROMPTS]


def opened_thread(event: object) -> tuple[str, str] | None:
    """Read where a thread was opened: channel and thread; None when the event is another one."""
    if not isinstance(event, Mapping) or event.get("type") != GREETED_TYPE:
        return None
    try:
        thread = AssistantThread.model_validate(event).assistant_thread
    except ValidationError:
        return None
    return thread.channel_id, thread.thread_ts
