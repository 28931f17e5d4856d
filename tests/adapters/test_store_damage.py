"""One damaged row costs what it held: all else of its chat, and all ways out of it, go on."""

import logging
from collections.abc import AsyncIterator
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import pytest
import pytest_asyncio

from bot.adapters.store.damage import LOST, UNREADABLE
from bot.adapters.store.database import DatabaseThread, connection_of
from bot.adapters.store.opening import open_database
from bot.adapters.store.schema import make_tables
from bot.adapters.store.sqlite_store import SqliteStore
from bot.core.chat import ButtonPress, ChatAddress
from bot.core.lifecycle import Received
from bot.core.messages import Text, ToolResult, assistant_text
from bot.core.tasks import TaskState
from bot.core.turns import Step
from bot.core.window.conversation import Cut
from bot.errors import StoreError
from bot.testing.clock import START
from bot.testing.stores.edits import change, edit_of
from bot.testing.stores.given import (
    ANN,
    HOME,
    TRIMMED,
    asking,
    begin,
    have_turn,
    hear,
    message,
    model_call,
    saying,
    take,
)
from tests.adapters.test_store_memory import CLEARED, summarise

KEY = HOME.session_key
LATER = START + timedelta(seconds=1)
GARBAGE = ["no JSON", "", "[]", "{}", '{"half', '"text"', "7", "[" * 100_000]


class Damaged:
    """A store whose rows can be spoilt while it runs.

    Attributes:
        troubles: What the store told of the disk.
    """

    def __init__(self, path: Path) -> None:
        db = open_database(path)
        self.troubles: list[StoreError | None] = []
        self.store = SqliteStore(
            make_tables(db), DatabaseThread(db, inline=True), self.troubles.append
        )
        self.connection = connection_of(db)

    def spoil(self, place: str, text: str) -> None:
        table, column = place.split(".")
        self.connection.execute(f"UPDATE {table} SET {column} = ?", (text,))

    def rows(self, sql: str) -> list[tuple[object, ...]]:
        return self.connection.execute(sql).fetchall()


@pytest_asyncio.fixture
async def damaged(tmp_path: Path) -> AsyncIterator[Damaged]:
    damaged = Damaged(tmp_path / "daybook.db")
    yield damaged
    assert not any(damaged.troubles), "a damaged row is no failing disk"
    await damaged.store.close()


async def _ways_out(store: SqliteStore) -> None:
    """Go the ways that people have: look, take back, clear, begin anew."""
    await store.load(KEY)
    await store.usage_of(KEY)
    await store.undo(KEY, at=START)
    await store.clear(KEY, at=START, compaction=CLEARED)
    assert (await store.load(KEY)).turns == ()
    await store.failed(KEY)
    await store.send_again(KEY, at=START)
    await store.reopen(KEY, at=START)
    await store.unfinished()


@pytest.mark.parametrize("text", GARBAGE)
@pytest.mark.parametrize(
    "place",
    [
        "session.cut",
        "session.former",
        "session.compaction",
        "session.task",
        "session.former_task",
        "summary.body",
        "turn.request",
        "step.answer",
        "step.started",
        "step_result.body",
        "step_result.whole",
        "outbox.body",
        "inbox.body",
        "correction.body",
    ],
)
async def test_whatever_is_damaged_the_chat_goes_on(
    damaged: Damaged, place: str, text: str
) -> None:
    store = damaged.store
    first = await have_turn(store, 1)
    await summarise(store, "much", first)
    turn = await begin(store, message(2))
    await store.note_task(
        KEY, TaskState(goal="pay", done=(), remaining=()), turn_id=turn.id, at=START
    )
    await store.record_step(turn.id, 0, asking("a", thinking="hm"), model_call())
    await store.record_start(turn.id, 0, ("a",))
    await store.record_result(turn.id, 0, ToolResult(call_id="a", content="part"), whole="all")
    await change(store, edit_of(message(2), "changed"))
    (item,) = await store.finish_turn(turn.id, "failed", (saying("sorry"),), at=START)
    await store.mark_failed(item.id, "blocked", at=START)
    await hear(store, message(3))
    damaged.spoil(place, text)

    await _ways_out(store)
    await hear(store, message(4))
    claim = await store.claim(KEY, at=LATER)
    if claim is None:  # the turn that failed was opened again
        (claim,) = (await store.unfinished()).claims
    await store.record_step(
        claim.turn.id,
        len(claim.turn.steps),
        Step(answer=assistant_text("here"), stop="end_turn"),
        model_call(),
    )
    (item,) = await store.finish_turn(claim.turn.id, "answered", (saying("here"),), at=LATER)

    assert item.reply.text == "here"


