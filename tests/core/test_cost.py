"""Caps, what is held against them, days, and sums of what was spent."""

from dataclasses import replace
from datetime import UTC, date, timedelta
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bot.core.chat import PersonKey, SessionKey
from bot.core.cost import (
    Amount,
    Axis,
    Cap,
    Spent,
    SpentLine,
    UnpricedLine,
    amount_of,
    at_least,
    chat_of,
    days_through,
    dollars,
    places_of,
    reservation,
    span_of,
    used_by_place,
)
from bot.core.llm import Payer, Usage
from bot.core.prices import FREE, NANO, Prices, Tariff, price_of

PAID = Amount(tokens=10, nano_usd=5)
THREAD = SessionKey("slack:T1:C1:1.5")
PRICES = Prices(
    tariffs={"cheap": Tariff(price=price_of(1, 2)), "dear": Tariff(price=price_of(2, 8))}
)
PAYER = Payer(session_key=THREAD, person_key=PersonKey("slack:T1:U1"), purpose="answer")


def test_a_cap_stops_once_nothing_is_left() -> None:
    cap = Cap(tokens=100, nano_usd=50)

    assert not cap.stops(Amount(tokens=99, nano_usd=49), PAID)
    assert cap.stops(Amount(tokens=100, nano_usd=0), PAID)
    assert cap.stops(Amount(tokens=0, nano_usd=50), PAID)
    assert not Cap().stops(Amount(tokens=10**9, nano_usd=10**18), PAID)


def test_what_costs_nothing_needs_no_money() -> None:
    free = reservation(FREE, 1_000, 500)

    assert Amount(tokens=1_500) == free
    assert not Cap(nano_usd=0).stops(Amount(), free)
    assert Cap(nano_usd=0).stops(Amount(), PAID)
    assert Cap(tokens=0).stops(Amount(), free)


def test_all_tokens_count_and_the_money() -> None:
    usage = Usage(input_tokens=3, output_tokens=4, cache_read_tokens=5, cache_write_tokens=6)

    assert Amount(tokens=18, nano_usd=7) == amount_of(usage, 7)


def test_a_share_is_that_of_what_is_nearest_to_its_end() -> None:
    assert Cap(tokens=100, nano_usd=50).share(Amount(tokens=20, nano_usd=40)) == 0.8
    assert Cap(tokens=0).share(Amount(tokens=0)) == 0.0
    assert Cap().share(PAID) == 0.0


@settings(max_examples=100)
@given(
    st.integers(min_value=1, max_value=10**12),
    st.lists(st.tuples(st.integers(1, 10**11), st.floats(0, 1)), max_size=60),
)
def test_one_after_the_other_goes_over_a_cap_by_one_call_at_most(
    most: int, calls: list[tuple[int, float]]
) -> None:
    cap, used, dearest = Cap(nano_usd=most), Amount(), 0
    for held, share in calls:
        if not cap.stops(used, Amount(nano_usd=held)):
            used += Amount(nano_usd=round(held * share))
            dearest = max(dearest, held)

    assert used.nano_usd < most + dearest or used == Amount()


def test_a_call_counts_towards_its_person_its_chat_and_the_bot() -> None:
    assert (
        ("person", "slack:T1:U1"),
        ("chat", "slack:T1:C1:"),
        ("bot", ""),
    ) == places_of(PAYER)
    assert chat_of(THREAD) == chat_of(SessionKey("slack:T1:C1:"))


@pytest.mark.parametrize(
    ("day", "hours"), [("2026-03-28", 24), ("2026-03-29", 23), ("2026-10-25", 25)]
)
def test_a_day_is_as_long_as_the_calendar_has_it(day: str, hours: int) -> None:
    begin, end = span_of(date.fromisoformat(day), ZoneInfo("Europe/Berlin"))

    assert timedelta(hours=hours) == end.astimezone(UTC) - begin.astimezone(UTC)


def test_a_midnight_that_there_is_not_is_where_the_clock_jumps() -> None:
    """Days follow each other without a gap: in Beirut summer time begins at midnight."""
    zone = ZoneInfo("Asia/Beirut")
    days = days_through(date(2026, 3, 30), 4)
    spans = [tuple(each.astimezone(UTC) for each in span_of(day, zone)) for day in days]

    assert [span[1] for span in spans[:-1]] == [span[0] for span in spans[1:]]
    assert 23 * 3600 == min((end - begin).total_seconds() for begin, end in spans)


@pytest.mark.parametrize(
    ("reported", "expected"),
    [
        (Usage(), Usage(input_tokens=90, output_tokens=40)),
        (Usage(input_tokens=7, output_tokens=1), Usage(input_tokens=7, output_tokens=40)),
        (Usage(cache_read_tokens=7), Usage(cache_read_tokens=7, output_tokens=40)),
        (Usage(input_tokens=7, output_tokens=41), Usage(input_tokens=7, output_tokens=41)),
    ],
)
def test_what_broke_off_took_at_least_what_was_written(reported: Usage, expected: Usage) -> None:
    assert expected == at_least(reported, 90, 40)


def test_lines_count_towards_the_caps_that_their_calls_count_towards() -> None:
    """A thread with its chat; what nobody asked for with the chat and the whole."""

    def line(axis: Axis, name: str, tokens: int) -> SpentLine:
        return SpentLine(axis=axis, name=name, spent=Spent(usage=Usage(output_tokens=tokens)))

    lines = (
        line("chat", THREAD, 5),
        line("chat", chat_of(THREAD), 2),
        line("person", PAYER.person_key, 4),
        line("person", "", 3),
        line("model", "m", 7),
        line("purpose", "answer", 7),
    )

    person, chat, whole = places_of(PAYER)
    assert {
        person: Amount(tokens=4),
        ("person", ""): Amount(tokens=3),
        chat: Amount(tokens=7),
        whole: Amount(tokens=7),
    } == used_by_place(lines, (), PRICES)


def test_what_has_no_price_counts_as_dearly_as_anything() -> None:
    """By the prices of now: one that was set meanwhile holds, and those that are known do."""
    usage = Usage(input_tokens=1_000_000, output_tokens=1_000_000)
    spent = Spent(usage=usage, nano_usd=5, calls=2, unpriced=1)
    lines = (
        SpentLine(axis="chat", name=THREAD, spent=spent),
        SpentLine(axis="person", name=PAYER.person_key, spent=spent),
    )
    unpriced = UnpricedLine(payer=PAYER, model="nobody-knows", asked="", usage=usage)
    known = replace(unpriced, model="cheap")

    dearly = Amount(tokens=2_000_000, nano_usd=5 + 10 * NANO)
    assert dict.fromkeys(places_of(PAYER), dearly) == used_by_place(lines, (unpriced,), PRICES)
    cheaply = replace(dearly, nano_usd=5 + 3 * NANO)
    assert dict.fromkeys(places_of(PAYER), cheaply) == used_by_place(lines, (known,), PRICES)


def test_money_is_written_to_the_tenth_of_a_cent() -> None:
    tariff = Tariff(price=price_of(3, 15))

    assert "$0.018" == dollars(tariff.cost(Usage(input_tokens=1_000, output_tokens=1_000)))
    assert ["$0.000", "$0.001", "$1,234.500"] == [
        dollars(499_999),
        dollars(500_000),
        dollars(1_234 * NANO + NANO // 2),
    ]
