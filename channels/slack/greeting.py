"""What somebody sees who opens the assistant's pane: a greeting, and what could be asked."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from pydantic import ValidationError

from bot.api import gettext, gettext_noop
from channels.slack.events import GREETED_TYPE
from channels.slack.payloads import AssistantThread

GREETING = gettext_noop("Hello. What can I do for you?")

PROMPTS: tuple[tuple[str, str], ...] = (
    (gettext_noop("What can you do?"), gettext_noop("What can you do for me?")),
    (gettext_noop("What do you know about me?"), gettext_noop("What do you know about me?")),
    (
        gettext_noop("Plan my day"),
        gettext_noop("Help me to plan my day: ask me what I need to know."),
    ),
)
"""Title and message, in English; Slack shows no more than four."""


@dataclass(frozen=True, slots=True, kw_only=True)
class OpenedThread:
    """A thread in the assistant's pane; ``user`` opened it, empty where Slack does not say who."""

    user: str
    channel: str
    thread_ts: str


def prompts() -> list[Mapping[str, object]]:
    """Write the suggestions as Slack takes them."""
    return [{"title": gettext(title), "message": gettext(message)} for title, message in PROMPTS]


def opened_thread(event: object) -> OpenedThread | None:
    """Read which thread was opened; None when the event is another one."""
    if not isinstance(event, Mapping) or event.get("type") != GREETED_TYPE:
        return None
    try:
        thread = AssistantThread.model_validate(event).assistant_thread
    except ValidationError:
        return None
    return OpenedThread(user=thread.user_id, channel=thread.channel_id, thread_ts=thread.thread_ts)
