"""Sums of what calls took are what the calls say, whatever the span, the zone and the moves."""

import sqlite3
from collections import defaultdict
from contextlib import closing
from datetime import UTC, datetime, timedelta
from pathlib import Path
from random import Random
from typing import get_args
from zoneinfo import ZoneInfo

from hypothesis import example, given, settings
from hypothesis import strategies as st
from peewee import SqliteDatabase

from bot.adapters.store import moving, usage, usage_sums
from bot.adapters.store.codec import micros_of
from bot.adapters.store.migrations import MIGRATIONS
from bot.adapters.store.migrations.m0006_cost import m0006_cost
from bot.adapters.store.schema import Tables, make_tables
from bot.core.chat import ChatAddress, PersonKey, SessionKey
from bot.core.cost import Axis, Span, Spent, chat_of, days_through, span_of, total
from bot.core.lifecycle import CallId, ModelCall
from bot.core.llm import Purpose, Usage

ZONES = tuple(map(ZoneInfo, ("UTC", "Europe/Berlin", "Asia/Kathmandu", "Australia/Lord_Howe")))
BEGIN, END = datetime(2026, 3, 27, tzinfo=UTC), datetime(2026, 4, 6, tzinfo=UTC)
ODD = PersonKey("telegram::\ud800")
PURPOSES: tuple[Purpose, ...] = ("answer", "facts")
CHATS = tuple(
    ChatAddress(channel="telegram", account="7", chat=chat, thread=thread)
    for chat, thread in (("-1", ""), ("-1", "5"), ("-10", ""), ("-2", ""))
)
COUNTS = st.integers(0, 9)
MOMENTS = st.one_of(
    st.datetimes(BEGIN.replace(tzinfo=None), END.replace(tzinfo=None)),
    st.sampled_from([BEGIN + timedelta(minutes=15 * count) for count in range(960)]).map(
        lambda moment: moment.replace(tzinfo=None)
    ),
).map(lambda moment: moment.replace(tzinfo=UTC))
MODEL_CALLS = st.builds(
    ModelCall,
    session_key=st.sampled_from([chat.session_key for chat in CHATS]),
    person_key=st.sampled_from([PersonKey("telegram::1"), ODD, PersonKey("")]),
    model=st.sampled_from(["m", "n"]),
    purpose=st.sampled_from(PURPOSES),
    usage=st.builds(
        Usage,
        input_tokens=COUNTS,
        output_tokens=COUNTS,
        cache_read_tokens=COUNTS,
        cache_write_tokens=COUNTS,
    ),
    at=MOMENTS,
    cost_nano_usd=st.none() | COUNTS,
)
SPANS = st.one_of(
    st.tuples(MOMENTS, MOMENTS),
    st.builds(
        lambda zone, ago: span_of(END.date() - timedelta(days=ago), zone),
        st.sampled_from(ZONES),
        st.integers(0, 10),
    ),
)
EVER = (datetime(1970, 1, 1, tzinfo=UTC), datetime(9999, 1, 1, tzinfo=UTC))


def plain(tables: Tables, span: Span) -> list[tuple[dict[Axis, str], Spent]]:
    """Read every call in a span by itself, with what it is told apart by."""
    rows = tables.execute(
        "SELECT session_key, person_key, model, purpose, cost_nano_usd, input_tokens,"
        " output_tokens, cache_read_tokens, cache_write_tokens, at FROM usage"
    ).fetchall()
    begin, end = map(micros_of, span)
    return [
        (
            {"chat": chat, "person": person, "model": model, "purpose": purpose},
            Spent(
                usage=Usage(
                    input_tokens=given,
                    output_tokens=out,
                    cache_read_tokens=read,
                    cache_write_tokens=written,
                ),
                nano_usd=cost or 0,
                calls=1,
                unpriced=int(cost is None),
            ),
        )
        for chat, person, model, purpose, cost, given, out, read, written, at in rows
        if begin <= at < end
    ]


def require_equal_sums(tables: Tables, spans: tuple[Span, ...]) -> None:
    for span in spans:
        calls = plain(tables, span)
        lines: defaultdict[tuple[Axis, str], Spent] = defaultdict(Spent)
        for names, spent in calls:
            for axis, name in names.items():
                lines[axis, name] += spent
        found = usage_sums.spent_lines(tables, span)
        assert lines == {(line.axis, line.name): line.spent for line in found}
        assert len(lines) == len(found)
        assert (total(spent for _, spent in calls),) == usage_sums.spent_in(tables, (span,), None)
        for person in ("telegram::1", ""):
            own = total(spent for names, spent in calls if names["person"] == person)
            assert (own,) == usage_sums.spent_in(tables, (span,), PersonKey(person))


