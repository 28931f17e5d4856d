"""The paragraph on the last half hour's work."""

from dataclasses import replace
from datetime import UTC, timedelta

from bot.core.turns import TurnId
from bot.core.window.recent import gone_out_of_view, recent_work, work_of
from bot.core.window.shapes import as_text
from tests.core.window.given import round_of, turn, turns

FIRST = TurnId(0)
NOW = turn(1).started_at + timedelta(minutes=30)


def test_asm_6_work_that_is_no_longer_shown_in_full_is_told() -> None:
    worked = replace(turn(2), steps=(round_of("a", "x"), round_of("b", "y"), *turn(2).steps))
    before = (turn(1), worked, turn(3))
    after = (as_text(worked), turn(3))

    work = gone_out_of_view((), before, after, FIRST)
    told = recent_work(work, NOW, UTC)

    assert [1, 2] == [each.turn_id for each in work]
    assert "09:00 asked “question 1”, answered “answer 1”; 09:00 asked “question 2”" in told
    assert "used page (2 times)" in told
    assert "question 3" not in told


def test_asm_6_what_is_older_than_half_an_hour_is_not_told() -> None:
    work = tuple(map(work_of, turns(3)))

    assert "question 3" in recent_work(work, NOW, UTC)
    assert "" == recent_work(work, NOW + timedelta(seconds=1), UTC)
    assert "" == recent_work((), NOW, UTC)


def test_asm_6_the_paragraph_is_bounded_and_keeps_the_newest() -> None:
    work = gone_out_of_view((), turns(60), (), FIRST)
    told = recent_work(work, NOW, UTC)

    assert len(told) <= 1_300
    assert "question 60" in told
    assert "question 1”" not in told


def test_asm_6_nothing_that_was_cleared_is_told_and_nothing_twice() -> None:
    known = gone_out_of_view((), turns(3), (), FIRST)

    work = gone_out_of_view(known, turns(4), (), TurnId(3))

    assert [3, 4] == [each.turn_id for each in work]
