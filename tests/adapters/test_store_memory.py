"""What is on disk of cuts, summaries, entries and settings, and what is not there any more."""

import re
from datetime import timedelta
from pathlib import Path

from bot.adapters.store.codec import micros_of
from bot.adapters.store.database import DatabaseThread, connection_of
from bot.adapters.store.opening import open_database
from bot.adapters.store.schema import make_tables
from bot.adapters.store.sqlite_store import SqliteStore
from bot.core.messages import ToolResult
from bot.core.tasks import TaskState
from bot.core.turns import TurnId
from bot.core.window.conversation import Compaction, Cut, Summary
from bot.testing.clock import START
from bot.testing.stores.given import (
    HOME,
    TRIMMED,
    asking,
    begin,
    entry_of,
    have_turn,
    message,
    model_call,
    saying,
)
from tests.adapters.test_store_rows import on_disk, rows

KEY = HOME.session_key
SECRET = "a word that nobody shall find 秘密"
AFTER = START + timedelta(days=31)
CLEARED = Compaction(kind="clear", at=START, turns_left=2)


def summary_of(text: str, through: int) -> Summary:
    return Summary(
        generation=0,
        through=TurnId(through),
        overview=text,
        key_points=(),
        pinned=(),
        made_at=START,
    )


async def summarise(store: SqliteStore, text: str, through: int) -> None:
    """Let turns leave and have the summary land."""
    cut = Cut(kept_from=TurnId(through + 1), summary_version=await _version(store))
    await store.save_cut(KEY, cut, generation=0, at=START, compaction=TRIMMED)
    (job,) = await store.due_jobs(START, limit=1)
    assert await store.land_summary(job, summary_of(text, through), (), cut=cut, digest="")


async def _version(store: SqliteStore) -> int:
    return (await store.load(KEY)).cut.summary_version


async def remember(store: SqliteStore, *turn_ids: int, text: str = "- said") -> None:
    await store.ask_to_remember(AFTER, at=START)
    job = (await store.due_jobs(START, limit=9))[-1]
    await store.remember(job, tuple(entry_of(each, text) for each in turn_ids), is_done=True)


async def test_summaries_that_nothing_names_are_gone(tmp_path: Path) -> None:
    path = tmp_path / "daybook.db"
    store = SqliteStore.open(path)
    ids = [await have_turn(store, number) for number in (1, 2, 3)]
    await summarise(store, SECRET, ids[0])
    await summarise(store, "second", ids[1])
    assert SECRET.encode() in on_disk(path)  # the cut before the second names it

    await summarise(store, "third", ids[2])
    await store.close()

    assert rows(path, "SELECT version, through FROM summary") == [(2, ids[1]), (3, ids[2])]
    assert SECRET.encode() not in on_disk(path)


async def test_the_text_of_an_entry_is_kept_until_its_file_has_it(tmp_path: Path) -> None:
    path = tmp_path / "daybook.db"
    store = SqliteStore.open(path)
    turn = await have_turn(store, 1)
    await remember(store, turn, text=SECRET)
    await store.mark_written((entry_of(turn, SECRET),))
    await store.close()

    assert rows(path, "SELECT turn_id, chat, kind, day, text FROM memory_entry") == [
        (turn, HOME.chat, "private", "2026-01-05", None)
    ]
    assert SECRET.encode() not in on_disk(path)