@settings(max_examples=60, deadline=None)
@given(
    calls=st.lists(MODEL_CALLS, max_size=25),
    spans=st.lists(SPANS, min_size=1, max_size=4).map(tuple),
    moved_after=st.none() | st.integers(0, 25),
)
@example(calls=[], spans=(EVER,), moved_after=0)
def test_sums_are_what_the_calls_say(
    calls: list[ModelCall], spans: tuple[Span, ...], moved_after: int | None
) -> None:
    """Also when a group goes on under the id of another that has calls as well."""
    with closing(SqliteDatabase(":memory:")) as db:
        tables = make_tables(db)
        db.create_tables(tables.models)
        for count, call in enumerate(calls):
            if count == moved_after:
                moving.move_chat(tables, CHATS[0], "-2")
            usage.insert(tables, call)

        require_equal_sums(tables, (*spans, EVER))


@settings(max_examples=60, deadline=None)
@given(
    calls=st.lists(st.tuples(MODEL_CALLS, st.none() | MODEL_CALLS), max_size=15),
    order=st.randoms(use_true_random=False),
)
def test_sums_follow_calls_to_their_ends(
    calls: list[tuple[ModelCall, ModelCall | None]], order: Random
) -> None:
    """Calls that overlap, take nothing, end elsewhere than they began, or never do."""
    with closing(SqliteDatabase(":memory:")) as db:
        tables = make_tables(db)
        db.create_tables(tables.models)
        running: list[tuple[CallId, ModelCall | None]] = []
        for begun, over in calls:
            running.append((usage.insert(tables, begun), over))
            if order.random() < 0.7:
                usage.end(tables, *running.pop(order.randrange(len(running))))

        require_equal_sums(tables, (EVER,))
        (idle,) = tables.execute("SELECT COUNT(*) FROM usage_sum WHERE calls <= 0").fetchone()
        assert 0 == idle


@settings(max_examples=60, deadline=None)
@given(calls=st.lists(MODEL_CALLS, max_size=25), span=SPANS, most=st.integers(1, 3))
def test_the_largest_are_the_first_of_all_lines(
    calls: list[ModelCall], span: Span, most: int
) -> None:
    """Whatever pieces a span is made of."""
    with closing(SqliteDatabase(":memory:")) as db:
        tables = make_tables(db)
        db.create_tables(tables.models)
        for call in calls:
            usage.insert(tables, call)
        sums: defaultdict[tuple[Axis, str], Spent] = defaultdict(Spent)
        for names, spent in plain(tables, span):
            for axis, name in names.items():
                sums[axis, chat_of(SessionKey(name)) if axis == "chat" else name] += spent
        found = usage_sums.largest_lines(tables, span, most)

    for axis in get_args(Axis):
        lines = [(name, spent) for (each, name), spent in sums.items() if each == axis]
        lines.sort(key=lambda line: (-line[1].nano_usd, -line[1].amount.tokens, line[0]))
        assert lines[:most] == [(line.name, line.spent) for line in found if line.axis == axis]


@settings(max_examples=60, deadline=None)
@given(begin=st.integers(0, 10**13), length=st.integers(-(10**11), 10**12))
def test_pieces_follow_each_other_and_are_whole(begin: int, length: int) -> None:
    """At most five; call by call is read less than half an hour at each end."""
    end = begin + length
    found = usage_sums.pieces(begin, end)

    assert [first for _, first, _ in found[1:]] == [last for _, _, last in found[:-1]]
    assert (begin, end) == (found[0][1], found[-1][2]) if length > 0 else found == ()
    assert all(first % step == 0 == last % step for step, first, last in found if step)
    assert all(last - first < 2 * usage_sums.QUARTER_US for step, first, last in found if not step)
    assert len(found) <= 5


def test_days_of_the_calendar_are_made_of_sums_alone() -> None:
    """In every zone, also when its clocks are set by half an hour."""
    spans = [span_of(day, zone) for zone in ZONES for day in days_through(END.date(), 10)]
    found = [usage_sums.pieces(micros_of(begin), micros_of(end)) for begin, end in spans]

    assert {usage_sums.DAY_US, usage_sums.QUARTER_US} == {
        step for each in found for step, *_ in each
    }


def test_what_was_used_before_there_were_sums_is_in_them(tmp_path: Path) -> None:
    path = tmp_path / "daybook.db"
    steps = MIGRATIONS[: MIGRATIONS.index(m0006_cost)]
    with closing(sqlite3.connect(path)) as connection, connection:
        for step in steps:
            step(connection)
        connection.executemany(
            "INSERT INTO usage (at, session_key, person_key, model, purpose, input_tokens,"
            " output_tokens, cache_read_tokens, cache_write_tokens) VALUES (?,?,?,'m',?,3,2,5,1)",
            [
                (
                    micros_of(BEGIN + timedelta(minutes=7 * count)),
                    f"telegram:7:{count % 3}:",
                    who,
                    why,
                )
                for count in range(500)
                for who, why in (("telegram::1", "answer"), ("", "facts"))
            ],
        )
        m0006_cost(connection)
    with closing(SqliteDatabase(str(path))) as db:
        tables = make_tables(db)
        spans = tuple(span_of(day, zone) for zone in ZONES for day in days_through(END.date(), 10))

        require_equal_sums(tables, (*spans, EVER))
        assert 1_000 == usage_sums.spent_in(tables, (EVER,), None)[0].unpriced
