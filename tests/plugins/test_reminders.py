"""The plugin of reminders, called as the model and people would."""

from dataclasses import replace
from datetime import timedelta

import pytest

import plugins.reminders
from bot.core.messages import ToolResult
from bot.core.reminders import MOST_OPEN, MOST_TEXT_CHARS
from bot.errors import StoreError
from bot.testing.plugins import SECRET, TOOL_CONTEXT, PluginBench, PluginContract

ME = TOOL_CONTEXT.sender.person_key


class TestRemindersContract(PluginContract):
    plugin = plugins.reminders


class Bench(PluginBench):
    def __init__(self) -> None:
        super().__init__(plugins.reminders)
        self.calls = 0

    async def remind(self, **arguments: object) -> ToolResult:
        """Call it as a call of its own."""
        self.calls += 1
        self.context = replace(TOOL_CONTEXT, turn_id=type(TOOL_CONTEXT.turn_id)(self.calls))
        given = {"text": "go", "at_local": "2026-01-05T18:00", **arguments}
        return await self.call("remind", given)


async def test_what_is_kept_is_said_with_its_moment() -> None:
    bench = Bench()

    result = await bench.remind(text=" call Ann ", repeat="weekdays")

    assert (
        "Reminder 1: I will remind you on Monday, 2026-01-05 18:00 (UTC), then every weekday: "
        "call Ann"
    ) == result.content
    assert not result.is_error


async def test_the_first_moment_of_a_rhythm_is_not_before_the_one_that_was_named() -> None:
    bench = Bench()
    await bench.remind(at_local="2026-01-10T18:00", repeat="weekdays")  # a Saturday
    await bench.remind(at_local="2025-12-31T08:00", repeat="daily")

    past, weekday = await bench.store.reminders_of(ME)
    assert "2026-01-06T08:00:00+00:00" == past.due_at.isoformat()
    assert "2026-01-12T18:00:00+00:00" == weekday.due_at.isoformat()


async def test_the_same_call_made_again_keeps_no_second_one() -> None:
    bench = Bench()
    arguments = {"text": "go", "at_local": "2026-01-05T18:00"}

    assert await bench.call("remind", arguments) == await bench.call("remind", arguments)
    assert 1 == len(await bench.store.reminders_of(ME))


@pytest.mark.parametrize(
    ("arguments", "why"),
    [
        ({"at_local": "2026-01-05T08:59"}, "past: it is Monday, 2026-01-05 09:00 (UTC)"),
        ({"at_local": "2031-02-05T09:00"}, "more than five years ahead"),
        ({"at_local": "tomorrow"}, "is no moment"),
        ({"at_local": "9999-12-31T23:59"}, "more than five years ahead"),
        ({"repeat": "every 5 minutes"}, "more often than every 15 minutes"),
        ({"repeat": "every other week"}, "no rhythm I know"),
        ({"text": " "}, "Say what it is about."),
        ({"text": "x" * (MOST_TEXT_CHARS + 1)}, "say it in 1000 at most"),
    ],
)
async def test_what_cannot_be_kept_is_refused_with_the_reason(
    arguments: dict[str, object], why: str
) -> None:
    bench = Bench()

    result = await bench.remind(**arguments)

    assert result.is_error
    assert why in result.content
    assert () == await bench.store.reminders_of(ME)


async def test_there_is_an_end_to_them() -> None:
    bench = Bench()
    for _ in range(MOST_OPEN):
        assert not (await bench.remind()).is_error

    result = await bench.remind()

    assert result.is_error
    assert result.content.startswith("50 reminders are open")


async def test_secrets_are_not_kept() -> None:
    bench = Bench()
    await bench.remind(text=f"the word is {SECRET}")

    (kept,) = await bench.store.reminders_of(ME)
    assert "the word is [redacted:password]" == kept.text


async def test_they_are_listed_and_cancelled_by_number() -> None:
    bench = Bench()
    assert "None is open here." == (await bench.call("reminders", {})).content
    await bench.remind(kind="prompt", text="news?", repeat="daily")

    listed = await bench.call("reminders", {})
    gone = await bench.call("cancel_reminder", {"number": 1})
    again = await bench.call("cancel_reminder", {"number": 1})

    line = "**1**: Monday, 2026-01-05 18:00 (UTC), every day: prompt: news?"
    assert line == listed.content
    assert f"Cancelled: {line}" == gone.content
    assert again.is_error


async def test_a_store_that_fails_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    bench = Bench()

    async def failing(*_: object, **__: object) -> None:
        raise StoreError("full")

    monkeypatch.setattr(bench.store, "add_reminder", failing)
    monkeypatch.setattr(bench.store, "reminders_of", failing)

    for result in (await bench.remind(), await bench.call("reminders", {})):
        assert result.is_error
        assert "at this moment" in result.content


async def test_it_is_due_on_the_clock_of_who_asked() -> None:
    bench = Bench()
    bench.context = replace(
        TOOL_CONTEXT, sender=replace(TOOL_CONTEXT.sender, timezone="Asia/Tokyo")
    )
    await bench.call("remind", {"text": "go", "at_local": "2026-01-05T18:30"})

    (kept,) = await bench.store.reminders_of(ME)
    assert bench.clock.now() + timedelta(minutes=30) == kept.due_at
    assert "Asia/Tokyo" == kept.zone


async def test_an_offset_says_its_moment_by_itself() -> None:
    bench = Bench()
    await bench.remind(at_local="2026-01-05T18:30+09:00", repeat="daily")

    (kept,) = await bench.store.reminders_of(ME)
    assert bench.clock.now() + timedelta(minutes=30) == kept.due_at
