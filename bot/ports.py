"""What the inside asks of the outside, each port as narrow as its user needs.

An adapter, a channel or a fake of ``bot.testing`` fills each of these. The docstring of a class is
its contract; the kits in ``bot.testing`` check it.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from datetime import datetime, tzinfo
from typing import Protocol, TypeVar, overload

from bot.core.access import Grant as Grant
from bot.core.chat import (
    Capabilities,
    ChatAddress,
    ChatKind,
    Inbound,
    InboundMessage,
    PersonKey,
    Receipt,
    Reply,
    Sender,
    SessionKey,
)
from bot.core.lifecycle import (
    Claim,
    Cursor,
    ModelCall,
    OutboxId,
    OutboxItem,
    Received,
    SetAside,
    Unfinished,
)
from bot.core.llm import Delta, ModelRequest, ModelResponse
from bot.core.messages import ToolResult
from bot.core.turns import Conversation, Outcome, Step, TurnId


class Clock(Protocol):
    """Time. ``now`` is zone-aware UTC, ``monotonic`` seconds for measuring.

    Nothing else in the product asks for the time or waits for it to pass.
    """

    def now(self) -> datetime: ...
    def monotonic(self) -> float: ...
    async def sleep(self, seconds: float) -> None: ...


class ModelClient(Protocol):
    """A language model.

    ``ask`` calls ``on_delta`` for each piece as it arrives and returns the whole answer.
    The first ``ask`` may load what takes long, beside the event loop.

    Raises:
        ModelError: One class a kind of failure (see :mod:`bot.errors`); never a vendor's own. A
            stream that stops without saying why is :class:`~bot.errors.ModelStreamCut`.
    """

    async def ask(
        self, request: ModelRequest, on_delta: Callable[[Delta], None]
    ) -> ModelResponse: ...
    async def close(self) -> None: ...


class Lifecycle(Protocol):
    """The verbs of a message's life, each one transaction; a call returns after its commit.

    * ``receive`` stores events and the channel's cursor together; True for each that was new.
    * ``claim`` takes what waits in a chat into one new turn, the oldest first and no more than
      :func:`~bot.core.lifecycle.taken_together` says; None when nothing waits or a turn is open.
      With ``before`` it takes only what came in before that event.
    * ``record_step`` keeps an answer of the model before its tools run, and what it cost.
    * ``record_start`` notes, before they run, calls that must not be run twice; ``record_result``
      keeps a tool's result, the first one recorded for a call.
    * ``record_resume`` counts the processes that found a turn open and go on with it.
    * ``finish_turn`` ends the turn, closes its messages and puts its replies into the outbox.
    * ``finish_command`` does so for a command, ``settle`` for an event that gets no reply.
    * ``reopen`` opens a chat's newest turn again where :func:`~bot.core.lifecycle.reopened` says
      so and nothing came after it; None else. Who remembers the chat's turns must forget them.
    * ``add_preview`` puts an unfinished answer into the outbox before its first showing;
      ``finish_turn`` makes the first reply of that turn replace it, or, when nobody knows whether
      it was shown, become it: the same item, ``sending``.
    * ``mark_sending`` stands before the platform's call, ``mark_sent`` or ``mark_failed`` after;
      ``mark_pending`` takes back a ``sending`` of which it is known that it did not arrive.
    * ``mark_failed`` puts the ``notice`` about it into the outbox and gives it; None where there is
      none, or the item was closed before.
    * ``failed`` gives what could not be delivered to a chat, oldest first, previews and notices
      about a failure never; ``send_again`` opens all of it again, each as
      :func:`~bot.core.lifecycle.sent_again` says, and gives it.
    * ``unfinished`` says what an earlier process left open.
    * ``prune`` removes what was received, or put into the outbox, before a moment and is done:
      identities of events, sent replies. In many short transactions; gives how many rows.

    Raises:
        StoreError: It could not be committed; nothing of the call was kept.
    """

    async def receive(
        self, events: tuple[Received | SetAside, ...], *, cursor: Cursor | None, at: datetime
    ) -> tuple[bool, ...]: ...
    async def cursor(self, channel: str) -> str | None: ...
    async def claim(
        self, session_key: SessionKey, *, at: datetime, before: str = ""
    ) -> Claim | None: ...
    async def record_step(
        self, turn_id: TurnId, index: int, step: Step, call: ModelCall
    ) -> None: ...
    async def record_start(
        self, turn_id: TurnId, index: int, call_ids: tuple[str, ...]
    ) -> None: ...
    async def record_result(self, turn_id: TurnId, index: int, result: ToolResult) -> None: ...
    async def record_resume(self, turn_id: TurnId) -> int: ...
    async def finish_turn(
        self, turn_id: TurnId, outcome: Outcome, replies: tuple[Reply, ...], *, at: datetime
    ) -> tuple[OutboxItem, ...]: ...
    async def finish_command(
        self, channel: str, event_id: str, replies: tuple[Reply, ...], *, at: datetime
    ) -> tuple[OutboxItem, ...]: ...
    async def settle(self, channel: str, event_id: str, *, at: datetime) -> None: ...
    async def reopen(self, session_key: SessionKey, *, at: datetime) -> Claim | None: ...
    async def add_preview(self, turn_id: TurnId, reply: Reply, *, at: datetime) -> OutboxItem: ...
    async def mark_sending(self, item: OutboxId, *, at: datetime) -> None: ...
    async def mark_pending(self, item: OutboxId) -> None: ...
    async def mark_sent(self, item: OutboxId, receipt: Receipt, *, at: datetime) -> None: ...
    async def mark_failed(
        self, item: OutboxId, reason: str, *, at: datetime, notice: Reply | None = None
    ) -> OutboxItem | None: ...
    async def failed(self, session_key: SessionKey) -> tuple[OutboxItem, ...]: ...
    async def send_again(
        self, session_key: SessionKey, *, at: datetime
    ) -> tuple[OutboxItem, ...]: ...
    async def unfinished(self) -> Unfinished: ...
    async def prune(self, before: datetime) -> int: ...


class Conversations(Protocol):
    """What a chat remembers of itself.

    ``load`` gives the ended turns of the current generation from the kept one on, oldest first.
    ``keep_from`` moves the beginning of the window forward, ``begin_generation`` clears: no
    earlier turn is ever loaded again. Ended turns stay in the store.
    """

    async def load(self, session_key: SessionKey) -> Conversation: ...
    async def keep_from(self, session_key: SessionKey, turn_id: TurnId) -> None: ...
    async def begin_generation(self, session_key: SessionKey, *, at: datetime) -> int: ...


class People(Protocol):
    """Who was let in by a claim or an admin, besides those the configuration names.

    ``claim_ownership`` makes a person the owner unless there is one; False then. All changes are
    audited with who made them.
    """

    async def grants(self) -> dict[PersonKey, Grant]: ...
    async def claim_ownership(self, sender: Sender, *, at: datetime) -> bool: ...


class Inbox(Protocol):
    """What a channel hands its events to.

    ``receive`` returns after the commit: only then may the platform be told. While the store
    fails it waits, so that nothing is lost that no platform would send again. ``receiving`` says
    that the channel gets events from now on, ``failing`` that it gets none and why; each may be
    said again. ``settled`` waits until everything received so far in a chat is answered and
    delivered.

    Raises:
        StoreError: By ``receive``: it was not stored, and never will be.
    """

    async def cursor(self) -> str | None: ...
    async def receive(
        self, events: tuple[Inbound | SetAside, ...], *, cursor: str | None = None
    ) -> None: ...
    def receiving(self) -> None: ...
    def failing(self, reason: str) -> None: ...
    async def settled(self, address: ChatAddress) -> None: ...


class Channel(Protocol):
    """One chat platform.

    * ``run`` receives until cancelled, reconnecting for ever; it returns when the platform has
      nothing more to say (a closed terminal).
    * ``split`` cuts CommonMark into platform messages, losing nothing (pure); each has room for a
      remark of 100 characters behind it.
    * ``send`` delivers one platform message; ``edit`` changes one that was sent.
    * ``find_sent`` looks for a reply whose sending broke off, by its key: its receipt, or None
      when it surely did not arrive. Only channels whose capabilities say so can.
    * ``show_draft`` shows an unfinished answer without leaving a message, ``show_typing`` that one
      is being written; both may be lost without harm.

    All of these but ``run`` and ``split`` raise :class:`~bot.errors.DeliveryError` (can it be
    retried, and when?), ``send`` also :class:`~bot.errors.FateUnknown`; each of them, and ``run``,
    raises :class:`~bot.errors.ChannelAuthError` when the token is refused. The token appears in no
    log and no ``repr``.
    """

    @property
    def name(self) -> str: ...
    @property
    def capabilities(self) -> Capabilities: ...
    async def run(self, inbox: Inbox) -> None: ...
    def split(self, text: str) -> tuple[str, ...]: ...
    async def send(self, reply: Reply) -> Receipt: ...
    async def edit(self, receipt: Receipt, reply: Reply) -> None: ...
    async def find_sent(self, reply: Reply) -> Receipt | None: ...
    async def show_draft(self, address: ChatAddress, draft_id: int, text: str) -> None: ...
    async def show_typing(self, address: ChatAddress) -> None: ...
    async def close(self) -> None: ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Page:
    """A fetched page: ``url`` after all redirects, ``body`` decoded as the page itself says."""

    url: str
    content_type: str
    body: str
    is_cut: bool


class Fetcher(Protocol):
    """GET from the public web only.

    Addresses that are private, loopback, link-local or otherwise not public are refused, after
    resolving and again after each redirect.

    Raises:
        ToolError: The page cannot be had; the text says why.
    """

    async def get(self, url: str, *, max_bytes: int, timeout_s: float) -> Page: ...


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
