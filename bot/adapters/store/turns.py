"""Turns and their journal: what was asked, each step, each result, how it ended."""

from __future__ import annotations

import json
from dataclasses import replace
from datetime import datetime

from bot.adapters.store import journal, usage
from bot.adapters.store.changes import note_change, turn_ref
from bot.adapters.store.codec import (
    decode_result,
    decode_started,
    encode_message,
    encode_result,
    micros_of,
)
from bot.adapters.store.schema import Tables
from bot.core.chat import SessionKey
from bot.core.lifecycle import ModelCall
from bot.core.messages import Message, Thinking, ToolResult
from bot.core.turns import Outcome, Step, Turn, TurnId


def start(
    tables: Tables, session_key: SessionKey, generation: int, request: Message, at: datetime
) -> Turn:
    """Open a turn."""
    inserted = tables.execute(
        "INSERT INTO turn (session_key, generation, request, started_at) VALUES (?, ?, ?, ?)",
        session_key,
        generation,
        encode_message(request),
        micros_of(at),
    )
    assert inserted.lastrowid is not None
    return Turn(
        id=TurnId(inserted.lastrowid),
        session_key=session_key,
        request=request,
        started_at=at,
        generation=generation,
    )


def take_off_record(tables: Tables, turn_id: TurnId) -> None:
    """Let nothing be made of a turn: to whoever looks for work, all of it was done."""
    tables.execute(
        "UPDATE turn SET is_off_record = 1, remembered = 1, is_read = 1, is_recorded = 1"
        " WHERE id = ?",
        turn_id,
    )


def has_open(tables: Tables, session_key: SessionKey) -> bool:
    """Say whether a turn of this chat is still open."""
    found = tables.execute(
        "SELECT 1 FROM turn WHERE session_key = ? AND outcome IS NULL", session_key
    )
    return found.fetchone() is not None


def is_open(tables: Tables, turn_id: TurnId) -> bool:
    """Say whether this turn is still open.

    Raises:
        ValueError: There is no such turn.
    """
    row = tables.execute("SELECT outcome FROM turn WHERE id = ?", turn_id).fetchone()
    if row is None:
        raise ValueError(f"no such turn: {turn_id}")
    return row[0] is None


def record_step(
    tables: Tables, turn_id: TurnId, index: int, step: Step, call: ModelCall | None
) -> None:
    """Keep an answer of the model, the results it already has, and what it cost if nobody did.

    Raises:
        ValueError: The turn has ended, or ``index`` is not that of its next step.
    """
    _require_open(tables, turn_id)
    (known,) = tables.execute("SELECT COUNT(*) FROM step WHERE turn_id = ?", turn_id).fetchone()
    if index != known:
        raise ValueError(f"step {index} of turn {turn_id} cannot follow {known} steps")
    tables.execute(
        "INSERT INTO step (turn_id, position, answer, stop) VALUES (?, ?, ?, ?)",
        turn_id,
        index,
        encode_message(step.answer),
        step.stop,
    )
    for result in step.results:
        _insert_result(tables, turn_id, index, result)
    if call is not None:
        usage.insert(tables, call)


def record_result(
    tables: Tables, turn_id: TurnId, index: int, result: ToolResult, whole: str | None = None
) -> None:
    """Keep what a tool answered, and the whole of it where that is only a part.

    The first result of a call stays.

    Raises:
        ValueError: The turn has ended or has no such step.
    """
    _require_open(tables, turn_id)
    found = tables.execute("SELECT 1 FROM step WHERE turn_id = ? AND position = ?", turn_id, index)
    if found.fetchone() is None:
        raise ValueError(f"turn {turn_id} has no step {index}")
    _insert_result(tables, turn_id, index, result, whole)


def record_start(tables: Tables, turn_id: TurnId, index: int, call_ids: tuple[str, ...]) -> None:
    """Note calls that are about to run, besides those noted before.

    Raises:
        ValueError: The turn has ended or has no such step.
    """
    _require_open(tables, turn_id)
    row = tables.execute(
        "SELECT started FROM step WHERE turn_id = ? AND position = ?", turn_id, index
    ).fetchone()
    if row is None:
        raise ValueError(f"turn {turn_id} has no step {index}")
    tables.execute(
        "UPDATE step SET started = ? WHERE turn_id = ? AND position = ?",
        json.dumps([*(_started(tables, turn_id, index, row[0]) or ()), *call_ids]),
        turn_id,
        index,
    )


