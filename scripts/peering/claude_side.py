"""Claude by aimock (a scripted conversation) and by llmock (faults, a verdict on the client)."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

import aiohttp
from aiohttp import web

from scripts.peering.processes import free_port, server
from scripts.peering.serving import serving

_OVERLOADED = {"status": 529, "body": {"message": "Overloaded", "type": "overloaded_error"}}


class AIMock:
    """The scripted Claude, and what it was asked: its own journal forgets all but texts.

    Attributes:
        url: Where Daybook asks.
    """

    def __init__(self, session: aiohttp.ClientSession, peer_url: str) -> None:
        self._session = session
        self._peer_url = peer_url
        self._asked: list[dict[str, object]] = []
        self.url = ""

    def newest_request(self) -> dict[str, object]:
        """Give the newest request for an answer with tools, as Daybook wrote it."""
        return next(body for body in reversed(self._asked) if body.get("tools"))

    def newest_user_blocks(self) -> list[dict[str, object]]:
        """Give what the newest of its messages holds."""
        messages = self.newest_request()["messages"]
        content = messages[-1]["content"] if isinstance(messages, list) else []
        return [block for block in content if isinstance(block, dict)]

    async def pass_on(self, request: web.Request) -> web.StreamResponse:
        """Hand a question to aimock, and its answer back as it comes."""
        body = await request.read()
        self._asked.append(json.loads(body))
        headers = {key: value for key, value in request.headers.items() if key != "Host"}
        url = f"{self._peer_url}{request.path}"
        async with self._session.post(url, data=body, headers=headers) as answer:
            response = web.StreamResponse(status=answer.status)
            for name in ("Content-Type", "Retry-After"):
                if name in answer.headers:
                    response.headers[name] = answer.headers[name]
            await response.prepare(request)
            async for piece in answer.content.iter_any():
                await response.write(piece)
        return response

    async def overload(self) -> None:
        """Refuse the next request as overloaded."""
        url = f"{self._peer_url}/__aimock/error"
        async with self._session.post(url, json=_OVERLOADED) as answer:
            answer.raise_for_status()

    async def statuses(self) -> tuple[int, ...]:
        """Give the status of each answer so far, as its journal has it."""
        async with self._session.get(f"{self._peer_url}/__aimock/journal") as answer:
            entries = await answer.json()
        return tuple(entry["response"]["status"] for entry in entries)


@asynccontextmanager
async def aimock(
    program: str, folder: Path, answers: list[dict[str, object]]
) -> AsyncIterator[AIMock]:
    """Run aimock; a request that no fixture answers is an error of its own."""
    port = free_port()
    fixtures = folder / "aimock.json"
    fixtures.write_text(json.dumps({"fixtures": answers}))
    command = [program, "--port", str(port), "--fixtures", str(fixtures), "--strict"]
    log = folder / "aimock.log"
    async with server(command, port, log), aiohttp.ClientSession() as session:
        claude = AIMock(session, f"http://127.0.0.1:{port}")
        app = web.Application(client_max_size=64 * 1024 * 1024)
        app.router.add_post("/{path:.*}", claude.pass_on)
        async with serving(app) as front:
            claude.url = f"http://127.0.0.1:{front}"
            yield claude


@dataclass(frozen=True, slots=True, kw_only=True)
class Fault:
    """Something that goes wrong once, in llmock's words."""

    name: str
    behavior: dict[str, object]


FAULTS = (
    Fault(name="429", behavior={"type": "fail", "status": 429, "retry_after": 1}),
    Fault(name="503", behavior={"type": "fail", "status": 503}),
    *(
        Fault(name=kind, behavior={"type": "stream_fault", "kind": kind, "after_chunks": 2})
        for kind in ("disconnect", "truncate", "malformed")
    ),
    *(
        Fault(name=kind, behavior={"type": "tool_fault", "kind": kind})
        for kind in ("malformed_arguments", "unknown_tool")
    ),
)


class LLMock:
    """The faulty Claude."""

    def __init__(self, session: aiohttp.ClientSession, url: str) -> None:
        self._session = session
        self._url = url

    @property
    def base_url(self) -> str:
        """Where it speaks the Messages API."""
        return f"{self._url}/anthropic"

    async def begin(self, *behaviors: dict[str, object]) -> None:
        """Forget what was, and let these happen next."""
        async with self._session.post(f"{self._url}/_llmock/reset") as answer:
            answer.raise_for_status()
        body = {"behaviors": list(behaviors)}
        async with self._session.post(f"{self._url}/_llmock/scenario", json=body) as answer:
            answer.raise_for_status()

    async def findings(self) -> list[str]:
        """Ask what it found wrong with the client since ``begin``, warnings included."""
        async with self._session.get(f"{self._url}/_llmock/verdict") as answer:
            verdict = await answer.json()
        return [json.dumps(finding) for finding in verdict["findings"]]


@asynccontextmanager
async def llmock(program: str, folder: Path) -> AsyncIterator[LLMock]:
    """Run llmock; it calls tools only when told to."""
    port = free_port()
    # A pause between pieces, as a real answer has: a whole answer that is on its way before the
    # client can hang up counts as read to its end, and the retry as a question of its own.
    pause = ("--stream-chunk-delay-ms", "50")
    command = [program, "serve", "--port", str(port), "--tool-mode", "off", *pause]
    log = folder / "llmock.log"
    async with server(command, port, log), aiohttp.ClientSession() as session:
        yield LLMock(session, f"http://127.0.0.1:{port}")
