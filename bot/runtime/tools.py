"""The tools the model may call, and the running of them.

The law of this file: every call gets exactly one result, whatever the tool does. A tool that
hangs, fails, cancels itself or returns nonsense harms its own result and nothing beside it.
"""

from __future__ import annotations

import asyncio
import inspect
import logging
import re
from collections.abc import Awaitable, Callable, Coroutine
from dataclasses import dataclass, replace
from difflib import get_close_matches
from typing import Literal

from bot.core.llm import ToolSpec
from bot.core.messages import ToolCall, ToolResult
from bot.core.shortening import short_result
from bot.errors import PluginError, ToolError
from bot.languages import speaking
from bot.ports import Clock, Redactor, ToolContext
from bot.runtime.border import incident_number
from bot.runtime.redaction import redact_text
from bot.runtime.tool_arguments import MAX_DESCRIPTION_CHARS, Signature, read_signature

logger = logging.getLogger(__name__)

GRACE_S = 2.0
"""How long a tool that was told to stop may tidy up before nobody waits for it any more."""

MIN_RESULT_CHARS = 200
"""The smallest result limit: below it the note of a cut would be all that is left."""

EMPTY_RESULT = "(The tool returned no text.)"

_NAME = re.compile(r"[a-z][a-z0-9_]{0,63}")
_MAX_LISTED_CHARS = 500

MAX_KEPT_BYTES = 1_000_000
"""How much of a result is kept at all, to be read on in; as UTF-8."""

_NOT_KEPT = "\n[The result goes on; no more of it is kept.]"
_LONGEST_SECRET_CHARS = 32_768
"""So much more is looked through: half a secret at the end of what is kept would not be known."""

OnResult = Callable[[ToolResult, str | None], Awaitable[None]]
"""Is given a result, and the whole of it where it is only a part."""

Ending = Literal["ok", "error", "unknown", "timeout", "failed"]
"""How a call ended; ``error`` is a word to the model, ``failed`` a fault of the tool."""


class _Exited(Exception):
    """A tool wanted to end the process."""