def started_calls(tables: Tables, turn: Turn) -> frozenset[str]:
    """Name the calls of a turn that were started and have no result."""
    rows = tables.execute(
        "SELECT position, started FROM step WHERE turn_id = ? AND started IS NOT NULL", turn.id
    )
    noted: set[str] = set()
    for position, text in rows.fetchall():
        open_calls = {call.id for call in turn.steps[position].open_calls}
        started = _started(tables, turn.id, position, text)
        # Where it is damaged any of them may have begun.
        noted |= open_calls if started is None else open_calls & set(started)
    return frozenset(noted)


def _started(tables: Tables, turn_id: int, index: int, text: str | None) -> list[str] | None:
    """Read which calls of a step have begun; None when that cannot be read."""
    if text is None:
        return []
    return tables.damage.read("step.started", f"{turn_id}/{index}", decode_started, text)


def request_of(tables: Tables, turn_id: TurnId) -> Message:
    """Give what an open turn was asked.

    Raises:
        ValueError: There is no such turn, or it has ended.
    """
    _require_open(tables, turn_id)
    (text,) = tables.execute("SELECT request FROM turn WHERE id = ?", turn_id).fetchone()
    return journal.request(tables, turn_id, text)


def change_request(tables: Tables, turn_id: TurnId, request: Message) -> None:
    """Write down what a turn was asked, as it is from now on."""
    tables.execute("UPDATE turn SET request = ? WHERE id = ?", encode_message(request), turn_id)


def rewrite(tables: Tables, turn_id: TurnId, request: Message) -> None:
    """Write down that what a turn was asked was changed by whoever asked it."""
    change_request(tables, turn_id, request)
    tables.execute("UPDATE turn SET revision = revision + 1 WHERE id = ?", turn_id)
    note_change(tables, turn_ref(turn_id))


def record_resume(tables: Tables, turn_id: TurnId) -> int:
    """Count one more process that goes on with a turn, and give the count.

    Raises:
        ValueError: There is no such turn, or it has ended.
    """
    _require_open(tables, turn_id)
    tables.execute("UPDATE turn SET resumes = resumes + 1 WHERE id = ?", turn_id)
    (resumes,) = tables.execute("SELECT resumes FROM turn WHERE id = ?", turn_id).fetchone()
    return int(resumes)


def reopen(tables: Tables, turn: Turn) -> None:
    """Open a turn again with the steps that ``turn`` still has; it is to be remembered anew."""
    tables.execute("DELETE FROM step WHERE turn_id = ? AND position >= ?", turn.id, len(turn.steps))
    tables.execute(
        "UPDATE turn SET outcome = NULL, finished_at = NULL, resumes = 0,"
        " remembered = is_off_record, is_recorded = is_off_record, started_at = ? WHERE id = ?",
        micros_of(turn.started_at),
        turn.id,
    )
    note_change(tables, turn_ref(turn.id))


def end(tables: Tables, turn_id: TurnId, outcome: Outcome, at: datetime) -> None:
    """Close a turn; the model's reasoning, which served only while it was open, is dropped."""
    tables.execute(
        "UPDATE turn SET outcome = ?, finished_at = ? WHERE id = ?",
        outcome,
        micros_of(at),
        turn_id,
    )
    note_change(tables, turn_ref(turn_id))
    rows = tables.execute("SELECT position, answer FROM step WHERE turn_id = ?", turn_id)
    for position, text in rows.fetchall():
        answer = journal.answer(tables, turn_id, position, text)
        kept = tuple(block for block in answer.blocks if not isinstance(block, Thinking))
        if len(kept) < len(answer.blocks):
            tables.execute(
                "UPDATE step SET answer = ? WHERE turn_id = ? AND position = ?",
                encode_message(Message(role=answer.role, blocks=kept)),
                turn_id,
                position,
            )


def open_turns(tables: Tables) -> tuple[Turn, ...]:
    """Give all turns that have not ended, oldest first."""
    rows = tables.execute(  # without the plus SQLite walks all turns in the order of their ids
        f"{journal.TURNS} WHERE outcome IS NULL ORDER BY +id"
    )
    return journal.read(tables, rows)


def by_id(tables: Tables, turn_id: TurnId) -> Turn | None:
    """Give a turn, open or ended; None when it is not there any more."""
    rows = tables.execute(f"{journal.TURNS} WHERE id = ?", turn_id)
    return next(iter(journal.read(tables, rows)), None)


