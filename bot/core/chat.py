"""What crosses the border between a chat platform and the bot.

The law of this file: a value here says *what* happened or should happen, never how a platform
does it. Vendor objects stop at a channel's ``to_inbound``; replies are CommonMark until a channel
renders them.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Literal, NewType
from urllib.parse import quote, unquote

from bot.core.files import Attachment, OutgoingFile

SessionKey = NewType("SessionKey", str)
"""A :class:`ChatAddress` as one string, parts percent-escaped: ``telegram:77:-1001:5``."""

PersonKey = NewType("PersonKey", str)
"""Channel, realm and user as one string, parts percent-escaped: ``slack:T1:U2``."""

ChatKind = Literal["private", "group"]
"""Whether one person or several can see the chat."""

ReplyKind = Literal["final", "notice", "failure"]
"""An answer of the model, or a word of the bot itself (a command's answer, a failure)."""

Standing = Literal["member", "admin", "silenced", "gone"]
"""What the bot is in a group: one of many, an admin, one who may not write, not in it any more."""

Role = Literal["admin", "member", "unknown"]
"""What somebody is in a group by the platform's own rules; unknown where it does not say."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ChatAddress:
    """Where a message came from and where its reply goes.

    Attributes:
        channel: The platform's name, ``telegram``.
        account: The bot's own account there (Slack: the team), so that two bots never mix.
        chat: The platform's id of the chat.
        thread: Forum topic or thread inside the chat; empty when there is none.
    """

    channel: str
    account: str
    chat: str
    thread: str = ""

    @property
    def session_key(self) -> SessionKey:
        """Name the conversation held at this address."""
        return SessionKey(_escaped(self.channel, self.account, self.chat, self.thread))

    @classmethod
    def from_session_key(cls, key: SessionKey) -> ChatAddress:
        """Read back what :attr:`session_key` wrote.

        Raises:
            ValueError: The text is no session key.
        """
        parts = key.split(":")
        if len(parts) != 4:
            raise ValueError(f"not a session key: {key!r}")
        channel, account, chat, thread = (unquote(part, errors="surrogatepass") for part in parts)
        return cls(channel=channel, account=account, chat=chat, thread=thread)


@dataclass(frozen=True, slots=True, kw_only=True)
class Sender:
    """Who wrote a message.

    Attributes:
        channel: The platform's name.
        realm: Where the user id is unique (Slack: the team); empty where ids are global.
        user_id: The platform's id of the person.
        name: What people call them; shown to the model in groups.
        language: BCP 47 tag the platform reports, or empty.
        is_person: False for who writes as a chat, such as an anonymous admin: no list names them.
    """

    channel: str
    user_id: str
    name: str
    realm: str = ""
    language: str = ""
    is_person: bool = True

    @property
    def person_key(self) -> PersonKey:
        """Name this person over all chats of the platform."""
        return PersonKey(_escaped(self.channel, self.realm, self.user_id))

    @property
    def names(self) -> frozenset[str]:
        """All spellings by which ``admins`` and ``allow`` may name this person."""
        if not self.is_person:
            return frozenset()
        short = f"{self.channel}:{self.user_id}"
        long = f"{self.channel}:{self.realm}:{self.user_id}"
        return frozenset({short, long} if self.realm else {short})


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


@dataclass(frozen=True, slots=True, kw_only=True)
class InboundEdit:
    """A message was changed; ``message`` is its new form, ``event_id`` that of the change."""

    event_id: str
    message: InboundMessage


@dataclass(frozen=True, slots=True, kw_only=True)
class InboundDeletion:
    """A message was taken back."""

    event_id: str
    address: ChatAddress
    message_id: str


@dataclass(frozen=True, slots=True, kw_only=True)
class StopRequest:
    """A person pressed the platform's own stop button."""

    event_id: str
    address: ChatAddress
    sender: Sender


@dataclass(frozen=True, slots=True, kw_only=True)
class ButtonPress:
    """A person pressed a :class:`Button` under the message ``message_id``."""

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
    """

    address: ChatAddress
    text: str
    kind: ReplyKind = "final"
    reply_to: str = ""
    key: str = ""
    buttons: tuple[Button, ...] = ()
    file: OutgoingFile | None = None
    for_person: str = ""


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


def _escaped(*parts: str) -> str:
    """Join parts so that no two lists of them read the same, lone surrogates and all."""
    return ":".join(quote(part, safe="", errors="surrogatepass") for part in parts)
