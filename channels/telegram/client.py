"""The Bot API as this channel uses it, on python-telegram-bot."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, replace
from typing import Any

import httpx
from telegram import LinkPreviewOptions, MessageEntity, ReplyParameters
from telegram.error import BadRequest, ChatMigrated, TelegramError, TimedOut
from telegram.ext import ExtBot
from telegram.request import HTTPXRequest

from bot.api import ChatAddress, Reply
from channels.telegram.failures import failure_of
from channels.telegram.first_look import ALLOWED_UPDATES
from channels.telegram.inbound import BotIdentity
from channels.telegram.render import MAX_SPANS, MAX_UNITS, Rendered, plain, render
from channels.telegram.token import guard_logs
from channels.telegram.utf16 import utf16_length

_MOST_MENDS = 3
"""One of each kind: moved chat, lost topic, refused formatting."""

MOST_AT_ONCE = 16
"""Requests on their way to Telegram at a time, which itself takes some thirty a second."""

POLL_MARGIN_S = 10
"""How much longer than Telegram's own waiting an answer may stay silent; once more for the rest."""

_NO_PREVIEW = LinkPreviewOptions(is_disabled=True)


@dataclass(frozen=True, slots=True, kw_only=True)
class Outgoing:
    """A message on its way; ``source`` is the Markdown that ``rendered`` was made of."""

    chat_id: int
    source: str
    rendered: Rendered
    thread: int | None = None
    reply_to: int | None = None


class Client:
    """One bot's connections to Telegram.

    What serves receiving raises the SDK's ``TelegramError``, all else the bot's errors.
    """

    def __init__(self, token: str, base_url: str) -> None:
        guard_logs()
        self._requests = (
            HTTPXRequest(connection_pool_size=2, connect_timeout=10),
            _BoundedRequest(
                read_timeout=20,
                write_timeout=20,
                connect_timeout=10,
                httpx_kwargs={
                    "limits": httpx.Limits(max_connections=MOST_AT_ONCE, keepalive_expiry=30)
                },
            ),
        )
        self._bot = _RawBot(
            token=token,
            base_url=f"{base_url}/bot",
            base_file_url=f"{base_url}/file/bot",
            get_updates_request=self._requests[0],
            request=self._requests[1],
        )

    async def identity(self) -> BotIdentity:
        """Ask who the bot is."""
        return await self._bot.raw_identity()

    async def updates(self, offset: int | None, timeout_s: int) -> list[object]:
        """Fetch raw updates from ``offset`` on, waiting up to ``timeout_s`` for the first.

        A connection that says nothing, or goes on for ever without coming to an end, is given up:
        the SDK's limits are for each piece that arrives, and a proxy can keep sending pieces.
        """
        limit_s = timeout_s + 2 * POLL_MARGIN_S
        try:
            async with asyncio.timeout(limit_s):
                return await self._bot.raw_updates(offset, timeout_s)
        except TimeoutError:
            raise TimedOut(f"no answer to a poll within {limit_s} s") from None

    async def delete_webhook(self) -> None:
        """Let updates be fetched; those that wait are kept."""
        await self._bot.delete_webhook(drop_pending_updates=False)

    async def send(self, reply: Reply) -> int:
        """Send a message; give its id.

        Raises:
            ChannelError: It was not sent, or it is not known whether it was.
        """
        return await _mending(self._send, _outgoing(reply), is_repeatable=False)

    async def edit(self, reply: Reply, message_id: int) -> None:
        """Give a message that was sent another text.

        Raises:
            ChannelError: It was not changed, or it is not known whether it was.
        """

        async def edit_once(message: Outgoing) -> int:
            return await self._edit(message, message_id)

        await _mending(edit_once, _outgoing(reply), is_repeatable=True)

    async def show_draft(self, reply: Reply, draft_id: int) -> None:
        """Show an unfinished text.

        Raises:
            ChannelError: It was not shown.
        """

        async def show_once(message: Outgoing) -> int:
            await self._bot.send_message_draft(
                chat_id=message.chat_id,
                draft_id=draft_id,
                text=message.rendered.text,
                entities=_entities(message.rendered),
                message_thread_id=message.thread,
            )
            return draft_id

        await _mending(show_once, _outgoing(reply), is_repeatable=True)

    async def show_typing(self, address: ChatAddress) -> None:
        """Show for some seconds that something is being written.

        Raises:
            ChannelError: It was not shown.
        """
        try:
            await self._bot.send_chat_action(
                int(address.chat), "typing", message_thread_id=_thread(address)
            )
        except TelegramError as error:
            raise failure_of(error, is_repeatable=True) from error

    async def close(self) -> None:
        """Close all connections."""
        for request in self._requests:
            await request.shutdown()

    async def _send(self, message: Outgoing) -> int:
        target = None
        if message.reply_to is not None:
            # Without this an answer to a message deleted meanwhile would be refused.
            target = ReplyParameters(message.reply_to, allow_sending_without_reply=True)
        return await self._bot.raw_message_id(
            {
                "chat_id": message.chat_id,
                "text": message.rendered.text,
                "entities": _entities(message.rendered),
                "message_thread_id": message.thread,
                "reply_parameters": target,
                "link_preview_options": _NO_PREVIEW,
            }
        )

    async def _edit(self, message: Outgoing, message_id: int) -> int:
        try:
            await self._bot.edit_message_text(
                chat_id=message.chat_id,
                message_id=message_id,
                text=message.rendered.text,
                entities=_entities(message.rendered),
                link_preview_options=_NO_PREVIEW,
            )
        except BadRequest as error:
            if "message is not modified" not in error.message.lower():
                raise
        return message_id


