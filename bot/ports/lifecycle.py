"""The port to what is kept of a message's life."""

from __future__ import annotations

from datetime import datetime
from typing import Protocol

from bot.core.chat import (
    ButtonPress,
    ChatAddress,
    HeardChat,
    InboundMessage,
    Receipt,
    Reply,
    SessionKey,
)
from bot.core.files import OutgoingFile
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
from bot.core.messages import ContentBlock, Message, ToolResult
from bot.core.presses import KeptButton, Refusal
from bot.core.turns import Outcome, Step, TurnId


class TurnFiles(Protocol):
    """Files that the tools of a turn want sent behind its answer.

    * ``add_file`` keeps one with its open turn, in the place of an earlier one of the same name
      that the same call has sent. False when the turn has ended, or has as many as it may have.
    * ``files_of`` gives those of an open turn, in the order in which they came.
    """

    async def add_file(self, turn_id: TurnId, call_id: str, file: OutgoingFile) -> bool: ...
    async def files_of(self, turn_id: TurnId) -> tuple[OutgoingFile, ...]: ...


class Presence(Protocol):
    """Where the bot takes part, and what it knows of what was said there.

    * ``takes_part`` says whether a conversation was begun at an address: it has a turn, or waits
      for one.
    * ``heard_since`` gives conversations of a channel of which something came in since a moment,
      newest first, no more than ``limit``; ``heard_in`` those of one chat, its threads and itself.
    * ``received`` gives those of event ids that came in at an address.

    Raises:
        StoreError: It could not be read.
    """

    async def takes_part(self, session_key: SessionKey) -> bool: ...
    async def heard_since(
        self, channel: str, since: datetime, *, limit: int
    ) -> tuple[HeardChat, ...]: ...
    async def heard_in(self, address: ChatAddress, *, limit: int) -> tuple[HeardChat, ...]: ...
    async def received(
        self, address: ChatAddress, event_ids: tuple[str, ...]
    ) -> frozenset[str]: ...


class Lifecycle(TurnFiles, Presence, Protocol):
    """The verbs of a message's life, each one transaction; a call returns after its commit.

    * ``receive`` stores events and the channel's cursor together; True for each that was new. A
      chat that moved is due to be moved from then on. A message that was edited or deleted is
      changed where it stands, and with it all that was made of it
      (:func:`~bot.core.edits.meaning_of`); what changes nothing leaves no trace, and is False. An
      edit received for a turn counts as the message where that was not known.
    * ``move_chat`` gives a chat, all its threads, the id ``new_chat`` wherever it is written: its
      turns, what waits, what is to be sent, its settings, what is remembered of it and what it
      cost. What the new chat has of its own by then comes after what moves. No turn of either may
      be open. Doing it again changes nothing.
    * ``claim`` takes what waits in a chat into one new turn, the oldest first and no more than
      :func:`~bot.core.lifecycle.taken_together` says; None when nothing waits or a turn is open.
      With ``before`` it takes only what came in before that event. Of a turn that is
      ``is_off_record`` nothing is remembered beyond its chat's context, ever.
    * ``is_before`` says whether an event of a chat's channel came in before another; of what is not
      known any more it says so.
    * ``record_request`` puts what was read of the files of each claimed message behind that
      message's text in the turn's request, and gives the request; once, a second time it gives what
      is there. What a text says by then stays.
    * ``record_step`` keeps an answer of the model before its tools run, and what it cost; ``call``
      is None where that is accounted for already.
    * ``record_start`` notes, before they run, calls that must not be run twice; ``record_result``
      keeps a tool's result, the first one recorded for a call, and the ``whole`` of it where the
      result is only a part.
    * ``record_resume`` counts the processes that found a turn open and go on with it.
    * ``finish_turn`` ends the turn, closes its messages and puts its replies into the outbox. The
      turn's files are kept when it can be tried again, until it cannot; else they are gone.
    * ``finish_command`` does so for a command, ``settle`` for an event that gets no reply. Where
      the command was given by pressing a button, the first reply takes the place of the message
      that the button stands below.
    * ``button_of`` gives what is kept of the button that a press names, None where nothing is.
    * ``redeem`` makes of a press that was received the command of its button, which waits from
      then on in its place, and takes all buttons of that reply; or says why not, and the press
      waits on for ``finish_command`` or ``settle``. The same press gets the same answer.
    * ``reopen`` opens a chat's newest turn again where :func:`~bot.core.lifecycle.reopened` says
      so and nothing came after it; None else. Who remembers the chat's turns must forget them.
    * ``add_preview`` puts an unfinished answer into the outbox before its first showing, its
      messages one by one; ``finish_turn`` makes the turn's replies replace them as
      :func:`~bot.core.lifecycle.placed` says, or, where nobody knows whether one was shown, become
      it: the same item, ``sending``.
    * ``mark_sending`` stands before the platform's call, ``mark_sent`` or ``mark_failed`` after;
      ``mark_pending`` takes back a ``sending`` of which it is known that it did not arrive.
    * ``mark_failed`` puts the ``notice`` about it into the outbox and gives it; None where there is
      none, or the item was closed before.
    * ``failed`` gives what could not be delivered to a chat, oldest first, previews, notices
      about a failure and what takes a message back never; ``send_again`` opens all of it again,
      each as :func:`~bot.core.lifecycle.sent_again` says, and gives it.
    * ``unfinished`` says what an earlier process left open.
    * ``prune`` removes what was received, or put into the outbox, before a moment and is done:
      identities of events, sent replies. In many short transactions; gives how many rows.

    Raises:
        StoreError: It could not be committed; nothing of the call was kept.
    """

    async def receive(
        self, events: tuple[Received | SetAside, ...], *, cursor: Cursor | None, at: datetime
    ) -> tuple[bool, ...]: ...
    async def move_chat(self, old: ChatAddress, new_chat: str) -> None: ...
    async def cursor(self, channel: str) -> str | None: ...
    async def claim(
        self,
        session_key: SessionKey,
        *,
        at: datetime,
        before: str = "",
        is_off_record: bool = False,
    ) -> Claim | None: ...
    async def is_before(self, session_key: SessionKey, event_id: str, other: str) -> bool: ...
    async def record_request(
        self, turn_id: TurnId, brought: tuple[tuple[ContentBlock, ...], ...]
    ) -> Message: ...
    async def record_step(
        self, turn_id: TurnId, index: int, step: Step, call: ModelCall | None
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
    async def button_of(self, press: ButtonPress) -> KeptButton | None: ...
    async def redeem(self, press: ButtonPress, *, at: datetime) -> InboundMessage | Refusal: ...
    async def reopen(self, session_key: SessionKey, *, at: datetime) -> Claim | None: ...
    async def add_preview(
        self, turn_id: TurnId, reply: Reply, *, at: datetime, number: int = 0
    ) -> OutboxItem: ...
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
