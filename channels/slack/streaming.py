"""Answers that people see growing: Slack's native streams, for as long as one can be had.

Theory of operation::

    start ──> open ──append──> open …           text that goes on where the stream stands
                │
                ├── text that does not (another step of the turn, the cut to the next message)
                ├── older than four minutes, for Slack closes it after five
                ├── an append of which nobody knows whether it was made
                └── over: closed by Slack, or by a person's stop button
                        └──> stopped, and from then on a message like any other: edited

A stream is one message, never longer than any other, so that an answer reads the same whether it
was streamed or not. What is appended never changes what stands there, and nothing is appended
twice: in doubt the message is edited as a whole.
"""

from __future__ import annotations

import logging
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from typing import Final

from bot.api import Clock, DeliveryError, FateUnknown, Reply
from channels.slack.blocks import buttons_of
from channels.slack.failures import Refused, told
from channels.slack.limits import APPENDS_A_MINUTE, STARTS_A_MINUTE, Budget
from channels.slack.metadata import metadata_of
from channels.slack.settings import CHANNEL
from channels.slack.text import escape, escaped_beginning

logger = logging.getLogger(__name__)

Ask = Callable[[str, Mapping[str, object]], Awaitable[Mapping[str, object]]]
"""Calls a method of the Web API once; raises the bot's errors."""

LONGEST_STREAM_S: Final = 240.0
"""Slack closes a stream some five minutes after its start, whatever is appended. Source:
slackapi/python-slack-sdk, issue 1859, read 2026-11-30."""

FORGOTTEN_AFTER_S: Final = 900.0
"""How long a stream is remembered that nobody comes back to: by then Slack has closed it."""

REFUSED_FOR_S: Final = 3600.0
"""How long streams are not tried in a chat where Slack let none begin."""

_MANY: Final = 1000


@dataclass(slots=True)
class Stream:
    """A message that is being streamed.

    Attributes:
        key: The key of its reply, which it carries once it is over.
        sent: The escaped text that stands there.
        is_doubtful: Perhaps more stands there.
    """

    chat: str
    ts: str
    thread: str
    key: str
    began_s: float
    sent: str
    is_doubtful: bool = False


