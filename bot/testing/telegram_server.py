"""A pretended Telegram: the Bot API's methods that Daybook uses, as a server on loopback.

It keeps what real Telegram keeps (updates until an offset confirms them, chats, threads, message
ids) and refuses what real Telegram refuses. A test plays the people with ``says`` and ``push``,
and bad weather with ``fail``.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Self

from aiohttp import web

from bot.testing.hang_ups import forgive_hang_ups
from bot.testing.patience import PATIENCE_S
from bot.testing.telegram_files import TelegramFiles
from bot.testing.telegram_people import TelegramPeople
from bot.testing.telegram_rules import (
    WEBHOOK_IS_SET,
    Failing,
    Fault,
    Json,
    Refusal,
    bot_user,
    is_wanted,
    read_params,
)
from bot.testing.telegram_state import Call, TelegramState
from bot.testing.telegram_webhook import WebhookCaller

__all__ = ["Call", "Fault", "PretendedTelegram"]

_FIRST_UPDATE_ID = 1000
_BATCH = 100
"""Most updates of one answer. Source: Telegram Bot API, getUpdates, read 2026-11-30."""


_MOST_UPLOADED = 50_000_000
"""Bytes of a file. Source: as above, sendDocument."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Queued:
    id: int
    raw: object


class PretendedTelegram(TelegramPeople):
    """The server; an asynchronous context manager, on a free port unless one is named.

    All controls belong to the server's event loop; from another thread call them through
    ``loop.call_soon_threadsafe``.

    Attributes:
        token: The only token it accepts; made up at run time.
        state: Its chats and calls; with ``state.webhook.url`` set, getUpdates refuses until
            deleteWebhook, and what waits is brought to that address.
        stored: The files that can be fetched.
    """

    def __init__(
        self, *, bot_id: int = 77_000_077, username: str = "daybook_bot", port: int = 0
    ) -> None:
        super().__init__()
        self.token = f"{bot_id}:" + "AbCd_-9" * 5
        self.bot = bot_user(bot_id, username)
        self.state = TelegramState(self.bot)
        self.stored = TelegramFiles(self.token)
        self.state.methods["getfile"] = self.stored.get_file
        self._port = port
        self._queue: list[_Queued] = []
        self._again: list[_Queued] = []
        self._pushed: list[_Queued] = []
        self._failing: dict[str, list[Failing]] = {}
        self._newest_poll = 0
        self._changed = asyncio.Event()
        self._is_closing = False
        self._runner: web.AppRunner | None = None
        self._calling: asyncio.Task[None] | None = None

    async def __aenter__(self) -> Self:
        app = web.Application(middlewares=[forgive_hang_ups], client_max_size=_MOST_UPLOADED)
        app.router.add_route("*", "/bot{token}/{method}", self._answer)
        app.router.add_get("/file/bot{token}/{path:.+}", self.stored.serve)
        self._runner = web.AppRunner(app, access_log=None, shutdown_timeout=0.1)
        await self._runner.setup()
        site = web.TCPSite(self._runner, "127.0.0.1", self._port)
        await site.start()
        self._port = self._runner.addresses[0][1]
        caller = WebhookCaller(
            self.state.webhook,
            self._next_for_webhook,
            self._confirm_first,
            lambda: self._changed,
            self._wake,
        )
        self._calling = asyncio.create_task(caller.run())
        return self

    async def __aexit__(self, *error: object) -> None:
        self._is_closing = True
        self._wake()
        if self._calling is not None:
            self._calling.cancel()
            await asyncio.wait({self._calling})
        if self._runner is not None:
            await self._runner.cleanup()

    @property
    def base_url(self) -> str:
        """Where it listens, without a slash at the end."""
        return f"http://127.0.0.1:{self._port}"

    @property
    def polls(self) -> tuple[Call, ...]:
        """The calls of getUpdates, waiting ones included."""
        return self.state.called("getUpdates")

    @property
    def has_waiting(self) -> bool:
        """Whether there is an update that nobody has confirmed."""
        return bool(self._queue)

    @property
    def sent(self) -> tuple[Call, ...]:
        """The messages that were sent."""
        return self.state.called("sendMessage")

    @property
    def files(self) -> tuple[Call, ...]:
        """The files and pictures that were sent."""
        return tuple(
            call for call in self.state.calls if call.method in ("sendPhoto", "sendDocument")
        )

    @property
    def edits(self) -> tuple[Call, ...]:
        """The changes of messages."""
        return self.state.called("editMessageText")

    @property
    def drafts(self) -> tuple[Call, ...]:
        """The drafts that were shown."""
        return self.state.called("sendMessageDraft")

    @property
    def actions(self) -> tuple[Call, ...]:
        """The signs of typing."""
        return self.state.called("sendChatAction")

    def push(self, raw: Mapping[str, object]) -> Json:
        """Queue an update of any form, numbered unless it brings its own ``update_id``."""
        update = {"update_id": self._next_id(), **raw}
        self.push_as_is(update)
        return update

    def push_as_is(self, raw: object) -> None:
        """Queue anything at all, also what is no update."""
        named = raw.get("update_id") if isinstance(raw, dict) else None
        queued = _Queued(id=named if isinstance(named, int) else self._next_id(), raw=raw)
        self._queue.append(queued)
        self._pushed.append(queued)
        self._wake()

    def redeliver(self, update_id: int | None = None) -> None:
        """Bring an update again (the newest unless named), though it was confirmed."""
        self._again += [each for each in self._pushed if update_id in (None, each.id)][-1:]
        self._wake()

    def fail(
        self,
        method: str,
        fault: Fault,
        *,
        times: int = 1,
        retry_after_s: int = 7,
        description: str = "",
    ) -> None:
        """Let the next requests of a method fail; a long poll that waits fails at once."""
        failing = Failing(
            fault=fault, times=times, retry_after_s=retry_after_s, description=description
        )
        self._failing.setdefault(method.lower(), []).append(failing)
        self._wake()

    async def wait_for_sent(self, count: int) -> tuple[Call, ...]:
        """Wait until so many messages were sent altogether; give them all."""
        await self.wait_until(lambda: len(self.sent) >= count)
        return self.sent

    async def wait_for_polls(self, count: int) -> tuple[Call, ...]:
        """Wait until so many calls of getUpdates came altogether; give them all."""
        await self.wait_until(lambda: len(self.polls) >= count)
        return self.polls

    async def wait_until(self, is_so: Callable[[], bool]) -> None:
        """Wait until something holds that a request or a control changes."""
        async with asyncio.timeout(PATIENCE_S):
            while not is_so():
                await self._changed.wait()

    async def _answer(self, request: web.Request) -> web.StreamResponse:
        method = request.match_info["method"].lower()
        params = await read_params(request)
        try:
            if request.match_info["token"] != self.token:
                raise Refusal(401, "Unauthorized")
            self.state.waiting = len(self._queue)
            if method == "getupdates":
                result: object = await self._get_updates(params)
            else:
                result = await self._take_effect(method, params)
        except _Garbage:
            return web.Response(text="<html>another server</html>")
        except _Cut:
            if request.transport is not None:
                request.transport.abort()
            return web.Response()
        except Refusal as refusal:
            return web.json_response(refusal.as_json(), status=refusal.code)
        return web.json_response({"ok": True, "result": result})

    async def _take_effect(self, method: str, params: Json) -> object:
        await self._meet_faults(method)
        if method not in self.state.methods:
            raise Refusal(404, "Not Found")
        result = self.state.methods[method](params)
        self._wake()
        await self._meet_faults(method, is_done=True)
        return result

    async def _get_updates(self, params: Json) -> list[object]:
        self.state.record("getUpdates", params)
        self._newest_poll += 1
        mine = self._newest_poll
        self._wake()
        until = time.monotonic() + float(str(params.get("timeout", 0)))
        while True:
            if mine != self._newest_poll:
                raise Refusal(409, "Conflict: terminated by other getUpdates request")
            if self.state.webhook.url:
                raise Refusal(409, WEBHOOK_IS_SET)
            await self._meet_faults("getupdates")
            found = self._found(params)
            left_s = until - time.monotonic()
            if found or left_s <= 0 or self._is_closing:
                return found
            try:
                async with asyncio.timeout(left_s):
                    await self._changed.wait()
            except TimeoutError:
                continue

    def _next_for_webhook(self) -> object | None:
        kinds = set(self.state.webhook.kinds)
        self._queue = [*self._again, *self._queue]
        self._again = []
        self._queue = [each for each in self._queue if is_wanted(each.raw, kinds)]
        return self._queue[0].raw if self._queue else None

    def _confirm_first(self) -> None:
        del self._queue[0]
        self._wake()

    def _next_id(self) -> int:
        return self._pushed[-1].id + 1 if self._pushed else _FIRST_UPDATE_ID

    def _found(self, params: Json) -> list[object]:
        offset = int(str(params.get("offset") or 0))
        self._queue = [each for each in self._queue if each.id >= offset]
        allowed = params.get("allowed_updates")
        kinds = {str(kind) for kind in allowed} if isinstance(allowed, list) else set()
        again, self._again = self._again, []
        found = again + [each for each in self._queue if is_wanted(each.raw, kinds)]
        return [each.raw for each in found[:_BATCH]]

    async def _meet_faults(self, method: str, *, is_done: bool = False) -> None:
        """Fail as was asked for: ``drop_after`` when the request is done, all else before."""
        failing = next(iter(self._failing.get(method, [])), None)
        if failing is None or is_done != (failing.fault == "drop_after"):
            return
        failing.times -= 1
        if not failing.times:
            self._failing[method].pop(0)
        refusal = failing.refusal
        if refusal is not None:
            raise refusal
        while failing.fault == "hang" and not self._is_closing:
            await self._changed.wait()
        raise _Garbage if failing.fault == "garbage" else _Cut

    def _wake(self) -> None:
        """Let all who wait for a change look again."""
        self._changed.set()
        self._changed = asyncio.Event()


class _Cut(Exception):
    """The connection breaks."""


class _Garbage(Exception):
    """The answer is none of Telegram's."""
