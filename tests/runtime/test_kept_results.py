"""What is shown of a tool's result, what is kept of it, and what is kept of nothing."""

import json

import pytest

from bot.core.messages import ToolCall, ToolResult
from bot.errors import ToolError
from bot.runtime.tools import MAX_KEPT_BYTES, ToolRegistry
from bot.testing.clock import FakeClock
from bot.testing.plugins import SECRET, TOOL_CONTEXT, OneWordRedactor

REDACTED = "[redacted:password]"


class Bench:
    """A tool that says, or raises, what it is told to."""

    def __init__(self, says: str, *, is_error: bool = False, max_chars: int = 50_000) -> None:
        self.registry = ToolRegistry(FakeClock(), OneWordRedactor())
        self.kept: list[tuple[ToolResult, str | None]] = []

        async def say() -> str:
            """Say it."""
            if is_error:
                raise ToolError(says)
            return says

        self.registry.register(say, owner="test", max_chars=max_chars)

    async def run(self, name: str = "say") -> tuple[ToolResult, str | None]:
        call = ToolCall(id="call-1", name=name, arguments="{}")
        (result,) = await self.registry.run((call,), TOOL_CONTEXT, self._keep)
        ((kept, whole),) = self.kept
        assert kept == result
        return result, whole

    async def _keep(self, result: ToolResult, whole: str | None) -> None:
        self.kept.append((result, whole))


@pytest.mark.parametrize("is_error", [False, True])
@pytest.mark.parametrize(("chars", "is_cut"), [(49_999, False), (50_000, False), (50_001, True)])
async def test_the_whole_is_kept_where_a_part_is_shown(
    chars: int, is_cut: bool, is_error: bool
) -> None:
    said = ("0123456789" * 6_000)[:chars]

    result, whole = await Bench(said, is_error=is_error).run()

    assert (whole == said, result.content != said) == (is_cut, is_cut)
    assert result.is_error == is_error
    assert len(result.content) <= 50_000
    assert ("tool_result_get" in result.content) == is_cut


@pytest.mark.parametrize("is_error", [False, True])
async def test_secrets_are_neither_shown_nor_kept(is_error: bool) -> None:
    result, whole = await Bench(
        f"{SECRET} {'x' * 500} {SECRET}", is_error=is_error, max_chars=300
    ).run()

    assert whole == f"{REDACTED} {'x' * 500} {REDACTED}"
    assert result.content.startswith(REDACTED)
    assert result.content.endswith(REDACTED)
    assert SECRET not in json.dumps([result.content, whole])


@pytest.mark.parametrize("letter", ["x", "é", "茶", "🍵"])
async def test_a_megabyte_is_kept_and_the_end_says_so(letter: str) -> None:
    _, whole = await Bench(letter * 1_000_001).run()

    assert whole is not None
    assert MAX_KEPT_BYTES - 4 <= len(whole.encode()) <= MAX_KEPT_BYTES
    assert whole.startswith(letter * 100)
    assert whole.endswith(f"{letter}\n[The result goes on; no more of it is kept.]")


async def test_a_megabyte_exactly_is_kept_as_it_is() -> None:
    _, whole = await Bench("x" * MAX_KEPT_BYTES).run()

    assert whole == "x" * MAX_KEPT_BYTES


@pytest.mark.parametrize("shift", range(0, len(SECRET) + 1, 3))
async def test_no_half_of_a_secret_is_kept_where_the_megabyte_ends(shift: int) -> None:
    before = "x" * (MAX_KEPT_BYTES - shift)

    _, whole = await Bench(f"{before}{SECRET}{'y' * 100}").run()

    assert whole is not None
    assert SECRET[:2] not in whole


async def test_a_tool_that_is_not_there_is_told_in_what_can_be_kept() -> None:
    result, whole = await Bench("").run(name=f"{SECRET}\ud800")

    assert whole is None
    assert result.content == f"There is no tool named {REDACTED}?. There are: say."
