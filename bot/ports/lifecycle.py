"""The port to what is kept of a message's life."""

from __future__ import annotations

from datetime import datetime
from typing import Protocol

from bot.core.chat import Receipt, Reply, SessionKey
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
from bot.core.messages import ToolResult
from bot.core.turns import Outcome, Step, TurnId


class Lifecycle(Protocol):
    """The verbs of a message's life, each one transaction; a call returns after its commit.

    * ``receive`` stores events and the channel's cursor together; True for each that was new.
    * ``claim`` takes what waits in a chat into one new turn, the oldest first and no more than
      :func:`~bot.core.lifecycle.taken_together` says; None when nothing waits or a turn is open.
      With ``before`` it takes only what came in before that event.
    * ``record_step`` keeps an answer of the model before its tools run, and what it cost.
    * ``record_start`` notes, before they run, calls that must not be run twice; ``record_result``
      keeps a tool's result, the first one recorded for a call, and the ``whole`` of it where the
      result is only a part.
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
    async def record_result(
        self, turn_id: TurnId, index: int, result: ToolResult, *, whole: str | None = None
    ) -> None: ...
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
