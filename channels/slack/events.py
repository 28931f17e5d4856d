"""What happens with each event of Slack: the table of the manual, and of what is subscribed to.

The law of this file: an event that is not in the table is acknowledged and nothing else.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Fate:
    """What becomes of an event.

    Attributes:
        event: Its type, and for messages what kind of message it is.
        happens: What the bot does about it.
        subscriptions: The events that must be subscribed to for it.
    """

    event: str
    happens: str
    subscriptions: tuple[str, ...] = ()


FATES: tuple[Fate, ...] = (
    Fate(
        event="`message` in a direct chat",
        happens="answered; in the assistant's pane and in a thread that somebody opened there, "
        "in that thread",
        subscriptions=("message.im",),
    ),
    Fate(
        event="`app_mention`, and `message` with a mention",
        happens="answered once, in a thread below it; in the middle of a thread or channel the "
        "model gets up to 20 messages from before it",
        subscriptions=("app_mention",),
    ),
    Fate(
        event="`message` in a thread where the bot takes part",
        happens="answered, unless it begins with the mention of somebody else or `threads` is "
        "`mention`",
        subscriptions=("message.channels", "message.groups", "message.mpim"),
    ),
    Fate(
        event="`message` in a thread below a message of the bot",
        happens="answered likewise, with what the bot said above it",
        subscriptions=("message.channels", "message.groups", "message.mpim"),
    ),
    Fate(
        event="`message` that begins with `!` and a command",
        happens="the command is carried out, in any thread",
        subscriptions=("message.channels", "message.groups", "message.mpim"),
    ),
    Fate(
        event="`message` that begins with `!` and no command",
        happens="as any other that does not name the bot; a mistyped command is put right where "
        "the bot is spoken to",
        subscriptions=("message.channels", "message.groups", "message.mpim"),
    ),
    Fate(
        event="other `message` in a channel or group direct chat",
        happens="passed over, nothing of it is kept, unless the group listens to all",
        subscriptions=("message.channels", "message.groups", "message.mpim"),
    ),
    Fate(
        event="`message` with files",
        happens="answered as any other; the files are fetched and read when its turn begins",
    ),
    Fate(
        event="`message_changed`, the text is another one",
        happens="the message is changed wherever the bot has it; with a new mention it is answered",
    ),
    Fate(
        event="`message_changed`, the text is the same",
        happens="nothing: the preview of a link was added, or a reply counted",
    ),
    Fate(
        event="`message_deleted`",
        happens="the message is forgotten wherever the bot has it; what the model once got as talk "
        "from before a mention stays in that turn ([why](adr/0026-talk-of-others.md))",
    ),
    Fate(
        event="messages of the bot itself, of other bots and of Slack",
        happens="nothing; a message about joining, a new topic, a pinned message is Slack's",
    ),
    Fate(
        event="`assistant_thread_started`",
        happens="a greeting is shown with suggestions of what to ask",
        subscriptions=("assistant_thread_started",),
    ),
    Fate(
        event="`assistant_thread_context_changed`",
        happens="nothing: where somebody looks is not kept",
        subscriptions=("assistant_thread_context_changed",),
    ),
    Fate(
        event="`agent_session_stopped`",
        happens="the answer that is being written ends",
        subscriptions=("agent_session_stopped",),
    ),
    Fate(
        event="`app_home_opened`",
        happens="the page of the App Home is shown anew",
        subscriptions=("app_home_opened",),
    ),
    Fate(
        event="an event, a command or a button of another workspace",
        happens="nothing: the bot is of one workspace",
    ),
    Fate(
        event="an event of these that cannot be read",
        happens="set aside where an admin can look at it, logged as `inbound.set_aside`",
    ),
    Fate(event="any other event", happens="nothing"),
)

SUBSCRIPTIONS: tuple[str, ...] = tuple(
    sorted({each for fate in FATES for each in fate.subscriptions})
)
"""The events that the app subscribes to, for the manifest."""

READ_TYPES = (
    "message",
    "app_mention",
    "agent_session_stopped",
)
"""Types of the events that become something in the inbox."""

GREETED_TYPE = "assistant_thread_started"


def manual() -> str:
    """Write the table as the manual shows it."""
    rows = (f"| {fate.event} | {fate.happens} |" for fate in FATES)
    return "\n".join(("| event | what happens |", "|---|---|", *rows))
