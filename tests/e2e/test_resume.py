"""Tools of a turn that was cut: each runs once, or the model is told that nobody knows."""

import asyncio
from dataclasses import replace

import pytest

from bot.config import Config
from bot.core.chat import Capabilities, StopRequest
from bot.core.lifecycle import Received
from bot.core.messages import Message, ToolCall, ToolResult
from bot.core.turns import Step, TurnId
from bot.runtime.turn_run import FATE_UNKNOWN
from bot.testing.clock import START
from bot.testing.dialogue import Dialogue
from bot.testing.loopback import LoopbackChannel
from bot.testing.model import ScriptedModel, answer
from bot.testing.patience import PATIENCE_S
from bot.testing.store import InMemoryStore
from bot.testing.stores.given import model_call
from tests.e2e.conftest import OpenStore

OPEN = Config(access="open")
EXCLAMATION = Capabilities(max_text_length=4_000, command_prefix="!")


def calls(*names: str) -> tuple[ToolCall, ...]:
    """Call each of these tools; ``pay`` is none that anybody registered, so it is not safe."""
    return tuple(
        ToolCall(id=f"call_{number}", name=name, arguments="{}")
        for number, name in enumerate(names)
    )


class NotingStore(InMemoryStore):
    """Notes what is said of tools, in order."""

    def __init__(self) -> None:
        super().__init__()
        self.said: list[str] = []

    async def record_start(self, turn_id: TurnId, index: int, call_ids: tuple[str, ...]) -> None:
        await super().record_start(turn_id, index, call_ids)
        self.said.append(f"{', '.join(call_ids)} of step {index} will run")

    async def record_result(
        self, turn_id: TurnId, index: int, result: ToolResult, *, whole: str | None = None
    ) -> None:
        await super().record_result(turn_id, index, result, whole=whole)
        self.said.append(f"{result.call_id} of step {index} has run")


async def test_what_must_not_run_twice_is_noted_before_it_runs() -> None:
    store = NotingStore()
    second = replace(calls("clock")[0], id="call_9")
    model = ScriptedModel([answer(*calls("clock", "pay", "pay")), answer(second), "Done."])

    async with Dialogue(model, config=OPEN, store=store) as dialogue:
        assert ["Done."] == await dialogue.says("pay, please")

    assert "call_1, call_2 of step 0 will run" == store.said[0]
    assert {f"call_{number} of step 0 has run" for number in range(3)} == set(store.said[1:4])
    assert ["call_9 of step 1 has run"] == store.said[4:]


async def test_only_a_call_that_was_started_and_is_not_safe_is_refused(
    open_store: OpenStore,
) -> None:
    channel, store = LoopbackChannel(), open_store()
    request = channel.message("pay, please")
    await store.receive((Received(inbound=request, route="turn"),), cursor=None, at=START)
    claim = await store.claim(request.address.session_key, at=START)
    assert claim is not None
    asked = calls("clock", "pay", "pay")
    step = Step(answer=Message(role="assistant", blocks=asked), stop="tool_use")
    await store.record_step(claim.turn.id, 0, step, model_call(request.address.session_key))
    await store.record_start(claim.turn.id, 0, ("call_0", "call_1"))
    await store.close()

    model = ScriptedModel(["Done."])
    async with (
        asyncio.timeout(PATIENCE_S),
        Dialogue(model, config=OPEN, store=open_store(), channel=channel),
    ):
        await channel.wait_for_posts(1)

    safe, started, not_started = model.requests[0].messages[2].blocks
    assert isinstance(safe, ToolResult)
    assert isinstance(not_started, ToolResult)
    assert not safe.is_error
    assert ToolResult(call_id="call_1", content=FATE_UNKNOWN, is_error=True) == started
    assert FATE_UNKNOWN != not_started.content
    assert ["Done."] == channel.texts()


async def test_a_command_whose_plugin_is_gone_is_answered_as_one_that_is_none() -> None:
    """It was stored as a command, so no turn takes it; as a text it is none any more."""
    store, channel = InMemoryStore(), LoopbackChannel(capabilities=EXCLAMATION)
    request = channel.message("!weather in Rome")
    await store.receive((Received(inbound=request, route="command"),), cursor=None, at=START)
    async with Dialogue(ScriptedModel(), config=OPEN, store=store, channel=channel) as dialogue:
        await dialogue.app.settled(request.address)

    assert ["There is no command `!weather`. `!help` lists all commands."] == channel.texts()
    assert () == (await store.unfinished()).commands


@pytest.mark.parametrize("texts", [("/stop", "two"), ("one", "/stop")])
async def test_a_stop_that_a_crash_held_up_ends_only_what_came_before_it(
    open_store: OpenStore, texts: tuple[str, str]
) -> None:
    channel, store = LoopbackChannel(), open_store()
    for text in texts:
        message = channel.message(text)
        received = Received(inbound=message, route="command" if text == "/stop" else "turn")
        await store.receive((received,), cursor=None, at=START)
    assert await store.claim(message.address.session_key, at=START) is not None
    await store.close()

    model = ScriptedModel(["An answer."])
    async with Dialogue(model, config=OPEN, store=open_store(), channel=channel) as dialogue:
        await dialogue.app.settled(message.address)

    assert ("An answer." in channel.texts()) == (texts[0] == "/stop")


async def test_the_stop_button_of_an_answer_that_is_there_stops_no_other() -> None:
    model, store = ScriptedModel(["First.", "Second.", "never shown"]), InMemoryStore()
    async with Dialogue(model, config=OPEN, store=store) as dialogue:
        await dialogue.says("one")
        model.hold()
        second = dialogue.channel.message("two")
        await dialogue.happens([second])
        await model.held()
        stop = StopRequest(
            event_id="stop:1", address=second.address, sender=second.sender, draft_id=1
        )
        await dialogue.happens([stop])
        model.release()
        await dialogue.app.settled(second.address)
        third = dialogue.channel.message("three")
        model.hold()
        await dialogue.happens([third])
        await model.held()
        await dialogue.happens([replace(stop, event_id="stop:2", draft_id=3)])
        await dialogue.app.settled(third.address)

    assert ["First.", "Second."] == dialogue.channel.texts()[:2]
    assert "stopped" == store.turns[-1].outcome
