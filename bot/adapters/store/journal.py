"""Turns as they are read back: their requests, their steps, the results of these."""

from __future__ import annotations

import json
import sqlite3

from bot.adapters.store.codec import decode_message, decode_result, moment_of
from bot.adapters.store.damage import LOST
from bot.adapters.store.schema import Tables
from bot.core.chat import SessionKey
from bot.core.messages import Message, Text, ToolResult
from bot.core.turns import Step, Turn, TurnId

TURNS = "SELECT id, session_key, generation, request, started_at, outcome, revision FROM turn"
"""Of a turn's row what :func:`read` takes; what follows says of which."""

LOST_REQUEST = Message(role="user", blocks=(Text(text=LOST),))
LOST_ANSWER = Message(role="assistant", blocks=(Text(text=LOST),))
"""What is shown of a turn where the row cannot be read any more.

Steps keep their places, by which the journal goes on; a turn whose newest step is lost ends with
these words, since it is not known what it was about to do.
"""


def read(tables: Tables, rows: sqlite3.Cursor) -> tuple[Turn, ...]:
    """Give turns with their steps; ``rows`` are of their table, asked for by :data:`TURNS`."""
    found = rows.fetchall()
    steps = _steps_of(tables, [row[0] for row in found])
    return tuple(
        Turn(
            id=TurnId(turn_id),
            session_key=SessionKey(key),
            generation=generation,
            request=request(tables, turn_id, asked),
            started_at=moment_of(started_at),
            steps=tuple(steps.get(turn_id, ())),
            outcome=outcome,
            revision=revision,
        )
        for turn_id, key, generation, asked, started_at, outcome, revision in found
    )


def _steps_of(tables: Tables, turn_ids: list[int]) -> dict[int, list[Step]]:
    """Read the journals of several turns at once."""
    ids = json.dumps(turn_ids)
    results: dict[tuple[int, int], list[ToolResult]] = {}
    for turn_id, position, call_id, body in tables.execute(
        "SELECT turn_id, position, call_id, body FROM step_result"
        " WHERE turn_id IN (SELECT value FROM json_each(?)) ORDER BY rowid",
        ids,
    ):
        result = tables.damage.read("step_result.body", turn_id, decode_result, body)
        result = result or ToolResult(call_id=call_id, content=LOST, is_error=True)
        results.setdefault((turn_id, position), []).append(result)
    steps: dict[int, list[Step]] = {}
    for turn_id, position, text, stop in tables.execute(
        "SELECT turn_id, position, answer, stop FROM step"
        " WHERE turn_id IN (SELECT value FROM json_each(?)) ORDER BY turn_id, position",
        ids,
    ):
        said = answer(tables, turn_id, position, text)
        if said is LOST_ANSWER:  # what it called is gone with it, and with that what it got
            steps.setdefault(turn_id, []).append(Step(answer=said, stop="end_turn"))
            continue
        of_step = _in_call_order(said, results.get((turn_id, position), []))
        steps.setdefault(turn_id, []).append(Step(answer=said, stop=stop, results=of_step))
    return steps


def request(tables: Tables, turn_id: int, text: str) -> Message:
    """Read what a turn was asked."""
    return tables.damage.read("turn.request", turn_id, decode_message, text) or LOST_REQUEST


def answer(tables: Tables, turn_id: int, position: int, text: str) -> Message:
    """Read an answer of the model."""
    row = f"{turn_id}/{position}"
    return tables.damage.read("step.answer", row, decode_message, text) or LOST_ANSWER


def _in_call_order(answer: Message, results: list[ToolResult]) -> tuple[ToolResult, ...]:
    """Put results, kept as the tools finished, in the order in which they were asked for."""
    if len(results) > 1:
        places = {call.id: place for place, call in enumerate(answer.tool_calls)}
        results.sort(key=lambda result: places.get(result.call_id, len(places)))
    return tuple(results)