class _TimeUp(Exception):
    """A tool did not end within its limit; its own TimeoutError is another matter."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Tool:
    spec: ToolSpec
    owner: str
    function: Callable[..., Coroutine[object, object, object]]
    signature: Signature
    timeout_s: float
    max_chars: int
    safe_to_repeat: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class _Outcome:
    ending: Ending
    content: str
    error: Exception | None = None
    whole: str | None = None


class ToolRegistry:
    """Holds the tools by name and runs the calls of one step side by side.

    With a ``redactor``, secrets are taken out of what tools say before anybody sees it.
    """

    def __init__(self, clock: Clock, redactor: Redactor | None = None) -> None:
        self._clock = clock
        self._redactor = redactor
        self._tools: dict[str, _Tool] = {}
        self._specs: tuple[ToolSpec, ...] = ()
        self._stopping: set[asyncio.Task[object]] = set()

    def register(
        self,
        function: Callable[..., object],
        *,
        owner: str,
        timeout_s: float = 60.0,
        max_chars: int = 50_000,
        safe_to_repeat: bool = False,
    ) -> ToolSpec:
        """Offer an async function to the model under its own name, described by its docstring.

        Raises:
            PluginError: It cannot be offered; the text says why.
        """
        name = getattr(function, "__name__", "")
        if not _NAME.fullmatch(name):
            raise PluginError(f"{name!r} is no name for a tool: a-z, 0-9 and _, at most 64")
        if name in self._tools:
            other = self._tools[name].owner
            raise PluginError(f"tool {name!r} is already registered by plugin {other!r}")
        if not inspect.iscoroutinefunction(function):
            raise PluginError(f"tool {name!r} must be an async function")
        if timeout_s <= 0 or max_chars < MIN_RESULT_CHARS:
            raise PluginError(f"tool {name!r}: its limits are too small")
        description = inspect.getdoc(function) or ""
        if not 1 <= len(description) <= MAX_DESCRIPTION_CHARS:
            raise PluginError(
                f"tool {name!r} needs a docstring of 1 to {MAX_DESCRIPTION_CHARS} characters"
            )
        try:
            signature = read_signature(function)
        except PluginError as error:
            raise PluginError(f"tool {name!r}: {error}") from error
        self._tools[name] = _Tool(
            spec=ToolSpec(name=name, description=description, schema=signature.schema),
            owner=owner,
            function=function,
            signature=signature,
            timeout_s=timeout_s,
            max_chars=max_chars,
            safe_to_repeat=safe_to_repeat,
        )
        self._sort_specs()
        return self._tools[name].spec

    def remove(self, owner: str) -> None:
        """Take back every tool that ``owner`` registered."""
        self._tools = {name: tool for name, tool in self._tools.items() if tool.owner != owner}
        self._sort_specs()

    def specs(self) -> tuple[ToolSpec, ...]:
        """Give all tools by name: the same bytes in every request, for the prompt cache."""
        return self._specs

    def names(self) -> frozenset[str]:
        """Give the names of all tools."""
        return frozenset(self._tools)

    def is_safe_to_repeat(self, name: str) -> bool:
        """Tell whether a call whose result was lost may run again; not so if nobody knows it."""
        return name in self._tools and self._tools[name].safe_to_repeat

    async def run(
        self,
        calls: tuple[ToolCall, ...],
        context: ToolContext,
        on_result: OnResult,
    ) -> tuple[ToolResult, ...]:
        """Run the calls side by side and give their results in the order of the calls.

        Each tool is given ``context`` with the id of its own call. ``on_result`` is awaited as
        each result comes, with the whole of one that is only a part; if it fails, the other calls
        are cancelled and its error passes.
        """

        async def run_one(call: ToolCall) -> ToolResult:
            result, whole = await self._run_one(call, replace(context, call_id=call.id))
            await on_result(result, whole)
            return result

        try:
            async with asyncio.TaskGroup() as group:
                tasks = [group.create_task(run_one(call)) for call in calls]
        except BaseExceptionGroup as failures:
            # Only ``on_result`` can fail here; whoever records a step expects its plain error.
            raise failures.exceptions[0] from None
        return tuple(task.result() for task in tasks)

    async def _run_one(self, call: ToolCall, context: ToolContext) -> tuple[ToolResult, str | None]:
        started = self._clock.monotonic()
        outcome = await self._outcome(call, context)
        logger.log(
            logging.ERROR if outcome.error else logging.INFO,
            "tool.finished",
            exc_info=outcome.error,
            extra={
                "session": context.session_key,
                "tool": call.name[:64],
                "ms": round((self._clock.monotonic() - started) * 1000),
                "outcome": outcome.ending,
                "chars": len(outcome.content),
            },
        )
        is_error = outcome.ending != "ok"
        result = ToolResult(call_id=call.id, content=outcome.content, is_error=is_error)
        return result, outcome.whole

    async def _outcome(self, call: ToolCall, context: ToolContext) -> _Outcome:
        tool = self._tools.get(call.name)
        if tool is None:
            return _Outcome(ending="unknown", content=await self._clean(self._nearest(call.name)))
        try:
            text = await self._call(tool, call, context)
        except ToolError as error:
            return await self._shown("error", str(error), tool, call)
        except _TimeUp:
            limit = f"{call.name} did not finish within {tool.timeout_s:g} s and was stopped."
            return _Outcome(ending="timeout", content=limit)
        except Exception as error:  # noqa: BLE001 - border: one tool call
            incident = incident_number(self._clock)
            content = f"{call.name} failed for a technical reason (incident {incident})."
            return _Outcome(ending="failed", content=content, error=error)
        return await self._shown("ok", text or EMPTY_RESULT, tool, call)

    async def _shown(self, ending: Ending, text: str, tool: _Tool, call: ToolCall) -> _Outcome:
        """Give what the model is shown, and the whole where that is only a part."""
        text = await self._clean(text)
        content = short_result(text, tool.max_chars, call.id)
        whole = None if content is text else text
        return _Outcome(ending=ending, content=content, whole=whole)

    async def _clean(self, text: str) -> str:
        """Bound a text, and take out what cannot be encoded and what is secret.

        Half a surrogate pair could be neither stored nor sent.
        """
        text = text[: MAX_KEPT_BYTES + _LONGEST_SECRET_CHARS].encode(errors="replace").decode()
        if self._redactor is not None:
            text = await redact_text(text, self._redactor)
        return _kept(text)

    async def _call(self, tool: _Tool, call: ToolCall, context: ToolContext) -> str:
        arguments = tool.signature.parse(call.arguments)
        if tool.signature.context_name is not None:
            arguments[tool.signature.context_name] = context
        text = await self._limited(tool.function(**arguments), tool.timeout_s)
        if not isinstance(text, str):
            raise TypeError(f"tool {call.name!r} returned {type(text).__name__}, not str")
        return text

    async def _limited(self, work: Coroutine[object, object, object], timeout_s: float) -> object:
        """Race ``work`` against the clock, in a task of its own so that it can be left behind."""
        with speaking("en"):  # the model reads it, in whatever language people are answered
            task = asyncio.create_task(_without_exit(work))
        alarm = asyncio.create_task(self._clock.sleep(timeout_s))
        try:
            await asyncio.wait({task, alarm}, return_when=asyncio.FIRST_COMPLETED)
            if not task.done():
                raise _TimeUp
        finally:
            alarm.cancel()
            if not task.done():
                await self._stop(task)
        if task.cancelled():  # by itself: nobody else cancelled, or we would not be here
            raise RuntimeError("the tool cancelled itself")
        return task.result()

    async def _stop(self, task: asyncio.Task[object]) -> None:
        """Cancel a task and wait a little; one that will not end is left to itself."""
        self._stopping.add(task)  # the loop keeps only weak references
        task.add_done_callback(self._forget)
        task.cancel()
        alarm = asyncio.create_task(self._clock.sleep(GRACE_S))
        try:
            await asyncio.wait({task, alarm}, return_when=asyncio.FIRST_COMPLETED)
        finally:
            alarm.cancel()

    def _forget(self, task: asyncio.Task[object]) -> None:
        self._stopping.discard(task)
        if not task.cancelled() and (error := task.exception()) is not None:
            logger.warning("tool.failed_while_stopping", exc_info=error)

    def _sort_specs(self) -> None:
        self._specs = tuple(tool.spec for _, tool in sorted(self._tools.items()))

    def _nearest(self, name: str) -> str:
        near = get_close_matches(name, self._tools, n=1)
        hint = f"Did you mean {near[0]}?" if near else f"There are: {', '.join(self._tools)}."
        return f"There is no tool named {name[:64]}. {hint[:_MAX_LISTED_CHARS]}"


def _kept(text: str) -> str:
    written = text.encode()
    if len(written) <= MAX_KEPT_BYTES:
        return text
    room = MAX_KEPT_BYTES - len(_NOT_KEPT)
    return written[:room].decode(errors="ignore") + _NOT_KEPT


async def _without_exit(work: Coroutine[object, object, object]) -> object:
    """Keep ``sys.exit()`` in a tool from ending the process, as asyncio lets it."""
    try:
        return await work
    except SystemExit as error:
        raise _Exited("the tool called sys.exit()") from error
