"""What is on disk that no port gives back, and what is not there any more."""

import sqlite3
from contextlib import closing
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

from bot.adapters.store.codec import micros_of
from bot.adapters.store.database import DatabaseThread, connection_of
from bot.adapters.store.opening import open_database
from bot.adapters.store.pruning import CHUNK
from bot.adapters.store.schema import make_tables
from bot.adapters.store.sqlite_store import SqliteStore
from bot.core.chat import Receipt
from bot.core.files import OutgoingFile
from bot.core.lifecycle import Received, SetAside
from bot.core.messages import Message, Text, Thinking, ToolResult
from bot.core.turns import Step
from bot.testing.clock import START
from bot.testing.stores.edits import change, edit_of
from bot.testing.stores.given import (
    ANN,
    HOME,
    asking,
    begin,
    hear,
    message,
    model_call,
    saying,
)
from bot.testing.stores.pressing import YES, offer, press, take_in

SECRET = "a word that nobody shall find 秘密"
NOW = micros_of(START)
LATER = START + timedelta(seconds=1)
OVERHEARD = message(1)


def rows(path: Path, sql: str) -> list[tuple[object, ...]]:
    with closing(sqlite3.connect(path)) as connection:
        return connection.execute(sql).fetchall()


def on_disk(path: Path) -> bytes:
    """All bytes of the database, its write-ahead log included."""
    return b"".join(each.read_bytes() for each in sorted(path.parent.glob(path.name + "*")))


async def test_each_model_call_is_accounted_for(tmp_path: Path) -> None:
    path = tmp_path / "daybook.db"
    store = SqliteStore.open(path)
    turn = await begin(store, message(1))
    step = Step(answer=Message(role="assistant", blocks=(Text(text="hello"),)), stop="end_turn")
    await store.record_step(turn.id, 0, step, model_call())
    await store.close()

    asked = (HOME.session_key, ANN.person_key, "scripted", "answer")
    expected = (1, NOW, *asked, 10, 2, 0, 0, 0, "", None)
    assert rows(path, "SELECT * FROM usage") == [expected]


async def test_a_claim_of_ownership_is_audited(tmp_path: Path) -> None:
    path = tmp_path / "daybook.db"
    store = SqliteStore.open(path)
    await store.claim_ownership(ANN, at=START)
    await store.claim_ownership(replace(ANN, user_id="1002"), at=START)
    await store.close()

    expected = (1, NOW, ANN.person_key, f"grant of {ANN.person_key}", None, "owner")
    assert rows(path, "SELECT * FROM audit") == [expected]
    assert rows(path, "SELECT * FROM person") == [(ANN.person_key, "owner", "Ann", NOW)]


async def test_what_was_set_aside_can_be_looked_at(tmp_path: Path) -> None:
    path = tmp_path / "daybook.db"
    store = SqliteStore.open(path)
    odd = SetAside(event_id="update:9", channel="telegram", raw='{"\ud800": 1}', reason="no chat")
    await store.receive((odd,), cursor=None, at=START)
    await store.close()

    assert rows(path, "SELECT state, body, reason, received_at FROM inbox") == [
        ("set_aside", '{"\\ud800": 1}', "no chat", NOW)
    ]


async def test_what_is_not_for_the_bot_is_not_written_down(tmp_path: Path) -> None:
    path = tmp_path / "daybook.db"
    store = SqliteStore.open(path)
    await hear(store, message(1, SECRET), route="none")

    assert SECRET.encode() not in on_disk(path)

    await store.close()


async def test_a_sent_reply_is_gone_from_the_file(tmp_path: Path) -> None:
    path = tmp_path / "daybook.db"
    store = SqliteStore.open(path)
    turn = await begin(store, message(1))
    await store.add_preview(turn.id, saying(SECRET), at=START)
    (item,) = await store.finish_turn(turn.id, "answered", (saying(SECRET),), at=START)
    assert SECRET.encode() in on_disk(path)

    await store.mark_sent(item.id, Receipt(message_id="501"), at=START)
    await store.mark_failed(item.id, "late doubt", at=START)
    await store.close()

    assert SECRET.encode() not in on_disk(path)
    assert rows(path, "SELECT state, reason, receipt FROM outbox WHERE is_preview = 0") == [
        ("sent", None, "501")
    ]


