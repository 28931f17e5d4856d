"""Names and numbers of former texts."""

from datetime import UTC, datetime, timedelta, timezone

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.core.memory.versions import (
    VersionStamp,
    day_of,
    has_versions,
    moment_of,
    stamp_behind,
    surplus,
)

NOON = datetime(2026, 11, 30, 12, tzinfo=UTC)


@given(st.timedeltas(min_value=timedelta(days=-20_000), max_value=timedelta(days=1_000_000)))
def test_a_stamp_is_a_moment(since: timedelta) -> None:
    moment = NOON + since
    stamp = stamp_behind(None, moment)

    assert moment_of(stamp) == moment
    assert moment_of(stamp_behind(stamp, moment)) == moment + timedelta(microseconds=1)
    assert stamp_behind(stamp, moment - timedelta(days=1)) > stamp


def test_stamps_are_of_one_zone() -> None:
    there = NOON.astimezone(timezone(timedelta(hours=9)))

    assert stamp_behind(None, there) == "20261130T120000.000000Z"


@pytest.mark.parametrize(
    "name", ["", "..", "../x", "20261130T120000.000000Z/..", "20261330T120000.000000Z", "x"]
)
def test_what_is_no_stamp_is_no_moment(name: str) -> None:
    assert moment_of(VersionStamp(name)) is None


@pytest.mark.parametrize(
    ("name", "has"),
    [
        ("MEMORY.md", True),
        ("2026-11-30.md", True),
        ("2026-13-30.md", False),
        ("2026-11-30.md.moved-1", False),
        ("memory.md", False),
        ("../MEMORY.md", False),
        ("", False),
    ],
)
def test_only_memory_files_have_versions(name: str, has: bool) -> None:
    assert has_versions(name) is has
    assert (day_of(name) is not None) is (has and name != "MEMORY.md")


def test_versions_with_the_same_notes_go_first() -> None:
    assert surplus(("a", "b", "b", "b", "c"), 3) == (1, 2)
    assert surplus(("a", "b", "c", "d"), 3) == (0,)
    assert surplus(("a", "a"), 2) == ()


@given(st.lists(st.sampled_from("ab"), max_size=12), st.integers(1, 6))
def test_the_newest_is_always_kept(notes: list[str], most: int) -> None:
    gone = surplus(tuple(notes), most)

    assert len(notes) - len(gone) == min(len(notes), most)
    assert len(notes) - 1 not in gone