async def test_a_damaged_summary_is_written_anew_from_what_it_covered(damaged: Damaged) -> None:
    store = damaged.store
    first = await have_turn(store, 1)
    await summarise(store, "much", first)
    assert await store.due_jobs(LATER, limit=9) == ()
    damaged.spoil("summary.body", "garbage")

    conversation = await store.load(KEY)
    (job,) = await store.due_jobs(LATER, limit=9)

    assert conversation.summary is None
    assert (job.kind, job.through) == ("summary", first)
    assert first in conversation.uncovered_ids


async def test_what_was_cleared_stays_cleared_when_the_cut_is_damaged(damaged: Damaged) -> None:
    store = damaged.store
    await have_turn(store, 1)
    await store.clear(KEY, at=START, compaction=CLEARED)
    after = await store.claim(KEY, at=LATER) or await _later_turn(store, 2)
    damaged.spoil("session.cut", '{"kept_from": "x"}')

    shown = (await store.load(KEY)).turns

    assert [turn.id for turn in shown] == [after]


async def _later_turn(store: SqliteStore, number: int) -> int:
    await store.receive((Received(inbound=message(number), route="turn"),), cursor=None, at=LATER)
    claim = await store.claim(KEY, at=LATER)
    assert claim is not None
    await store.finish_turn(claim.turn.id, "answered", (), at=LATER)
    return claim.turn.id


async def test_a_damaged_cut_shows_what_was_never_cleared(damaged: Damaged) -> None:
    store = damaged.store
    first = await have_turn(store, 1)
    await store.save_cut(KEY, Cut(kept_from=first), generation=0, at=START, compaction=TRIMMED)
    damaged.spoil("session.cut", "garbage")

    conversation = await store.load(KEY)

    assert conversation.cut == Cut()
    assert [turn.id for turn in conversation.turns] == [first]


async def test_waiting_rows_that_are_damaged_are_set_aside(damaged: Damaged) -> None:
    store = damaged.store
    await hear(store, *(message(number) for number in range(1, 31)))
    damaged.connection.execute("UPDATE inbox SET body = 'garbage' WHERE id <= 25")

    claim = await take(store)

    assert [each.message_id for each in claim.messages] == ["26", "27", "28", "29", "30"]
    aside = damaged.rows("SELECT state, reason FROM inbox WHERE id <= 25")
    assert aside == [("set_aside", UNREADABLE)] * 25


async def test_damaged_commands_and_presses_are_set_aside_at_the_start(damaged: Damaged) -> None:
    store = damaged.store
    await hear(store, message(1), message(2), route="command")
    press = ButtonPress(
        event_id="press",
        address=HOME,
        kind="private",
        sender=ANN,
        message_id="1",
        token="t",
        pressed_at=START,
    )
    await store.receive((Received(inbound=press, route="press"),), cursor=None, at=START)
    damaged.connection.execute("UPDATE inbox SET body = 'garbage' WHERE id IN (1, 3)")

    unfinished = await store.unfinished()

    assert [each.message_id for each in unfinished.commands] == ["2"]
    assert unfinished.presses == ()
    assert damaged.rows("SELECT id FROM inbox WHERE state = 'set_aside'") == [(1,), (3,)]


async def test_an_open_turn_whose_message_is_damaged_is_answered_where_it_was_asked(
    damaged: Damaged,
) -> None:
    turn = await begin(damaged.store, message(1, "when?"))
    damaged.spoil("inbox.body", "garbage")

    (claim,) = (await damaged.store.unfinished()).claims
    (stand_in,) = claim.messages

    assert claim.turn.request == turn.request
    assert (stand_in.address, stand_in.kind, stand_in.sender.person_key) == (
        HOME,
        "private",
        ANN.person_key,
    )


