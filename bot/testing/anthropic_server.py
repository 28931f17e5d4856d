"""A pretended vendor: the Messages API on loopback, with a say in how it fails."""

from __future__ import annotations

import asyncio
import json
from collections import deque
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from types import TracebackType
from typing import Literal, Self

from aiohttp import web

from bot.adapters.anthropic_model.json_values import JsonObject, as_object
from bot.core.messages import Text
from bot.testing.anthropic_events import Written, begun, body_of, events_of
from bot.testing.anthropic_rules import Prompt, PromptCache, fault_of, prompt_of
from bot.testing.hang_ups import forgive_hang_ups

WINDOW_TOKENS = 200_000

_SECRET_HEADERS = frozenset(("authorization", "x-api-key"))
_SHUTDOWN_S = 1.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Refused:
    """An HTTP error in the vendor's form; ``body`` instead of it where given."""

    status: int
    kind: str = "api_error"
    message: str = "pretended failure"
    headers: tuple[tuple[str, str], ...] = ()
    body: str | None = None


Break = Literal[
    "silent",
    "hangs_up",
    "not_a_stream",
    "stall",
    "cut",
    "unfinished",
    "garbled",
    "error_event",
    "lingers",
]
"""How a stream goes wrong: no answer at all; the connection breaks in its place; an answer that is
no stream; silence in its middle, until :meth:`PretendedAnthropic.release`; the connection breaks
there; it just ends; an event is no JSON; an error event; it is silent behind a whole answer instead
of ending."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Broken:
    """An answer that goes wrong behind ``text``; ``kind`` and ``message`` are the error event's."""

    how: Break
    text: str = "Half of"
    kind: str = "overloaded_error"
    message: str = "Overloaded"


@dataclass(frozen=True, slots=True, kw_only=True)
class Held:
    """An answer of which the second half goes out once ``may_go_on`` is set."""

    text: str
    may_go_on: asyncio.Event


UNAUTHORIZED = Refused(status=401, kind="authentication_error", message="invalid bearer token")
OVERLOADED = Refused(status=529, kind="overloaded_error", message="Overloaded")
SERVER_ERROR = Refused(status=500, message="Internal server error")

Answer = str | Written | Held | Refused | Broken
Script = Answer | Callable[[JsonObject], Answer]


