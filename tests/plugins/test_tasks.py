import pytest

import plugins.tasks
from bot.core.messages import ToolResult
from bot.core.tasks import TaskState
from bot.testing.plugins import SECRET, TOOL_CONTEXT, PluginBench, PluginContract


class TestTasksContract(PluginContract):
    plugin = plugins.tasks


class Bench(PluginBench):
    def __init__(self) -> None:
        super().__init__(plugins.tasks)

    async def update(self, **arguments: object) -> ToolResult:
        return await self.call("task_update", arguments)

    async def task(self) -> TaskState | None:
        return await self.store.task_of(TOOL_CONTEXT.session_key)


async def test_the_state_is_noted_whole_and_given_back_in_words() -> None:
    bench = Bench()
    await bench.update(goal="Something else", done=["x"], remaining=["y"])

    result = await bench.update(
        goal=" Move\nhouse ", done=["boxes", " "], remaining=["van", "keys"]
    )

    assert result.content == "Noted: Move house\nDone: boxes\nRemaining: van; keys"
    assert await bench.task() == TaskState(
        goal="Move house", done=("boxes",), remaining=("van", "keys")
    )


async def test_a_goal_alone_is_enough() -> None:
    bench = Bench()

    result = await bench.update(goal="Move house", done=None)

    assert result.content == "Noted: Move house\nDone: nothing yet\nRemaining: nothing"
    assert await bench.task() == TaskState(goal="Move house")


@pytest.mark.parametrize("goal", ["", " \n"])
async def test_an_empty_goal_takes_the_state_away(goal: str) -> None:
    bench = Bench()
    await bench.update(goal="Move house")

    result = await bench.update(goal=goal, remaining=["more"])

    assert result == ToolResult(call_id="call-1", content="Noted: no task is open.")
    assert await bench.task() is None


@pytest.mark.parametrize(
    ("arguments", "answer"),
    [
        ({"goal": "x" * 301}, "The goal has 301 characters; say it in 300."),
        (
            {"goal": "x", "done": ["a"] * 21},
            "A list has 21 items; join some, 20 are enough.",
        ),
        (
            {"goal": "x", "remaining": ["a", "b" * 201]},
            "An item has 201 characters; say each in 200 at most.",
        ),
    ],
)
async def test_what_is_too_much_is_refused_and_the_state_stays(
    arguments: dict[str, object], answer: str
) -> None:
    bench = Bench()
    await bench.update(goal="Move house")

    result = await bench.update(**arguments)

    assert (result.content, result.is_error) == (answer, True)
    assert await bench.task() == TaskState(goal="Move house")


async def test_the_largest_state_is_taken() -> None:
    bench = Bench()
    items = ["b" * 200] * 20

    assert not (await bench.update(goal="x" * 300, done=items, remaining=items)).is_error


async def test_secrets_are_not_noted() -> None:
    bench = Bench()
    await bench.update(goal=f"Set {SECRET}", done=[SECRET], remaining=[f"tell {SECRET}"])

    assert await bench.task() == TaskState(
        goal="Set [redacted:password]",
        done=("[redacted:password]",),
        remaining=("tell [redacted:password]",),
    )