async def test_a_sent_file_is_gone_from_the_file(tmp_path: Path) -> None:
    path = tmp_path / "daybook.db"
    store = SqliteStore.open(path)
    turn = await begin(store, message(1))
    file = OutgoingFile(name="a.txt", media_type="text/plain", content=SECRET.encode())
    await store.add_file(turn.id, "a", file)
    reply = replace(saying(""), file=file)
    (item,) = await store.finish_turn(turn.id, "answered", (reply,), at=START)
    assert SECRET.encode() in on_disk(path)

    await store.mark_sent(item.id, Receipt(message_id="501"), at=START)
    await store.close()

    assert SECRET.encode() not in on_disk(path)
    assert rows(path, "SELECT * FROM turn_file") == []


async def test_a_failed_reply_is_kept_with_the_reason(tmp_path: Path) -> None:
    path = tmp_path / "daybook.db"
    store = SqliteStore.open(path)
    turn = await begin(store, message(1))
    (item,) = await store.finish_turn(turn.id, "answered", (saying(SECRET),), at=START)
    await store.mark_failed(item.id, "blocked by the person", at=START)
    await store.close()

    ((state, reason, body),) = rows(path, "SELECT state, reason, body FROM outbox")
    assert (state, reason) == ("failed", "blocked by the person")
    assert SECRET in str(body)


async def test_reasoning_and_inbox_are_gone_when_the_turn_has_ended(tmp_path: Path) -> None:
    path = tmp_path / "daybook.db"
    store = SqliteStore.open(path)
    turn = await begin(store, message(1, "what is on today?"))
    thinking = Thinking(text=SECRET, signature="signed")
    answer = Message(role="assistant", blocks=(thinking, Text(text="Nothing.")))
    await store.record_step(turn.id, 0, Step(answer=answer, stop="end_turn"), model_call())
    await store.finish_turn(turn.id, "answered", (), at=START)
    await store.close()

    assert SECRET.encode() not in on_disk(path)
    assert on_disk(path).count(b"what is on today?") == 1  # the turn's own request
    assert rows(path, "SELECT state, body, turn_id FROM inbox") == [("done", None, turn.id)]


async def test_messages_of_a_failed_turn_are_kept_until_the_next(tmp_path: Path) -> None:
    path = tmp_path / "daybook.db"
    store = SqliteStore.open(path)
    first = await begin(store, message(1, "what is on today?"))
    await store.finish_turn(first.id, "failed", (), at=START)
    await store.close()

    ((state, body),) = rows(path, "SELECT state, body FROM inbox")
    assert state == "kept"
    assert "what is on today?" in str(body)

    store = SqliteStore.open(path)
    second = await begin(store, message(2))
    await store.finish_turn(second.id, "answered", (), at=START)
    await store.close()

    assert rows(path, "SELECT state, body, turn_id FROM inbox ORDER BY id") == [
        ("done", None, first.id),
        ("done", None, second.id),
    ]
    assert on_disk(path).count(b"what is on today?") == 1  # the turn's own request


async def test_a_clear_forgets_the_messages_of_a_failed_turn(tmp_path: Path) -> None:
    path = tmp_path / "daybook.db"
    store = SqliteStore.open(path)
    turn = await begin(store, message(1))
    await store.finish_turn(turn.id, "failed", (), at=START)
    await store.clear(HOME.session_key, at=START)
    late = await begin(store, message(2))
    await store.clear(HOME.session_key, at=START)
    await store.finish_turn(late.id, "failed", (), at=START)
    await store.close()

    assert rows(path, "SELECT state, body FROM inbox") == [("done", None)] * 2


async def test_what_was_pruned_is_gone_from_the_file(tmp_path: Path) -> None:
    path = tmp_path / "daybook.db"
    store = SqliteStore.open(path)
    odd = SetAside(event_id="update:9", channel="telegram", raw=SECRET, reason="no chat")
    await store.receive((odd,), cursor=None, at=START)
    assert await store.prune(LATER) == 1
    await store.close()

    assert SECRET.encode() not in on_disk(path)


