"""Bringing messages to Telegram: within its limits, and mended where it dislikes something."""

from __future__ import annotations

import logging
from collections import OrderedDict
from collections.abc import Awaitable, Callable
from dataclasses import replace

from telegram.error import ChatMigrated, TelegramError

from bot.api import DeliveryError, Reply
from channels.telegram.connection import RawBot
from channels.telegram.failures import failure_of, kind_of
from channels.telegram.limits import Limiter
from channels.telegram.outgoing import (
    Outgoing,
    Request,
    changing,
    drafting,
    mended,
    outgoing,
    sending,
)
from channels.telegram.token import redact

logger = logging.getLogger(__name__)

MOST_MENDS = 5
"""One of each kind at most: a group moves, a topic or a message is gone, and so on."""

_REMEMBERED = 64
"""Of how many messages it is known what they show."""

_ANOTHER_TEXT = "a message of text cannot become a file"


class Poster:
    """Sends and changes messages.

    All raise the bot's errors: a ChannelError says that it was not done, a FateUnknown that it is
    not known whether it was.
    """

    def __init__(self, bot: RawBot, limiter: Limiter, *, takes_rich: bool) -> None:
        self._bot = bot
        self._limiter = limiter
        self._takes_rich = takes_rich
        self._shown: OrderedDict[tuple[int, int], Request] = OrderedDict()

    async def send(self, reply: Reply) -> int:
        """Send a message; give its id."""
        message = outgoing(reply, takes_rich=self._takes_rich)
        return await self._mending(self._send, message, is_repeatable=False)

    async def edit(self, reply: Reply, message_id: int) -> None:
        """Give a message that was sent another text and other buttons.

        Raises:
            DeliveryError: It was not done; of a file it never is, but the message's buttons are
                taken away.
        """
        message = outgoing(reply, takes_rich=self._takes_rich)

        async def edit_once(message: Outgoing) -> int:
            await self._edit(message, message_id)
            return message_id

        await self._mending(edit_once, message, is_repeatable=True)
        if reply.file is not None:
            raise DeliveryError(_ANOTHER_TEXT, can_retry=False)

    async def show_draft(self, reply: Reply, draft_id: int) -> None:
        """Show an unfinished text; it counts towards no limit."""

        async def show_once(message: Outgoing) -> int:
            await self._show(drafting(message, draft_id))
            return draft_id

        await self._mending(show_once, outgoing(reply), is_repeatable=True)

    async def _send(self, message: Outgoing) -> int:
        async with self._limiter.place(message.chat_id):
            number = await self._bot.raw_message_id(sending(message))
        self._note(message, number)
        return number

    async def _edit(self, message: Outgoing, message_id: int) -> None:
        request = changing(message, message_id)
        if self._shown.get((message.chat_id, message_id)) == request:
            return
        self._shown.pop((message.chat_id, message_id), None)  # until it is known to be changed
        async with self._limiter.place(message.chat_id):
            await self._show(request)
        self._note(message, message_id)

    async def _show(self, request: Request) -> None:
        """Change what is shown; that it shows so already is as good."""
        try:
            await self._bot.raw_result(request.method, request.parameters)
        except TelegramError as error:
            if kind_of(error).effect != "done":
                raise

    def _note(self, message: Outgoing, number: int) -> None:
        """Remember what a message shows, so that nobody is asked to change nothing."""
        if message.file is not None:
            return
        self._shown[message.chat_id, number] = changing(message, number)
        while len(self._shown) > _REMEMBERED:
            self._shown.popitem(last=False)

    async def _mending(
        self,
        attempt: Callable[[Outgoing], Awaitable[int]],
        message: Outgoing,
        *,
        is_repeatable: bool,
    ) -> int:
        """Try, and try again with what Telegram disliked taken away, each thing once."""
        mends_left = MOST_MENDS
        while True:
            try:
                return await attempt(message)
            except TelegramError as error:
                is_left_behind = is_repeatable and isinstance(error, ChatMigrated)
                better = None
                if mends_left and not is_left_behind:  # its number is another message's there
                    better = self._without_what_is_disliked(message, error)
                if better is None:
                    raise failure_of(error, is_repeatable=is_repeatable) from error
                message, mends_left = better, mends_left - 1

    def _without_what_is_disliked(self, message: Outgoing, error: TelegramError) -> Outgoing | None:
        kind = kind_of(error).name
        if isinstance(error, ChatMigrated):
            return replace(message, chat_id=error.new_chat_id)
        # A server that does not know a method says so in the form of a token refused.
        is_unknown = kind == "token" and "not found" in error.message.lower()
        better = mended(message, "refused" if is_unknown else kind)
        if message.rich and better is not None and not better.rich:
            self._takes_rich = self._takes_rich and not is_unknown
            logger.info("telegram.not_rich", extra={"why": redact(error.message)})
        return better