class _BoundedRequest(HTTPXRequest):
    """Lets no more requests through than there are connections.

    The pool of httpx looks at all its connections and all that wait for one at every request: a
    hundred answers at once cost it more than everything else of a turn together.
    """

    def __init__(self, **options: Any) -> None:  # noqa: ANN401 - handed on as the SDK takes it
        super().__init__(**options)
        self._slots = asyncio.Semaphore(MOST_AT_ONCE)

    async def do_request(self, *args: Any, **kwargs: Any) -> tuple[int, bytes]:  # noqa: ANN401 - likewise
        """Wait for a free connection, then make the request."""
        async with self._slots:
            return await super().do_request(*args, **kwargs)


class _RawBot(ExtBot[None]):
    """The SDK's bot, with results as they came.

    An update that the SDK cannot parse must not hide the others, and a message that was sent stays
    sent, whatever else is in Telegram's description of it.
    """

    async def raw_updates(self, offset: int | None, timeout_s: int) -> list[object]:
        """Fetch updates without reading them."""
        parameters: dict[str, object] = {"timeout": timeout_s, "allowed_updates": ALLOWED_UPDATES}
        if offset is not None:
            parameters["offset"] = offset
        result: object = await self._post(
            "getUpdates", parameters, read_timeout=timeout_s + POLL_MARGIN_S
        )
        if not isinstance(result, list):
            raise TelegramError("getUpdates gave no list")
        return result

    async def raw_identity(self) -> BotIdentity:
        """Ask who the bot is, and read no more than that."""
        match await self._post("getMe"):
            case {"id": int(number), **rest}:
                return BotIdentity(id=number, username=str(rest.get("username") or ""))
        raise TelegramError("getMe gave no bot")

    async def raw_message_id(self, parameters: dict[str, object]) -> int:
        """Send a message, and read no more than its id."""
        match await self._post("sendMessage", parameters):
            case {"message_id": int(number)}:
                return number
        raise TelegramError("sendMessage gave no message")


async def _mending(
    attempt: Callable[[Outgoing], Awaitable[int]], message: Outgoing, *, is_repeatable: bool
) -> int:
    """Try, and try again with what Telegram disliked taken away, each thing once."""
    mends_left = _MOST_MENDS
    while True:
        try:
            return await attempt(message)
        except TelegramError as error:
            mended = _mended(message, error) if mends_left else None
            if mended is None:
                raise failure_of(error, is_repeatable=is_repeatable) from error
            message, mends_left = mended, mends_left - 1


def _mended(message: Outgoing, error: TelegramError) -> Outgoing | None:
    """Say how a refused message could be accepted after all; None when it could not."""
    if isinstance(error, ChatMigrated):
        return replace(message, chat_id=error.new_chat_id)
    if not isinstance(error, BadRequest):
        return None
    complaint = error.message.lower()
    if message.thread is not None and ("thread not found" in complaint or "topic_del" in complaint):
        return replace(message, thread=None)
    if message.rendered.spans and "entit" in complaint:
        return replace(message, rendered=_unformatted(message))
    return None


def _outgoing(reply: Reply) -> Outgoing:
    return Outgoing(
        chat_id=int(reply.address.chat),
        source=reply.text,
        rendered=render(reply.text),
        thread=_thread(reply.address),
        reply_to=int(reply.reply_to) if reply.reply_to else None,
    )


def _thread(address: ChatAddress) -> int | None:
    return int(address.thread) if address.thread else None


def _unformatted(message: Outgoing) -> Rendered:
    as_written = plain(message.source)
    if utf16_length(as_written.text) <= MAX_UNITS:
        return as_written
    return Rendered(text=message.rendered.text)


def _entities(rendered: Rendered) -> list[MessageEntity]:
    return [
        MessageEntity(
            type=span.kind,
            offset=span.offset,
            length=span.length,
            url=span.url,
            language=span.language,
        )
        for span in rendered.spans[:MAX_SPANS]
    ]
