"""Whatever is done to both stores, in whatever order: they say the same."""

import tempfile
from collections.abc import Callable
from dataclasses import replace
from datetime import datetime
from pathlib import Path
from typing import Literal

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule

from bot.adapters.store.sqlite_store import SqliteStore
from bot.core.chat import (
    ChatAddress,
    InboundDeletion,
    InboundEdit,
    InboundMessage,
    Receipt,
    Reply,
    SessionKey,
)
from bot.core.lifecycle import (
    UNKNOWN_FATE,
    Cursor,
    OutboxId,
    OutboxItem,
    Received,
    Route,
    SetAside,
    address_of,
)
from bot.core.memory.audience import audience_of
from bot.core.memory.jobs import MemoryEntry, MemoryJob
from bot.core.messages import ContentBlock, ToolResult
from bot.core.tasks import TaskState
from bot.core.turns import Outcome, TurnId
from bot.core.window.conversation import Compaction, Cut, Summary
from bot.testing.clock import START
from bot.testing.store import InMemoryStore
from bot.testing.stores import Store
from bot.testing.stores.edits import deletion_of, edit_of
from bot.testing.stores.given import (
    ANN,
    ELSEWHERE,
    HOME,
    TRIMMED,
    asking,
    entry_of,
    message,
    model_call,
    saying,
)
from tests.adapters.store_given import (
    AFTER,
    BACK,
    BROUGHT,
    CALLS,
    CHATS,
    LATER,
    MESSAGES,
    NO_JOB,
    ODD,
    OUTCOMES,
    REPLIES,
    TEXTS,
    TIMES,
    WHY,
    Call,
    carried_out,
    installation_of,
)

Answer = tuple[Literal["gave", "refused"], object]


