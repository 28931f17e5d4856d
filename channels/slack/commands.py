"""What people give the bot to do without writing: slash commands and buttons, as values.

The law of this file: one thing done is one event, named by what Slack names it by: a slash command
by its trigger, a press by the message, the moment and the button.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import UTC, datetime

from pydantic import BaseModel, Field, ValidationError

from bot.api import (
    ButtonPress,
    ChatAddress,
    ChatKind,
    InboundMessage,
    Sender,
    parse_command,
    plain_name,
)
from channels.slack.inbound import NOTHING, Identity, Knowledge, Scene, is_direct
from channels.slack.payloads import Timestamp
from channels.slack.settings import CHANNEL
from channels.slack.text import sound

COMMAND_FOR_ALL = "/daybook"
"""The slash command behind which all of the bot's commands stand: ``/daybook context detail``."""

MOST_COMMAND_CHARS = 4_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Who:
    """Says where something was done and who did it; the bot is of one workspace."""

    identity: Identity
    known: Knowledge = NOTHING

    def address(self, chat: str, thread: str = "") -> ChatAddress:
        """Name a place in the bot's workspace."""
        team = self.identity.team_id
        return ChatAddress(channel=CHANNEL, account=team, chat=chat, thread=thread)

    def sender(self, user: str, team: str, name: str) -> Sender:
        """Name a person; ``name`` is what Slack calls them, where nothing else is known."""
        sender = Scene(identity=self.identity, known=self.known, channel="").sender(user, team)
        return replace(sender, name=plain_name(name, user)) if sender.name == user else sender


class _Slash(BaseModel):
    command: str = Field(pattern=r"^/[a-z0-9_-]{1,32}$")
    text: str = ""
    trigger_id: str = Field(min_length=1)
    team_id: str = Field(min_length=1)
    channel_id: str = Field(min_length=1)
    user_id: str = Field(min_length=1)
    user_name: str = ""


class Person(BaseModel):
    """Who did something, as Slack names them in what is no message."""

    id: str = Field(min_length=1)
    name: str = ""
    team_id: str = ""


class _Container(BaseModel):
    message_ts: Timestamp
    channel_id: str = Field(min_length=1)
    thread_ts: str = ""
    is_ephemeral: bool = False


class _Option(BaseModel):
    value: str


class _Action(BaseModel):
    action_id: str
    action_ts: Timestamp
    value: str = ""
    selected_option: _Option | None = None


class _Posted(BaseModel):
    thread_ts: str = ""


class _Press(BaseModel):
    user: Person
    container: _Container
    message: _Posted | None = None
    actions: tuple[_Action, ...] = Field(min_length=1)


def read_command(payload: Mapping[str, object], who: Who, at: datetime) -> InboundMessage | None:
    """Read a slash command; None when it makes no sense.

    In a channel it stands beside all conversations: Slack neither posts it nor says in which
    thread it was meant, so that its address has none.
    """
    try:
        slash = _Slash.model_validate(payload)
    except ValidationError:
        return None
    return InboundMessage(
        event_id=f"command:{who.identity.team_id}:{slash.channel_id}:{slash.trigger_id}",
        address=who.address(slash.channel_id),
        kind=kind_of(slash.channel_id),
        sender=who.sender(slash.user_id, slash.team_id, slash.user_name),
        message_id=slash.trigger_id,
        text=_worded(slash),
        is_addressed=True,
        sent_at=at,
    )


def is_command(message: InboundMessage) -> bool:
    """Say whether a slash command has a command of the bot behind it; ``/daybook 2+2`` has none."""
    call = parse_command(message.text)
    return call is not None and not call.bot


def _worded(slash: _Slash) -> str:
    """Write a slash command as everywhere else: ``/daybook stop`` is ``/stop``."""
    words = sound(slash.text[:MOST_COMMAND_CHARS]).strip()
    if slash.command != COMMAND_FOR_ALL:
        return f"{slash.command} {words}".rstrip()
    return f"/{words.lstrip('/!').strip() or 'help'}"


def read_press(payload: Mapping[str, object], who: Who) -> ButtonPress | None:
    """Read a press of a button below a message of the bot; None when it is no such thing."""
    try:
        press = _Press.model_validate(payload)
    except ValidationError:
        return None
    action, place = press.actions[0], press.container
    token = action.selected_option.value if action.selected_option else action.value
    if not token:
        return None  # a button that leads to a page
    team, user = who.identity.team_id, press.user
    thread = place.thread_ts or (press.message.thread_ts if press.message else "")
    return ButtonPress(
        event_id=f"press:{team}:{place.channel_id}:{place.message_ts}:{action.action_ts}:{user.id}",
        address=who.address(place.channel_id, thread),
        kind=kind_of(place.channel_id),
        sender=who.sender(user.id, user.team_id, user.name),
        message_id="" if place.is_ephemeral else place.message_ts,  # nobody can edit such a one
        token=token,
        pressed_at=datetime.fromtimestamp(float(action.action_ts), tz=UTC),
    )


def is_below_hidden(payload: Mapping[str, object]) -> bool:
    """Say whether a press was below a message that one person alone was shown."""
    container = payload.get("container")
    return isinstance(container, Mapping) and container.get("is_ephemeral") is True


def kind_of(chat: str) -> ChatKind:
    """Say whether one person or several can see a chat."""
    return "private" if is_direct(chat) else "group"
