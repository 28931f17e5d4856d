"""What the model is shown, and what is remembered, seen through the whole application."""

import asyncio
from collections.abc import Callable
from datetime import date

import pytest

from bot.config import Config
from bot.core.llm import Delta, ModelRequest, ModelResponse
from bot.core.messages import ToolResult
from bot.core.window.notes import SUMMARY_LEAD, VOLATILE_LEAD, words_of
from bot.core.window.summary.extract import extractive_answer
from bot.core.window.summary.plan import SUMMARISER
from bot.errors import ContextTooLong, ModelAuthError
from bot.runtime import notices
from bot.runtime.chat_records import CLEARED
from bot.testing.clock import settle
from bot.testing.dialogue import Dialogue
from bot.testing.loopback import LoopbackChannel
from bot.testing.memory_files import InMemoryFiles
from bot.testing.model import Answer, ScriptedModel, answer, calling
from tests.e2e.conftest import OpenStore, passes

TASKS = Config(access="open", plugins=("tasks",))


def said(request: ModelRequest) -> list[str]:
    return [
        text for message in request.messages if message.role == "user" for text in words_of(message)
    ]


def volatile(request: ModelRequest) -> str:
    texts = [getattr(block, "text", "") for each in request.messages for block in each.blocks]
    (found,) = [text for text in texts if text.startswith(VOLATILE_LEAD)]
    return found


async def test_asm_6_a_task_is_shown_from_the_next_turn_on_until_it_ends(
    open_store: OpenStore,
) -> None:
    model = ScriptedModel(
        [
            calling("task_update", goal="Move house", remaining=["van"]),
            "Noted.",
            "The van.",
            calling("task_update", call_id="call_2", goal=""),
            "Done.",
            "Hello.",
        ]
    )
    async with Dialogue(model, config=TASKS, store=open_store()) as dialogue:
        await dialogue.says("plan my move", "what is next?", "the van is hired", "hello")

    told = ["Task: Move house; remaining: van" in volatile(each) for each in model.requests]
    assert [False, False, True, True, True, False] == told


async def test_asm_6_a_task_outlives_a_restart(open_store: OpenStore) -> None:
    channel = LoopbackChannel()
    before = ScriptedModel([calling("task_update", goal="Move house"), "Noted."])
    async with Dialogue(before, config=TASKS, store=open_store(), channel=channel) as dialogue:
        await dialogue.says("plan my move")
    after = ScriptedModel(["The van."])
    async with Dialogue(after, config=TASKS, store=open_store(), channel=channel) as dialogue:
        await dialogue.says("what is next?")

    assert "Task: Move house" in volatile(after.requests[0])


@pytest.mark.parametrize("words", ["/context clear", "/new"])
async def test_ctx_17_no_task_of_before_a_clear_comes_behind_it(
    open_store: OpenStore, words: str
) -> None:
    """Not even one that a turn notes which runs meanwhile; the model is told."""
    model = ScriptedModel([calling("task_update", goal="Hide the necklace"), "Noted.", "Hello."])
    async with Dialogue(model, config=TASKS, store=open_store()) as dialogue:
        model.hold()
        asked = dialogue.channel.message("help me with a surprise")
        await dialogue.happens((asked,))
        await model.held()
        await dialogue.happens((dialogue.channel.message(words),))
        model.release()
        await dialogue.app.settled(asked.address)
        await dialogue.says("hello")

    (result,) = [
        block
        for message in model.requests[1].messages
        for block in message.blocks
        if isinstance(block, ToolResult)
    ]
    assert (result.content, result.is_error) == (CLEARED, True)
    assert "necklace" not in str(model.requests[2])


async def test_ctx_4_after_fifteen_rounds_the_model_answers_without_tools(
    open_store: OpenStore,
) -> None:
    def restless(request: ModelRequest) -> Answer:
        if not request.may_use_tools:
            return "That is all."
        return calling("clock", call_id=f"call_{len(model.requests)}")

    model = ScriptedModel(restless)
    config = Config(access="open", plugins=("clock",))
    async with Dialogue(model, config=config, store=open_store()) as dialogue:
        answers = await dialogue.says("what time is it?")

    assert [*[True] * 15, False] == [each.may_use_tools for each in model.requests]
    assert answers[0].startswith("That is all.")


async def test_ctx_4_of_more_than_ten_calls_in_a_round_the_first_ten_run(
    open_store: OpenStore,
) -> None:
    calls = [calling("clock", call_id=f"call_{number}").message.blocks[0] for number in range(12)]
    model = ScriptedModel([answer(*calls), "It is nine."])
    config = Config(access="open", plugins=("clock",))
    async with Dialogue(model, config=config, store=open_store()) as dialogue:
        await dialogue.says("what time is it?")

    results = [
        block
        for message in model.requests[1].messages
        for block in message.blocks
        if isinstance(block, ToolResult)
    ]
    assert [*[False] * 10, True, True] == [result.is_error for result in results]


