"""What Slack tells, as values; no payload goes further than this file.

The law of this file: one post is one event. Slack tells a mention in a channel twice, as
``message`` and as ``app_mention``, with different event ids and in any order; both give the same
value here, named by team, channel and timestamp. The team is always the bot's own: a channel that
is shared with another workspace is told of under either name.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Container, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from types import MappingProxyType

from pydantic import ValidationError

from bot.api import (
    ChatAddress,
    EarlierMessage,
    Inbound,
    InboundDeletion,
    InboundEdit,
    InboundMessage,
    Sender,
    SetAside,
    StopRequest,
    plain_name,
)
from channels.slack.attached import attachments_of, passed_on
from channels.slack.events import READ_TYPES
from channels.slack.payloads import Callback, Change, Deletion, Place, Post, Previous, Stop
from channels.slack.payloads import Timestamp as Timestamp
from channels.slack.settings import CHANNEL
from channels.slack.text import decode, is_command, mentioned_users, opens_with_mention, sound

NO_NAMES: Mapping[str, str] = MappingProxyType({})

_POSTED = (None, "file_share", "thread_broadcast")
"""Subtypes of a message that a person wrote; all others are Slack's own remarks."""

_SLACKBOT = "USLACKBOT"


@dataclass(frozen=True, slots=True, kw_only=True)
class Identity:
    """Who the bot is: its workspace and its own user there."""

    team_id: str
    user_id: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Knowledge:
    """What the bot knows when an event comes.

    Attributes:
        names: What people and channels are called, by id; likewise ``zones``, where people live,
            and ``languages``, those of their apps.
        guests: Ids of people who are let in by name only; None where guests are as others are.
        told: Ids of those of whom Slack has said whether they are guests.
        follows_threads: Whether what is written to nobody by name in a thread may be meant for it.
    """

    names: Mapping[str, str] = field(default_factory=lambda: NO_NAMES)
    zones: Mapping[str, str] = field(default_factory=lambda: NO_NAMES)
    languages: Mapping[str, str] = field(default_factory=lambda: NO_NAMES)
    guests: Container[str] | None = None
    told: Container[str] = ()
    follows_threads: bool = True


NOTHING = Knowledge()


@dataclass(frozen=True, slots=True, kw_only=True)
class Scene:
    """Where something was said and who looks on."""

    identity: Identity
    known: Knowledge
    channel: str

    @property
    def is_private(self) -> bool:
        """Whether one person alone can see it."""
        return is_direct(self.channel)

    def address(self, *, ts: str, thread_ts: str | None) -> ChatAddress:
        """Name the conversation: a thread where there is one, in channels always one."""
        thread = thread_ts or ("" if self.is_private else ts)
        return ChatAddress(
            channel=CHANNEL, account=self.identity.team_id, chat=self.channel, thread=thread
        )

    def address_again(self, *, ts: str, thread_ts: str | None) -> ChatAddress:
        """Name it for a message told once more.

        One that others replied to meanwhile now carries its own timestamp as ``thread_ts``, which
        it did not when it was new.
        """
        return self.address(ts=ts, thread_ts=None if thread_ts == ts else thread_ts)

    def event_id(self, ts: str, *, kind: str = "message") -> str:
        """Name what happened to a message."""
        return f"{kind}:{self.identity.team_id}:{self.channel}:{ts}"

    def sender(self, user: str, team: str | None = None) -> Sender:
        """Give a person; ``team`` is the workspace they are of, where Slack says it.

        It may be another one of the same organization: that is known once Slack was asked.
        """
        guests, is_told = self.known.guests, user in self.known.told
        is_foreign = bool(team) and team != self.identity.team_id and not is_told
        return Sender(
            channel=CHANNEL,
            realm=self.identity.team_id,
            user_id=user,
            name=plain_name(self.known.names.get(user, user), user),
            timezone=self.known.zones.get(user, ""),
            language=self.known.languages.get(user, ""),
            is_guest=guests is not None and (is_foreign or user in guests),
        )

    def is_foreign(self, post: Post | Previous) -> bool:
        """Say whether no person wrote it: the bot itself, another bot, Slack."""
        return bool(post.bot_id) or post.user in ("", _SLACKBOT, self.identity.user_id)

    def decoded(self, raw: str | None) -> str:
        """Give a text as its author saw it, without the mention of the bot."""
        return decode(raw or "", bot_user_id=self.identity.user_id, names=self.known.names)

    def names_bot(self, raw: str | None) -> bool:
        """Say whether a text mentions the bot."""
        return self.identity.user_id in mentioned_users(raw or "")


def is_direct(chat: str) -> bool:
    """Tell a direct message from channels by its id; ``app_mention`` carries no channel type."""
    return chat.startswith("D")


def to_inbound(
    payload: Mapping[str, object], identity: Identity, known: Knowledge = NOTHING
) -> Inbound | SetAside | None:
    """Read the payload of an Events API envelope.

    None is not for us; what is for us but cannot be read is set aside. Never raises.
    """
    event = payload.get("event")
    if not isinstance(event, Mapping) or event.get("type") not in READ_TYPES:
        return None
    try:
        teams = Callback.model_validate(payload).teams
        if teams and identity.team_id not in teams:
            return None
        channel = Place.model_validate(event).channel
        scene = Scene(identity=identity, known=known, channel=channel)
        if event["type"] == "agent_session_stopped":
            return _stop(Stop.model_validate(event), scene)
        return _message_event(event, scene)
    except ValidationError as error:
        return _set_aside(payload, error)


