"""The port through which a plugin reaches the bot."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from datetime import tzinfo
from typing import Protocol, TypeVar, overload

from bot.core.chat import ChatKind, InboundMessage, Sender, SessionKey
from bot.core.tasks import TaskState
from bot.ports.world import Clock, Fetcher


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolContext:
    """On whose behalf a tool runs; a tool that wants it names a parameter of this type."""

    session_key: SessionKey
    kind: ChatKind
    sender: Sender
    call_id: str


@dataclass(frozen=True, slots=True, kw_only=True)
class CommandContext:
    """A command as it was given; ``arguments`` is what stands behind its name, stripped."""

    arguments: str
    message: InboundMessage
    is_admin: bool


Tool = TypeVar("Tool", bound=Callable[..., Awaitable[str]])


CommandHandler = Callable[[CommandContext], Awaitable[str]]


class ChatRecords(Protocol):
    """What a tool may see and note of the very chat it runs in, and of no other.

    ``tool_output`` gives the whole result of a call of this chat, None when there is none;
    ``task`` and ``note_task`` the state of its task.
    """

    async def tool_output(self, context: ToolContext, call_id: str) -> str | None: ...
    async def task(self, context: ToolContext) -> TaskState | None: ...
    async def note_task(self, context: ToolContext, task: TaskState | None) -> None: ...


class PluginAPI(Protocol):
    """All that a plugin can reach.

    ``tool`` offers an async function to the model: its name, docstring, annotations and defaults
    are the specification. ``safe_to_repeat`` says that running it twice does no harm, so that a
    turn cut by a crash may run it again. ``command`` offers ``/name`` to people; the handler's
    answer is CommonMark.
    """

    @property
    def clock(self) -> Clock: ...
    @property
    def timezone(self) -> tzinfo: ...
    @property
    def http(self) -> Fetcher: ...
    @property
    def chat(self) -> ChatRecords: ...

    @overload
    def tool(self, function: Tool, /) -> Tool: ...
    @overload
    def tool(
        self,
        *,
        timeout_s: float = 60.0,
        max_chars: int = 50_000,
        safe_to_repeat: bool = False,
    ) -> Callable[[Tool], Tool]: ...
    def command(
        self, name: str, description: str
    ) -> Callable[[CommandHandler], CommandHandler]: ...
