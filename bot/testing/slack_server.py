"""A pretended Slack: the Web API's methods that Daybook uses and Socket Mode, on loopback.

It refuses what real Slack refuses and sends again what was not acknowledged. A test plays the
people with ``says``, ``edits_message`` and ``push``, and bad weather with ``fail``, ``disconnect``
and ``drop``. Time is no part of it: an envelope runs out when a test says ``expire``.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, Self

from aiohttp import web

from bot.testing.hang_ups import forgive_hang_ups
from bot.testing.slack_files import SlackFiles
from bot.testing.slack_sending import SlackSending
from bot.testing.slack_socket import Envelope, SocketSide, cut
from bot.testing.slack_state import Json, Post, Refusal, SlackState
from bot.testing.slack_views import SlackViews

Fault = Literal[
    "429",
    "500",
    "503",
    "html",
    "half_json",
    "json_text",
    "drop_before",
    "drop_after",
    "hang",
    "no_hello",
]
"""Weather; any other word is the code of an ``ok: false`` answer.

``html``, ``half_json`` and ``json_text`` are answers that are none of Slack's; ``no_hello`` opens a
WebSocket and closes it at once.
"""


@dataclass(slots=True)
class _Failing:
    error: Fault | str
    times: int
    retry_after_s: int
    after: int


class PretendedSlack(SocketSide):
    """The server; an asynchronous context manager, on a free port.

    Attributes:
        bot_token: The only bot token it accepts; made up at run time.
        app_token: The only app token it accepts.
        state: Its channels, messages and people.
        told_types: The events of a post that the app is subscribed to.
        views: The pages and forms that the app has shown.
        scopes: What its answers say that the bot token may do; nothing is said where empty.
        calls: Names of the methods called, refused ones included.
        known_as: The host under which it can be reached, by TLS, if others stand before it.
        stored: The files that can be fetched, at :meth:`file_url`.
        sending: Streams, files that were sent, and what one person alone was shown.
    """

    def __init__(self) -> None:
        self.bot_token = "-".join(("xoxb", "1" * 11, "AbCd" * 6))
        self.app_token = "-".join(("xapp", "1", "A" + "2" * 10, "eFgH" * 8))
        super().__init__(SlackState())
        self.told_types = {"message", "app_mention"}
        self.views = SlackViews()
        self.state.methods |= self.views.methods
        self.scopes: tuple[str, ...] = ()
        self.calls: list[str] = []
        self.stored = SlackFiles(self.bot_token)
        self.sending = SlackSending(self.state)
        self._failing: dict[str, list[_Failing]] = {}
        self._is_closing = False
        self._runner: web.AppRunner | None = None
        self._port = 0
        self.known_as = ""

    async def __aenter__(self) -> Self:
        app = web.Application(middlewares=[forgive_hang_ups])
        app.router.add_route("*", "/api/{method}", self._answer)
        app.router.add_get("/link/{ticket}", self._open_link)
        app.router.add_get("/files/{name}", self.stored.serve)
        app.router.add_get("/login", self.stored.log_in)
        app.router.add_post("/upload/{file_id}", self._take_upload)
        app.router.add_post("/respond/{name}", self._respond)
        self._runner = web.AppRunner(app, shutdown_timeout=0.1)
        await self._runner.setup()
        await web.TCPSite(self._runner, "127.0.0.1", 0).start()
        self._port = self._runner.addresses[0][1]
        self.sending.upload_url = f"{self._front()}/upload"
        return self

    async def __aexit__(self, *error: object) -> None:
        self._is_closing = True
        self._wake()
        await self.drop()
        if self._runner is not None:
            await self._runner.cleanup()

    @property
    def base_url(self) -> str:
        """Where the Web API listens."""
        return f"{self._front()}/api/"

    @property
    def response_url(self) -> str:
        """Where an answer to a press can be sent."""
        return f"{self._front()}/respond/1"

    def file_url(self, name: str) -> str:
        """Where the file ``name`` lies."""
        return f"{self._front()}/files/{name}"

    @property
    def port(self) -> int:
        """Where it listens."""
        return self._port

    def _front(self, kind: str = "http") -> str:
        if self.known_as:
            return f"{kind}s://{self.known_as}"
        return f"{kind}://127.0.0.1:{self._port}"

    @property
    def settings(self) -> dict[str, str]:
        """What stands under ``channels.slack`` for a bot that is to use this server."""
        return {
            "bot_token": self.bot_token,
            "app_token": self.app_token,
            "base_url": self.base_url,
        }

    @property
    def sent(self) -> tuple[Post, ...]:
        """The messages that the bot posted."""
        return tuple(self.state.sent)

    @property
    def edits(self) -> tuple[Post, ...]:
        """The changes that the bot made to its messages."""
        return tuple(self.state.edits)

    # People and weather.

    async def says(
        self,
        channel: str,
        text: str,
        *,
        user: str = "U1ADA",
        thread_ts: str = "",
        channel_type: str = "",
        mention: bool = False,
    ) -> str:
        """Let a person write, as they see it; give the message's timestamp.

        A mention in a channel is told twice, as ``message`` and as ``app_mention``.
        """
        kind = channel_type or ("im" if channel.startswith("D") else "channel")
        self.state.channels.setdefault(channel, kind)
        raw = text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
        if mention:
            raw = f"<@{self.state.bot_user_id}> {raw}"
        return await self.tell(self.state.write(channel, raw, user=user, thread_ts=thread_ts))

    async def tell(self, event: Json) -> str:
        """Tell the app of a message in all the ways it is subscribed to; give its timestamp."""
        if "message" in self.told_types:
            await self.push(event)
        is_mention = f"<@{self.state.bot_user_id}" in str(event.get("text"))
        is_direct = event.get("channel_type") == "im"
        if is_mention and not is_direct and "app_mention" in self.told_types:
            without = {key: value for key, value in event.items() if key != "channel_type"}
            await self.push(without | {"type": "app_mention"})
        return str(event["ts"])

    async def edits_message(self, channel: str, ts: str, text: str) -> Envelope:
        """Let a person change a message."""
        edited = {"user": self.state.messages[channel, ts]["user"], "ts": self.state.next_ts()}
        return await self.push(self.state.change(channel, ts, text=text, edited=edited))

    async def deletes_message(self, channel: str, ts: str) -> Envelope:
        """Let a person take a message back."""
        return await self.push(self.state.delete(channel, ts))

    def fail(
        self,
        method: str,
        error: Fault | str,
        *,
        times: int = 1,
        retry_after_s: int = 7,
        after: int = 0,
    ) -> None:
        """Let the next calls of a method fail, or those after some that do not.

        ``link`` is the opening of the WebSocket, ``upload`` the bringing of a file's content.
        """
        self._failing.setdefault(method, []).append(_Failing(error, times, retry_after_s, after))

    async def wait_for_sent(self, count: int) -> tuple[Post, ...]:
        """Wait until so many messages were posted altogether; give them all."""
        await self.wait_until(lambda: len(self.sent) >= count)
        return self.sent

    # The Web API.

    async def _answer(self, request: web.Request) -> web.StreamResponse:
        method = request.match_info["method"]
        self.calls.append(method)
        self._wake()
        failing = self._next_failure(method)
        if failing is not None and failing.error != "drop_after":
            return await self._failed(request, failing)
        try:
            result = self._carry_out(method, request, await _read_params(request))
        except Refusal as refusal:
            return web.json_response({"ok": False, "error": str(refusal)})
        self._wake()
        if failing is not None:
            cut(request)
        headers = {"x-oauth-scopes": ",".join(self.scopes)} if self.scopes else {}
        return web.json_response({"ok": True} | result, headers=headers)

    def _carry_out(self, method: str, request: web.Request, params: Json) -> Json:
        token = request.headers.get("Authorization", "").removeprefix("Bearer ")
        is_opening = method == "apps.connections.open"
        if (token or params.get("token")) != (self.app_token if is_opening else self.bot_token):
            raise Refusal("invalid_auth")
        if is_opening:
            return {"url": f"{self._front('ws')}/link/{len(self.calls)}"}
        if method not in self.state.methods:
            raise Refusal("unknown_method")
        return self.state.methods[method](params)

    async def _take_upload(self, request: web.Request) -> web.StreamResponse:
        failing = self._next_failure("upload")
        if failing is not None:
            return await self._failed(request, failing)
        self.sending.uploaded[request.match_info["file_id"]] = await request.read()
        return web.Response(text="OK")

    async def _respond(self, request: web.Request) -> web.Response:
        answer = await self.views.respond(request)
        self._wake()
        return answer

    async def _open_link(self, request: web.Request) -> web.StreamResponse:
        failing = self._next_failure("link")
        return await (self._failed(request, failing) if failing else self.link(request))

    def _next_failure(self, method: str) -> _Failing | None:
        waiting = self._failing.get(method)
        if not waiting:
            return None
        failing = waiting[0]
        if failing.after:
            failing.after -= 1
            return None
        failing.times -= 1
        if not failing.times:
            waiting.pop(0)
        return failing

    async def _failed(self, request: web.Request, failing: _Failing) -> web.StreamResponse:
        match failing.error:
            case "429":
                headers = {"Retry-After": str(failing.retry_after_s)}
                answer = {"ok": False, "error": "ratelimited"}
                return web.json_response(answer, status=429, headers=headers)
            case "500" | "503":
                return web.Response(status=int(failing.error), text="oops")
            case "html":
                return web.Response(text="<html>another server</html>")
            case "half_json":
                return web.Response(text='{"ok": tr', content_type="application/json")
            case "json_text":
                return web.json_response("no object")
            case "hang":
                await self.wait_until(lambda: self._is_closing)
                return web.Response()
            case "no_hello":
                socket = web.WebSocketResponse()
                await socket.prepare(request)
                await socket.close()
                return socket
            case "drop_before":
                cut(request)
                return web.Response()
            case code:
                return web.json_response({"ok": False, "error": code})


async def _read_params(request: web.Request) -> Json:
    params: Json = dict(request.query)
    if request.content_type == "application/json":
        params |= await request.json()
    else:
        params |= dict(await request.post())
    return params