class Patient(ScriptedModel):
    """Summarises at once; what people ask waits until it may be answered."""

    def __init__(self) -> None:
        super().__init__(_summary_or_yes)
        self.may_answer = asyncio.Event()
        self.may_answer.set()

    async def ask(self, request: ModelRequest, on_delta: Callable[[Delta], None]) -> ModelResponse:
        if request.system != SUMMARISER:
            await self.may_answer.wait()
        return await super().ask(request, on_delta)

    @property
    def answered(self) -> list[ModelRequest]:
        return [each for each in self.requests if each.system != SUMMARISER]


def _summary_or_yes(request: ModelRequest) -> Answer:
    if request.system == SUMMARISER:
        return extractive_answer(request.messages[0].text)
    return "Yes."


async def rest() -> None:
    """Let a summary be written down, word by word."""
    for _ in range(60):
        await settle()


async def test_ctx_9_a_landing_during_a_turn_leaves_the_chat_one(open_store: OpenStore) -> None:
    """The turn goes on, what people wish is refused or done to the same chat, and then all fits."""
    model, files = Patient(), InMemoryFiles()
    config = Config(access="open", plugins=(), agent_max_context_turns=4)
    async with Dialogue(model, config=config, store=open_store(), memory_files=files) as dialogue:
        await dialogue.says("one", "two", "three", "four")
        model.may_answer.clear()
        asked = dialogue.channel.message("five")
        await dialogue.happens((asked,))
        await rest()
        before = len(dialogue.channel.texts())
        wishes = (dialogue.channel.message("/context"), dialogue.channel.message("/compact"))
        await dialogue.happens(wishes)
        await rest()
        answers = dialogue.channel.texts()[before:]
        model.may_answer.set()
        await dialogue.app.settled(asked.address)
        await dialogue.says("six")

    assert answers[0].startswith("**Context** of 3 turns")
    assert "an answer is being written" in answers[1]
    last = model.answered[-1]
    assert ["three", "four", "five", "six"] == said(last)
    assert last.messages[0].text.startswith(SUMMARY_LEAD)
    (text,) = files.texts.values()
    assert 1 == text.count("known: one")


async def test_ctx_8_the_answer_of_a_retry_reaches_the_daily_file(open_store: OpenStore) -> None:
    """Although the failure had been noted by then: midnight came between them."""
    files = InMemoryFiles()
    model = ScriptedModel(_summary_or_yes)
    model.then(ModelAuthError())
    async with Dialogue(
        model, config=Config(access="open", plugins=()), store=open_store(), memory_files=files
    ) as dialogue:
        await dialogue.says("the deadline is 2026-02-01")
        await passes(dialogue, 16 * 3_600)
        await rest()
        failed = dict(files.texts)
        await dialogue.says("/retry")
        await passes(dialogue, 24 * 3_600)
        await rest()

    (noted,) = failed.values()
    assert "Yes." not in noted
    days = [day for _, day in files.texts]
    assert [date(2026, 1, 5), date(2026, 1, 6)] == days
    assert "Yes." in list(files.texts.values())[1]


async def test_a_turn_that_was_stopped_leaves_no_trace_of_running(open_store: OpenStore) -> None:
    model = ScriptedModel(_summary_or_yes)
    config = Config(access="open", plugins=())
    async with Dialogue(model, config=config, store=open_store()) as dialogue:
        await dialogue.says("one", "two")
        model.hold()
        await dialogue.happens((dialogue.channel.message("three"),))
        await model.held()
        await dialogue.says("/stop")
        model.release()

        (answer,) = await dialogue.says("/compact")
        await dialogue.says("four")

    assert answer.startswith("Compacted: 2 turns")
    assert ["three", "four"] == said(model.requests[-1])


async def test_a_message_that_is_too_long_alone_leaves_word_of_what_left_in_vain(
    open_store: OpenStore,
) -> None:
    model = ScriptedModel(["One.", "Two.", *(ContextTooLong() for _ in range(4))])
    async with Dialogue(model, config=TASKS, store=open_store()) as dialogue:
        await dialogue.says("first", "second")
        (third,) = await dialogue.says("third")

    assert third.startswith("This message is too long for the model")
    assert third.endswith(notices.LEFT_IN_VAIN)
    assert notices.EMPTIED not in third
