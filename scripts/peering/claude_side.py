"""Claude by aimock (a scripted conversation) and by llmock (faults, a verdict on the client)."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

import aiohttp

from scripts.peering.processes import free_port, server
from scripts.peering.talk import ANSWERS

_OVERLOADED = {"status": 529, "body": {"message": "Overloaded", "type": "overloaded_error"}}


class AIMock:
    """The scripted Claude."""

    def __init__(self, session: aiohttp.ClientSession, url: str) -> None:
        self._session = session
        self.url = url

    async def overload(self) -> None:
        """Refuse the next request as overloaded."""
        async with self._session.post(f"{self.url}/__aimock/error", json=_OVERLOADED) as answer:
            answer.raise_for_status()

    async def statuses(self) -> tuple[int, ...]:
        """Give the status of each answer so far, as its journal has it."""
        async with self._session.get(f"{self.url}/__aimock/journal") as answer:
            entries = await answer.json()
        return tuple(entry["response"]["status"] for entry in entries)


@asynccontextmanager
async def aimock(program: str, folder: Path) -> AsyncIterator[AIMock]:
    """Run aimock; a request that no fixture answers is an error of its own."""
    port = free_port()
    fixtures = folder / "aimock.json"
    fixtures.write_text(json.dumps(ANSWERS))
    command = [program, "--port", str(port), "--fixtures", str(fixtures), "--strict"]
    log = folder / "aimock.log"
    async with server(command, port, log), aiohttp.ClientSession() as session:
        yield AIMock(session, f"http://127.0.0.1:{port}")


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
    command = [program, "serve", "--port", str(port), "--tool-mode", "off"]
    log = folder / "llmock.log"
    async with server(command, port, log), aiohttp.ClientSession() as session:
        yield LLMock(session, f"http://127.0.0.1:{port}")
