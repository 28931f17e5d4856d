import asyncio
import json
import logging
from collections.abc import Awaitable, Callable
from typing import Annotated

import pytest

from bot.core.messages import ToolCall, ToolResult
from bot.errors import StoreError, ToolError
from bot.languages import speaking, spoken
from bot.runtime.tools import GRACE_S, ToolRegistry
from bot.testing.clock import FakeClock, settle
from bot.testing.plugins import TOOL_CONTEXT

Tool = Callable[..., Awaitable[str]]


async def echo(text: Annotated[str, "What to say."]) -> str:
    """Say it again."""
    return text


class Bench:
    """A registry with its clock and a journal of what came when."""

    def __init__(self, *tools: Tool, timeout_s: float = 60.0, max_chars: int = 50_000) -> None:
        self.clock = FakeClock()
        self.registry = ToolRegistry(self.clock)
        self.journal: list[tuple[float, str]] = []
        for tool in tools:
            self.registry.register(tool, owner="test", timeout_s=timeout_s, max_chars=max_chars)

    async def run(self, *calls: tuple[str, str]) -> tuple[ToolResult, ...]:
        made = tuple(
            ToolCall(id=f"call-{n}", name=name, arguments=text)
            for n, (name, text) in enumerate(calls)
        )
        return await self.registry.run(made, TOOL_CONTEXT, self._record)

    async def one(self, name: str, arguments: object) -> ToolResult:
        text = arguments if isinstance(arguments, str) else json.dumps(arguments)
        (result,) = await self.run((name, text))
        return result

    async def _record(self, result: ToolResult, whole: str | None) -> None:
        self.journal.append((self.clock.monotonic(), result.call_id))


def sleeper(clock: FakeClock, seconds: float) -> Tool:
    async def sleep() -> str:
        """Sleep."""
        await clock.sleep(seconds)
        return "slept"

    return sleep


# --- running side by side -------------------------------------------------------------------


async def test_three_tools_of_half_a_second_take_half_a_second() -> None:
    bench = Bench()
    bench.registry.register(sleeper(bench.clock, 0.5), owner="test")

    running = asyncio.ensure_future(bench.run(("sleep", "{}"), ("sleep", "{}"), ("sleep", "{}")))
    await bench.clock.advance(0.499)
    assert not running.done()
    await bench.clock.advance(0.001)

    assert running.done()
    assert [result.content for result in await running] == ["slept"] * 3
    assert [at for at, _ in bench.journal] == [0.5] * 3


async def test_a_hanging_and_a_raising_tool_leave_the_others_unharmed() -> None:
    bench = Bench(echo, timeout_s=5.0)

    async def hang() -> str:
        """Hang."""
        await asyncio.Event().wait()
        return "never"

    async def fail() -> str:
        """Fail."""
        raise ZeroDivisionError("the password is swordfish")

    for tool in (hang, fail):
        bench.registry.register(tool, owner="test", timeout_s=10.0)
    running = asyncio.ensure_future(
        bench.run(("hang", "{}"), ("fail", "{}"), ("echo", '{"text": "hello"}'))
    )
    await settle()
    assert [(0.0, "call-1"), (0.0, "call-2")] == sorted(bench.journal)
    await bench.clock.advance(10.0)
    hung, failed, fine = await running

    assert fine == ToolResult(call_id="call-2", content="hello")
    assert failed.is_error
    assert failed.content == "fail failed for a technical reason (incident 20260105-090000-000)."
    assert hung.is_error
    assert hung.content == "hang did not finish within 10 s and was stopped."
    assert bench.clock.sleepers == 0


async def test_results_come_in_call_order_and_are_recorded_as_they_come() -> None:
    bench = Bench(echo)
    bench.registry.register(sleeper(bench.clock, 1.0), owner="test")

    running = asyncio.ensure_future(bench.run(("sleep", "{}"), ("echo", '{"text": "x"}')))
    await bench.clock.advance(1.0)

    assert [result.call_id for result in await running] == ["call-0", "call-1"]
    assert bench.journal == [(0.0, "call-1"), (1.0, "call-0")]


