"""The parts of Slack's events that the bot reads; whatever else stands in them is passed over."""

from __future__ import annotations

from typing import Annotated

from pydantic import BaseModel, Field

Timestamp = Annotated[str, Field(pattern=r"^\d{1,11}\.\d{1,6}$")]
"""Slack's id of a message in its channel: seconds since 1970, made unique."""


class File(BaseModel):
    """A file that came with a message; ``mode`` says whether there still is one."""

    name: str | None = None
    title: str | None = None
    mimetype: str | None = None
    subtype: str | None = None
    mode: str | None = None
    size: int | None = None
    url_private: str | None = None
    url_private_download: str | None = None


class Shared(BaseModel):
    """What stands below a message: the preview of a link, or a message passed on."""

    is_share: bool = False
    author_name: str | None = None
    text: str | None = None
    fallback: str | None = None


class Edited(BaseModel):
    """When a message was changed last."""

    ts: Timestamp


class Post(BaseModel):
    """A message as it stands in ``event`` itself, in ``event.message``, or in a chat's history."""

    ts: Timestamp
    user: str = ""
    user_team: str | None = None
    username: str | None = None
    bot_id: str | None = None
    subtype: str | None = None
    text: str | None = None
    thread_ts: str | None = None
    parent_user_id: str | None = None
    edited: Edited | None = None
    files: tuple[File, ...] | None = None
    attachments: tuple[Shared, ...] | None = None

    @property
    def is_reply(self) -> bool:
        """Whether it stands in a thread below another message."""
        return bool(self.thread_ts) and self.thread_ts != self.ts


class Previous(BaseModel):
    """What a changed or deleted message was before."""

    user: str = ""
    bot_id: str | None = None
    text: str | None = None
    thread_ts: str | None = None


class Place(BaseModel):
    """Where an event happened."""

    channel: str = Field(min_length=1)


class Change(Place):
    """A message was changed, by its author or by Slack."""

    message: Post
    previous_message: Previous | None = None


class Deletion(Place):
    """A message was taken back."""

    deleted_ts: Timestamp
    previous_message: Previous | None = None


class Stop(Place):
    """A person pressed the stop button of an answer that is being written."""

    user: str = Field(min_length=1)
    thread_ts: str = ""
    event_ts: str


class _AssistantThread(BaseModel):
    user_id: str = ""
    channel_id: str = Field(min_length=1)
    thread_ts: Timestamp


class AssistantThread(BaseModel):
    """A person opened a thread with the bot in the assistant's pane."""

    assistant_thread: _AssistantThread


class _Authorization(BaseModel):
    team_id: str | None = None


class Callback(BaseModel):
    """What stands around an event: the workspaces it concerns."""

    team_id: str | None = None
    authorizations: tuple[_Authorization, ...] = ()

    @property
    def teams(self) -> frozenset[str]:
        """Those that it names, none where it names none."""
        named = (self.team_id, *(each.team_id for each in self.authorizations))
        return frozenset(team for team in named if team)
