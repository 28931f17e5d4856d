"""Looking for a message whose sending broke off: by its key, over all that was written lately."""

from __future__ import annotations

from collections.abc import Container, Mapping
from typing import TYPE_CHECKING

from bot.api import ChatAddress, DeliveryError, Reply
from channels.slack.metadata import is_unfinished_stream, key_of

if TYPE_CHECKING:
    from channels.slack.web import WebApi

LOOKUP_PAGE = 200
LOOKUP_PAGES = 5
"""How much of a chat is looked through for a reply whose fate is not known."""


class Looking:
    """Finds messages of the bot again."""

    def __init__(self, web: WebApi) -> None:
        self._web = web
        self._bot_user_id = ""

    async def find(
        self, reply: Reply, place: ChatAddress, others: Container[str] = ()
    ) -> str | None:
        """Give the timestamp of a reply's message, None when it surely is not there.

        The beginning of a stream carries no key. An answer that has no message of its key may be
        the newest stream of the bot in its thread that was never finished: one answer at a time is
        written in a thread, and what is finished has its key.

        Args:
            reply: The reply.
            place: Where it was to be.
            others: Messages there that are known to be other replies': an answer of several
                messages has several streams.

        Raises:
            ChannelError: It cannot be told.
        """
        may_be_stream = bool(place.thread) and reply.kind == "final" and reply.file is None
        if may_be_stream and not self._bot_user_id:
            self._bot_user_id = (await self._web.identify()).user_id
        unfinished: list[str] = []
        cursor = ""
        for _ in range(LOOKUP_PAGES):
            messages, cursor = await self._page(place, cursor)
            for message in messages:
                if reply.key and key_of(message) == reply.key:
                    return str(message["ts"])
                if may_be_stream and is_unfinished_stream(message, self._bot_user_id):
                    unfinished += [ts] if (ts := str(message["ts"])) not in others else []
            if not cursor:
                return _newest_behind(reply.reply_to, unfinished)
        raise DeliveryError("too much was written since to look through it", can_retry=False)

    async def _page(
        self, place: ChatAddress, cursor: str
    ) -> tuple[list[Mapping[str, object]], str]:
        params: dict[str, object] = {
            "channel": place.chat,
            "limit": LOOKUP_PAGE,
            "include_all_metadata": True,
            "ts": place.thread or None,
            "cursor": cursor or None,
        }
        method = "conversations.replies" if place.thread else "conversations.history"
        answer = await self._web.ask_by_form(method, params)
        further, messages = answer.get("response_metadata"), answer.get("messages")
        cursor = further.get("next_cursor", "") if isinstance(further, Mapping) else ""
        return messages if isinstance(messages, list) else [], str(cursor)


def _newest_behind(asked_ts: str, found: list[str]) -> str | None:
    """Give the newest of these, if it is newer than the message that is answered."""
    newest = max(found, key=_moment, default=None)
    return None if newest is None or _moment(newest) < _moment(asked_ts) else newest


def _moment(ts: str) -> tuple[int, int]:
    """Order timestamps; what is none, as the id of a slash command, is before all of them."""
    seconds, _, count = ts.partition(".")
    return (int(seconds), int(count)) if seconds.isdecimal() and count.isdecimal() else (0, 0)
