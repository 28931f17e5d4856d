"""What calls of the model took and cost: each is accounted for, and never forgotten.

One that is about to be made is kept with an estimate, its prompt at the price of one that no cache
knows, and without an answer; what it took comes into the place of that. Of what a crash cuts off,
the estimate is what is known.
"""

from __future__ import annotations

from collections.abc import Iterable

from bot.adapters.store import usage_sums
from bot.adapters.store.codec import micros_of, moment_of
from bot.adapters.store.schema import Tables
from bot.core.chat import PersonKey, SessionKey
from bot.core.cost import Span, UnpricedLine
from bot.core.lifecycle import CallId, ModelCall
from bot.core.llm import Payer, Usage

MOST_CALLS = 8

_SUMS = (
    "SELECT SUM(input_tokens), SUM(output_tokens), SUM(cache_read_tokens),"
    " SUM(cache_write_tokens) FROM usage WHERE purpose = 'answer' AND "
)
_SINCE_CLEAR = (
    "session_key = ? AND id > COALESCE((SELECT calls_after FROM session WHERE key = ?), 0)"
)


def insert(tables: Tables, call: ModelCall) -> CallId:
    """Account for a call of the model, be it over or about to be made."""
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
        *_took(call),
    )
    assert cursor.lastrowid is not None
    usage_sums.take_in(tables, cursor.lastrowid)
    return CallId(cursor.lastrowid)


def end(tables: Tables, call_id: CallId, call: ModelCall | None) -> None:
    """Say what a call took that was begun; None that it came to nothing, and is gone.

    Its chat may have another id by now, so that what is not said of it again stays.
    """
    usage_sums.take_out(tables, call_id)
    if call is None:
        _withdraw(tables, call_id)
        return
    tables.execute(
        "UPDATE usage SET at = ?, model = ?, asked = ?, input_tokens = ?, output_tokens = ?,"
        " cache_read_tokens = ?, cache_write_tokens = ?, local_tokens = ?, cost_nano_usd = ?"
        " WHERE id = ?",
        micros_of(call.at),
        call.model,
        call.asked,
        *_took(call),
        call_id,
    )
    usage_sums.take_in(tables, call_id)


def unpriced_lines(tables: Tables, span: Span) -> tuple[UnpricedLine, ...]:
    """Add up the calls in a span whose price nobody knew."""
    begin, end = map(micros_of, span)
    rows = tables.execute(
        "SELECT session_key, person_key, purpose, model, asked, SUM(input_tokens),"
        " SUM(output_tokens), SUM(cache_read_tokens), SUM(cache_write_tokens)"
        " FROM usage WHERE at >= ? AND at < ? AND cost_nano_usd IS NULL"
        " GROUP BY session_key, person_key, purpose, model, asked",
        begin,
        end,
    ).fetchall()
    return tuple(
        UnpricedLine(
            payer=Payer(session_key=chat, person_key=person, purpose=purpose),
            model=model,
            asked=asked,
            usage=_usage(row),
        )
        for chat, person, purpose, model, asked, *row in rows
    )


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


def _withdraw(tables: Tables, call_id: CallId) -> None:
    """Remove a call; a chat that was cleared behind it was so behind the one before.

    The next call may get the same id, and is not to count as one from before the clear.
    """
    tables.execute(
        "UPDATE session SET calls_after = (SELECT COALESCE(MAX(id), 0) FROM usage"
        " WHERE usage.session_key = session.key AND usage.id < session.calls_after)"
        " WHERE calls_after = ? AND key = (SELECT session_key FROM usage WHERE id = ?)",
        call_id,
        call_id,
    )
    tables.execute("DELETE FROM usage WHERE id = ?", call_id)


def _usage(row: Iterable[int | None]) -> Usage:
    given, out, read, written = (value or 0 for value in row)
    return Usage(
        input_tokens=given, output_tokens=out, cache_read_tokens=read, cache_write_tokens=written
    )


def _took(call: ModelCall) -> tuple[int | None, ...]:
    """Give the columns of what a call took, in their order."""
    usage = call.usage
    return (
        usage.input_tokens,
        usage.output_tokens,
        usage.cache_read_tokens,
        usage.cache_write_tokens,
        call.local_tokens,
        call.cost_nano_usd,
    )
