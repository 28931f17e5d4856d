"""What people write behind ``/remind``, and what they read where it cannot be read."""

from datetime import datetime, timedelta

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bot.core.reminders import USAGE, ReminderWish, read_remind, rhythm_of
from bot.errors import ToolError

MONDAY = datetime(2026, 1, 5, 9, 0)  # noqa: DTZ001 - as a clock on the wall shows it


@pytest.mark.parametrize(
    ("written", "local", "repeat", "text"),
    [
        ("tomorrow 9:00 call Ann", "2026-01-06T09:00", "", "call Ann"),
        ("me tomorrow at 9 to call Ann", "2026-01-06T09:00", "", "call Ann"),
        ("today 21:30 take it out", "2026-01-05T21:30", "", "take it out"),
        ("18:30 water the plants", "2026-01-05T18:30", "", "water the plants"),
        ("at 8am stand up", "2026-01-06T08:00", "", "stand up"),
        ("12am sleep", "2026-01-06T00:00", "", "sleep"),
        ("12:15 pm eat", "2026-01-05T12:15", "", "eat"),
        ("monday 8:00 x", "2026-01-12T08:00", "", "x"),
        ("monday 10:00 x", "2026-01-05T10:00", "", "x"),
        ("next Friday at 9am send it", "2026-01-09T09:00", "", "send it"),
        ("on 2027-03-01 10:00 renew", "2027-03-01T10:00", "", "renew"),
        ("every weekday 8:00 stand up", "2026-01-06T08:00", "weekday", "stand up"),
        ("every monday, friday at 8 go", "2026-01-06T08:00", "monday, friday", "go"),
        ("every 15 minutes drink", "2026-01-05T09:01", "15 minutes", "drink"),
        ("every hour to drink 2 glasses", "2026-01-05T09:01", "hour", "drink 2 glasses"),
        ("\uff12\uff10\uff1a\uff10\uff10 x", "2026-01-05T20:00", "", "x"),
        (
            "\uff11\uff18\uff1a\uff13\uff10\u3000水をやる\uff01",
            "2026-01-05T18:30",
            "",
            "水をやる\uff01",
        ),
        ("9:30 \uff21\u3000①", "2026-01-05T09:30", "", "\uff21\u3000①"),
        ("5 p.m. call", "2026-01-05T17:00", "", "call"),
        ("tomorrow at 5 P.M. call", "2026-01-06T17:00", "", "call"),
        ("11 a.m. go.", "2026-01-05T11:00", "", "go."),
        ("every friday 5 p.m. go", "2026-01-05T17:00", "friday", "go"),
        ("9:30 to-do list", "2026-01-05T09:30", "", "to-do list"),
        ("9:30 that one", "2026-01-05T09:30", "", "that one"),
        ("9:30 first line\nsecond line", "2026-01-05T09:30", "", "first line\nsecond line"),
    ],
)
def test_what_people_write(written: str, local: str, repeat: str, text: str) -> None:
    wish = read_remind(written, MONDAY)

    expected = datetime.fromisoformat(local)
    assert ReminderWish(text=text, kind="words", local=expected, repeat=repeat) == wish


@pytest.mark.parametrize(
    ("written", "after", "text"),
    [
        ("in 20 minutes take the bread out", timedelta(minutes=20), "take the bread out"),
        ("in 2h to leave", timedelta(hours=2), "leave"),
        ("in an hour leave", timedelta(hours=1), "leave"),
        ("in 20 minutes\u3000お茶", timedelta(minutes=20), "お茶"),
        ("in 3 days go", timedelta(days=3), "go"),
        ("in 1 week go", timedelta(days=7), "go"),
    ],
)
def test_spans_of_time(written: str, after: timedelta, text: str) -> None:
    wish = read_remind(written, MONDAY)

    assert (after, text) == (wish.after, wish.text)


def test_a_prompt_is_marked() -> None:
    wish = read_remind("every weekday 8:00 Prompt: summarise my open tasks", MONDAY)

    assert ("prompt", "summarise my open tasks") == (wish.kind, wish.text)


@pytest.mark.parametrize(
    ("written", "why"),
    [
        ("", "I cannot read when that is to be."),
        ("call Ann", "I cannot read when that is to be."),
        ("in 5 lightyears x", "I cannot read when that is to be."),
        ("in 9999999 weeks x", "That is too far ahead: five years are the most."),
        ("in 999999999999 days x", "That is too far ahead: five years are the most."),
        ("tomorrow call Ann", "Say at what time, too: `9:00`, `9am` or `at 9`."),
        ("tomorrow 9 call Ann", "Say at what time, too: `9:00`, `9am` or `at 9`."),
        ("every day call", "Say at what time, too: `9:00`, `9am` or `at 9`."),
        ("25:00 x", "There is no time 25:00."),
        ("9:75 x", "There is no time 9:75."),
        ("tomorrow at 13pm x", "There is no time at 13pm."),
        ("0am x", "There is no time 0am."),
        ("9:00", "Say what it is about."),
        ("at 9", "Say what it is about."),
        ("in 5 minutes", "Say what it is about."),
        ("every hour", "Say what it is about."),
        ("9:00 prompt:", "Say what it is about."),
    ],
)
def test_what_does_not_fit_is_answered_with_why_and_what_does(written: str, why: str) -> None:
    with pytest.raises(ToolError) as refused:
        read_remind(written, MONDAY)

    assert f"{why}\n\n{USAGE}" == str(refused.value)


def test_every_example_of_the_usage_can_be_read() -> None:
    examples = [line.split("`")[1] for line in USAGE.splitlines() if line.startswith("- ")]

    assert len(examples) >= 7
    for example in examples:
        wish = read_remind(example.removeprefix("/remind "), MONDAY)
        rhythm_of(wish.repeat, wish.local)


@given(st.text(max_size=60))
@settings(max_examples=100)
def test_any_text_is_read_or_refused(text: str) -> None:
    for written in (text, f"tomorrow 9:00 {text}", f"every {text} 9:00 x"):
        try:
            wish = read_remind(written, MONDAY)
            rhythm_of(wish.repeat, wish.local)
        except ToolError:
            continue
        assert wish.text.strip()


def test_a_day_that_is_none_is_refused() -> None:
    with pytest.raises(ToolError, match="There is no 2026-02-30"):
        read_remind("2026-02-30 9:00 x", MONDAY)
