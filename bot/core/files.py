"""Files that come with messages and files that are sent, apart from how a platform moves them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

AttachmentKind = Literal["picture", "document", "sound", "video"]

MOST_FILE_BYTES = 20_000_000
"""Larger ones are neither fetched nor sent. Source: Telegram Bot API, getFile (20 MB), read
2026-11-30; Slack allows more."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Attachment:
    """A file that came with a message and was not fetched yet.

    Attributes:
        name: The file's name as the sender has it; empty where there is none.
        media_type: As the platform says, ``application/pdf``; empty where it does not.
        size_bytes: As the platform says; None where it does not.
        handle: By which the channel fetches it; for how long, the platform says.
    """

    kind: AttachmentKind
    name: str
    media_type: str
    handle: str
    size_bytes: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class OutgoingFile:
    """A file to be sent; ``name`` is what people see, without a folder."""

    name: str
    media_type: str
    content: bytes

    def __repr__(self) -> str:
        """Name it without its content."""
        return f"OutgoingFile({self.name!r}, {self.media_type!r}, {len(self.content)} bytes)"
