"""A model whose answers are written down beforehand."""

from __future__ import annotations

import asyncio
import json
import re
from collections import deque
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from itertools import pairwise

from bot.adapters.demo_model import estimated_usage
from bot.core.llm import (
    Delta,
    ModelRequest,
    ModelResponse,
    StopReason,
    TextDelta,
    ThinkingDelta,
    Usage,
)
from bot.core.messages import ContentBlock, Message, Text, Thinking, ToolCall
from bot.core.turns import pairing_faults
from bot.errors import ModelStreamCut

MAX_CACHE_MARKS = 3

_PIECE = re.compile(r"\S*\s+|\S+")


@dataclass(frozen=True, slots=True, kw_only=True)
class BreaksOff:
    """An answer of which only ``text`` is seen before it fails."""

    text: str
    error: Exception


Answer = str | ModelResponse | BreaksOff | Exception
"""A text; a whole answer (see :func:`answer`); or a failure, at once or in the middle."""

Script = Answer | Callable[[ModelRequest], Answer]


def answer(*blocks: ContentBlock, stop: StopReason | None = None) -> ModelResponse:
    """Write an answer of these blocks; without ``stop`` its calls decide why it stopped."""
    message = Message(role="assistant", blocks=blocks)
    reason = stop or ("tool_use" if message.tool_calls else "end_turn")
    return ModelResponse(message=message, stop=reason, usage=Usage(), model="scripted")


def calling(name: str, /, *, call_id: str = "call_1", **arguments: object) -> ModelResponse:
    """Write an answer that calls one tool."""
    text = json.dumps(arguments, sort_keys=True)
    return answer(ToolCall(id=call_id, name=name, arguments=text))


class ScriptedModel:
    """A :class:`~bot.ports.ModelClient` for tests.

    It refuses what a vendor would refuse, by an AssertionError that is kept in ``refused`` as
    well, since a border may have caught it. An answer without usage is given an estimate.

    Attributes:
        requests: All that was asked, refused requests included.
        refused: What was wrong with those that were refused.
        is_closed: Whether it was closed.
    """

    def __init__(self, answers: Iterable[Script] | Callable[[ModelRequest], Answer] = ()) -> None:
        """Take the answers in order, or one function that answers everything."""
        if isinstance(answers, str):
            raise TypeError("answers is one text; give a list of answers")
        self.requests: list[ModelRequest] = []
        self.refused: list[str] = []
        self.is_closed = False
        self._always = answers if callable(answers) else None
        self._script: deque[Script] = deque(() if callable(answers) else answers)
        self._may_go_on = asyncio.Event()
        self._may_go_on.set()
        self._is_held = asyncio.Event()

    def then(self, *answers: Script) -> None:
        """Add answers behind those that are left."""
        self._script.extend(answers)

    def hold(self) -> None:
        """Let every answer stand still behind its first piece, until :meth:`release`.

        Said again, it lets :meth:`held` wait for the next one.
        """
        self._is_held.clear()
        self._may_go_on.clear()

    def release(self) -> None:
        """Let answers go on."""
        self._is_held.clear()
        self._may_go_on.set()

    async def held(self) -> None:
        """Wait until an answer stands still."""
        await self._is_held.wait()

    async def ask(self, request: ModelRequest, on_delta: Callable[[Delta], None]) -> ModelResponse:
        """Give the next answer."""
        self.requests.append(request)
        if faults := request_faults(request):
            self.refused.extend(faults)
            raise AssertionError(f"a vendor would refuse this request: {faults}")
        match self._next(request):
            case str() as text:
                response = answer(Text(text=text))
            case ModelResponse() as response:
                pass
            case BreaksOff(text=text, error=error):
                await self._stream(answer(Text(text=text)).message, on_delta)
                raise error
            case Exception() as error:
                await self._stand_still()
                raise error
        await self._stream(response.message, on_delta)
        if response.usage != Usage():
            return response
        return replace(response, usage=estimated_usage(request, response.message))

    async def close(self) -> None:
        """Note that it was closed."""
        self.is_closed = True

    def _next(self, request: ModelRequest) -> Answer:
        if self._script:
            script = self._script.popleft()
            return script(request) if callable(script) else script
        if self._always is None:
            raise AssertionError(f"asked {len(self.requests)} times, answers for fewer")
        return self._always(request)

    async def _stream(self, message: Message, on_delta: Callable[[Delta], None]) -> None:
        deltas = _deltas(message)
        for delta in deltas[:1]:
            on_delta(delta)
        await self._stand_still()
        for delta in deltas[1:]:
            on_delta(delta)
            await asyncio.sleep(0)

    async def _stand_still(self) -> None:
        if not self._may_go_on.is_set():
            self._is_held.set()
        await self._may_go_on.wait()


def cut_stream(text: str = "") -> BreaksOff:
    """Write an answer that breaks off after ``text``."""
    return BreaksOff(text=text, error=ModelStreamCut())


def request_faults(request: ModelRequest) -> tuple[str, ...]:
    """Say what a vendor would refuse about a request; empty when nothing."""
    faults = list(pairing_faults(request.messages))
    if not request.messages:
        faults.append("no messages")
    roles = [message.role for message in request.messages]
    if any(before == after for before, after in pairwise(roles)):
        faults.append(f"roles do not alternate: {roles}")
    for number, message in enumerate(request.messages):
        if any(isinstance(b, Text) and not b.text.strip() for b in message.blocks):
            faults.append(f"message {number} holds an empty text")
    marks = request.cache_marks
    if len(marks) > MAX_CACHE_MARKS:
        faults.append(f"{len(marks)} cache marks")
    for mark in marks:
        if not _exists(request, mark.message, mark.block):
            faults.append(f"{mark} marks nothing")
    if request.max_tokens < 1:
        faults.append(f"max_tokens is {request.max_tokens}")
    return tuple(faults)


def _exists(request: ModelRequest, message: int, block: int) -> bool:
    messages = request.messages
    return 0 <= message < len(messages) and 0 <= block < len(messages[message].blocks)


def _deltas(message: Message) -> tuple[Delta, ...]:
    deltas: list[Delta] = []
    for block in message.blocks:
        if isinstance(block, Text):
            deltas += [TextDelta(text=piece) for piece in _PIECE.findall(block.text)]
        elif isinstance(block, Thinking) and not block.is_redacted:
            deltas.append(ThinkingDelta(text=block.text))
    return tuple(deltas)
