"""What comes with a message beside its text: files, and messages that are passed on."""

from __future__ import annotations

from bot.api import Attachment, AttachmentKind, plain_name
from channels.slack.payloads import File, Post

_GONE = ("tombstone", "hidden_by_limit")
"""Modes of files that nobody can see any more."""

_KINDS: tuple[tuple[str, AttachmentKind], ...] = (
    ("image/", "picture"),
    ("audio/", "sound"),
    ("video/", "video"),
)

_VOICE = "slack_audio"
"""A message that was spoken; Slack gives some of them the type of a video."""


def attachments_of(post: Post) -> tuple[Attachment, ...]:
    """Give a message's files, as far as they are still there."""
    return tuple(_attachment(file) for file in post.files or () if file.mode not in _GONE)


def passed_on(post: Post) -> str:
    """Quote the messages of others that one passes on; empty where it is no more than itself."""
    quotations = []
    for shared in post.attachments or ():
        said = (shared.text or shared.fallback or "").strip()
        if shared.is_share and said:
            author = plain_name(shared.author_name or "", "")
            quotations.append(f"{author}: {said}" if author else said)
    return "\n\n".join(quotations)


def _attachment(file: File) -> Attachment:
    media_type = file.mimetype or ""
    return Attachment(
        kind="sound" if file.subtype == _VOICE else _kind_of(media_type),
        name=file.name or file.title or "",
        media_type=media_type,
        # Without an address nothing is fetched, and the model is told that it could not be.
        handle=file.url_private or file.url_private_download or "",
        size_bytes=file.size,
    )


def _kind_of(media_type: str) -> AttachmentKind:
    for beginning, kind in _KINDS:
        if media_type.startswith(beginning):
            return kind
    return "document"