async def test_a_request_that_is_damaged_is_made_anew_of_its_messages(damaged: Damaged) -> None:
    turn = await begin(damaged.store, message(1, "when?"), message(2, "where?"))
    damaged.spoil("turn.request", "garbage")

    (claim,) = (await damaged.store.unfinished()).claims

    assert claim.turn.request == turn.request


async def test_a_lost_step_keeps_its_place_and_ends_an_open_turn(damaged: Damaged) -> None:
    store = damaged.store
    turn = await begin(store, message(1))
    await store.record_step(turn.id, 0, asking("a"), model_call())
    await store.record_start(turn.id, 0, ("a",))
    damaged.spoil("step.answer", "garbage")

    (claim,) = (await store.unfinished()).claims
    (step,) = claim.turn.steps

    assert (step.answer.blocks, step.results) == ((Text(text=LOST),), ())
    assert claim.started == frozenset()


async def test_where_it_is_damaged_what_was_started_all_open_calls_may_have_been(
    damaged: Damaged,
) -> None:
    store = damaged.store
    turn = await begin(store, message(1))
    await store.record_step(turn.id, 0, asking("a", "b", "c"), model_call())
    await store.record_start(turn.id, 0, ("a",))
    await store.record_result(turn.id, 0, ToolResult(call_id="c", content="done"))
    damaged.spoil("step.started", "[")

    (claim,) = (await store.unfinished()).claims

    assert claim.started == {"a", "b"}


async def test_a_reply_that_is_damaged_fails_and_is_not_sent_again(damaged: Damaged) -> None:
    store = damaged.store
    turn = await begin(store, message(1))
    items = await store.finish_turn(turn.id, "answered", (saying("lost"), saying("kept")), at=START)
    damaged.connection.execute("UPDATE outbox SET body = '{}' WHERE id = ?", (items[0].id,))

    assert [item.reply.text for item in (await store.unfinished()).outbox] == ["kept"]
    (failed,) = await store.failed(KEY)
    assert (failed.reason, failed.reply.address) == (UNREADABLE, HOME)
    assert await store.send_again(KEY, at=START) == ()


async def test_a_chat_whose_rows_are_damaged_can_move(damaged: Damaged) -> None:
    store = damaged.store
    group = replace(HOME, chat="-1")
    await hear(store, message(1, address=group), message(2, address=group))
    damaged.connection.execute("UPDATE inbox SET body = 'garbage' WHERE id = 1")

    await store.move_chat(group, "-100")
    there = ChatAddress(channel=HOME.channel, account=HOME.account, chat="-100")
    claim = await take(store, there)

    assert [each.text for each in claim.messages] == [message(2).text]


async def test_damage_is_logged_once_by_its_place_and_never_its_content(
    damaged: Damaged, caplog: pytest.LogCaptureFixture
) -> None:
    store = damaged.store
    await have_turn(store, 1)
    damaged.spoil("turn.request", "a word that nobody shall find")
    with caplog.at_level(logging.ERROR):
        for _ in range(3):
            (turn,) = (await store.load(KEY)).turns

    assert turn.request.text == LOST
    told = [(record.message, record.column, record.row) for record in caplog.records]  # type: ignore[attr-defined]
    assert told == [("store.unreadable", "turn.request", turn.id)]
    assert "nobody" not in caplog.text


async def test_a_text_with_broken_bytes_is_read_with_signs_for_them(damaged: Damaged) -> None:
    store = damaged.store
    await have_turn(store, 1)
    (text,) = damaged.connection.execute("SELECT request FROM turn").fetchone()
    spoilt = text.encode().replace(b"message", b"m\xffssage")
    damaged.connection.execute("UPDATE turn SET request = CAST(? AS TEXT)", (spoilt,))

    (turn,) = (await store.load(KEY)).turns

    assert turn.request.text == "m\ufffdssage 1"
