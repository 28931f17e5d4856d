"""A crash loop is slowed down, and nothing else is."""

from datetime import timedelta
from pathlib import Path

import pytest

from bot.adapters.start_log import FILE_NAME, PAUSE_S, StartLog
from bot.testing.clock import START

SECOND = timedelta(seconds=1)


def starts(log: StartLog, *seconds: int) -> list[float]:
    return [log.begin(START + each * SECOND) for each in seconds]


def test_the_fourth_start_in_five_minutes_waits(tmp_path: Path) -> None:
    assert [0, 0, 0, PAUSE_S, PAUSE_S] == starts(StartLog(tmp_path), 0, 1, 2, 3, 300)


def test_rare_crashes_wait_for_nothing(tmp_path: Path) -> None:
    assert [0] * 6 == starts(StartLog(tmp_path), *range(0, 900, 150))


def test_a_good_end_forgets_the_bad_ones(tmp_path: Path) -> None:
    log = StartLog(tmp_path)
    before = starts(log, 0, 1, 2)
    log.end_well()

    assert [0] * 6 == before + starts(log, 3, 4, 5)
    assert PAUSE_S == log.begin(START + 6 * SECOND)


def test_a_clock_set_back_holds_nobody_up(tmp_path: Path) -> None:
    assert [0] * 5 == starts(StartLog(tmp_path), 3600, 3601, 3602, 0, 1)


@pytest.mark.parametrize("text", ["", "{", "5", "null", '[1, "x"]', '["2026-01-05T09:00:00"]'])
def test_a_file_without_sense_counts_as_none(tmp_path: Path, text: str) -> None:
    (tmp_path / FILE_NAME).write_text(text)

    assert [0, 0, 0, PAUSE_S] == starts(StartLog(tmp_path), 0, 1, 2, 3)


def test_where_nothing_can_be_written_the_bot_starts(tmp_path: Path) -> None:
    log = StartLog(tmp_path / "missing")
    log.end_well()

    assert [0] * 5 == starts(log, 0, 1, 2, 3, 4)


def test_it_is_known_whether_the_start_before_ended_well(tmp_path: Path) -> None:
    log = StartLog(tmp_path)
    unknown = log.follows_bad_end
    starts(log, 0)
    first = log.follows_bad_end
    starts(StartLog(tmp_path), 7200)
    after_bad = StartLog(tmp_path)
    starts(after_bad, 9000)
    after_bad.end_well()
    after_good = StartLog(tmp_path)
    starts(after_good, 9001)

    assert (True, False, True, False) == (
        unknown,
        first,
        after_bad.follows_bad_end,
        after_good.follows_bad_end,
    )