class Streams:
    """The streams of this process."""

    def __init__(self, ask: Ask, clock: Clock) -> None:
        self._ask = ask
        self._clock = clock
        self._open: dict[tuple[str, str], Stream] = {}
        self._starts = Budget(clock, STARTS_A_MINUTE)
        self._appends = Budget(clock, APPENDS_A_MINUTE)
        self._refused_until_s: dict[str, float] = {}

    def is_open_in(self, chat: str, thread: str) -> bool:
        """Say whether an answer is being streamed in a thread."""
        return any((each.chat, each.thread) == (chat, thread) for each in self._open.values())

    def of(self, chat: str, ts: str) -> Stream | None:
        """Give the stream that a message is, None for what is none, or none any more."""
        return self._open.get((chat, ts))

    async def start(self, reply: Reply) -> str | None:
        """Begin to stream an unfinished answer and give its timestamp; None where it cannot be.

        Raises:
            ChannelError: It was not begun, though streams can be had; or its fate is unknown.
        """
        place, text = reply.address, escaped_beginning(reply.text)
        if not (reply.watched_by and place.thread and text) or not self._may_start(place.chat):
            return None
        params = {
            "channel": place.chat,
            "thread_ts": place.thread,
            "recipient_team_id": place.account,
            "recipient_user_id": reply.watched_by,
            "chunks": _chunks(text),
        }
        try:
            answer = await self._ask("chat.startStream", params)
        except Refused as error:
            if error.can_retry:
                raise
            self._note_refusal(place.chat, error)
            return None
        ts, now_s = told(answer, "ts"), self._clock.monotonic()
        self._forget_old(now_s)
        self._open[place.chat, ts] = Stream(place.chat, ts, place.thread, reply.key, now_s, text)
        return ts

    async def grow(self, stream: Stream, markdown: str) -> bool:
        """Let a stream show an unfinished text; False when that is left to an edit.

        Where Slack has had enough of appending, nothing is shown this time.

        Raises:
            DeliveryError: It does not show it, and an edit would not either.
        """
        text = escaped_beginning(markdown)
        if stream.is_doubtful or not text.startswith(stream.sent):
            await self.stop(stream)
            return False
        more = text[len(stream.sent) :]
        if self._clock.monotonic() - stream.began_s >= LONGEST_STREAM_S:
            return await self._stop(stream, {"chunks": _chunks(more)} if more else {})
        if not more or not self._appends.take():
            return True
        params = {"channel": stream.chat, "ts": stream.ts, "chunks": _chunks(more)}
        try:
            await self._ask("chat.appendStream", params)
        except FateUnknown as error:
            stream.is_doubtful = True
            raise DeliveryError(str(error)) from error
        except Refused as error:
            if error.can_retry:
                raise
            await self.stop(stream)
            return False
        stream.sent = text
        return True

    async def finish(self, stream: Stream, reply: Reply) -> bool:
        """End a stream with the finished text and its buttons; False when an edit has to do it.

        Raises:
            DeliveryError: It was not ended, or nobody knows; it can be tried again.
        """
        stream.key = reply.key
        text = escape(reply.text)
        if stream.is_doubtful or not text.startswith(stream.sent):
            await self.stop(stream)
            return False
        more = text[len(stream.sent) :]
        parts: dict[str, object] = {
            "chunks": _chunks(more) if more else None,
            "blocks": buttons_of(reply.buttons) or None,
        }
        return await self._stop(stream, parts)

    async def stop(self, stream: Stream) -> None:
        """End a stream as it stands, so that it can be edited.

        Raises:
            DeliveryError: It was not ended, or nobody knows; it can be tried again.
        """
        await self._stop(stream, {})

    async def stop_unknown(self, chat: str, ts: str, key: str) -> None:
        """End what an earlier process began to stream; that it is over is as good.

        Raises:
            DeliveryError: It was not ended, or nobody knows; it can be tried again.
        """
        await self.stop(Stream(chat, ts, "", key, self._clock.monotonic(), ""))

    async def _stop(self, stream: Stream, parts: Mapping[str, object]) -> bool:
        """End a stream; True when all of ``parts`` stands there now."""
        named = {"metadata": metadata_of(stream.key)}
        params = {"channel": stream.chat, "ts": stream.ts, **named, **parts}
        try:
            await self._ask("chat.stopStream", params)
        except FateUnknown as error:
            stream.is_doubtful = True
            raise DeliveryError(str(error)) from error
        except Refused as error:
            if error.can_retry:
                raise
            about = {"channel": CHANNEL, "why": str(error)}
            logger.info("stream.over", extra=about)
            is_done = False
        else:
            is_done = True
        self._open.pop((stream.chat, stream.ts), None)
        return is_done

    def _may_start(self, chat: str) -> bool:
        now_s = self._clock.monotonic()
        return self._refused_until_s.get(chat, now_s) <= now_s and self._starts.take()

    def _note_refusal(self, chat: str, error: Refused) -> None:
        about = {"channel": CHANNEL, "chat": chat, "why": str(error)}
        logger.info("stream.refused", extra=about)
        if len(self._refused_until_s) >= _MANY:
            self._refused_until_s.clear()
        self._refused_until_s[chat] = self._clock.monotonic() + REFUSED_FOR_S

    def _forget_old(self, now_s: float) -> None:
        """Forget what nobody has come back to, as after a turn that was given up."""
        for key, stream in tuple(self._open.items()):
            if now_s - stream.began_s > FORGOTTEN_AFTER_S:
                del self._open[key]


def _chunks(text: str) -> list[dict[str, object]]:
    return [{"type": "markdown_text", "text": text}]
