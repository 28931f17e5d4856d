"""Reads files: which kind one is, and by whom it is read."""

from __future__ import annotations

import asyncio
import json
import logging
import os
import sys
from pathlib import Path
from typing import Literal

import bot
from bot.adapters.attachments.texts import decode_text
from bot.adapters.attachments.worker import DAMAGED, UNKNOWN_KIND
from bot.core.brought import Excerpt, Reading, Unreadable
from bot.core.files import Attachment
from bot.core.messages import Image

logger = logging.getLogger(__name__)

MOST_CHARS = 50_000
"""How much of a document's text is read: what one message has at most."""

LONGEST_S = 20.0
"""How long a file may take."""

MOST_AT_ONCE = 2
"""Each may take as much memory as ``worker`` lets it."""

TOO_SLOW = "reading it takes too long"

_ROOT = Path(bot.__file__).resolve().parents[1]
_KEPT_VARIABLES = ("LD_LIBRARY_PATH", "PATH", "SYSTEMROOT")
"""What a Python needs to start; the rest of the environment may hold secrets."""

_PDF_WITHIN = 1_024
"""Source: ISO 32000-1, Annex H, implementation note 13: readers look so far for the header."""

_PICTURES = (b"\xff\xd8\xff", b"\x89PNG\r\n\x1a\n", b"GIF8", b"II*\0", b"MM\0*", b"\0\0\0\x0cjP  ")

_Kind = Literal["picture", "pdf", "other"]


class FileReader:
    """:class:`bot.ports.AttachmentReader`: pictures and PDFs in a process, texts in a thread."""

    def __init__(self, *, longest_s: float = LONGEST_S) -> None:
        self._longest_s = longest_s
        self._slots = asyncio.Semaphore(MOST_AT_ONCE)

    async def read(self, attachment: Attachment, content: bytes) -> Reading:
        """Read a file, whatever its name says it is."""
        kind = _kind_of(attachment, content)
        if kind == "other":
            return await asyncio.to_thread(_read_text, content)
        async with self._slots:
            try:
                async with asyncio.timeout(self._longest_s):
                    return await _read_apart(kind, content)
            except TimeoutError:
                logger.warning("attachment.too_slow", extra={"kind": kind, "bytes": len(content)})
                return Unreadable(why=TOO_SLOW)


def _kind_of(attachment: Attachment, content: bytes) -> _Kind:
    if b"%PDF-" in content[:_PDF_WITHIN]:
        return "pdf"
    if content.startswith(_PICTURES) or _is_in_a_container(content[:16]):
        return "picture"
    is_called_one = attachment.kind == "picture" or attachment.media_type.startswith("image/")
    is_drawing = attachment.media_type == "image/svg+xml"
    return "picture" if is_called_one and not is_drawing else "other"


def _is_in_a_container(head: bytes) -> bool:
    return (head[:4], head[8:12]) == (b"RIFF", b"WEBP") or head[4:12] == b"ftypavif"


def _read_text(content: bytes) -> Reading:
    text = decode_text(content)
    if text is None:
        return Unreadable(why=UNKNOWN_KIND)
    return Excerpt(text=text[:MOST_CHARS], left_out_chars=max(0, len(text) - MOST_CHARS))


async def _read_apart(kind: _Kind, content: bytes) -> Reading:
    """Read a file in a process of its own; cut short, that is ended."""
    arguments = ("-m", "bot.adapters.attachments.worker", kind, str(MOST_CHARS))
    process = await asyncio.create_subprocess_exec(
        sys.executable,
        *arguments,
        cwd=_ROOT,
        env={name: os.environ[name] for name in _KEPT_VARIABLES if name in os.environ},
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.DEVNULL,
    )
    try:
        written, _ = await process.communicate(content)
    finally:
        if process.returncode is None:
            process.kill()
            await process.wait()
    if process.returncode:
        about = {"kind": kind, "bytes": len(content), "exit": process.returncode}
        logger.warning("attachment.unreadable", extra=about)
        return Unreadable(why=DAMAGED)
    return _reading_of(written)


def _reading_of(written: bytes) -> Reading:
    match json.loads(written):
        case {"media_type": str(media_type), "data": str(data)}:
            return Image(media_type=media_type, data=data)
        case {"text": str(text), "left_out": int(left_out), "note": str(note)}:
            return Excerpt(text=text, left_out_chars=left_out, note=note)
        case {"why": str(why)}:
            return Unreadable(why=why)
    raise ValueError("the worker says nothing known")
