"""Moments of cron expressions in zones whose clocks are put forward and back."""

from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bot.adapters.calendar import CronCalendar
from bot.core.schedule import last_midnight
from bot.runtime.housekeeping import CLEAN_UP, ROLLOVER

CALENDAR = CronCalendar()
ZONES = (
    "UTC",
    "Europe/Berlin",
    "Europe/Helsinki",  # 03:30 comes twice in October
    "America/Havana",  # midnight is put forward, and comes twice
    "Africa/Cairo",
    "Australia/Lord_Howe",  # by half an hour
    "Asia/Kathmandu",
)
EXPRESSIONS = (ROLLOVER, CLEAN_UP, "0 * * * *", "*/5 * * * *", "0 9 * * 1", "15,45 1,2,3 * * *")


def moments(first: str, last: str) -> st.SearchStrategy[datetime]:
    """Draw moments around the changes of a year's clocks, to the second."""
    begin, end = (datetime.fromisoformat(each).replace(tzinfo=UTC) for each in (first, last))
    seconds = int((end - begin).total_seconds())
    return st.integers(0, seconds).map(lambda each: begin + timedelta(seconds=each))


CHANGES = st.one_of(
    moments("2026-03-06T00:00", "2026-03-10T00:00"),
    moments("2026-03-27T00:00", "2026-03-31T00:00"),
    moments("2026-04-03T00:00", "2026-04-06T00:00"),
    moments("2026-04-22T00:00", "2026-04-26T00:00"),
    moments("2026-10-02T00:00", "2026-10-05T00:00"),
    moments("2026-10-23T00:00", "2026-11-04T00:00"),
    moments("2026-01-01T00:00", "2027-01-01T00:00"),
)


@given(
    moment=CHANGES,
    micros=st.sampled_from([0, 1, 999_999]),
    zone=st.sampled_from(ZONES).map(ZoneInfo),
    expression=st.sampled_from(EXPRESSIONS),
    is_local=st.booleans(),
)
@settings(max_examples=100)
def test_now_lies_between_two_neighbours(
    moment: datetime, micros: int, zone: ZoneInfo, expression: str, is_local: bool
) -> None:
    moment = moment.replace(microsecond=micros)
    given_as = moment.astimezone(zone) if is_local else moment

    newest = CALENDAR.last_until(expression, given_as, zone)
    following = CALENDAR.next_after(expression, given_as, zone)

    assert newest <= moment < following
    assert following == CALENDAR.next_after(expression, newest, zone)
    assert newest == CALENDAR.last_until(expression, newest, zone)
    assert newest == CALENDAR.last_until(expression, following - timedelta(microseconds=1), zone)


@given(moment=CHANGES, zone=st.sampled_from(ZONES).map(ZoneInfo))
@settings(max_examples=100)
def test_the_rollover_is_when_the_day_begins(moment: datetime, zone: ZoneInfo) -> None:
    assert last_midnight(moment, zone) == CALENDAR.last_until(ROLLOVER, moment, zone)


@pytest.mark.parametrize("name", ZONES)
@pytest.mark.parametrize("expression", [ROLLOVER, CLEAN_UP])
def test_what_is_daily_comes_once_on_every_day_of_the_year(name: str, expression: str) -> None:
    zone = ZoneInfo(name)
    slot = datetime(2025, 12, 31, 12, 0, tzinfo=UTC)
    days = []
    for _ in range(365):
        slot = CALENDAR.next_after(expression, slot, zone)
        days.append(slot.astimezone(zone).date())

    first = days[0]
    assert [first + timedelta(days=each) for each in range(365)] == days


def test_in_the_second_showing_of_an_hour_the_next_moment_is_tomorrows() -> None:
    """At 03:15 for the second time 03:30 is over, and waiting for it would be no waiting at all."""
    zone = ZoneInfo("Europe/Helsinki")
    second_quarter_past = datetime(2026, 10, 25, 1, 15, tzinfo=UTC)
    assert "03:15" == second_quarter_past.astimezone(zone).strftime("%H:%M")

    assert datetime(2026, 10, 25, 0, 30, tzinfo=UTC) == CALENDAR.last_until(
        CLEAN_UP, second_quarter_past, zone
    )
    assert datetime(2026, 10, 26, 1, 30, tzinfo=UTC) == CALENDAR.next_after(
        CLEAN_UP, second_quarter_past, zone
    )
