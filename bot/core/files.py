"""Files that come with messages and files that are sent, apart from how a platform moves them."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal

from bot.core.names import plain_name

AttachmentKind = Literal["picture", "document", "sound", "video"]

MOST_FILE_BYTES = 20_000_000
"""Larger ones are neither fetched nor sent. Source: Telegram Bot API, getFile (20 MB), read
2026-11-30; Slack allows more."""

MOST_FILES_A_TURN = 10
"""So many files a turn's tools may have sent: an answer, and no archive."""

MOST_NAME_CHARS = 100
MOST_ENDING_CHARS = 16

_NO_NAME = "file"
_NOT_IN_NAMES = re.compile(r'[\x00-\x1f\x7f-\x9f<>:"|?*]')
_NOT_IN_LABELS = re.compile(r"[\[\]]")


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


def clean_file_name(name: str) -> str:
    """Make of what somebody calls a file a name that any system can keep, and that says no lie.

    No folder, no control or invisible character, no mark that turns the direction of writing; of a
    long one the ending stays.
    """
    name = name.encode(errors="ignore").decode()  # half a surrogate pair is no character
    name = name.replace("\\", "/").rpartition("/")[2]
    name = plain_name(_NOT_IN_NAMES.sub("", name), "").strip(". ")
    if len(name) <= MOST_NAME_CHARS:
        return name or _NO_NAME
    stem, dot, ending = name.rpartition(".")
    if not dot or len(ending) > MOST_ENDING_CHARS:
        return name[:MOST_NAME_CHARS].rstrip(". ")
    return f"{stem[: MOST_NAME_CHARS - len(ending) - 1].rstrip('. ')}.{ending}"


def label_of(attachment: Attachment) -> str:
    """Name an attachment in one line of a message's text: ``[document: plan.pdf]``."""
    name = _one_line(attachment.name)
    return f"[{attachment.kind}: {name}]" if name else f"[{attachment.kind}]"


def remark_on(attachment: Attachment, why: str) -> str:
    """Say in one line, where its content would stand, why there is none."""
    size = f", {size_in_words(attachment.size_bytes)}" if attachment.size_bytes else ""
    return f"{label_of(attachment)[:-1]}{size}: {why}]"


def size_in_words(size_bytes: int) -> str:
    """Give a size as people say it, ``1.2 MB``; powers of ten, as platforms count."""
    size, unit = float(size_bytes), "bytes"
    for larger in ("KB", "MB", "GB"):
        if size < 999.5:
            break
        size, unit = size / 1000, larger
    return f"{size:.1f} {unit}" if size < 9.95 and unit != "bytes" else f"{size:.0f} {unit}"


def _one_line(name: str) -> str:
    """Keep a name from posing as more than a name, or as another label; its ending stays."""
    name = plain_name(_NOT_IN_LABELS.sub(" ", name), "")
    return name if len(name) <= MOST_NAME_CHARS else f"{name[: MOST_NAME_CHARS - 13]}…{name[-12:]}"