def newest(tables: Tables, session_key: SessionKey) -> Turn | None:
    """Give the turn of a chat that was opened last, None when there never was one."""
    rows = tables.execute(
        f"{journal.TURNS} WHERE session_key = ? ORDER BY id DESC LIMIT 1",
        session_key,
    )
    return next(iter(journal.read(tables, rows)), None)


def newest_id(tables: Tables, session_key: SessionKey) -> int:
    """Give the id of the turn of a chat that was opened last, 0 when there never was one."""
    row = tables.execute("SELECT MAX(id) FROM turn WHERE session_key = ?", session_key).fetchone()
    return row[0] or 0


def newest_ended(tables: Tables, session_key: SessionKey, *, first: int, before: int) -> int | None:
    """Give the id of the newest ended turn from ``first`` on and before ``before``."""
    row = tables.execute(
        "SELECT MAX(id) FROM turn WHERE session_key = ? AND id >= ? AND id < ?"
        " AND outcome IS NOT NULL",
        session_key,
        first,
        before,
    ).fetchone()
    return None if row[0] is None else int(row[0])


def ended_turns(
    tables: Tables, session_key: SessionKey, *, first: int, last: int = 2**62
) -> tuple[Turn, ...]:
    """Give the ended turns of a chat by their ids, both ends included, oldest first."""
    rows = tables.execute(
        f"{journal.TURNS} WHERE session_key = ? AND id >= ? AND id <= ? AND outcome IS NOT NULL"
        " ORDER BY id",
        session_key,
        first,
        last,
    )
    return journal.read(tables, rows)


def newest_ended_turns(
    tables: Tables, session_key: SessionKey, *, first: int, before: int, limit: int
) -> tuple[Turn, ...]:
    """Give the newest ended turns from ``first`` on and before ``before``, oldest first."""
    rows = tables.execute(
        f"{journal.TURNS} WHERE session_key = ? AND id >= ? AND id < ? AND outcome IS NOT NULL"
        " ORDER BY id DESC LIMIT ?",
        session_key,
        first,
        before,
        limit,
    )
    return journal.read(tables, rows)[::-1]


def unremembered(
    tables: Tables, session_key: SessionKey, *, through: int, limit: int
) -> tuple[Turn, ...]:
    """Give ended turns of a chat that no daily file has, oldest first."""
    rows = tables.execute(
        f"{journal.TURNS} WHERE session_key = ? AND id <= ? AND outcome IS NOT NULL"
        " AND remembered = 0 ORDER BY id LIMIT ?",
        session_key,
        through,
        limit,
    )
    return journal.read(tables, rows)


def unread(
    tables: Tables, session_key: SessionKey, *, through: int, limit: int
) -> tuple[Turn, ...]:
    """Give ended turns of a chat that no facts were read out of, oldest first."""
    rows = tables.execute(
        f"{journal.TURNS} WHERE session_key = ? AND id <= ? AND outcome IS NOT NULL"
        " AND is_read = 0 ORDER BY id LIMIT ?",
        session_key,
        through,
        limit,
    )
    return journal.read(tables, rows)


def whole_result(
    tables: Tables, session_key: SessionKey, call_id: str, *, first: int
) -> str | None:
    """Give the newest result of a call in turns from ``first`` on, the whole where it is kept."""
    row = tables.execute(
        "SELECT turn.id, COALESCE(whole, body) FROM turn JOIN step_result ON turn_id = turn.id"
        " WHERE session_key = ? AND id >= ? AND call_id = ?"
        " ORDER BY id DESC, position DESC LIMIT 1",
        session_key,
        first,
        call_id,
    ).fetchone()
    if row is None:
        return None
    turn_id, text = row
    result = tables.damage.read("step_result.body", turn_id, decode_result, text)
    return None if result is None else result.content


def _require_open(tables: Tables, turn_id: TurnId) -> None:
    if not is_open(tables, turn_id):
        raise ValueError(f"turn {turn_id} has ended")


def _insert_result(
    tables: Tables, turn_id: TurnId, index: int, result: ToolResult, whole: str | None = None
) -> None:
    tables.execute(
        "INSERT INTO step_result (turn_id, position, call_id, body, whole) VALUES (?, ?, ?, ?, ?)"
        " ON CONFLICT (turn_id, position, call_id) DO NOTHING",
        turn_id,
        index,
        result.call_id,
        encode_result(result),
        None if whole is None else encode_result(replace(result, content=whole)),
    )
