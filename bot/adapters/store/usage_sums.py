"""What calls of the model took and cost, added up as they come: nothing reads all of them again.

Each call is part of ten sums: in the quarter of an hour and in the day, both of UTC, in which it
was, that of all calls and those of its chat, person, model and purpose. From these any span can
be made: midnight is on a quarter of an hour in every time zone there is. What sticks out of a span
that begins or ends elsewhere is read from the calls themselves.

The law of this file: a sum is written in its call's transaction, and equals what the calls say.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from typing import get_args

from bot.adapters.store.codec import micros_of
from bot.adapters.store.schema import Tables
from bot.core.chat import PersonKey
from bot.core.cost import Axis, Span, Spent, SpentLine
from bot.core.llm import Usage

QUARTER_US = 15 * 60 * 1_000_000
DAY_US = 96 * QUARTER_US
CALLS = 0
"""The step of what is read from the calls themselves."""

Piece = tuple[int, int, int]
"""A step, and from which moment up to which one its sums count, in microseconds."""

_COLUMNS = (
    "input_tokens, output_tokens, cache_read_tokens, cache_write_tokens, cost_nano_usd,"
    " calls, unpriced"
)
_SUMS = (
    "SUM(input_tokens), SUM(output_tokens), SUM(cache_read_tokens), SUM(cache_write_tokens),"
    " SUM(cost_nano_usd)"
)
_OF_CALLS = f"{_SUMS}, COUNT(*), SUM(cost_nano_usd IS NULL)"
_OF_SUMS = f"{_SUMS}, SUM(calls), SUM(unpriced)"
_ADD_UP = (
    " ON CONFLICT (axis, step, start, name) DO UPDATE SET"
    " input_tokens = input_tokens + excluded.input_tokens,"
    " output_tokens = output_tokens + excluded.output_tokens,"
    " cache_read_tokens = cache_read_tokens + excluded.cache_read_tokens,"
    " cache_write_tokens = cache_write_tokens + excluded.cache_write_tokens,"
    " cost_nano_usd = cost_nano_usd + excluded.cost_nano_usd,"
    " calls = calls + excluded.calls, unpriced = unpriced + excluded.unpriced"
)
_STEPS = f"(SELECT {QUARTER_US} AS step UNION ALL SELECT {DAY_US})"
_AXES = (
    "(SELECT 'all' AS axis UNION ALL SELECT 'chat' UNION ALL SELECT 'person'"
    " UNION ALL SELECT 'model' UNION ALL SELECT 'purpose')"
)
_NAME = (
    "CASE axis WHEN 'chat' THEN session_key WHEN 'person' THEN person_key"
    " WHEN 'model' THEN model WHEN 'purpose' THEN purpose ELSE '' END"
)
_KEYS = (
    f"SELECT axis, step, at - at % step AS start, {_NAME} AS name"  # noqa: S608 - constants
    f" FROM usage CROSS JOIN {_STEPS} CROSS JOIN {_AXES} WHERE usage.id = ?"
)
_TAKE_IN = (
    f"INSERT INTO usage_sum (axis, step, start, name, {_COLUMNS})"  # noqa: S608 - constants
    f" SELECT axis, step, at - at % step, {_NAME}, input_tokens, output_tokens,"
    " cache_read_tokens, cache_write_tokens, COALESCE(cost_nano_usd, 0), 1, cost_nano_usd IS NULL"
    f" FROM usage CROSS JOIN {_STEPS} CROSS JOIN {_AXES} WHERE usage.id = ?{_ADD_UP}"
)
_OF_CALL = f" WHERE (axis, step, start, name) IN ({_KEYS})"
_TAKE_OUT = (
    "UPDATE usage_sum SET input_tokens = input_tokens - ?, output_tokens = output_tokens - ?,"  # noqa: S608 - as above
    " cache_read_tokens = cache_read_tokens - ?, cache_write_tokens = cache_write_tokens - ?,"
    f" cost_nano_usd = cost_nano_usd - ?, calls = calls - 1, unpriced = unpriced - ?{_OF_CALL}"
)
_OF_CHAT = (
    " WHERE (axis, step, start, name) IN (SELECT 'chat', step, at - at % step, session_key"  # noqa: S608 - as above
    f" FROM usage CROSS JOIN {_STEPS} WHERE session_key >= ? AND session_key < ?)"
)
# The sums of all calls are few: through them those of one person are found, period by period.
_OF_ONE = (
    "SELECT SUM(own.input_tokens), SUM(own.output_tokens), SUM(own.cache_read_tokens),"
    " SUM(own.cache_write_tokens), SUM(own.cost_nano_usd), SUM(own.calls), SUM(own.unpriced)"
    " FROM usage_sum AS whole CROSS JOIN usage_sum AS own ON own.axis = ? AND own.step = whole.step"
    " AND own.start = whole.start AND own.name = ?"
    " WHERE whole.axis = 'all' AND whole.step = ? AND whole.start >= ? AND whole.start < ?"
)
_SUMMED = "input_tokens, output_tokens, cache_read_tokens, cache_write_tokens, cost_nano_usd"
_NOTHING = f"SELECT name, {_COLUMNS} FROM usage_sum WHERE FALSE"  # noqa: S608 - as above
_WHOLE_CHAT = "rtrim(name, replace(name, ':', ''))"
"""A session key up to its last colon, behind which stands the thread."""

_COLUMN_OF: dict[Axis, str] = {
    "chat": "session_key",
    "person": "person_key",
    "model": "model",
    "purpose": "purpose",
}


def take_in(tables: Tables, call_id: int) -> None:
    """Add a call that was just written to the sums."""
    tables.execute(_TAKE_IN, call_id)


def take_out(tables: Tables, call_id: int) -> None:
    """Take a call out of the sums as it stands now, before it is changed or removed."""
    row = tables.execute(
        "SELECT input_tokens, output_tokens, cache_read_tokens, cache_write_tokens,"
        " COALESCE(cost_nano_usd, 0), cost_nano_usd IS NULL FROM usage WHERE id = ?",
        call_id,
    ).fetchone()
    tables.execute(_TAKE_OUT, *row, call_id)
    tables.execute(f"DELETE FROM usage_sum{_OF_CALL} AND calls = 0", call_id)  # noqa: S608 - as above


def move_chat(tables: Tables, old: str, behind: str, new: str) -> None:
    """Give what calls took whose session keys begin with ``old`` to the keys that follow.

    Before the calls themselves get them. ``behind`` is greater than all keys that begin so.
    """
    tables.execute(
        f"INSERT INTO usage_sum (axis, step, start, name, {_COLUMNS})"  # noqa: S608 - constants
        f" SELECT axis, step, start, ? || substr(name, ?), {_COLUMNS} FROM usage_sum{_OF_CHAT}"
        f"{_ADD_UP}",
        new,
        len(old) + 1,
        old,
        behind,
    )
    tables.execute(f"DELETE FROM usage_sum{_OF_CHAT}", old, behind)  # noqa: S608 - as above


def spent_in(
    tables: Tables, spans: tuple[Span, ...], person_key: PersonKey | None
) -> tuple[Spent, ...]:
    """Add up what all calls took in each of several spans of time, or those for one person."""
    return tuple(_spent_in(tables, span, person_key) for span in spans)


def spent_lines(tables: Tables, span: Span) -> tuple[SpentLine, ...]:
    """Add up what each chat, each person, each model and each purpose took in a span of time."""
    spent: defaultdict[tuple[Axis, str], Spent] = defaultdict(Spent)
    for step, begin, end in _pieces_of(span):
        for axis in get_args(Axis):
            if step == CALLS:
                column = _COLUMN_OF[axis]
                rows = tables.execute(
                    f"SELECT {column}, {_OF_CALLS} FROM usage"  # noqa: S608 - constants
                    f" WHERE at >= ? AND at < ? GROUP BY {column}",
                    begin,
                    end,
                )
            else:
                rows = tables.execute(
                    f"SELECT name, {_OF_SUMS} FROM usage_sum WHERE axis = ?"  # noqa: S608 - as above
                    " AND step = ? AND start >= ? AND start < ? GROUP BY name",
                    axis,
                    step,
                    begin,
                    end,
                )
            for name, *row in rows.fetchall():
                spent[axis, name] += _spent(row)
    return tuple(
        SpentLine(axis=axis, name=name, spent=each) for (axis, name), each in spent.items()
    )


def largest_lines(tables: Tables, span: Span, most: int) -> tuple[SpentLine, ...]:
    """Give the ``most`` dearest chats, each with all its threads, persons, models and purposes."""
    return tuple(
        SpentLine(axis=axis, name=name, spent=_spent(row))
        for axis in get_args(Axis)
        for name, *row in _largest(tables, axis, span, most)
    )


def pieces(
    begin: int, end: int, steps: tuple[int, ...] = (DAY_US, QUARTER_US)
) -> tuple[Piece, ...]:
    """Cut a span, in microseconds, into whole days, then quarters of an hour, then single calls."""
    if begin >= end:
        return ()
    if not steps:
        return ((CALLS, begin, end),)
    step, *finer = steps
    first, last = -(-begin // step) * step, end // step * step
    if first >= last:
        return pieces(begin, end, tuple(finer))
    before, after = pieces(begin, first, tuple(finer)), pieces(last, end, tuple(finer))
    return (*before, (step, first, last), *after)


def _pieces_of(span: Span) -> tuple[Piece, ...]:
    begin, end = span
    return pieces(micros_of(begin), micros_of(end))


def _largest(
    tables: Tables, axis: Axis, span: Span, most: int
) -> list[tuple[str, *tuple[int | None, ...]]]:
    """Order on the disk's side: a month of many chats is more than the caller wants to see."""
    parts, asked = [_NOTHING], list[str | int]()
    for step, begin, end in _pieces_of(span):
        if step == CALLS:
            parts.append(
                f"SELECT {_COLUMN_OF[axis]}, {_SUMMED}, 1, cost_nano_usd IS NULL FROM usage"  # noqa: S608 - constants
                " WHERE at >= ? AND at < ?"
            )
            asked += (begin, end)
        else:
            parts.append(
                f"SELECT name, {_COLUMNS} FROM usage_sum WHERE axis = ? AND step = ?"  # noqa: S608 - as above
                " AND start >= ? AND start < ?"
            )
            asked += (axis, step, begin, end)
    called = _WHOLE_CHAT if axis == "chat" else "name"
    found: list[tuple[str, *tuple[int | None, ...]]] = tables.execute(
        f"SELECT {called} AS called, {_OF_SUMS} FROM ({' UNION ALL '.join(parts)})"  # noqa: S608 - as above
        " GROUP BY called ORDER BY COALESCE(SUM(cost_nano_usd), 0) DESC, SUM(input_tokens"
        " + output_tokens + cache_read_tokens + cache_write_tokens) DESC, called LIMIT ?",
        *asked,
        most,
    ).fetchall()
    return found


def _spent_in(tables: Tables, span: Span, person_key: PersonKey | None) -> Spent:
    spent = Spent()
    whose = ("all", "") if person_key is None else ("person", person_key)
    for step, begin, end in _pieces_of(span):
        if step == CALLS:
            rows = tables.execute(
                f"SELECT {_OF_CALLS} FROM usage INDEXED BY usage_at"  # noqa: S608 - constants
                " WHERE at >= ? AND at < ? AND person_key = COALESCE(?, person_key)",
                begin,
                end,
                person_key,
            )
        else:
            rows = tables.execute(_OF_ONE, *whose, step, begin, end)
        spent += _spent(rows.fetchone())
    return spent


def _spent(row: Iterable[int | None]) -> Spent:
    given, out, read, written, cost, calls, unpriced = (value or 0 for value in row)
    usage = Usage(
        input_tokens=given, output_tokens=out, cache_read_tokens=read, cache_write_tokens=written
    )
    return Spent(usage=usage, nano_usd=cost, calls=calls, unpriced=unpriced)
