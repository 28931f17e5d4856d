"""What comes with messages is fetched and read when their turn begins, before the model is asked.

The law of this file: no file ends a turn. What cannot be had, or read, or heard, is a line that
says so. What was read is recorded once, so that a turn that goes on after a crash sees the same.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Coroutine, Mapping
from dataclasses import dataclass, replace

from bot.core.brought import Brought, Excerpt, Reading, Unreadable, blocks_of, with_room
from bot.core.chat import InboundMessage, SessionKey
from bot.core.files import MOST_FILE_BYTES, Attachment, size_in_words
from bot.core.lifecycle import Claim
from bot.core.messages import ContentBlock, Text
from bot.core.window.notes import MEANWHILE_LEAD
from bot.errors import ChannelError, DeliveryError, FileTooLarge, ToolError
from bot.ports import (
    AttachmentReader,
    Channel,
    Clock,
    Lifecycle,
    Redactor,
    TokenCounter,
    Transcriber,
)
from bot.runtime.border import Incident, guarded
from bot.runtime.looking_back import LookingBack
from bot.runtime.overheard import Overheard
from bot.runtime.redaction import NOT_LOOKED_THROUGH, redact_text
from bot.runtime.waiting import within

logger = logging.getLogger(__name__)

FILES_WITHIN_S = 90.0
"""How long all files of a turn may take together, waiting for others included."""

FETCH_WITHIN_S = 30.0
TRANSCRIBED_WITHIN_S = 60.0

FETCH_AGAIN_AFTER_S = 1.0
LONGEST_PAUSE_S = 10.0
"""A platform that asks for a longer one is not asked again."""

FILES_AT_ONCE = 4
"""So many files are held at a time, over all chats: ``MOST_FILE_BYTES`` each."""

SHARE_OF_FILES = 2
"""Files of one turn take half of what a request may have at most."""

SHARE_OF_TALK = 4
"""What was said before takes a character for each fourth token at most: hardly more than a quarter
of the request, in any language."""

MOST_TRANSCRIPT_CHARS = 50_000

NOT_FETCHED = "it could not be fetched"
NOT_IN_TIME = "it could not be fetched and read in time"
EMPTY = "it is empty"
NOT_HEARD = {"sound": "I cannot hear this yet", "video": "I cannot watch this yet"}
NO_WORDS = "nothing is said in it"
TOO_LONG_HEARD = "putting it into words takes too long"


@dataclass(frozen=True, slots=True, kw_only=True)
class IntakeParts:
    """What files are fetched and read with.

    Attributes:
        overheard: What groups said beside the bot.
        transcriber: Gives what a plugin puts sound and video into words with, None for nothing.
        most_tokens: Says how many a request of a chat may have now.
    """

    channels: Mapping[str, Channel]
    reader: AttachmentReader
    lifecycle: Lifecycle
    redactor: Redactor
    counter: TokenCounter
    clock: Clock
    overheard: Overheard
    transcriber: Callable[[], Transcriber | None]
    most_tokens: Callable[[SessionKey], int]


class Intake:
    """Brings what is in files into requests."""

    def __init__(self, parts: IntakeParts) -> None:
        self._parts = parts
        self._slots = asyncio.Semaphore(FILES_AT_ONCE)
        self._back = LookingBack(
            channels=parts.channels,
            overheard=parts.overheard,
            presence=parts.lifecycle,
            redactor=parts.redactor,
            clock=parts.clock,
        )

    async def take(self, claim: Claim) -> Claim:
        """Give the claim with a request that has what its messages' files bring, recorded.

        Raises:
            StoreError: It could not be recorded.
        """
        turn, messages = claim.turn, claim.messages
        if not any(map(self._brings_something, messages)) or _is_recorded(claim):
            return claim
        started_s = self._parts.clock.monotonic()
        most_chars = self._parts.most_tokens(turn.session_key) // SHARE_OF_TALK
        talk = await self._back.brought(messages, most_chars=most_chars)
        files = await self._blocks(turn.session_key, messages)
        blocks = tuple((*said, *read) for said, read in zip(talk, files, strict=True))
        if not any(blocks):
            return claim
        request = await self._parts.lifecycle.record_request(turn.id, blocks)
        duration_s = self._parts.clock.monotonic() - started_s
        _log(claim, blocks, duration_s)
        return replace(claim, turn=replace(turn, request=request))

    def _brings_something(self, message: InboundMessage) -> bool:
        return bool(message.attachments) or self._back.is_due(message)

    async def _blocks(
        self, session_key: SessionKey, messages: tuple[InboundMessage, ...]
    ) -> tuple[tuple[ContentBlock, ...], ...]:
        """Give the blocks of each message's files."""
        parts = self._parts
        until_s = parts.clock.monotonic() + FILES_WITHIN_S
        files = [(message, each) for message in messages for each in message.attachments]
        async with asyncio.TaskGroup() as group:
            reading = [group.create_task(self._bring(*file, until_s)) for file in files]
        brought = with_room(
            tuple(task.result() for task in reading),
            parts.most_tokens(session_key) // SHARE_OF_FILES,
            parts.counter.count,
        )
        rest = iter(brought)
        return tuple(
            tuple(block for _ in message.attachments for block in blocks_of(next(rest)))
            for message in messages
        )

    async def _bring(
        self, message: InboundMessage, attachment: Attachment, until_s: float
    ) -> Brought:
        """Fetch and read a file, whatever happens."""
        about: dict[str, object] = {"event": message.event_id, "doing": "intake"}
        work = self._read_until(until_s, self._read(message, attachment))
        found = await guarded(work, self._parts.clock, about)
        if isinstance(found, Incident):
            found = Unreadable(why=f"it could not be read; incident {found.number}")
        if isinstance(found, Unreadable):
            logger.info("attachment.not_read", extra={**_about(attachment), "why": found.why})
        return Brought(attachment=attachment, reading=await self._redacted(found))

    async def _read_until(
        self, until_s: float, work: Coroutine[object, object, Reading]
    ) -> Reading:
        clock = self._parts.clock
        try:
            return await within(clock, until_s - clock.monotonic(), work)
        except TimeoutError:
            return Unreadable(why=NOT_IN_TIME)

    async def _read(self, message: InboundMessage, attachment: Attachment) -> Reading:
        transcriber = self._parts.transcriber()
        if attachment.kind in NOT_HEARD and transcriber is None:
            return Unreadable(why=NOT_HEARD[attachment.kind])
        if (attachment.size_bytes or 0) > MOST_FILE_BYTES:
            return _too_large()
        async with self._slots:
            content = await self._fetch(self._parts.channels[message.address.channel], attachment)
            if isinstance(content, Unreadable):
                return content
            if not content:
                return Unreadable(why=EMPTY)
            if attachment.kind in NOT_HEARD and transcriber is not None:
                return await self._heard(transcriber, attachment, content)
            return await self._parts.reader.read(attachment, content)

    async def _fetch(self, channel: Channel, attachment: Attachment) -> bytes | Unreadable:
        """Fetch a file, a second time where that may help."""
        clock = self._parts.clock
        for is_last in (False, True):
            try:
                return await within(clock, FETCH_WITHIN_S, channel.fetch(attachment))
            except FileTooLarge:
                return _too_large()
            except (ChannelError, TimeoutError) as error:
                pause_s = _pause(error)
                about = {**_about(attachment), "channel": channel.name, "why": str(error)}
                logger.warning("attachment.not_fetched", extra={**about, "retry_in_s": pause_s})
                if is_last or pause_s is None:
                    break
            await clock.sleep(pause_s)
        return Unreadable(why=NOT_FETCHED)

    async def _heard(
        self, transcriber: Transcriber, attachment: Attachment, content: bytes
    ) -> Reading:
        """Have a plugin put it into words; its fault is its own."""
        work = _awaited(transcriber, attachment, content)
        try:
            text = await within(self._parts.clock, TRANSCRIBED_WITHIN_S, work)
        except ToolError as error:
            return Unreadable(why=str(error))
        except TimeoutError:
            return Unreadable(why=TOO_LONG_HEARD)
        if not text.strip():
            return Unreadable(why=NO_WORDS)
        left_out = max(0, len(text) - MOST_TRANSCRIPT_CHARS)
        return Excerpt(text=text[:MOST_TRANSCRIPT_CHARS], left_out_chars=left_out)

    async def _redacted(self, reading: Reading) -> Reading:
        """Take secrets out of what was read; where that fails, all of it."""
        if not isinstance(reading, Excerpt):
            return reading
        redaction = redact_text(reading.text, self._parts.redactor)
        text = await guarded(redaction, self._parts.clock, {"doing": "redaction"})
        return replace(reading, text=NOT_LOOKED_THROUGH if isinstance(text, Incident) else text)


