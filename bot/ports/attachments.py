"""The ports to what is in files: read for the model, or put into words by a plugin."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Protocol

from bot.core.brought import Reading
from bot.core.files import Attachment

Transcriber = Callable[[Attachment, bytes], Awaitable[str]]
"""Puts sound or video into words: given the attachment and its content, answers with plain text,
empty where nothing is said; a :class:`~bot.errors.ToolError` says why it cannot."""


class AttachmentReader(Protocol):
    """Reads pictures and documents.

    ``read`` never raises for what is in a file: hostile, broken or unknown ones are
    :class:`~bot.core.brought.Unreadable`. Within limits of time and memory, beside the event loop;
    cancelled, it leaves nothing running. ``content`` is whole and not empty.
    """

    async def read(self, attachment: Attachment, content: bytes) -> Reading: ...