async def test_pruning_lets_others_in(tmp_path: Path) -> None:
    """Each transaction is short, also where nothing is to be removed."""
    db = open_database(tmp_path / "daybook.db")
    connection = connection_of(db)
    store = SqliteStore(make_tables(db), DatabaseThread(db, inline=True))
    for at in (LATER, START):
        events = tuple(
            Received(inbound=replace(OVERHEARD, event_id=f"{at} {number}"), route="none")
            for number in range(2 * CHUNK)
        )
        await store.receive(events, cursor=None, at=at)
    removed: list[int] = []
    known = connection.total_changes

    def note(statement: str) -> None:
        if statement == "COMMIT":
            removed.append(connection.total_changes - known - sum(removed))

    connection.set_trace_callback(note)

    assert await store.prune(LATER) == 2 * CHUNK

    connection.set_trace_callback(None)
    # The last ones find the ends of both tables, and no old copy.
    assert removed == [0, 0, CHUNK, CHUNK, 0, 0, 0]
    await store.close()


async def test_no_two_databases_give_the_same_keys(tmp_path: Path) -> None:
    keys = set()
    for name in ("one.db", "two.db"):
        store = SqliteStore.open(tmp_path / name)
        turn = await begin(store, message(1))
        (item,) = await store.finish_turn(turn.id, "answered", (saying("a"),), at=START)
        keys.add(item.reply.key)
        await store.close()

    assert len(keys) == 2


async def use_every_verb(store: SqliteStore) -> None:
    turn = await begin(store, message(1))
    await store.add_preview(turn.id, saying("I th"), at=START)
    await store.record_step(turn.id, 0, asking("a"), model_call())
    await store.record_start(turn.id, 0, ("a",))
    await store.record_result(turn.id, 0, ToolResult(call_id="a", content="1"))
    await store.record_resume(turn.id)
    await store.record_call(model_call())
    await store.spent_in(((START, START),), person_key=ANN.person_key)
    await store.spent_in(((START, START), (START, START)))
    await store.spent_lines((START, START))
    await store.heard_in(HOME, limit=8)
    await store.add_file(turn.id, "a", OutgoingFile(name="a", media_type="", content=b"a"))
    await store.files_of(turn.id)
    await change(store, edit_of(message(1), "while it runs"))
    await store.unfinished()
    await store.finish_turn(turn.id, "failed", (), at=START)
    await change(store, edit_of(message(1), "once it has ended"))
    await store.reopen(HOME.session_key, at=START)
    (item,) = await store.finish_turn(turn.id, "answered", (saying("hello"),), at=START)
    await store.mark_sending(item.id, at=START)
    await store.mark_pending(item.id)
    await store.mark_failed(item.id, "blocked", at=START)
    await store.failed(HOME.session_key)
    await store.send_again(HOME.session_key, at=START)
    await store.mark_sent(item.id, Receipt(message_id="501"), at=START)
    await hear(store, message(2, "/status"), route="command")
    await store.finish_command(HOME.channel, message(2).event_id, (saying("fine"),), at=START)
    await offer(store, YES)
    await take_in(store, press(1, YES))
    await store.redeem(press(1, YES), at=START)
    await store.finish_command(HOME.channel, "press:1", (saying("gone"),), at=START)
    await store.load(HOME.session_key)
    await store.clear(HOME.session_key, at=START)
    await store.prune(LATER)


async def test_no_verb_reads_a_whole_table(tmp_path: Path) -> None:
    """Tables grow for years; what is waited for while a person waits must not."""
    db = open_database(tmp_path / "daybook.db")
    connection = connection_of(db)
    statements: list[str] = []
    store = SqliteStore(make_tables(db), DatabaseThread(db, inline=True))
    connection.set_trace_callback(statements.append)
    await use_every_verb(store)
    connection.set_trace_callback(None)

    plans = {
        statement: [row[3] for row in connection.execute(f"EXPLAIN QUERY PLAN {statement}")]
        for statement in statements
        if statement.startswith(("SELECT", "UPDATE", "DELETE"))
    }
    scans = [plan for steps in plans.values() for plan in steps if plan.startswith("SCAN")]
    small = ("USING INDEX", "USING COVERING INDEX", "json_each", "installation", "chat_move")

    assert len(plans) > 35
    assert [plan for plan in scans if not any(each in plan for each in small)] == []

    await store.close()