def _is_recorded(claim: Claim) -> bool:
    """Tell whether a request has what files bring, behind the texts of its messages and a note."""
    request = claim.turn.request
    first = request.blocks[0]
    has_note = isinstance(first, Text) and first.text.startswith(MEANWHILE_LEAD)
    return bool(claim.turn.steps) or len(request.blocks) > len(claim.messages) + has_note


async def _awaited(transcriber: Transcriber, attachment: Attachment, content: bytes) -> str:
    return await transcriber(attachment, content)


def _pause(error: ChannelError | TimeoutError) -> float | None:
    """Say after how long a failed fetch is worth another try, None for never."""
    if isinstance(error, ChannelError):
        if not (isinstance(error, DeliveryError) and error.can_retry):
            return None
        pause_s = error.retry_after_s or FETCH_AGAIN_AFTER_S
        return pause_s if pause_s <= LONGEST_PAUSE_S else None
    return FETCH_AGAIN_AFTER_S


def _too_large() -> Unreadable:
    return Unreadable(why=f"too large, I read up to {size_in_words(MOST_FILE_BYTES)}")


def _about(attachment: Attachment) -> dict[str, object]:
    return {
        "kind": attachment.kind,
        "media_type": attachment.media_type,
        "bytes": attachment.size_bytes,
    }


def _log(claim: Claim, blocks: tuple[tuple[ContentBlock, ...], ...], duration_s: float) -> None:
    logger.info(
        "intake.done",
        extra={
            "session": claim.turn.session_key,
            "turn": claim.turn.id,
            "files": sum(len(message.attachments) for message in claim.messages),
            "blocks": sum(map(len, blocks)),
            "ms": round(duration_s * 1000, 1),
        },
    )