def rate_limited(retry_after: str = "2") -> Refused:
    """Refuse for too many requests."""
    return Refused(
        status=429,
        kind="rate_limit_error",
        message="This request would exceed your rate limit.",
        headers=(("retry-after", retry_after),),
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Recorded:
    """A request as it came; the key is not kept."""

    path: str
    body: JsonObject
    headers: dict[str, str] = field(repr=False)


class PretendedAnthropic:
    """The vendor's server, an async context manager.

    It refuses what the vendor refuses (:mod:`bot.testing.anthropic_rules`), counts tokens by a
    rule of thumb, and reports what its prompt cache would have kept. Scripted answers go out
    first, in order; then ``otherwise`` answers.

    Attributes:
        requests: All that came to ``/v1/messages``, oldest first, refused ones included.
        faults: Why requests were refused for their form; an honest client leaves it empty.
        reported: The tokens of each answer, as far as it got to say them.
    """

    def __init__(
        self,
        answers: Iterable[Script] = (),
        *,
        otherwise: Script = "All is well.",
        api_key: str | None = None,
        window_tokens: int = WINDOW_TOKENS,
        models: tuple[str, ...] = ("claude-sonnet-5-5", "claude-haiku-5-5"),
    ) -> None:
        """Take the script.

        Args:
            answers: One for each request.
            otherwise: What answers when they are used up.
            api_key: The only key that is let in; any if None.
            window_tokens: A longer prompt is refused.
            models: What ``/v1/models`` lists and shows.
        """
        self.requests: list[Recorded] = []
        self.faults: list[str] = []
        self.reported: list[dict[str, int]] = []
        self._script: deque[Script] = deque(answers)
        self._otherwise = otherwise
        self._api_key = api_key
        self._window_tokens = window_tokens
        self._models = models
        self._cache = PromptCache()
        self._may_go_on = asyncio.Event()
        self._is_stalled = asyncio.Event()
        self._hung_up = asyncio.Event()
        self._runner: web.AppRunner | None = None
        self._port = 0

    @property
    def base_url(self) -> str:
        """Where it listens."""
        return f"http://127.0.0.1:{self._port}"

    async def __aenter__(self) -> Self:
        """Listen on a free port of loopback."""
        app = web.Application(client_max_size=64 * 1024 * 1024, middlewares=[forgive_hang_ups])
        app.router.add_post("/v1/messages", self._messages)
        app.router.add_post("/v1/messages/count_tokens", self._count_tokens)
        app.router.add_get("/v1/models", self._list_models)
        app.router.add_get("/v1/models/{name}", self._show_model)
        self._runner = web.AppRunner(
            app, access_log=None, handler_cancellation=True, shutdown_timeout=_SHUTDOWN_S
        )
        await self._runner.setup()
        site = web.TCPSite(self._runner, "127.0.0.1", 0)
        await site.start()
        self._port = self._runner.addresses[0][1]
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        """Stop listening; answers that stand still are let go."""
        self.release()
        if self._runner is not None:
            await self._runner.cleanup()

    def then(self, *answers: Script) -> None:
        """Add answers behind those that are left."""
        self._script.extend(answers)

    async def stalled(self) -> None:
        """Wait until an answer stands still."""
        await self._is_stalled.wait()

    def release(self) -> None:
        """Let answers that stand still go on to a good end, these and later ones."""
        self._may_go_on.set()

    async def hung_up(self) -> None:
        """Wait until a client has left in the middle of an answer."""
        await self._hung_up.wait()

    async def _messages(self, request: web.Request) -> web.StreamResponse:
        body = as_object(await request.json())
        headers = {k: v for k, v in request.headers.items() if k.lower() not in _SECRET_HEADERS}
        self.requests.append(Recorded(path=request.path, body=body, headers=headers))
        prompt = prompt_of(body)
        refused = self._refuses(request, body, prompt)
        answer = refused or self._next(body)
        if isinstance(answer, Refused):
            return _refusal(answer)
        if isinstance(answer, Broken):
            return await self._break(request, prompt, answer)
        if isinstance(answer, Held):
            return await self._hold(request, prompt, answer)
        written = answer if isinstance(answer, Written) else Written(blocks=(Text(text=answer),))
        usage = self._usage(prompt, written)
        self.reported.append(usage)
        if not body.get("stream"):
            return web.json_response(body_of(prompt.model, written, usage))
        response = await _begin(request)
        await response.write(b"".join(events_of(prompt.model, written, usage)))
        return response

    async def _hold(self, request: web.Request, prompt: Prompt, held: Held) -> web.StreamResponse:
        whole = Written(blocks=(Text(text=held.text),))
        usage = self._usage(prompt, whole)
        events = events_of(prompt.model, whole, usage)
        half = len(events) // 2
        response = await _begin(request)
        self.reported.append(begun(usage))
        await response.write(b"".join(events[:half]))
        await held.may_go_on.wait()
        await response.write(b"".join(events[half:]))
        self.reported[self.reported.index(begun(usage))] = usage
        return response

    async def _break(
        self, request: web.Request, prompt: Prompt, broken: Broken
    ) -> web.StreamResponse:
        if broken.how == "silent":
            await self._stand_still()
        if broken.how == "hangs_up":
            assert request.transport is not None
            request.transport.abort()
        if broken.how in ("silent", "hangs_up", "not_a_stream"):
            return web.json_response({"status": "fine"})
        whole = Written(blocks=(Text(text=broken.text),))
        usage = self._usage(prompt, whole)
        events = events_of(prompt.model, whole, usage)
        self.reported.append(usage if broken.how == "lingers" else begun(usage))
        beginning, ending = b"".join(events[:-3]), b"".join(events[-3:])
        response = await _begin(request)
        await response.write(beginning)
        match broken.how:
            case "stall":
                await self._stand_still()
                await response.write(ending)
                self.reported[self.reported.index(begun(usage))] = usage
            case "lingers":
                await response.write(ending)
                await self._stand_still()
            case "cut":
                assert request.transport is not None
                request.transport.abort()
            case "garbled":
                await response.write(b'event: content_block_delta\ndata: {"type": "cont\n\n')
            case "error_event":
                error = json.dumps({"type": "error", "error": _error(broken.kind, broken.message)})
                await response.write(f"event: error\ndata: {error}\n\n".encode())
            case "unfinished":
                pass
        return response

    async def _stand_still(self) -> None:
        self._is_stalled.set()
        try:
            await self._may_go_on.wait()
        except asyncio.CancelledError:  # how aiohttp says that the client has gone
            self._hung_up.set()
            raise
        finally:
            self._is_stalled.clear()

    async def _count_tokens(self, request: web.Request) -> web.Response:
        prompt = prompt_of(as_object(await request.json()))
        return web.json_response({"input_tokens": prompt.tokens})

    async def _list_models(self, request: web.Request) -> web.Response:
        models = [{"type": "model", "id": name, "display_name": name} for name in self._models]
        return web.json_response({"data": models, "has_more": False})

    async def _show_model(self, request: web.Request) -> web.Response:
        name = request.match_info["name"]
        if not self._lets_in(request):
            return _refusal(UNAUTHORIZED)
        if name not in self._models:
            message = f"model: {name}"
            return _refusal(Refused(status=404, kind="not_found_error", message=message))
        return web.json_response({"type": "model", "id": name, "display_name": name})

    def _refuses(self, request: web.Request, body: JsonObject, prompt: Prompt) -> Refused | None:
        if not self._lets_in(request):
            return UNAUTHORIZED
        fault = fault_of(body, prompt)
        if fault:
            self.faults.append(fault)
        elif (needed := prompt.tokens) > self._window_tokens:
            fault = f"prompt is too long: {needed} tokens > {self._window_tokens} maximum"
        if not fault:
            return None
        return Refused(status=400, kind="invalid_request_error", message=fault)

    def _lets_in(self, request: web.Request) -> bool:
        sent = request.headers.get("Authorization", "").removeprefix("Bearer ")
        sent = sent or request.headers.get("x-api-key", "")
        return bool(sent) if self._api_key is None else sent == self._api_key

    def _next(self, body: JsonObject) -> Answer:
        script = self._script.popleft() if self._script else self._otherwise
        return script(body) if callable(script) else script

    def _usage(self, prompt: Prompt, written: Written) -> dict[str, int]:
        read, wrote = self._cache.use(prompt)
        return {
            "input_tokens": prompt.tokens - read - wrote,
            "cache_read_input_tokens": read,
            "cache_creation_input_tokens": wrote,
            "output_tokens": written.tokens,
        }


async def _begin(request: web.Request) -> web.StreamResponse:
    response = web.StreamResponse(headers={"Content-Type": "text/event-stream; charset=utf-8"})
    await response.prepare(request)
    return response


def _refusal(refused: Refused) -> web.Response:
    body = {"type": "error", "error": _error(refused.kind, refused.message)}
    return web.Response(
        status=refused.status,
        text=json.dumps(body) if refused.body is None else refused.body,
        headers=dict(refused.headers),
        content_type="application/json" if refused.body is None else "text/html",
    )


def _error(kind: str, message: str) -> dict[str, str]:
    return {"type": kind, "message": message}
