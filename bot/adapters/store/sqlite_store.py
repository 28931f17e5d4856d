"""The store on one SQLite file."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from functools import partial
from pathlib import Path
from typing import Concatenate

from bot.adapters.store import (
    buttons,
    files,
    inbox,
    lifecycle,
    moving,
    outbox,
    presence,
    pruning,
    turns,
)
from bot.adapters.store.backlog_verbs import BacklogVerbs
from bot.adapters.store.database import DatabaseThread
from bot.adapters.store.episode_verbs import EpisodeVerbs
from bot.adapters.store.facts_verbs import FactsVerbs
from bot.adapters.store.forgetting_verbs import ForgettingVerbs
from bot.adapters.store.former import drop_all, drop_old
from bot.adapters.store.items_verbs import ItemVerbs
from bot.adapters.store.memory_verbs import MemoryVerbs
from bot.adapters.store.opening import open_database
from bot.adapters.store.people_verbs import PeopleVerbs
from bot.adapters.store.personal_verbs import PersonalVerbs
from bot.adapters.store.reminder_verbs import ReminderVerbs
from bot.adapters.store.schema import Tables, make_tables
from bot.adapters.store.usage_verbs import UsageVerbs
from bot.adapters.store.verbs import Asked, Value
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
from bot.errors import StoreError, StoreUnreadable

Tell = Callable[[StoreError | None], None]
"""Is told how the store's work goes."""