class TwoStores(RuleBasedStateMachine):
    """The one in memory is the model of the one on disk."""

    def __init__(self) -> None:
        super().__init__()
        self._folder = tempfile.TemporaryDirectory()
        self._path = Path(self._folder.name) / "daybook.db"
        self._on_disk = SqliteStore.open(self._path, inline=True)
        self._in_memory = InMemoryStore(installation_of(self._path))
        self._newest_item = 1

    def teardown(self) -> None:
        carried_out(self._on_disk.close())
        self._folder.cleanup()

    def both(self, ask: Callable[[Store], Call[object]]) -> None:
        """Ask both the same; the answers are equal, refusals included."""
        answer = _answer(self._on_disk, ask)
        assert answer == _answer(self._in_memory, ask)
        given = answer[1] if isinstance(answer[1], tuple) else (answer[1],)
        for item in given:
            if isinstance(item, OutboxItem):
                self._newest_item = max(self._newest_item, item.id)

    def a_turn(self, back: int) -> TurnId:
        ids = [turn.id for turn in self._in_memory.turns]
        return TurnId(max(1, max(ids, default=1) - back))

    def an_entry(self, turn_id: int) -> MemoryEntry:
        """Note a turn for the people who can see its chat."""
        keys = (turn.session_key for turn in self._in_memory.turns if turn.id == turn_id)
        key = next(keys, HOME.session_key)
        return replace(entry_of(turn_id), audience=audience_of(key, "private"))

    def a_job(self, number: int) -> MemoryJob:
        jobs = carried_out(self._in_memory.due_jobs(AFTER, limit=5))
        return jobs[number] if number < len(jobs) else NO_JOB

    def an_item(self, back: int) -> OutboxId:
        return OutboxId(max(1, self._newest_item - back))

    @rule(batch=st.lists(MESSAGES, min_size=1, max_size=3), odd=st.lists(ODD, max_size=1), at=TIMES)
    def receive(self, batch: list[Received], odd: list[SetAside], at: datetime) -> None:
        cursor = Cursor(channel="telegram", value=str(len(batch)))
        self.both(lambda store: store.receive((*batch, *odd), cursor=cursor, at=at))

    @rule(chat=CHATS)
    def claim(self, chat: ChatAddress) -> None:
        self.both(lambda store: store.claim(chat.session_key, at=START))

    @rule(back=BACK, skipped=BACK, thinking=st.sampled_from(["", "hm"]))
    def record_step(self, back: int, skipped: int, thinking: str) -> None:
        turn = self.a_turn(back)
        known = sum(len(each.steps) for each in self._in_memory.turns if each.id == turn)
        step = asking("a", "b", thinking=thinking)
        self.both(lambda store: store.record_step(turn, known - skipped, step, model_call()))

    @rule(
        back=BACK,
        index=st.integers(-1, 1),
        call=CALLS,
        content=TEXTS,
        whole=st.sampled_from([None, "whole", "\ud800"]),
    )
    def record_result(
        self, back: int, index: int, call: str, content: str, whole: str | None
    ) -> None:
        turn, result = self.a_turn(back), ToolResult(call_id=call, content=content)
        self.both(lambda store: store.record_result(turn, index, result, whole=whole))

    @rule(back=BACK, index=st.integers(-1, 1), calls=st.sets(CALLS).map(sorted))
    def record_start(self, back: int, index: int, calls: list[str]) -> None:
        turn = self.a_turn(back)
        self.both(lambda store: store.record_start(turn, index, tuple(calls)))

    @rule(back=BACK, brought=BROUGHT)
    def record_request(self, back: int, brought: tuple[tuple[ContentBlock, ...], ...]) -> None:
        turn = self.a_turn(back)
        self.both(lambda store: store.record_request(turn, brought))

    @rule(back=BACK)
    def record_resume(self, back: int) -> None:
        turn = self.a_turn(back)
        self.both(lambda store: store.record_resume(turn))

    @rule(back=BACK, outcome=OUTCOMES, replies=REPLIES, at=TIMES)
    def finish_turn(
        self, back: int, outcome: Outcome, replies: tuple[Reply, ...], at: datetime
    ) -> None:
        turn = self.a_turn(back)
        self.both(lambda store: store.finish_turn(turn, outcome, replies, at=at))

    @rule(chat=CHATS)
    def retry(self, chat: ChatAddress) -> None:
        self.both(lambda store: store.reopen(chat.session_key, at=START))

    @rule(known=MESSAGES, replies=REPLIES)
    def finish_command(self, known: Received, replies: tuple[Reply, ...]) -> None:
        event = (address_of(known.inbound).channel, known.inbound.event_id)
        self.both(lambda store: store.finish_command(*event, replies, at=START))

    @rule(known=MESSAGES)
    def settle(self, known: Received) -> None:
        event = (address_of(known.inbound).channel, known.inbound.event_id)
        self.both(lambda store: store.settle(*event, at=START))

    @rule(back=BACK, text=TEXTS, at=TIMES)
    def add_preview(self, back: int, text: str, at: datetime) -> None:
        turn = self.a_turn(back)
        self.both(lambda store: store.add_preview(turn, saying(text), at=at))

    @rule(back=BACK)
    def mark_sending(self, back: int) -> None:
        item = self.an_item(back)
        self.both(lambda store: store.mark_sending(item, at=START))

    @rule(back=BACK)
    def mark_pending(self, back: int) -> None:
        item = self.an_item(back)
        self.both(lambda store: store.mark_pending(item))

    @rule(back=BACK, number=st.integers(0, 2))
    def mark_sent(self, back: int, number: int) -> None:
        item, receipt = self.an_item(back), Receipt(message_id=str(number))
        self.both(lambda store: store.mark_sent(item, receipt, at=START))

    @rule(
        back=BACK,
        reason=st.sampled_from(["", "blocked", UNKNOWN_FATE]),
        notice=st.sampled_from([None, replace(saying("It failed."), kind="failure")]),
    )
    def mark_failed(self, back: int, reason: str, notice: Reply | None) -> None:
        item = self.an_item(back)
        self.both(lambda store: store.mark_failed(item, reason, at=START, notice=notice))

    @rule()
    def send_again(self) -> None:
        self.both(lambda store: store.send_again(HOME.session_key, at=START))

    @rule(before=TIMES)
    def prune(self, before: datetime) -> None:
        self.both(lambda store: store.prune(before))

    @rule(chat=CHATS, back=BACK, late=st.sampled_from([0, 0, 1]), why=WHY, is_emptied=st.booleans())
    def save_cut(
        self, chat: ChatAddress, back: int, late: int, why: Compaction | None, is_emptied: bool
    ) -> None:
        key, turn = chat.session_key, self.a_turn(back)
        known = carried_out(self._in_memory.load(key))
        cut = replace(known.cut, kept_from=turn, digest="[short]")
        if is_emptied:
            cut = Cut(kept_from=turn, cleared_before=turn)
        generation = known.generation - late
        self.both(
            lambda store: store.save_cut(key, cut, generation=generation, at=START, compaction=why)
        )

    @rule(chat=CHATS)
    def undo(self, chat: ChatAddress) -> None:
        self.both(lambda store: store.undo(chat.session_key, at=START))

    @rule(
        chat=CHATS,
        task=st.sampled_from([None, TaskState(goal="go"), TaskState(goal="stay")]),
        back=BACK,
    )
    def note_task(self, chat: ChatAddress, task: TaskState | None, back: int) -> None:
        turn, key = self.a_turn(back), chat.session_key
        self.both(lambda store: store.note_task(key, task, turn_id=turn, at=START))

    @rule(before=TIMES, at=TIMES, key=st.sampled_from(["", HOME.session_key]))
    def ask_to_remember(self, before: datetime, at: datetime, key: str) -> None:
        self.both(lambda store: store.ask_to_remember(before, at=at, session_key=key))

    @rule(
        number=st.integers(0, 2),
        back=BACK,
        late=st.sampled_from([0, 0, 1]),
        digest=st.sampled_from(["", "[rest]"]),
    )
    def land_summary(self, number: int, back: int, late: int, digest: str) -> None:
        job = self.a_job(number)
        known = carried_out(self._in_memory.load(job.session_key))
        summary = Summary(
            generation=known.generation - late,
            through=TurnId(job.through - max(back, 0)),
            overview="much",
            key_points=(),
            pinned=("\ud800",),
            made_at=LATER,
        )
        entries = (self.an_entry(job.through), self.an_entry(self.a_turn(back)))
        self.both(
            lambda store: store.land_summary(job, summary, entries, cut=known.cut, digest=digest)
        )

    @rule(number=st.integers(0, 2), back=BACK, is_done=st.booleans())
    def remember(self, number: int, back: int, is_done: bool) -> None:
        job, entries = self.a_job(number), (self.an_entry(self.a_turn(back)),)
        self.both(lambda store: store.unremembered(job, limit=2))
        self.both(lambda store: store.remember(job, entries, is_done=is_done))

    @rule(number=st.integers(0, 2), at=TIMES)
    def postpone(self, number: int, at: datetime) -> None:
        job = self.a_job(number)
        self.both(lambda store: store.postpone(job.id, due_at=at, reason="busy"))

    @rule(number=st.integers(0, 2))
    def drop(self, number: int) -> None:
        job = self.a_job(number)
        self.both(lambda store: store.drop(job.id))

    @rule(back=BACK)
    def mark_written(self, back: int) -> None:
        turn = self.a_turn(back)
        self.both(lambda store: store.mark_written((self.an_entry(turn),)))

    @rule()
    def remember_everything(self) -> None:
        """So that chats can be removed."""
        entries = tuple(
            replace(self.an_entry(turn.id), moment=turn.started_at, revision=turn.revision)
            for turn in self._in_memory.turns
            if turn.outcome is not None
        )
        self.both(lambda store: store.remember(NO_JOB, entries, is_done=True))
        self.both(lambda store: store.mark_written(entries))

    @rule(chat=CHATS, before=st.sampled_from([LATER, AFTER]))
    def remove(self, chat: ChatAddress, before: datetime) -> None:
        self.both(lambda store: store.remove(chat.session_key, before=before))

    @rule(value=st.sampled_from([None, "1", "2"]), scope=st.sampled_from(["", HOME.session_key]))
    def override(self, value: str | None, scope: str) -> None:
        self.both(lambda store: store.override("steps", value, scope=scope, by="ann", at=START))

    @rule(scope=st.sampled_from(["", HOME.session_key]))
    def undo_override(self, scope: str) -> None:
        self.both(lambda store: store.undo_override(scope=scope, by="bo", at=START))

    @rule(chat=CHATS)
    def clear(self, chat: ChatAddress) -> None:
        self.both(lambda store: store.clear(chat.session_key, at=START))

    @rule(chat=CHATS, number=st.integers(100, 200), outcome=OUTCOMES, replies=REPLIES)
    def go_through_a_turn(
        self, chat: ChatAddress, number: int, outcome: Outcome, replies: tuple[Reply, ...]
    ) -> None:
        """So that a run of few steps gets far."""
        heard = Received(inbound=message(number, address=chat), route="turn")
        self.both(lambda store: store.receive((heard,), cursor=None, at=START))
        self.claim(chat)
        self.record_step(0, 0, "hm")
        self.record_start(0, 0, ["a", "b"])
        self.record_result(0, 0, "b", "yes", "whole")
        self.finish_turn(0, outcome, replies, START)

    @rule(known=MESSAGES, text=TEXTS, at=TIMES, route=st.sampled_from(["none", "turn"]))
    def edit(self, known: Received, text: str, at: datetime, route: Route) -> None:
        assert isinstance(known.inbound, InboundMessage)
        self.change(edit_of(known.inbound, text, at), route)

    @rule(known=MESSAGES)
    def delete(self, known: Received) -> None:
        assert isinstance(known.inbound, InboundMessage)
        self.change(deletion_of(known.inbound), "none")

    @rule(chat=CHATS, number=st.integers(100, 110), text=st.sampled_from([None, "yes", "\ud800"]))
    def change_what_was_said(self, chat: ChatAddress, number: int, text: str | None) -> None:
        """So that a run of few steps changes turns that left."""
        self.go_through_a_turn(chat, number, "answered", ())
        self.save_cut(chat, -1, 0, TRIMMED, is_emptied=False)
        said = message(number, address=chat)
        self.change(edit_of(said, text, LATER) if text else deletion_of(said), "none")

    def change(self, change: InboundEdit | InboundDeletion, route: Route) -> None:
        heard = Received(inbound=change, route=route)
        self.both(lambda store: store.receive((heard,), cursor=None, at=LATER))

    @rule()
    def claim_ownership(self) -> None:
        self.both(lambda store: store.claim_ownership(ANN, at=START))

    @rule()
    def reopen(self) -> None:
        _answer(self._in_memory, lambda store: store.close())
        carried_out(self._on_disk.close())
        self._on_disk = SqliteStore.open(self._path, inline=True)

    @invariant()
    def they_hold_the_same(self) -> None:
        self.both(lambda store: store.unfinished())
        self.both(lambda store: store.failed(HOME.session_key))
        self.both(lambda store: store.grants())
        self.both(lambda store: store.cursor("telegram"))
        self.they_hold_the_same_of(HOME.session_key)
        self.they_hold_the_same_of(ELSEWHERE.session_key)
        self.both(lambda store: store.due_jobs(AFTER, limit=5))
        self.both(lambda store: store.unwritten(limit=9))
        self.both(lambda store: store.silent_since(AFTER))
        self.both(lambda store: store.overrides())

    def they_hold_the_same_of(self, key: SessionKey) -> None:
        self.both(lambda store: store.load(key))
        self.both(lambda store: store.usage_of(key))
        self.both(lambda store: store.tool_output(key, "b"))


def _answer(store: Store, ask: Callable[[Store], Call[object]]) -> Answer:
    try:
        return "gave", carried_out(ask(store))
    except ValueError:
        return "refused", None


TwoStores.TestCase.settings = settings(max_examples=20, stateful_step_count=30, deadline=None)
TestTwoStores = TwoStores.TestCase
