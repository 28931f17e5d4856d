"""Whatever is done to both stores, in whatever order: they say the same."""

import sqlite3
import tempfile
from collections.abc import Callable, Coroutine
from contextlib import closing
from dataclasses import replace
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any, Literal, TypeVar

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule

from bot.adapters.store.sqlite_store import SqliteStore
from bot.core.chat import ChatAddress, Receipt, Reply
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
from bot.core.messages import ToolResult
from bot.core.turns import Outcome, TurnId
from bot.testing.clock import START
from bot.testing.store import InMemoryStore
from bot.testing.stores import Store
from bot.testing.stores.given import ANN, ELSEWHERE, HOME, asking, message, model_call, saying

Value = TypeVar("Value")
Call = Coroutine[Any, Any, Value]  # what a coroutine that never waits yields is of no interest
Answer = tuple[Literal["gave", "refused"], object]

CHATS = st.sampled_from([HOME, HOME, ELSEWHERE])
ROUTES: st.SearchStrategy[Route] = st.sampled_from(["turn", "turn", "command", "none"])
OUTCOMES: st.SearchStrategy[Outcome] = st.sampled_from(["answered", "failed", "empty", "stopped"])
LATER = START + timedelta(seconds=1)
TIMES = st.sampled_from([START, LATER])
BACK = st.sampled_from([0, 0, 0, 1, 2, -1])  # how many before the newest; -1 was never made
CALLS = st.sampled_from(["a", "b", "unasked"])
TEXTS = st.sampled_from(["", "yes", "\ud800"])
REPLIES = st.lists(TEXTS.map(saying), max_size=2).map(tuple)
MESSAGES = st.builds(
    lambda number, chat, route: Received(inbound=message(number, address=chat), route=route),
    st.integers(0, 20),
    CHATS,
    ROUTES,
)
ODD = st.builds(
    SetAside, event_id=TEXTS, channel=st.just("telegram"), raw=TEXTS, reason=st.just("odd")
)


def carried_out(call: Call[Value]) -> Value:
    """Run a coroutine that never waits."""
    try:
        call.send(None)
    except StopIteration as stop:
        value: Value = stop.value
        return value
    raise AssertionError("it waited")


class TwoStores(RuleBasedStateMachine):
    """The one in memory is the model of the one on disk."""

    def __init__(self) -> None:
        super().__init__()
        self._folder = tempfile.TemporaryDirectory()
        self._path = Path(self._folder.name) / "daybook.db"
        self._on_disk = SqliteStore.open(self._path, inline=True)
        self._in_memory = InMemoryStore(_installation(self._path))
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
        return TurnId(max(1, len(self._in_memory.turns) - back))

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

    @rule(back=BACK, index=st.integers(-1, 1), call=CALLS, content=TEXTS)
    def record_result(self, back: int, index: int, call: str, content: str) -> None:
        turn, result = self.a_turn(back), ToolResult(call_id=call, content=content)
        self.both(lambda store: store.record_result(turn, index, result))

    @rule(back=BACK, index=st.integers(-1, 1), calls=st.sets(CALLS).map(sorted))
    def record_start(self, back: int, index: int, calls: list[str]) -> None:
        turn = self.a_turn(back)
        self.both(lambda store: store.record_start(turn, index, tuple(calls)))

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

    @rule(chat=CHATS, back=BACK)
    def keep_from(self, chat: ChatAddress, back: int) -> None:
        turn = self.a_turn(back)
        self.both(lambda store: store.keep_from(chat.session_key, turn))

    @rule(chat=CHATS)
    def clear(self, chat: ChatAddress) -> None:
        self.both(lambda store: store.begin_generation(chat.session_key, at=START))

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
        self.record_result(0, 0, "b", "yes")
        self.finish_turn(0, outcome, replies, START)

    @rule()
    def claim_ownership(self) -> None:
        self.both(lambda store: store.claim_ownership(ANN, at=START))

    @rule()
    def reopen(self) -> None:
        carried_out(self._on_disk.close())
        self._on_disk = SqliteStore.open(self._path, inline=True)

    @invariant()
    def they_hold_the_same(self) -> None:
        self.both(lambda store: store.unfinished())
        self.both(lambda store: store.failed(HOME.session_key))
        self.both(lambda store: store.grants())
        self.both(lambda store: store.cursor("telegram"))
        self.both(lambda store: store.load(HOME.session_key))
        self.both(lambda store: store.load(ELSEWHERE.session_key))


def _installation(path: Path) -> str:
    with closing(sqlite3.connect(path)) as connection:
        (name,) = connection.execute("SELECT id FROM installation").fetchone()
        return str(name)


def _answer(store: Store, ask: Callable[[Store], Call[object]]) -> Answer:
    try:
        return "gave", carried_out(ask(store))
    except ValueError:
        return "refused", None


TwoStores.TestCase.settings = settings(max_examples=40, stateful_step_count=30, deadline=None)
TestTwoStores = TwoStores.TestCase
