"""Which moment is to be seen to, and when a day begins, on days of any length."""

from datetime import UTC, datetime, timedelta
from itertools import pairwise
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bot.core.schedule import LONGEST_LEAD, due, is_open, last_midnight, silent_before

NOW = datetime(2026, 1, 5, 9, 0, tzinfo=UTC)
HOUR = timedelta(hours=1)


@pytest.mark.parametrize(
    ("newest", "claimed", "slot"),
    [
        pytest.param(NOW, None, None, id="a schedule that never ran has missed nothing"),
        pytest.param(NOW, NOW - HOUR, NOW, id="its moment has come"),
        pytest.param(NOW - HOUR, NOW - 900 * HOUR, NOW - HOUR, id="many were missed: the newest"),
        pytest.param(NOW, NOW, None, id="it was seen to"),
        pytest.param(NOW - HOUR, NOW, None, id="the clock was set back by a little"),
        pytest.param(NOW, NOW + LONGEST_LEAD, None, id="the clock was set back by a day"),
        pytest.param(NOW, NOW + LONGEST_LEAD + HOUR, NOW, id="the clock had been wrong"),
    ],
)
def test_one_moment_at_most_is_due(
    newest: datetime, claimed: datetime | None, slot: datetime | None
) -> None:
    assert slot == due(newest, claimed, NOW)


@given(steps=st.lists(st.integers(-90, 24 * 60 * 3), max_size=40))
@settings(max_examples=100)
def test_no_moment_is_seen_to_twice_while_the_clock_is_wrong_by_less_than_a_day(
    steps: list[int],
) -> None:
    """A clock that jumps to and fro, and looks that are hours or days apart."""
    now, claimed, seen = NOW, NOW, []
    for minutes in steps:
        now += timedelta(minutes=minutes)
        newest = now.replace(minute=0)
        slot = due(newest, claimed, now)
        if slot is not None:
            assert is_open(slot, claimed, now)
            seen.append(slot)
            claimed = slot

    assert all(earlier < later for earlier, later in pairwise(seen))


DAYS = [
    ("Europe/Berlin", "2026-03-29T12:00", 23),
    ("Europe/Berlin", "2026-10-25T12:00", 25),
    ("Europe/Berlin", "2026-06-01T12:00", 24),
    ("America/Havana", "2026-03-08T12:00", 23),  # put forward at midnight: there is no 00:30
    ("America/Havana", "2026-11-01T12:00", 25),  # put back to midnight: there are two 00:30
    ("Africa/Cairo", "2026-04-24T12:00", 23),
    ("Australia/Lord_Howe", "2026-10-04T12:00", 23.5),
    ("Asia/Kolkata", "2026-10-04T12:00", 24),
]


@pytest.mark.parametrize(("name", "noon", "hours"), DAYS)
def test_a_day_begins_once_however_long_it_is(name: str, noon: str, hours: float) -> None:
    zone = ZoneInfo(name)
    local = datetime.fromisoformat(noon).replace(tzinfo=zone)
    begin = last_midnight(local, zone)
    end = last_midnight(local + timedelta(days=1), zone)
    minutes = [begin + timedelta(minutes=each) for each in range(0, int(hours * 60), 15)]

    assert timedelta(hours=hours) == end - begin
    assert {local.date()} == {each.astimezone(zone).date() for each in minutes}
    assert local.date() != (begin - timedelta(microseconds=1)).astimezone(zone).date()
    assert {begin} == {last_midnight(each, zone) for each in minutes}


def test_silence_is_counted_in_whole_days_of_hours() -> None:
    assert datetime(2025, 12, 6, 9, 0, tzinfo=UTC) == silent_before(NOW, 30)
