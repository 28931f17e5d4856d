"""Bringing messages to Slack: posted, streamed, edited, taken away, and looked for."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from contextlib import suppress
from dataclasses import replace
from typing import TYPE_CHECKING

from bot.api import ChannelError, ChatAddress, Clock, DeliveryError, FateUnknown, Reply
from channels.slack.blocks import content_of
from channels.slack.failures import Refused, told
from channels.slack.inbound import is_direct
from channels.slack.limits import UPDATES_A_MINUTE, Budget, Pace
from channels.slack.looking import Looking
from channels.slack.metadata import metadata_of
from channels.slack.streaming import Streams
from channels.slack.uploads import upload

if TYPE_CHECKING:
    from channels.slack.web import WebApi

Params = Mapping[str, object]

_ANOTHER_TEXT = "a message of text cannot become a file"
_MANY_SIGNS = 1000
_MANY_MESSAGES = 1000
_NO_UNFURLS: Params = {"unfurl_links": False, "unfurl_media": False}
_HIDDEN = "chat.postEphemeral"
_STILL_OPEN = ("streaming_state_conflict", "cant_delete_message")
"""How Slack refuses to change, and to delete, a message that is being streamed."""


class Poster:
    """Sends and changes messages.

    All raise the bot's errors: a ChannelError says that it was not done; a FateUnknown, by ``send``
    only, that it is not known whether it was.
    """

    def __init__(self, web: WebApi, clock: Clock, pace: Pace) -> None:
        self._web = web
        self._pace = pace
        self._streams = Streams(web.ask, clock)
        self._updates = Budget(clock, UPDATES_A_MINUTE)
        self._looking = Looking(web)
        self._with_sign: set[tuple[str, str]] = set()
        self._keys: dict[tuple[str, str], str] = {}

    async def send(self, reply: Reply) -> str:
        """Send a message; give its timestamp, or the id of a file, whose message has none yet."""
        self._pace.use(reply.address.chat)
        if reply.file is not None:
            return await upload(self._web, await self._place_of(reply), reply)
        if reply.for_person and not is_direct(reply.address.chat):
            return await self._post(_HIDDEN, reply, {"user": reply.for_person})
        ts = await self._streams.start(reply)
        if ts is None:
            unseen = {"metadata": metadata_of(reply.key), **_NO_UNFURLS}
            ts = await self._post("chat.postMessage", reply, unseen)
        self._with_sign.discard((reply.address.chat, reply.address.thread))
        self._note(reply, ts)
        return ts

    async def edit(self, reply: Reply, ts: str) -> None:
        """Let a message show something else, or take it away; doing so twice does no harm."""
        if reply.file is not None:
            raise DeliveryError(_ANOTHER_TEXT, can_retry=False)
        self._note(reply, ts)
        stream = self._streams.of(reply.address.chat, ts)
        if reply.takes_back:
            if stream is not None:
                await self._streams.stop(stream)
            await self._change(reply, ts, lambda: self._delete(reply, ts))
        elif reply.watched_by:
            is_shown = stream is not None and await self._streams.grow(stream, reply.text)
            if not is_shown and self._updates.take():
                await self._change(reply, ts, lambda: self._update(reply, ts))
        else:
            is_shown = stream is not None and await self._streams.finish(stream, reply)
            if not is_shown:
                await self._change(reply, ts, lambda: self._update(reply, ts))
            await self._take_sign_away(reply.address)

    async def find(self, reply: Reply) -> str | None:
        """Look for a message by its key; give its timestamp, None when it surely is not there."""
        if reply.file is None and reply.for_person and not is_direct(reply.address.chat):
            reason = "what one person alone is shown cannot be looked up"
            raise DeliveryError(reason, can_retry=False)
        place = await self._place_of(reply)
        others = {
            ts for (chat, ts), key in self._keys.items() if chat == place.chat and key != reply.key
        }
        return await self._looking.find(reply, place, others)

    def _note(self, reply: Reply, ts: str) -> None:
        """Keep in mind whose message one is, so that it is taken for no other reply's."""
        self._keys.pop((reply.address.chat, ts), None)
        if len(self._keys) >= _MANY_MESSAGES:
            del self._keys[next(iter(self._keys))]
        self._keys[reply.address.chat, ts] = reply.key

    async def show_sign(self, address: ChatAddress, sign: str) -> None:
        """Show in a thread what the bot is doing, until it posts; a growing answer says more."""
        if self._streams.is_open_in(address.chat, address.thread):
            return
        await self._set_status(address, sign)
        if len(self._with_sign) >= _MANY_SIGNS:  # Slack takes them away by itself, in minutes
            self._with_sign.clear()
        self._with_sign.add((address.chat, address.thread))

    async def _take_sign_away(self, address: ChatAddress) -> None:
        """Take the sign away, which an edit, unlike a message, leaves standing for minutes."""
        if (address.chat, address.thread) not in self._with_sign:
            return
        self._with_sign.discard((address.chat, address.thread))
        with suppress(ChannelError):  # the answer stands there: that is what counts
            await self._set_status(address, "")

    async def _set_status(self, address: ChatAddress, status: str) -> None:
        where = {"channel_id": address.chat, "thread_ts": address.thread}
        await self._web.ask("assistant.threads.setStatus", {**where, "status": status})

    async def _post(self, method: str, reply: Reply, more: Params) -> str:
        content = content_of(reply)
        place = {"channel": reply.address.chat, "thread_ts": reply.address.thread or None}
        params = {**place, "text": content.text, "blocks": content.blocks, **more}
        try:
            answer = await self._web.ask(method, params)
        except Refused as error:
            if error.kind.name != "formatting":
                raise
            answer = await self._web.ask(method, {**params, "text": content.plain, "blocks": None})
        return told(answer, "message_ts" if method == _HIDDEN else "ts")

    async def _update(self, reply: Reply, ts: str) -> None:
        content = content_of(reply)
        params: Params = {
            "channel": reply.address.chat,
            "ts": ts,
            "text": content.text,
            "blocks": content.blocks,
            "metadata": metadata_of(reply.key),
        }
        try:
            await self._web.ask("chat.update", params)
        except Refused as error:
            if error.kind.name != "formatting":
                raise
            await self._web.ask("chat.update", {**params, "blocks": content.sections})

    async def _delete(self, reply: Reply, ts: str) -> None:
        try:
            await self._web.ask("chat.delete", {"channel": reply.address.chat, "ts": ts})
        except Refused as error:
            if error.code != "message_not_found":
                raise

    async def _change(self, reply: Reply, ts: str, attempt: Callable[[], Awaitable[None]]) -> None:
        """Change a message, which may be a stream that an earlier process has left open."""
        try:
            try:
                await attempt()
            except Refused as error:
                if error.code not in _STILL_OPEN:
                    raise
                await self._streams.stop_unknown(reply.address.chat, ts, reply.key)
                await attempt()
        except FateUnknown as error:
            raise DeliveryError(str(error)) from error

    async def _place_of(self, reply: Reply) -> ChatAddress:
        """Say where a reply goes: a file for one person of a channel to that person alone."""
        address = reply.address
        if reply.file is None or not reply.for_person or is_direct(address.chat):
            return address
        try:
            answer = await self._web.ask("conversations.open", {"users": reply.for_person})
        except FateUnknown as error:  # twice opened is opened
            raise DeliveryError(str(error)) from error
        match answer.get("channel"):
            case {"id": str(chat)}:
                return replace(address, chat=chat, thread="")
        raise DeliveryError("Slack opens no direct chat with the person", can_retry=False)