class SqliteStore(
    MemoryVerbs,
    PeopleVerbs,
    EpisodeVerbs,
    PersonalVerbs,
    ItemVerbs,
    FactsVerbs,
    ForgettingVerbs,
    UsageVerbs,
    BacklogVerbs,
    ReminderVerbs,
):
    """Fills the ports of what is kept, those of ``MemoryVerbs`` and ``PeopleVerbs`` among them.

    Each verb but ``prune`` is one transaction.

    A mistake of the caller (no such turn, a turn that has ended) is a ``ValueError`` and changes
    nothing.
    """

    def __init__(
        self, tables: Tables, thread: DatabaseThread, tell: Tell = lambda error: None
    ) -> None:
        super().__init__()
        self._tables = tables
        self._thread = thread
        self._tell = tell

    @classmethod
    def open(
        cls, path: Path, *, inline: bool = False, tell: Tell = lambda error: None
    ) -> SqliteStore:
        """Open or create the database file at ``path``; needs no running event loop.

        With ``inline`` every verb is carried out at once in the thread of its caller, so that a
        run can be repeated step by step. ``tell`` is called with each failure, and with None after
        each write that succeeded.

        Raises:
            DataError: The file cannot be used; the text names it and the mend.
        """
        db = open_database(path)
        return cls(make_tables(db), DatabaseThread(db, inline=inline), tell)

    async def close(self) -> None:
        """Carry out what was asked so far, then close the file."""
        await self._thread.close()

    async def receive(
        self, events: tuple[Received | SetAside, ...], *, cursor: Cursor | None, at: datetime
    ) -> tuple[bool, ...]:
        """Store events and the cursor behind them; True for each that was new and meant something.

        Only messages and presses wait. A message that was changed or taken back is changed where
        it stands, and all that was made of it with it; other events are closed at once.
        """
        return await self._call(lifecycle.receive, events, cursor, at)

    async def move_chat(self, old: ChatAddress, new_chat: str) -> None:
        """Give a chat another id, wherever it is written."""
        await self._call(moving.move_chat, old, new_chat)

    async def cursor(self, channel: str) -> str | None:
        """Say how far a channel has read, None when it never did."""
        return await self._read(inbox.cursor, channel)

    async def takes_part(self, session_key: SessionKey) -> bool:
        """Say whether a conversation has a turn, or waits for its first."""
        return await self._read(presence.takes_part, session_key)

    async def heard_since(
        self, channel: str, since: datetime, *, limit: int
    ) -> tuple[HeardChat, ...]:
        """Give conversations of which something came in since a moment, newest first."""
        return await self._read(presence.heard_since, channel, since, limit)

    async def heard_in(self, address: ChatAddress, *, limit: int) -> tuple[HeardChat, ...]:
        """Give the conversations of a chat, newest first."""
        return await self._read(presence.heard_in, address, limit)

    async def received(self, address: ChatAddress, event_ids: tuple[str, ...]) -> frozenset[str]:
        """Give those of event ids that came in at an address."""
        return await self._read(presence.received, address, event_ids)

    async def claim(
        self,
        session_key: SessionKey,
        *,
        at: datetime,
        before: str = "",
        is_off_record: bool = False,
    ) -> Claim | None:
        """Take what waits into a new turn; None also while a turn of the chat is open."""
        return await self._call(
            lifecycle.claim, session_key, at, before, is_off_record=is_off_record
        )

    async def is_before(self, session_key: SessionKey, event_id: str, other: str) -> bool:
        """Say whether an event came in before another; so it did before one that is not known."""
        return await self._read(inbox.is_before, session_key, event_id, other)

    async def record_request(
        self, turn_id: TurnId, brought: tuple[tuple[ContentBlock, ...], ...]
    ) -> Message:
        """Put what each message's files brought behind its text; a second time nothing happens."""
        return await self._call(lifecycle.record_request, turn_id, brought)

    async def record_step(
        self, turn_id: TurnId, index: int, step: Step, call: ModelCall | None
    ) -> None:
        """Keep step number ``index``, counted from 0, and what it cost if nobody did yet."""
        await self._call(turns.record_step, turn_id, index, step, call)

    async def record_start(self, turn_id: TurnId, index: int, call_ids: tuple[str, ...]) -> None:
        """Note calls of a step that are about to run and must not run twice."""
        await self._call(turns.record_start, turn_id, index, call_ids)

    async def record_result(
        self, turn_id: TurnId, index: int, result: ToolResult, *, whole: str | None = None
    ) -> None:
        """Keep a tool's result, and the whole of it; the first one of a call stays."""
        await self._call(turns.record_result, turn_id, index, result, whole)

    async def record_resume(self, turn_id: TurnId) -> int:
        """Count one more process that goes on with an open turn, and give the count."""
        return await self._call(turns.record_resume, turn_id)

    async def finish_turn(
        self, turn_id: TurnId, outcome: Outcome, replies: tuple[Reply, ...], *, at: datetime
    ) -> tuple[OutboxItem, ...]:
        """End a turn with its replies; a second time nothing happens."""
        return await self._call(lifecycle.finish_turn, turn_id, outcome, replies, at)

    async def finish_command(
        self, channel: str, event_id: str, replies: tuple[Reply, ...], *, at: datetime
    ) -> tuple[OutboxItem, ...]:
        """Answer an event that waits; a second time nothing happens."""
        return await self._call(lifecycle.finish_command, channel, event_id, replies, at)

    async def settle(self, channel: str, event_id: str, *, at: datetime) -> None:
        """Close an event that gets no reply."""
        await self._call(lifecycle.finish_command, channel, event_id, (), at)

    async def button_of(self, press: ButtonPress) -> KeptButton | None:
        """Give what is kept of the button that a press names."""
        return await self._read(buttons.button_of, press)

    async def redeem(self, press: ButtonPress, *, at: datetime) -> InboundMessage | Refusal:
        """Make of a press the command that its button stands for, or say why not."""
        return await self._call(buttons.redeem, press, at)

    async def add_file(self, turn_id: TurnId, call_id: str, file: OutgoingFile) -> bool:
        """Keep a file that is to be sent behind the answer of an open turn."""
        return await self._call(files.add_file, turn_id, call_id, file)

    async def files_of(self, turn_id: TurnId) -> tuple[OutgoingFile, ...]:
        """Give the files that are to be sent behind the answer of a turn."""
        return await self._read(files.files_of, turn_id)

    async def reopen(self, session_key: SessionKey, *, at: datetime) -> Claim | None:
        """Open the newest turn again when it failed, or its answer was empty."""
        return await self._call(lifecycle.reopen, session_key, at)

    async def add_preview(
        self, turn_id: TurnId, reply: Reply, *, at: datetime, number: int = 0
    ) -> OutboxItem:
        """Put an unfinished answer into the outbox; what the turn has of it is given again."""
        return await self._call(lifecycle.add_preview, turn_id, reply, at, number)

    async def mark_sending(self, item: OutboxId, *, at: datetime) -> None:
        """Note that the platform is about to be called."""
        await self._call(outbox.mark_sending, item, at)

    async def mark_pending(self, item: OutboxId) -> None:
        """Note that what was being sent did not arrive."""
        await self._call(outbox.mark_pending, item)

    async def mark_sent(self, item: OutboxId, receipt: Receipt, *, at: datetime) -> None:
        """Note that the platform has it, and forget the text."""
        await self._call(outbox.mark_sent, item, receipt, at)

    async def mark_failed(
        self, item: OutboxId, reason: str, *, at: datetime, notice: Reply | None = None
    ) -> OutboxItem | None:
        """Note that it will not be delivered, and why; give the notice about that."""
        return await self._call(outbox.mark_failed, item, reason, at, notice)

    async def failed(self, session_key: SessionKey) -> tuple[OutboxItem, ...]:
        """Give the replies that could not be delivered to a chat, oldest first."""
        return await self._read(outbox.failed, session_key)

    async def send_again(self, session_key: SessionKey, *, at: datetime) -> tuple[OutboxItem, ...]:
        """Open again what could not be delivered to a chat, and give it."""
        return await self._call(outbox.send_again, session_key, at)

    async def unfinished(self) -> Unfinished:
        """Say what is open."""
        return await self._read(lifecycle.unfinished)

    async def prune(self, before: datetime) -> int:
        """Remove what is done and older, a few hundred rows a transaction; give how many.

        Copies of the database that are older go, too.
        """
        rows = 0
        for prune in (pruning.prune_inbox, pruning.prune_outbox):
            after: int | None = 0
            while after is not None:
                pruned = await self._call(prune, before, after)
                rows, after = rows + pruned.rows, pruned.next_after
        await self._thread.call(partial(drop_old, self._path, before))
        return rows

    async def wipe(self, *, is_whole: bool) -> None:
        """Leave no bytes of what was removed: empty the log, after writing the file anew if whole.

        Copies from before the schema was changed go, too.

        Raises:
            StoreError: It could not be done; nothing is lost by that.
        """
        await self._thread.wipe(is_whole=is_whole)
        try:
            await self._thread.call(partial(drop_all, self._path))
        except OSError as error:
            reason = error.strerror or str(error)
            raise StoreError(f"A copy of the database cannot be removed: {reason}.") from error

    @property
    def _path(self) -> Path:
        return Path(str(self._tables.db.database))

    async def _call(
        self,
        verb: Callable[Concatenate[Tables, Asked], Value],
        *asked: Asked.args,
        **named: Asked.kwargs,
    ) -> Value:
        value = await self._read(verb, *asked, **named)
        self._tell(None)
        if self._tables.news.take():
            self._tell_watchers()
        return value

    async def _read(
        self,
        verb: Callable[Concatenate[Tables, Asked], Value],
        *asked: Asked.args,
        **named: Asked.kwargs,
    ) -> Value:
        """Call a verb whose success says nothing about the disk."""
        try:
            return await self._thread.call(partial(verb, self._tables, *asked, **named))
        except StoreUnreadable:
            raise  # which says nothing about the disk either
        except StoreError as error:
            self._tell(error)
            raise