async def test_a_tool_that_will_not_be_cancelled_is_left_behind() -> None:
    bench = Bench()
    release = asyncio.Event()

    async def stubborn() -> str:
        """Ignore the first cancellation."""
        try:
            await release.wait()
        except asyncio.CancelledError:
            await release.wait()
        raise ZeroDivisionError

    bench.registry.register(stubborn, owner="test", timeout_s=1.0)
    running = asyncio.ensure_future(bench.one("stubborn", {}))
    await bench.clock.advance(1.0)
    assert not running.done()
    await bench.clock.advance(GRACE_S)

    assert running.done()
    assert "did not finish" in (await running).content
    release.set()
    await settle()  # its late failure is taken note of, not left "never retrieved"


async def test_cancelling_the_step_cancels_its_tools() -> None:
    bench = Bench()
    tidied: list[str] = []

    async def work() -> str:
        """Work."""
        try:
            await asyncio.Event().wait()
        finally:
            tidied.append("yes")
        return "never"

    bench.registry.register(work, owner="test")
    running = asyncio.ensure_future(bench.one("work", {}))
    await settle()
    running.cancel()

    with pytest.raises(asyncio.CancelledError):
        await running
    assert tidied == ["yes"]
    assert bench.journal == []
    assert bench.clock.sleepers == 0


async def test_a_tool_that_cancels_itself_has_failed() -> None:
    bench = Bench()

    async def give_up() -> str:
        """Give up."""
        raise asyncio.CancelledError

    bench.registry.register(give_up, owner="test")

    assert (await bench.one("give_up", {})).is_error


async def test_a_timeout_inside_a_tool_is_its_own_failure() -> None:
    bench = Bench()

    async def impatient() -> str:
        """Wait for something."""
        raise TimeoutError

    bench.registry.register(impatient, owner="test")

    assert "technical reason" in (await bench.one("impatient", {})).content


async def test_an_exception_group_of_a_tool_is_an_error_result() -> None:
    bench = Bench()

    async def many() -> str:
        """Fail twice."""
        raise ExceptionGroup("two", [ValueError("a"), KeyError("b")])

    bench.registry.register(many, owner="test")

    assert (await bench.one("many", {})).is_error


async def test_a_journal_that_cannot_be_written_stops_the_step() -> None:
    bench = Bench(echo)
    bench.registry.register(sleeper(bench.clock, 9.0), owner="test")

    async def refuse(result: ToolResult, whole: str | None) -> None:
        raise StoreError("disk full")

    calls = (
        ToolCall(id="1", name="sleep", arguments="{}"),
        ToolCall(id="2", name="echo", arguments='{"text": "x"}'),
    )
    with pytest.raises(StoreError, match="disk full"):
        await bench.registry.run(calls, TOOL_CONTEXT, refuse)


async def test_a_tool_speaks_english_in_whatever_language_people_are_answered() -> None:
    async def tell() -> str:
        """Tell which language is spoken."""
        return spoken()

    bench = Bench(tell)
    with speaking("ja"):
        result = await bench.one("tell", {})
        assert "ja" == spoken()

    assert "en" == result.content


async def test_no_calls_no_results() -> None:
    assert await Bench().run() == ()


async def test_an_unknown_tool_is_answered_with_the_nearest() -> None:
    bench = Bench(echo)

    assert (await bench.one("ecko", {})).content == (
        "There is no tool named ecko. Did you mean echo?"
    )
    assert (await bench.one("zzz", {})).content == ("There is no tool named zzz. There are: echo.")


# --- results --------------------------------------------------------------------------------


