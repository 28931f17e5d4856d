"""What crosses the border between a chat platform and the bot.

The law of this file: a value here says *what* happened or should happen, never how a platform
does it. Vendor objects stop at a channel's ``to_inbound``; replies are CommonMark until a channel
renders them.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Literal

from bot.core.addresses import ChatAddress as ChatAddress
from bot.core.addresses import PersonKey as PersonKey
from bot.core.addresses import Sender as Sender
from bot.core.addresses import SessionKey as SessionKey
from bot.core.files import Attachment, OutgoingFile
from bot.languages import Language

ChatKind = Literal["private", "group"]
"""Whether one person or several can see the chat."""

ReplyKind = Literal["final", "notice", "failure"]
"""An answer of the model, or a word of the bot itself (a command's answer, a failure)."""

Standing = Literal["member", "admin", "silenced", "gone"]
"""What the bot is in a group: one of many, an admin, one who may not write, not in it any more."""

Role = Literal["admin", "member", "unknown"]
"""What somebody is in a group by the platform's own rules; unknown where it does not say."""


@dataclass(frozen=True, slots=True, kw_only=True)
class InboundMessage:
    """A message that somebody wrote.

    Attributes:
        event_id: Its identity on the channel (chat and message id), equal on every redelivery.
        message_id: The platform's id, to reply to or quote.
        text: As written, platform markup decoded, the mention of the bot removed.
        is_addressed: Meant for the bot: a private chat, a mention, a reply to it, a command.
        is_named: Beyond a bare command in a group, which may be another bot's.
        quoted: Text of the message that this one replies to, if any.
        sent_at: When the platform says it was written, UTC.
        forwarded_from: Whose words these are, when somebody passes them on; empty for their own.
        attachments: What came with it, in the platform's order; the content is fetched later.
        album: Equal on messages that were sent as one; they come in one by one. Empty for none.
        is_follow_up: Written in a thread to nobody by name: meant for the bot if it takes part
            there, which whoever receives it does not know.
        is_unread: It makes no sense to the channel, which has set it aside: nothing that it says is
            here, only whose it is.
    """

    event_id: str
    address: ChatAddress
    kind: ChatKind
    sender: Sender
    message_id: str
    text: str
    is_addressed: bool
    sent_at: datetime
    quoted: str = ""
    is_named: bool = True
    forwarded_from: str = ""
    attachments: tuple[Attachment, ...] = ()
    album: str = ""
    is_follow_up: bool = False
    is_unread: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class EarlierMessage:
    """A message that stands in a chat before one that was meant for the bot.

    Attributes:
        event_id: The event id that it has as an :class:`InboundMessage`, also if it never was one.
        author: What people call whoever wrote it.
        author_id: The platform's id of them; empty where it gives none.
        text: As written, platform markup decoded.
        is_own: Whether the bot wrote it.
        is_named: Whether it names the bot.
    """

    event_id: str
    author: str
    text: str
    author_id: str = ""
    is_own: bool = False
    is_named: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class HeardChat:
    """A conversation, and when something of it came in last."""

    address: ChatAddress
    heard_at: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class InboundEdit:
    """A message was changed.

    Attributes:
        event_id: Identity of the change, of its own for each change of a message.
        message: The new form; its event id is the one it had when it was written.
        edited_at: When the platform says it was changed: of several changes the newest counts.
    """

    event_id: str
    message: InboundMessage
    edited_at: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class InboundDeletion:
    """A message was taken back; ``message_event_id`` is the event id it had when it was written."""

    event_id: str
    address: ChatAddress
    message_id: str
    message_event_id: str


@dataclass(frozen=True, slots=True, kw_only=True)
class StopRequest:
    """A person pressed the platform's own stop button.

    Attributes:
        draft_id: Of the unfinished answer it stood below, as the channel was told to show it; 0
            where the platform does not say: whatever runs is meant.
    """

    event_id: str
    address: ChatAddress
    sender: Sender
    draft_id: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class ButtonPress:
    """A person pressed a :class:`Button` under the message ``message_id``.

    It is empty where nobody can change that message, as one that a person alone was shown.
    """

    event_id: str
    address: ChatAddress
    kind: ChatKind
    sender: Sender
    message_id: str
    token: str
    pressed_at: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class ChatMoved:
    """The platform goes on with a chat, all its threads, under another id."""

    event_id: str
    address: ChatAddress
    new_chat: str


@dataclass(frozen=True, slots=True, kw_only=True)
class BotStanding:
    """What the bot is in a chat has changed; ``title`` is the chat's name, ``by`` who did it."""

    event_id: str
    address: ChatAddress
    kind: ChatKind
    by: Sender
    standing: Standing
    title: str
    changed_at: datetime


Inbound = (
    InboundMessage
    | InboundEdit
    | InboundDeletion
    | StopRequest
    | ButtonPress
    | ChatMoved
    | BotStanding
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Button:
    """A command to be given by pressing, once, whichever of a message's buttons it is.

    Attributes:
        command: The command without its prefix, ``context clear yes``.
        token: By which a press is known again, unguessable, at most 32 ASCII letters and digits.
        person: Who alone may press; empty for everyone who may give the command.
    """

    label: str
    command: str
    token: str
    person: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Reply:
    """One platform message that the bot wants delivered.

    Attributes:
        text: CommonMark; what is longer than one platform message was split before.
        reply_to: Message id that it answers, shown as such where that helps; empty for none.
        key: Its identity towards the platform, the same at every attempt; set by the store.
        buttons: What can be pressed below it; no more than eight.
        file: What is sent instead of a mere text, which is then its caption: at most 1 000
            characters of plain text, or empty.
        for_person: The platform's user id of who alone should see it, where a group's platform can
            do that; empty for everybody.
        watched_by: Of an unfinished answer, the platform's user id of who asked and sees it being
            written; empty for everything that is finished, as is all that is stored.
        language: In which its reader is spoken to, also when the reply itself has to be explained.
    """

    address: ChatAddress
    text: str
    kind: ReplyKind = "final"
    reply_to: str = ""
    key: str = ""
    buttons: tuple[Button, ...] = ()
    file: OutgoingFile | None = None
    for_person: str = ""
    watched_by: str = ""
    language: Language = "en"

    @property
    def takes_back(self) -> bool:
        """Whether it brings nothing: the message whose place it takes is to go away."""
        return not self.text and self.file is None


@dataclass(frozen=True, slots=True, kw_only=True)
class Receipt:
    """Proof of delivery: the platform's id of the message."""

    message_id: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Capabilities:
    """What a channel can do.

    Attributes:
        max_text_length: Longest text of one platform message, in the platform's own units.
        can_edit: A message can be changed after it was sent.
        shows_drafts: Unfinished text can be shown without leaving a message behind.
        command_prefix: What a command begins with, where the platform keeps ``/`` for itself.
        preview_interval_s: Least time between two showings of an unfinished answer.
        typing_interval_s: How often "is typing" must be renewed; None when there is no such sign.
        finds_sent: It can be asked whether a reply arrived whose sending broke off.
        has_buttons: It shows the buttons of a reply; elsewhere the text must say what to write.
        sends_files: It delivers the file of a reply.
        has_workspace_roles: What ``role_of`` says is so in the whole workspace, not in one group.
        groups_have_threads: In groups every conversation is a thread: a command without one was
            given beside them all, where nobody else saw it.
        looks_back: It can be asked what stands in a group before a message.
        shows_to_one: In a group it shows a reply to the one person it is for; elsewhere everybody
            would read it.
    """

    max_text_length: int
    can_edit: bool = False
    shows_drafts: bool = False
    command_prefix: str = "/"
    preview_interval_s: float = 1.5
    typing_interval_s: float | None = None
    finds_sent: bool = False
    has_buttons: bool = False
    sends_files: bool = False
    has_workspace_roles: bool = False
    groups_have_threads: bool = False
    looks_back: bool = False
    shows_to_one: bool = False
