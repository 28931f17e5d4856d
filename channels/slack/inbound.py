"""What Slack tells, as values; no payload goes further than this file.

The law of this file: one post is one event. Slack tells a mention in a channel twice, as
``message`` and as ``app_mention``, with different event ids and in any order; both give the same
value here, named by team, channel and timestamp.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from types import MappingProxyType
from typing import Annotated

from pydantic import BaseModel, Field, ValidationError

from bot.api import (
    ChatAddress,
    Inbound,
    InboundDeletion,
    InboundEdit,
    InboundMessage,
    Sender,
    SetAside,
    StopRequest,
)
from channels.slack.settings import CHANNEL
from channels.slack.text import decode, is_command, mentioned_users, sound

NO_NAMES: Mapping[str, str] = MappingProxyType({})

_POSTED = (None, "file_share", "thread_broadcast")
"""Subtypes of a message that a person wrote; all others are Slack's own remarks."""

_SLACKBOT = "USLACKBOT"

Timestamp = Annotated[str, Field(pattern=r"^\d{1,11}\.\d{1,6}$")]
"""Slack's id of a message in its channel: seconds since 1970, made unique."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Identity:
    """Who the bot is: its workspace and its own user there."""

    team_id: str
    user_id: str


class _File(BaseModel):
    name: str | None = None


class _Edited(BaseModel):
    ts: str


class _Post(BaseModel):
    """A message as it stands in ``event`` itself or in ``event.message``."""

    ts: Timestamp
    user: str = ""
    bot_id: str | None = None
    subtype: str | None = None
    text: str | None = None
    thread_ts: str | None = None
    edited: _Edited | None = None
    files: tuple[_File, ...] | None = None


class _Previous(BaseModel):
    user: str = ""
    bot_id: str | None = None
    text: str | None = None
    thread_ts: str | None = None


class _Place(BaseModel):
    channel: str = Field(min_length=1)


class _Change(_Place):
    message: _Post
    previous_message: _Previous | None = None


class _Deletion(_Place):
    deleted_ts: Timestamp
    previous_message: _Previous | None = None


class _Stop(_Place):
    user: str = Field(min_length=1)
    thread_ts: str = ""
    event_ts: str


class _Callback(BaseModel):
    team_id: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class _Scene:
    """Where an event happened and who looks on."""

    identity: Identity
    names: Mapping[str, str]
    team: str
    channel: str

    @property
    def is_private(self) -> bool:
        return is_direct(self.channel)

    def address(self, *, ts: str, thread_ts: str | None) -> ChatAddress:
        """Name the conversation: a thread where there is one, in channels always one."""
        thread = thread_ts or ("" if self.is_private else ts)
        return ChatAddress(channel=CHANNEL, account=self.team, chat=self.channel, thread=thread)

    def address_again(self, *, ts: str, thread_ts: str | None) -> ChatAddress:
        """Name it for a message told once more.

        One that others replied to meanwhile now carries its own timestamp as ``thread_ts``, which
        it did not when it was new.
        """
        return self.address(ts=ts, thread_ts=None if thread_ts == ts else thread_ts)

    def sender(self, user: str) -> Sender:
        return Sender(
            channel=CHANNEL, realm=self.team, user_id=user, name=self.names.get(user, user)
        )

    def is_foreign(self, post: _Post | _Previous) -> bool:
        """Say whether no person wrote it: the bot itself, another bot, Slack."""
        return bool(post.bot_id) or post.user in ("", _SLACKBOT, self.identity.user_id)


def is_direct(chat: str) -> bool:
    """Tell a direct message from channels by its id; ``app_mention`` carries no channel type."""
    return chat.startswith("D")


def to_inbound(
    payload: Mapping[str, object], identity: Identity, names: Mapping[str, str] = NO_NAMES
) -> Inbound | SetAside | None:
    """Read the payload of an Events API envelope.

    None is not for us; what is for us but cannot be read is set aside. Never raises.
    """
    event = payload.get("event")
    if not isinstance(event, Mapping):
        return None
    kind = event.get("type")
    if kind not in ("message", "app_mention", "agent_session_stopped"):
        return None
    try:
        callback = _Callback.model_validate(payload)
        scene = _Scene(
            identity=identity,
            names=names,
            team=callback.team_id or identity.team_id,
            channel=_Place.model_validate(event).channel,
        )
        if kind == "agent_session_stopped":
            return _stop(_Stop.model_validate(event), scene)
        return _message_event(event, scene)
    except ValidationError as error:
        return _set_aside(payload, error)


def people_in(payload: Mapping[str, object]) -> frozenset[str]:
    """Find the user ids in a payload whose names are worth knowing: author and mentioned."""
    event = payload.get("event")
    if not isinstance(event, Mapping):
        return frozenset()
    user, text = event.get("user"), event.get("text")
    authors = frozenset({user}) if isinstance(user, str) and user else frozenset()
    return authors | (mentioned_users(text) if isinstance(text, str) else frozenset())


def _message_event(event: Mapping[str, object], scene: _Scene) -> Inbound | None:
    subtype = event.get("subtype")
    if subtype == "message_changed":
        return _change(_Change.model_validate(event), scene)
    if subtype == "message_deleted":
        return _deletion(_Deletion.model_validate(event), scene)
    if subtype not in _POSTED:
        return None
    post = _Post.model_validate(event)
    if scene.is_foreign(post):
        return None
    return _message(post, scene, scene.address(ts=post.ts, thread_ts=post.thread_ts))


def _message(post: _Post, scene: _Scene, address: ChatAddress) -> InboundMessage:
    raw = post.text or ""
    me = scene.identity.user_id
    text = decode(raw, bot_user_id=me, names=scene.names)
    is_named = scene.is_private or me in mentioned_users(raw)
    attached = [f"[file: {file.name or 'unnamed'}]" for file in post.files or ()]
    return InboundMessage(
        event_id=f"message:{scene.team}:{scene.channel}:{post.ts}",
        address=address,
        kind="private" if scene.is_private else "group",
        sender=scene.sender(post.user),
        message_id=post.ts,
        text=sound("\n".join(filter(None, (text, *attached)))),
        is_addressed=is_named or is_command(text),
        is_named=is_named,
        sent_at=datetime.fromtimestamp(float(post.ts), tz=UTC),
    )


def _change(change: _Change, scene: _Scene) -> Inbound | None:
    post, before = change.message, change.previous_message
    if post.subtype == "tombstone":  # what a deleted message with replies leaves behind
        return _deleted(post.ts, post.thread_ts, before, scene)
    if scene.is_foreign(post) or post.subtype not in _POSTED:
        return None
    if post.edited is None or (before and post.text == before.text):
        return None  # a preview of a link was added, a reply was counted
    address = scene.address_again(ts=post.ts, thread_ts=post.thread_ts)
    return InboundEdit(
        event_id=f"edit:{scene.team}:{scene.channel}:{post.ts}:{post.edited.ts}",
        message=_message(post, scene, address),
    )


def _deletion(deletion: _Deletion, scene: _Scene) -> Inbound | None:
    before = deletion.previous_message
    thread_ts = before.thread_ts if before else None
    return _deleted(deletion.deleted_ts, thread_ts, before, scene)


def _deleted(
    ts: str, thread_ts: str | None, before: _Previous | None, scene: _Scene
) -> InboundDeletion | None:
    if before and scene.is_foreign(before):
        return None
    return InboundDeletion(
        event_id=f"deletion:{scene.team}:{scene.channel}:{ts}",
        address=scene.address_again(ts=ts, thread_ts=thread_ts),
        message_id=ts,
    )


def _stop(stop: _Stop, scene: _Scene) -> StopRequest:
    address = ChatAddress(
        channel=CHANNEL, account=scene.team, chat=scene.channel, thread=stop.thread_ts
    )
    return StopRequest(
        event_id=f"stop:{scene.team}:{scene.channel}:{stop.thread_ts}:{stop.event_ts}",
        address=address,
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