async def test_a_long_result_keeps_two_thirds_head_and_one_third_tail() -> None:
    text = "".join(f"{n:05}" for n in range(1000))

    result = await Bench(echo, max_chars=1000).one("echo", {"text": text})

    head, note, tail = result.content.split("\n")
    assert 990 <= len(result.content) <= 1000
    assert f"{5000 - len(head) - len(tail)} characters are left out here" in note
    assert f'tool_result_get(call_id="call-0", offset={len(head)})' in note
    assert text.startswith(head)
    assert text.endswith(tail)
    assert len(head) == pytest.approx(2 * len(tail), abs=2)


async def test_a_result_of_the_limit_is_not_cut() -> None:
    result = await Bench(echo, max_chars=1000).one("echo", {"text": "x" * 1000})

    assert result.content == "x" * 1000


async def test_a_word_to_the_model_is_an_error_result() -> None:
    bench = Bench()

    async def refuse() -> str:
        """Refuse."""
        raise ToolError("Ask for less." + "x" * 1000)

    bench.registry.register(refuse, owner="test", max_chars=200)
    result = await bench.one("refuse", {})

    assert result.is_error
    assert result.content.startswith("Ask for less.")
    assert 190 <= len(result.content) <= 200


@pytest.mark.parametrize(
    ("returned", "expected", "is_error"),
    [
        ("", "(The tool returned no text.)", False),
        ("a\ud800b", "a?b", False),
        (None, "give failed for a technical reason (incident 20260105-090000-000).", True),
        ({"a": 1}, "give failed for a technical reason (incident 20260105-090000-000).", True),
    ],
)
async def test_what_is_no_text_becomes_a_result_all_the_same(
    returned: str, expected: str, is_error: bool
) -> None:
    bench = Bench()

    async def give() -> str:
        """Give."""
        return returned

    bench.registry.register(give, owner="test")

    assert await bench.one("give", {}) == ToolResult(
        call_id="call-0", content=expected, is_error=is_error
    )


async def test_one_line_of_log_a_call_and_never_its_input(
    caplog: pytest.LogCaptureFixture,
) -> None:
    caplog.set_level(logging.INFO)
    bench = Bench(echo)

    async def fail(text: Annotated[str, "Anything."]) -> str:
        """Fail."""
        raise ValueError

    bench.registry.register(fail, owner="test")
    arguments = '{"text": "swordfish"}'
    await bench.run(("echo", arguments), ("fail", arguments), ("echo", "swordfish"), ("no", "{}"))

    lines = [vars(record) for record in caplog.records]
    assert sorted((line["tool"], line["outcome"]) for line in lines) == [
        ("echo", "error"),
        ("echo", "ok"),
        ("fail", "failed"),
        ("no", "unknown"),
    ]
    assert all(line["msg"] == "tool.finished" and line["ms"] == 0 for line in lines)
    assert [line["tool"] for line in lines if line["exc_info"]] == ["fail"]
    assert "swordfish" not in str([{**line, "exc_info": None} for line in lines])


def test_only_what_says_so_is_safe_to_repeat() -> None:
    registry = ToolRegistry(FakeClock())
    registry.register(echo, owner="test", safe_to_repeat=True)
    registry.register(sleeper(FakeClock(), 1), owner="test")

    assert registry.is_safe_to_repeat("echo")
    assert not registry.is_safe_to_repeat("sleep")
    assert not registry.is_safe_to_repeat("removed_since")


def test_a_plugins_tools_are_taken_back_together() -> None:
    registry = ToolRegistry(FakeClock())
    registry.register(echo, owner="one")
    registry.register(sleeper(FakeClock(), 1), owner="two")
    registry.remove("one")

    assert [spec.name for spec in registry.specs()] == ["sleep"]


async def test_a_tool_that_wants_to_end_the_process_ends_its_call() -> None:
    async def quit_now() -> str:
        """Leave."""
        raise SystemExit(3)

    async def pass_over(result: ToolResult, whole: str | None) -> None:
        assert result.is_error

    registry = ToolRegistry(FakeClock())
    registry.register(quit_now, owner="test")
    call = ToolCall(id="c1", name="quit_now", arguments="{}")

    (result,) = await registry.run((call,), TOOL_CONTEXT, pass_over)

    assert result.is_error