async def test_nothing_of_a_removed_chat_is_in_the_file(tmp_path: Path) -> None:
    """But what was paid, who changed a setting, and which events were answered."""
    path = tmp_path / "daybook.db"
    store = SqliteStore.open(path)
    turn = await begin(store, message(1, SECRET))
    await store.record_step(turn.id, 0, asking("a"), model_call())
    result = ToolResult(call_id="a", content=SECRET)
    await store.record_result(turn.id, 0, result, whole=SECRET * 99)
    (item,) = await store.finish_turn(turn.id, "failed", (saying(SECRET),), at=START)
    await store.mark_failed(item.id, SECRET, at=START)
    await store.note_task(KEY, TaskState(goal=SECRET), turn_id=turn.id, at=START)
    await store.override("model", '"large"', scope=KEY, by="ann", at=START)
    await summarise(store, SECRET, turn.id)
    await remember(store, turn.id, text=SECRET)
    await store.mark_written((entry_of(turn.id, SECRET),))

    assert await store.remove(KEY, before=AFTER)
    await store.close()

    assert SECRET.encode() not in on_disk(path)
    kept = ("usage", "audit", "inbox")
    of_chats = ("session", "turn", "step", "step_result", "outbox", "summary", "memory_job")
    gone = (*of_chats, "memory_entry", "setting", "setting_change")
    counts = {table: rows(path, f"SELECT COUNT(*) FROM {table}") for table in (*kept, *gone)}
    assert counts == {table: [(1 if table in kept else 0,)] for table in (*kept, *gone)}
    assert rows(path, "SELECT state, turn_id, body FROM inbox") == [("done", None, None)]


async def test_every_change_of_a_setting_is_audited(tmp_path: Path) -> None:
    path = tmp_path / "daybook.db"
    store = SqliteStore.open(path)
    await store.override("model", '"small"', scope="", by="ann", at=START)
    await store.override("model", '"large"', scope=KEY, by="bo", at=START)
    await store.undo_override(scope="", by="bo", at=START)
    await store.close()

    at = micros_of(START)
    assert rows(path, "SELECT at, who, what, old, new FROM audit ORDER BY id") == [
        (at, "ann", "setting model", None, '"small"'),
        (at, "bo", f"setting model in {KEY}", None, '"large"'),
        (at, "bo", "setting model", '"small"', None),
    ]


async def test_no_verb_reads_a_whole_table(tmp_path: Path) -> None:
    """Nor a chat from its beginning, to show its end."""
    db = open_database(tmp_path / "daybook.db")
    connection = connection_of(db)
    statements: list[str] = []
    store = SqliteStore(make_tables(db), DatabaseThread(db, inline=True))
    ids = [await have_turn(store, number) for number in (1, 2, 3)]
    connection.set_trace_callback(statements.append)
    await summarise(store, "much", ids[0])
    await store.load(KEY)
    await store.turns_between(KEY, ids[0], ids[1])
    await store.usage_of(KEY)
    await store.note_task(KEY, TaskState(goal="go"), turn_id=ids[2], at=START)
    await store.task_of(KEY)
    await store.tool_output(KEY, "a")
    await remember(store, *ids)
    await store.unwritten(limit=9)
    await store.mark_written((entry_of(ids[0], "- said"),))
    await store.clear(KEY, at=START, compaction=CLEARED)
    await store.undo(KEY, at=START)
    await store.override("model", '"large"', scope=KEY, by="ann", at=START)
    await store.mark_written(tuple(entry_of(each, "- said") for each in ids))
    await store.claim_slot("cleanup", START, at=START)
    assert await store.remove(KEY, before=AFTER)
    connection.set_trace_callback(None)

    plans = {
        statement: [row[3] for row in connection.execute(f"EXPLAIN QUERY PLAN {statement}")]
        for statement in statements
        if statement.startswith(("SELECT", "UPDATE", "DELETE", "INSERT"))
    }
    scans = [plan for steps in plans.values() for plan in steps if plan.startswith("SCAN")]
    small = re.compile(
        "unremembered|unwritten|outbox_open|json_each|setting_change|memory_job|turn_file_of_call"
    )
    whole_chats = [
        statement
        for statement, steps in plans.items()
        if not (statement.startswith("DELETE") or "MAX(id)" in statement or "LIMIT" in statement)
        for plan in steps
        if re.search(r"(turn_of_conversation|usage_of_session) \(session_key=\?\)", plan)
    ]

    assert len(plans) > 35
    assert [plan for plan in scans if not small.search(plan)] == []
    assert whole_chats == []

    await store.close()