def from_history(raw: Mapping[str, object], scene: Scene) -> InboundMessage | None:
    """Read a message of a chat's history as if it were told just now; None is not for us."""
    try:
        post = Post.model_validate(raw)
    except ValidationError:
        return None
    if scene.is_foreign(post) or post.subtype not in _POSTED:
        return None
    return _message(post, scene, scene.address_again(ts=post.ts, thread_ts=post.thread_ts))


def earlier_of(raw: Mapping[str, object], scene: Scene) -> EarlierMessage | None:
    """Read a message of a chat's history as what was said before; None where nothing is said."""
    try:
        post = Post.model_validate(raw)
    except ValidationError:
        return None
    is_own = post.user == scene.identity.user_id
    if not (is_own or post.subtype in (*_POSTED, "bot_message")):
        return None
    files = (f"[{each.kind}: {each.name}]" for each in attachments_of(post))
    said = scene.decoded(post.text), scene.decoded(passed_on(post))
    text = "\n".join(filter(None, (*files, *said)))
    if not text:
        return None
    return EarlierMessage(
        event_id=scene.event_id(post.ts),
        author=scene.known.names.get(post.user) or post.username or post.user or "a bot",
        author_id=post.user,
        text=sound(text),
        is_own=is_own,
        is_named=scene.names_bot(post.text),
    )


def _message_event(event: Mapping[str, object], scene: Scene) -> Inbound | None:
    subtype = event.get("subtype")
    if subtype == "message_changed":
        return _change(Change.model_validate(event), scene)
    if subtype == "message_deleted":
        return _deletion(Deletion.model_validate(event), scene)
    if subtype not in _POSTED:
        return None
    post = Post.model_validate(event)
    if scene.is_foreign(post):
        return None
    return _message(post, scene, scene.address(ts=post.ts, thread_ts=post.thread_ts))


def _message(post: Post, scene: Scene, address: ChatAddress) -> InboundMessage:
    text = scene.decoded(post.text)
    is_named = scene.is_private or scene.names_bot(post.text)
    goes_on = _goes_on(post, scene) and not is_named
    answers_bot = goes_on and post.parent_user_id == scene.identity.user_id
    return InboundMessage(
        event_id=scene.event_id(post.ts),
        address=address,
        kind="private" if scene.is_private else "group",
        sender=scene.sender(post.user, post.user_team),
        message_id=post.ts,
        text=sound(text),
        is_addressed=is_named or is_command(text) or answers_bot,
        is_named=is_named or answers_bot,
        sent_at=datetime.fromtimestamp(float(post.ts), tz=UTC),
        quoted=sound(scene.decoded(passed_on(post))),
        attachments=attachments_of(post),
        is_follow_up=goes_on and not answers_bot,
    )


def _goes_on(post: Post, scene: Scene) -> bool:
    """Say whether a message may be meant for the bot because of the thread that it stands in."""
    in_thread = post.is_reply and not scene.is_private and scene.known.follows_threads
    return in_thread and not opens_with_mention(post.text or "")


def _change(change: Change, scene: Scene) -> Inbound | None:
    post, before = change.message, change.previous_message
    if post.subtype == "tombstone":  # what a deleted message with replies leaves behind
        return _deleted(post.ts, post.thread_ts, before, scene)
    if scene.is_foreign(post) or post.subtype not in _POSTED:
        return None
    if post.edited is None or (before and post.text == before.text):
        return None  # a preview of a link was added, a reply was counted
    address = scene.address_again(ts=post.ts, thread_ts=post.thread_ts)
    return InboundEdit(
        event_id=scene.event_id(f"{post.ts}:{post.edited.ts}", kind="edit"),
        message=_message(post, scene, address),
        edited_at=datetime.fromtimestamp(float(post.edited.ts), tz=UTC),
    )


def _deletion(deletion: Deletion, scene: Scene) -> Inbound | None:
    before = deletion.previous_message
    thread_ts = before.thread_ts if before else None
    return _deleted(deletion.deleted_ts, thread_ts, before, scene)


def _deleted(
    ts: str, thread_ts: str | None, before: Previous | None, scene: Scene
) -> InboundDeletion | None:
    if before and scene.is_foreign(before):
        return None
    return InboundDeletion(
        event_id=scene.event_id(ts, kind="deletion"),
        address=scene.address_again(ts=ts, thread_ts=thread_ts),
        message_id=ts,
        message_event_id=scene.event_id(ts),
    )


def _stop(stop: Stop, scene: Scene) -> StopRequest:
    return StopRequest(
        event_id=scene.event_id(f"{stop.thread_ts}:{stop.event_ts}", kind="stop"),
        address=ChatAddress(
            channel=CHANNEL,
            account=scene.identity.team_id,
            chat=scene.channel,
            thread=stop.thread_ts,
        ),
        sender=scene.sender(stop.user),
    )


def _set_aside(payload: Mapping[str, object], error: ValidationError) -> SetAside:
    raw = json.dumps(payload, sort_keys=True)
    event_id = payload.get("event_id")
    if not isinstance(event_id, str) or not event_id:
        event_id = hashlib.sha256(raw.encode()).hexdigest()
    first = error.errors(include_input=False, include_url=False)[0]
    where = ".".join(str(part) for part in first["loc"])
    return SetAside(
        event_id=f"event:{event_id}",
        channel=CHANNEL,
        raw=raw,
        reason=f"{error.title.lstrip('_')}: {where}: {first['msg']}",
    )
