"""What calls of the model took and cost: each is accounted for, and never forgotten."""

from __future__ import annotations

from collections.abc import Iterable

from bot.adapters.store import usage_sums
from bot.adapters.store.codec import micros_of, moment_of
from bot.adapters.store.schema import Tables
from bot.core.chat import PersonKey, SessionKey
from bot.core.lifecycle import ModelCall
from bot.core.llm import Usage

MOST_CALLS = 8

_SUMS = (
    "SELECT SUM(input_tokens), SUM(output_tokens), SUM(cache_read_tokens),"
    " SUM(cache_write_tokens) FROM usage WHERE purpose = 'answer' AND "
)
_SINCE_CLEAR = (
    "session_key = ? AND id > COALESCE((SELECT calls_after FROM session WHERE key = ?), 0)"
)


def insert(tables: Tables, call: ModelCall) -> None:
    """Account for a call of the model."""
    cursor = tables.execute(
        "INSERT INTO usage (at, session_key, person_key, model, asked, purpose, input_tokens,"
        " output_tokens, cache_read_tokens, cache_write_tokens, local_tokens, cost_nano_usd)"
        " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
        micros_of(call.at),
        call.session_key,
        call.person_key,
        call.model,
        call.asked,
        call.purpose,
        call.usage.input_tokens,
        call.usage.output_tokens,
        call.usage.cache_read_tokens,
        call.usage.cache_write_tokens,
        call.local_tokens,
        call.cost_nano_usd,
    )
    assert cursor.lastrowid is not None
    usage_sums.take_in(tables, cursor.lastrowid)


def of_chat(tables: Tables, session_key: SessionKey) -> Usage:
    """Add up what a chat's answers have cost since its last clear."""
    row = tables.execute(
        _SUMS + _SINCE_CLEAR,
        session_key,
        session_key,
    ).fetchone()
    return _usage(row)


def newest_calls(tables: Tables, session_key: SessionKey) -> tuple[ModelCall, ...]:
    """Give the newest calls for answers of a chat, oldest first, also those before a clear.

    How long requests are by the model's own count does not change with what is shown of a chat.
    """
    rows = tables.execute(
        "SELECT at, person_key, model, asked, input_tokens, output_tokens, cache_read_tokens,"
        " cache_write_tokens, local_tokens FROM usage WHERE session_key = ?"
        " AND purpose = 'answer' ORDER BY id DESC LIMIT ?",
        session_key,
        MOST_CALLS,
    ).fetchall()
    return tuple(
        ModelCall(
            session_key=session_key,
            person_key=PersonKey(person),
            model=model,
            purpose="answer",
            usage=Usage(
                input_tokens=given,
                output_tokens=out,
                cache_read_tokens=read,
                cache_write_tokens=written,
            ),
            at=moment_of(at),
            asked=asked,
            local_tokens=local,
        )
        for at, person, model, asked, given, out, read, written, local in reversed(rows)
    )


def _usage(row: Iterable[int | None]) -> Usage:
    given, out, read, written = (value or 0 for value in row)
    return Usage(
        input_tokens=given, output_tokens=out, cache_read_tokens=read, cache_write_tokens=written
    )
