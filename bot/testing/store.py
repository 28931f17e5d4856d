"""A store that keeps everything in memory, for tests.

It behaves as the SQLite one does (``bot.testing.stores`` compares them) and knows nothing of its
inside. What a test may want to look at is offered as plain properties.
"""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime
from itertools import count

from bot.core.chat import ButtonPress, ChatAddress, InboundMessage, Receipt, Reply, SessionKey
from bot.core.files import OutgoingFile
from bot.core.lifecycle import (
    RETRYABLE,
    Claim,
    Cursor,
    ModelCall,
    OutboxId,
    OutboxItem,
    Received,
    SetAside,
    Unfinished,
    reopened,
    taken_together,
    with_files,
)
from bot.core.memory.said import moved, said_in
from bot.core.messages import ContentBlock, Message, ToolResult
from bot.core.presses import KeptButton, Refusal
from bot.core.schedule import SilentChat
from bot.core.turns import Outcome, Step, Turn, TurnId
from bot.testing.kept_attendance import KeptAttendance
from bot.testing.kept_buttons import MemoryFiles
from bot.testing.kept_changes import MemoryChanges
from bot.testing.kept_steps import with_result, without_thinking


class InMemoryStore(KeptAttendance):
    """Fills the ports of what is kept from dicts.

    ``installation`` is what the keys of its replies begin with.
    """

    def __init__(self, installation: str = "memory") -> None:
        super().__init__(installation)
        self._turn_ids = count(1)
        self._edits = MemoryChanges(self._inbox, self._turns_by_id, self)
        self._cursors: dict[str, str] = {}
        self._started: dict[TurnId, set[tuple[int, str]]] = {}
        self._resumes: dict[TurnId, int] = {}
        self._files = MemoryFiles()

    @property
    def turns(self) -> tuple[Turn, ...]:
        """All turns, oldest first."""
        return tuple(self._turns_by_id.values())

    @property
    def outbox(self) -> tuple[OutboxItem, ...]:
        """All items, oldest first; of those that were sent, the text is gone."""
        return self._outbox.items

    @property
    def set_aside(self) -> tuple[SetAside, ...]:
        """All events that could not be understood."""
        return tuple(self._inbox.set_aside)

    async def close(self) -> None:
        """Be as a new process finds it: this same object is opened again."""
        for session in self._sessions.values():
            session.is_open = False

    async def receive(
        self, events: tuple[Received | SetAside, ...], *, cursor: Cursor | None, at: datetime
    ) -> tuple[bool, ...]:
        """Store events and the cursor behind them; True for each that was new."""
        are_new = tuple(self._edits.receive(event, at) for event in events)
        self._note_moves(events, are_new)
        if cursor is not None:
            self._cursors[cursor.channel] = cursor.value
        return are_new

    async def cursor(self, channel: str) -> str | None:
        """Say how far a channel has read, None when it never did."""
        return self._cursors.get(channel)

    async def claim(
        self,
        session_key: SessionKey,
        *,
        at: datetime,
        before: str = "",
        is_off_record: bool = False,
    ) -> Claim | None:
        """Take what waits into a new turn; None also while a turn of the chat is open."""
        waiting = self._inbox.waiting_in(session_key)
        messages = taken_together(self._inbox.those_before(waiting, before) if before else waiting)
        if not messages or any(turn.session_key == session_key for turn in self._open_turns()):
            return None
        request, first = self._edits.request_of(session_key, messages)
        turn = Turn(
            id=TurnId(next(self._turn_ids)),
            session_key=session_key,
            request=request,
            started_at=at,
            generation=self._note_chat(messages[-1], at),
        )
        self._turns_by_id[turn.id] = turn
        if is_off_record:
            self._off_record.add(turn.id)
            self._remembered.add(turn.id)
        self._drop_kept(session_key)
        self._inbox.claim(messages, turn.id, first)
        self.who_said[turn.id] = said_in(messages, first)
        return Claim(turn=turn, messages=messages, has_more=len(messages) < len(waiting))

    async def is_before(self, session_key: SessionKey, event_id: str, other: str) -> bool:
        """Say whether an event came in before another; so it did before one that is not known."""
        channel = ChatAddress.from_session_key(session_key).channel
        return self._inbox.is_before(channel, event_id, other)

    async def record_request(
        self, turn_id: TurnId, brought: tuple[tuple[ContentBlock, ...], ...]
    ) -> Message:
        """Put what each message's files brought behind its text; a second time nothing happens."""
        turn = self._open_turn(turn_id)
        first = self._inbox.events_of(turn_id)[0].block or 0
        if len(turn.request.blocks) != first + len(brought):
            return turn.request
        brought = self._edits.brought_still(turn_id, brought)
        request, places = with_files(turn.request, brought, first)
        self._turns_by_id[turn_id] = replace(turn, request=request)
        self._inbox.place(turn_id, places)
        self.who_said[turn_id] = moved(self.who_said[turn_id], dict(enumerate(places, first)))
        return request

    async def record_step(
        self, turn_id: TurnId, index: int, step: Step, call: ModelCall | None
    ) -> None:
        """Keep step number ``index``, counted from 0, and what it cost if nobody did yet."""
        turn = self._open_turn(turn_id)
        if index != len(turn.steps):
            raise ValueError(f"step {index} of turn {turn_id} cannot follow {len(turn.steps)}")
        kept = Step(answer=step.answer, stop=step.stop)
        for result in step.results:
            kept = with_result(kept, result)
        self._turns_by_id[turn_id] = replace(turn, steps=(*turn.steps, kept))
        if call is not None:
            self.calls.append(call)

    async def record_start(self, turn_id: TurnId, index: int, call_ids: tuple[str, ...]) -> None:
        """Note calls of a step that are about to run and must not run twice."""
        self._require_step(turn_id, index)
        started = self._started.setdefault(turn_id, set())
        started.update((index, call_id) for call_id in call_ids)

    async def record_result(
        self, turn_id: TurnId, index: int, result: ToolResult, *, whole: str | None = None
    ) -> None:
        """Keep a tool's result, and the whole of it; the first one of a call stays."""
        turn = self._require_step(turn_id, index)
        steps = list(turn.steps)
        if any(known.call_id == result.call_id for known in steps[index].results):
            return
        steps[index] = with_result(steps[index], result)
        if whole is not None:
            self._wholes[turn_id, index, result.call_id] = whole
        self._turns_by_id[turn_id] = replace(turn, steps=tuple(steps))

    async def record_resume(self, turn_id: TurnId) -> int:
        """Count one more process that goes on with an open turn, and give the count."""
        self._open_turn(turn_id)
        self._resumes[turn_id] = self._resumes.get(turn_id, 0) + 1
        return self._resumes[turn_id]

    async def finish_turn(
        self, turn_id: TurnId, outcome: Outcome, replies: tuple[Reply, ...], *, at: datetime
    ) -> tuple[OutboxItem, ...]:
        """End a turn with its replies; a second time nothing happens."""
        turn = self._turn(turn_id)
        if turn.outcome is not None:
            return ()
        steps = tuple(without_thinking(step) for step in turn.steps)
        self._turns_by_id[turn_id] = replace(turn, steps=steps, outcome=outcome)
        self.note_end(turn_id, at)
        if outcome in RETRYABLE and self.is_current(turn):
            self._inbox.keep_of_turn(turn_id)
        else:
            self._inbox.close_of_turn(turn_id)
            self._files.drop(turn_id)
        return self._outbox.add_of_turn(turn_id, replies, at)

    async def finish_command(
        self, channel: str, event_id: str, replies: tuple[Reply, ...], *, at: datetime
    ) -> tuple[OutboxItem, ...]:
        """Answer an event that waits; a second time nothing happens."""
        if not self._inbox.close(channel, event_id):
            return ()
        below = self._outbox.buttons.pressed_message(channel, event_id)
        return self._outbox.add(replies, at, replaces=below)

    async def settle(self, channel: str, event_id: str, *, at: datetime) -> None:
        """Close an event that gets no reply."""
        self._inbox.close(channel, event_id)

    async def button_of(self, press: ButtonPress) -> KeptButton | None:
        """Give what is kept of the button that a press names."""
        return self._outbox.buttons.find(press.token)

    async def redeem(self, press: ButtonPress, *, at: datetime) -> InboundMessage | Refusal:
        """Make of a press the command that its button stands for, or say why not."""
        command = self._outbox.buttons.redeem(press, at)
        if isinstance(command, InboundMessage):
            self._inbox.change_to_command(command)
        return command

    async def add_file(self, turn_id: TurnId, call_id: str, file: OutgoingFile) -> bool:
        """Keep a file that is to be sent behind the answer of an open turn."""
        turn = self._turns_by_id.get(turn_id)
        is_open = turn is not None and turn.outcome is None
        return is_open and self._files.add(turn_id, call_id, file)

    async def files_of(self, turn_id: TurnId) -> tuple[OutgoingFile, ...]:
        """Give the files that are to be sent behind the answer of a turn."""
        return self._files.of_turn(turn_id)

    async def reopen(self, session_key: SessionKey, *, at: datetime) -> Claim | None:
        """Open the newest turn again when it failed, or its answer was empty."""
        of_chat = [turn for turn in self._turns_by_id.values() if turn.session_key == session_key]
        turn = reopened(of_chat[-1], at) if of_chat else None
        if turn is None or not self.is_current(turn) or not self._inbox.claim_kept(turn.id):
            return None
        self._turns_by_id[turn.id] = turn
        self.read_again(turn.id)
        started = self._started.get(turn.id, set())
        self._started[turn.id] = {each for each in started if each[0] < len(turn.steps)}
        for place in [each for each in self._wholes if each[0] == turn.id]:
            if place[1] >= len(turn.steps):
                del self._wholes[place]
        self._resumes.pop(turn.id, None)
        self.drop_covering(turn, at)
        if turn.id not in self._off_record:
            self._remembered.discard(turn.id)
        self._outbox.part_from_preview(turn.id)
        return self._claim(turn)

    async def add_preview(
        self, turn_id: TurnId, reply: Reply, *, at: datetime, number: int = 0
    ) -> OutboxItem:
        """Put an unfinished answer into the outbox; what the turn has of it is given again."""
        self._open_turn(turn_id)
        return self._outbox.add_preview(turn_id, reply, at, number)

    async def mark_sending(self, item: OutboxId, *, at: datetime) -> None:
        """Note that the platform is about to be called."""
        self._outbox.mark_sending(item)

    async def mark_pending(self, item: OutboxId) -> None:
        """Note that what was being sent did not arrive."""
        self._outbox.mark_pending(item)

    async def mark_sent(self, item: OutboxId, receipt: Receipt, *, at: datetime) -> None:
        """Note that the platform has it, and forget the text."""
        self._outbox.mark_sent(item, receipt)

    async def mark_failed(
        self, item: OutboxId, reason: str, *, at: datetime, notice: Reply | None = None
    ) -> OutboxItem | None:
        """Note that it will not be delivered, and why; give the notice about that."""
        return self._outbox.mark_failed(item, reason, at, notice)

    async def failed(self, session_key: SessionKey) -> tuple[OutboxItem, ...]:
        """Give the replies that could not be delivered to a chat, oldest first."""
        return self._outbox.failed(session_key)

    async def send_again(self, session_key: SessionKey, *, at: datetime) -> tuple[OutboxItem, ...]:
        """Open again what could not be delivered to a chat, and give it."""
        return self._outbox.send_again(session_key)

    async def unfinished(self) -> Unfinished:
        """Say what is open."""
        waiting = (each.address.session_key for each in self._inbox.waiting("turn"))
        return Unfinished(
            claims=tuple(self._claim(turn) for turn in self._open_turns()),
            waiting=tuple(dict.fromkeys(waiting)),
            albums=tuple(each for each in self._inbox.waiting("turn") if each.album),
            commands=self._inbox.waiting("command"),
            presses=self._inbox.presses,
            outbox=tuple(item for item in self.outbox if item.state in ("pending", "sending")),
            moves=tuple(self._asked_moves.values()),
        )

    async def prune(self, before: datetime) -> int:
        """Forget what is done and older, and give how many events and items."""
        open_turns = [turn.id for turn in self._open_turns()]
        return self._inbox.prune(before) + self._outbox.prune(before, open_turns)

    def _begin_anew(self, session_key: SessionKey) -> None:
        self._drop_kept(session_key)
        self._edits.forget(session_key)

    async def quiet_since(self, before: datetime) -> int:
        """Count the chats in which nothing came in since."""
        heard = (session.heard_at for session in self._sessions.values())
        return sum(1 for at in heard if at is None or at < before)

    async def silent_since(self, before: datetime) -> tuple[SilentChat, ...]:
        """Name silent chats."""
        return tuple(
            SilentChat(
                session_key=key,
                turns=len(self._turns_of(key)),
                heard_at=self._sessions[key].heard_at,
            )
            for key in sorted(self._sessions)
            if self._is_silent(key, before)
        )

    async def remove(self, session_key: SessionKey, *, before: datetime) -> bool:
        """Remove a chat that is silent still."""
        if session_key not in self._sessions or not self._is_silent(session_key, before):
            return False
        turn_ids = [turn.id for turn in self._turns_of(session_key)]
        self._drop_kept(session_key)
        self._outbox.remove_of_chat(session_key, turn_ids)
        self._remove_chat(session_key)
        for turn_id in turn_ids:
            del self._turns_by_id[turn_id]
        return True

    def _tell(self, told: tuple[Reply, ...], at: datetime) -> tuple[OutboxItem, ...]:
        return self._outbox.add(told, at)

    def _drop_kept(self, session_key: SessionKey) -> None:
        """Forget what ended turns of a chat kept so that they could be tried again."""
        self._inbox.drop_kept(session_key)
        for turn in self._turns_of(session_key):
            if turn.outcome is not None:
                self._files.drop(turn.id)

    def _turns_of(self, session_key: SessionKey) -> list[Turn]:
        return [turn for turn in self._turns_by_id.values() if turn.session_key == session_key]

    def _is_silent(self, session_key: SessionKey, before: datetime) -> bool:
        heard_at = self._sessions[session_key].heard_at
        inbox = self._inbox
        waiting = (*inbox.waiting("turn"), *inbox.waiting("command"), *inbox.waiting("press"))
        open_items = (item for item in self.outbox if item.state in ("pending", "sending"))
        return (
            (heard_at is None or heard_at < before)
            and all(
                turn.outcome is not None and self._is_remembered(turn)
                for turn in self._turns_of(session_key)
            )
            and all(each.address.session_key != session_key for each in waiting)
            and all(each.reply.address.session_key != session_key for each in open_items)
            and not self.has_reminder_in(session_key)
        )

    def _claim(self, turn: Turn) -> Claim:
        """Give an open turn with its messages and the calls of which no result is known."""
        done = {
            (index, result.call_id)
            for index, step in enumerate(turn.steps)
            for result in step.results
        }
        started = self._started.get(turn.id, set()) - done
        return Claim(
            turn=turn,
            messages=self._inbox.of_turn(turn.id),
            started=frozenset(call_id for _, call_id in started),
        )

    def _open_turns(self) -> list[Turn]:
        return [turn for turn in self._turns_by_id.values() if turn.outcome is None]

    def _turn(self, turn_id: TurnId) -> Turn:
        if turn_id not in self._turns_by_id:
            raise ValueError(f"no such turn: {turn_id}")
        return self._turns_by_id[turn_id]

    def _open_turn(self, turn_id: TurnId) -> Turn:
        turn = self._turn(turn_id)
        if turn.outcome is not None:
            raise ValueError(f"turn {turn_id} has ended")
        return turn

    def _require_step(self, turn_id: TurnId, index: int) -> Turn:
        turn = self._open_turn(turn_id)
        if not 0 <= index < len(turn.steps):
            raise ValueError(f"turn {turn_id} has no step {index}")
        return turn
