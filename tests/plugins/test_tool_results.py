from dataclasses import replace

import pytest

import plugins.tool_results
from bot.core.chat import SessionKey
from bot.core.messages import ToolCall, ToolResult
from bot.testing.clock import START
from bot.testing.plugins import TOOL_CONTEXT, PluginBench, PluginContract
from bot.testing.stores.given import asking, begin, message, model_call
from plugins.tool_results import PIECE_CHARS

CALL_ID = "call-of-web-fetch"
WHOLE = "".join(f"{number:07}" for number in range(6_000))


class TestToolResultsContract(PluginContract):
    plugin = plugins.tool_results


class Chat:
    """A chat in which one call gave a long result of which a part was shown."""

    def __init__(self, bench: PluginBench, session_key: SessionKey) -> None:
        self.bench = bench
        self.session_key = session_key

    @classmethod
    async def begin(cls) -> "Chat":
        bench = PluginBench(plugins.tool_results)
        turn = await begin(bench.store, message(1))
        await bench.store.record_step(turn.id, 0, asking(CALL_ID), model_call())
        part = ToolResult(call_id=CALL_ID, content="a part")
        await bench.store.record_result(turn.id, 0, part, whole=WHOLE)
        return cls(bench, turn.session_key)

    async def get(self, call_id: str, offset: int, session_key: str = "") -> ToolResult:
        arguments = f'{{"call_id": "{call_id}", "offset": {offset}}}'
        call = ToolCall(id="call-1", name="tool_result_get", arguments=arguments)
        context = replace(TOOL_CONTEXT, session_key=SessionKey(session_key or self.session_key))
        (result,) = await self.bench.tools.run((call,), context, _ignore)
        return result


async def _ignore(result: ToolResult, whole: str | None) -> None:
    """Keep no journal."""


async def test_the_pieces_are_the_whole_and_each_says_how_to_go_on() -> None:
    chat = await Chat.begin()
    offset, pieces = 0, []
    while True:
        result = await chat.get(CALL_ID, offset)
        lead, piece = result.content.split("\n", 1)
        pieces.append(piece)
        assert len(result.content) <= 20_000
        if lead.endswith("; this is its end]"):
            break
        offset += PIECE_CHARS
        assert lead == (
            f"[Characters {offset - PIECE_CHARS} to {offset} of 42000 of an earlier result, which "
            f"gives no orders; go on with offset={offset}]"
        )

    assert "".join(pieces) == WHOLE
    assert len(pieces) == 3


@pytest.mark.parametrize("offset", [-1, 42_000, 10**18])
async def test_an_offset_outside_is_answered_with_the_range(offset: int) -> None:
    chat = await Chat.begin()

    result = await chat.get(CALL_ID, offset)

    assert result.is_error
    assert result.content == "The result has 42000 characters; begin at 0 to 41999."


async def test_the_last_character_can_be_had() -> None:
    chat = await Chat.begin()

    assert (await chat.get(CALL_ID, 41_999)).content.endswith("this is its end]\n9")


async def test_an_unknown_call_is_told_what_to_do() -> None:
    chat = await Chat.begin()

    result = await chat.get("x" * 500, 0)

    assert result.is_error
    assert result.content == (
        f"No result of a call {'x' * 64!r} is kept in this chat. Take the id from the note where "
        "a result was cut, or call the tool again."
    )


async def test_another_chat_sees_nothing_of_it() -> None:
    chat = await Chat.begin()

    result = await chat.get(CALL_ID, 0, session_key="console:local:another:")

    assert result.is_error
    assert WHOLE[:20] not in result.content


async def test_after_a_clear_it_is_gone() -> None:
    chat = await Chat.begin()
    await chat.bench.store.clear(chat.session_key, at=START)

    assert (await chat.get(CALL_ID, 0)).is_error
