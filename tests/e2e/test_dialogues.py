"""What people see: whole dialogues through the application, on fakes."""

import asyncio

import pytest

from bot.config import Config
from bot.core.chat import Capabilities
from bot.core.llm import ModelRequest
from bot.core.messages import Text
from bot.core.window.notes import words_of
from bot.errors import (
    BotError,
    ContextTooLong,
    DeliveryError,
    FateUnknown,
    ModelAuthError,
    ModelNotFound,
    ModelOverloaded,
    ModelRateLimited,
    ModelRequestRefused,
    ModelStreamCut,
    ModelUnavailable,
)
from bot.runtime import notices
from bot.runtime.delivery import REPEATED
from bot.testing.clock import FakeClock
from bot.testing.dialogue import Dialogue
from bot.testing.loopback import LoopbackChannel
from bot.testing.model import ScriptedModel, answer, calling, cut_stream
from bot.testing.patience import PATIENCE_S
from tests.e2e.conftest import OpenStore

OPEN = Config(access="open", plugins=("clock",))


def user_words(request: ModelRequest) -> list[str]:
    return [
        text for message in request.messages if message.role == "user" for text in words_of(message)
    ]


async def test_a_message_is_answered(open_store: OpenStore) -> None:
    model = ScriptedModel(["Good morning."])
    async with Dialogue(model, config=OPEN, store=open_store()) as dialogue:
        answers = await dialogue.says("hello")

    assert ["Good morning."] == answers
    assert ["ready: loopback"] == [line for line in dialogue.announced if "ready" in line]


async def test_the_chat_goes_on_after_a_restart(open_store: OpenStore) -> None:
    async with Dialogue(ScriptedModel(["Noted."]), config=OPEN, store=open_store()) as dialogue:
        await dialogue.says("the word is heron")

    channel = LoopbackChannel()
    channel.message("a number that is taken")
    model = ScriptedModel(["Heron."])
    async with Dialogue(model, config=OPEN, store=open_store(), channel=channel) as dialogue:
        await dialogue.says("what did I just say?")

    assert ["the word is heron", "what did I just say?"] == user_words(model.requests[0])
    assert "Noted." == model.requests[0].messages[1].text


async def test_new_hides_what_was_said_also_after_a_restart(open_store: OpenStore) -> None:
    model = ScriptedModel(["One.", "Two."])
    async with Dialogue(model, config=OPEN, store=open_store()) as dialogue:
        await dialogue.says("first", "/new", "second")
    assert ["second"] == user_words(model.requests[1])

    channel = LoopbackChannel()
    for _ in range(3):
        channel.message("numbers that are taken")
    after = ScriptedModel(["Three."])
    async with Dialogue(after, config=OPEN, store=open_store(), channel=channel) as dialogue:
        await dialogue.says("third")
    assert ["second", "third"] == user_words(after.requests[0])


async def test_messages_during_a_turn_are_taken_together(open_store: OpenStore) -> None:
    model = ScriptedModel(["One.", "Two."])
    model.hold()
    async with Dialogue(model, config=OPEN, store=open_store()) as dialogue:
        say = dialogue.channel.message
        await dialogue.happens([say("first")])
        await model.held()
        await dialogue.happens([say("second"), say("third")])
        model.release()
        texts = await dialogue.channel.wait_for_posts(2)

    assert ["One.", "Two."] == texts
    assert ["first", "second", "third"] == user_words(model.requests[1])


async def test_a_redelivered_message_is_not_answered_again(open_store: OpenStore) -> None:
    model = ScriptedModel(["Once."])
    async with Dialogue(model, config=OPEN, store=open_store()) as dialogue:
        message = dialogue.channel.message("hello")
        await dialogue.happens([message, message])
        await dialogue.app.settled(message.address)
        await dialogue.happens([message])
        await dialogue.app.settled(message.address)

    assert ["Once."] == dialogue.channel.texts()


async def test_chats_do_not_wait_for_each_other(open_store: OpenStore) -> None:
    model = ScriptedModel(["One.", "Two."])
    model.hold()
    async with Dialogue(model, config=OPEN, store=open_store()) as dialogue:
        await dialogue.happens([dialogue.channel.message("a", chat="1")])
        await dialogue.happens([dialogue.channel.message("b", chat="2")])
        running = len(model.requests)
        model.release()
        await dialogue.channel.wait_for_posts(2)

    assert 2 == running


async def test_a_command_is_answered_beside_a_running_turn(open_store: OpenStore) -> None:
    model = ScriptedModel(["Done."])
    model.hold()
    async with Dialogue(model, config=OPEN, store=open_store()) as dialogue:
        await dialogue.happens([dialogue.channel.message("work")])
        await model.held()
        await dialogue.happens([dialogue.channel.message("/status")])
        status = (await dialogue.channel.wait_for_posts(1))[0]
        model.release()
        await dialogue.channel.wait_for_posts(2)

    assert "Answers being written: 1" in status
    assert 1 == len(model.requests)


async def test_stop_cancels_at_once_and_the_history_stays_valid(open_store: OpenStore) -> None:
    model = ScriptedModel(["Never seen.", "Next."])
    model.hold()
    async with Dialogue(model, config=OPEN, store=open_store()) as dialogue:
        await dialogue.happens([dialogue.channel.message("a long task")])
        await model.held()
        await dialogue.happens([dialogue.channel.message("/stop")])
        stopped = await dialogue.channel.wait_for_posts(1)
        model.release()
        after = await dialogue.says("next")

    assert ["Stopped."] == stopped
    assert ["Next."] == after
    assert "[stopped by the person before an answer]" == model.requests[1].messages[1].text
    assert [] == model.refused


async def test_a_mistyped_command_gets_the_nearest_name() -> None:
    async with Dialogue(ScriptedModel(), config=OPEN) as dialogue:
        answers = await dialogue.says("/staus")

    assert ["There is no command `/staus`. Did you mean `/status`?"] == answers


async def test_a_tool_is_called_and_its_result_is_given_to_the_model(
    open_store: OpenStore,
) -> None:
    model = ScriptedModel([calling("clock", timezone="UTC"), "It is nine."])
    async with Dialogue(model, config=OPEN, store=open_store()) as dialogue:
        answers = await dialogue.says("what time is it?")

    assert ["It is nine."] == answers
    assert "2026-01-05" in str(model.requests[1].messages[-1].blocks[0])


@pytest.mark.parametrize(
    ("error", "told"),
    [
        (ModelAuthError(), "its key was refused"),
        (ModelRequestRefused(), "refused this request"),
        (ModelNotFound(), "There is no model `"),
        (ContextTooLong(needed_tokens=210_000, limit_tokens=200_000), "210000 tokens"),
    ],
)
async def test_a_failure_for_good_is_told_once_and_the_next_message_works(
    error: BotError, told: str
) -> None:
    model = ScriptedModel([error, "Better."])
    async with Dialogue(model, config=OPEN) as dialogue:
        first = await dialogue.says("hello")
        second = await dialogue.says("again")

    assert [True] == [told in text for text in first]
    assert ["Better."] == second


@pytest.mark.parametrize(
    "error",
    [
        ModelRateLimited(retry_after_s=3.0),
        ModelOverloaded(),
        ModelUnavailable(),
        ModelStreamCut(),
    ],
)
async def test_a_passing_failure_is_retried_within_bounds(error: BotError) -> None:
    model = ScriptedModel([error, "Better."])
    async with Dialogue(model, config=OPEN) as dialogue:
        await dialogue.happens([dialogue.channel.message("hello")])
        assert isinstance(dialogue.clock, FakeClock)
        await dialogue.clock.advance(60)
        assert ["Better."] == dialogue.channel.texts()

        model.then(*[error] * 10)
        await dialogue.happens([dialogue.channel.message("again")])
        await dialogue.clock.advance(600)
        told = dialogue.channel.texts()[1:]

    assert 1 == len(told)
    assert len(model.requests) < 8


async def test_a_stream_cut_in_the_middle_starts_over() -> None:
    model = ScriptedModel([cut_stream("Half an ans"), "A whole answer."])
    async with Dialogue(model, config=OPEN) as dialogue:
        await dialogue.happens([dialogue.channel.message("hello")])
        assert isinstance(dialogue.clock, FakeClock)
        await dialogue.clock.advance(60)

    assert ["A whole answer."] == dialogue.channel.texts()


@pytest.mark.parametrize(
    ("stop", "text", "shown"),
    [
        ("max_tokens", "Half", f"Half\n\n{notices.CUT}"),
        ("window_full", "Half", f"Half\n\n{notices.CUT}"),
        ("refusal", "", notices.REFUSED),
        ("end_turn", "", notices.EMPTY),
    ],
)
async def test_an_answer_that_is_none_is_said_to_be_so(stop: str, text: str, shown: str) -> None:
    blocks = (Text(text=text),) if text else ()
    model = ScriptedModel([answer(*blocks, stop=stop), "Next."])  # type: ignore[arg-type] # parametrized
    async with Dialogue(model, config=OPEN) as dialogue:
        first = await dialogue.says("hello")
        second = await dialogue.says("next")

    assert [shown] == first
    assert ["Next."] == second
    assert [] == model.refused


async def test_what_nobody_foresaw_is_told_with_an_incident_number() -> None:
    model = ScriptedModel([RuntimeError("boom"), "Next."])
    async with Dialogue(model, config=OPEN) as dialogue:
        first = await dialogue.says("hello")
        second = await dialogue.says("next")

    assert "incident 20260105-090000-000" in first[0]
    assert ["Next."] == second


async def test_a_reply_waits_as_long_as_the_platform_says(open_store: OpenStore) -> None:
    model = ScriptedModel(["Answer."])
    async with Dialogue(model, config=OPEN, store=open_store()) as dialogue:
        assert isinstance(dialogue.clock, FakeClock)
        dialogue.channel.failures.append(DeliveryError("slow down", retry_after_s=30))
        await dialogue.happens([dialogue.channel.message("hello")])
        await dialogue.clock.advance(29)
        early = dialogue.channel.texts()
        await dialogue.clock.advance(10)

    assert [] == early
    assert ["Answer."] == dialogue.channel.texts()


async def test_a_reply_of_unknown_fate_is_repeated_once_and_marked(open_store: OpenStore) -> None:
    model = ScriptedModel(["Answer.", "Next."])
    async with Dialogue(model, config=OPEN, store=open_store()) as dialogue:
        assert isinstance(dialogue.clock, FakeClock)
        for text in ("hello", "again"):
            dialogue.channel.failures.append(FateUnknown())
            await dialogue.happens([dialogue.channel.message(text)])
            await dialogue.clock.advance(60)

    assert [f"Answer.{REPEATED}", f"Next.{REPEATED}"] == dialogue.channel.texts()


async def test_one_chat_that_blocked_the_bot_harms_nobody(open_store: OpenStore) -> None:
    model = ScriptedModel(["One.", "Two."])
    async with Dialogue(model, config=OPEN, store=open_store()) as dialogue:
        blocked = DeliveryError("blocked", can_retry=False)
        dialogue.channel.failures.extend([blocked, blocked])  # the answer, and word of its failure
        await dialogue.says("hello", chat="1")
        second = await dialogue.says("hello", chat="2")

    assert ["Two."] == second
    assert [] == dialogue.channel.texts("1")


async def test_a_long_answer_arrives_in_parts_and_in_order() -> None:
    channel = LoopbackChannel(capabilities=Capabilities(max_text_length=10))
    model = ScriptedModel(["abcdefghijklmnopqrstuvwxyz"])
    async with Dialogue(model, config=OPEN, channel=channel) as dialogue:
        answers = await dialogue.says("hello")

    assert ["abcdefghij", "klmnopqrst", "uvwxyz"] == answers


async def test_a_crash_after_the_answer_was_written_down_does_not_ask_again(
    open_store: OpenStore,
) -> None:
    channel = LoopbackChannel()
    channel.failures.append(DeliveryError("no network", retry_after_s=3_000))
    store = open_store()
    dialogue = Dialogue(ScriptedModel(["Answer."]), config=OPEN, store=store, channel=channel)
    async with asyncio.timeout(PATIENCE_S):
        await dialogue.__aenter__()
        await dialogue.happens([channel.message("hello")])
        await dialogue.crash()

    after = LoopbackChannel()
    model = ScriptedModel()
    async with Dialogue(model, config=OPEN, store=open_store(), channel=after):
        await after.wait_for_posts(1)

    assert ["Answer."] == after.texts()
    assert [] == model.requests


async def test_a_turn_cut_by_a_crash_goes_on_and_runs_no_tool_twice(
    open_store: OpenStore,
) -> None:
    channel = LoopbackChannel()
    model = ScriptedModel([calling("clock", timezone="UTC")])

    def stand_still(_: ModelRequest) -> str:
        model.hold()
        return "Never seen."

    model.then(stand_still)
    dialogue = Dialogue(model, config=OPEN, store=open_store(), channel=channel)
    await dialogue.__aenter__()
    await dialogue.happens([channel.message("what time is it?")])
    async with asyncio.timeout(PATIENCE_S):
        await model.held()
    await dialogue.crash()

    after = LoopbackChannel()
    later = ScriptedModel(["It is nine."])
    async with Dialogue(later, config=OPEN, store=open_store(), channel=after):
        await after.wait_for_posts(1)

    assert ["It is nine."] == after.texts()
    assert [] == later.refused
    assert 3 == len(later.requests[0].messages)


async def test_a_chat_that_became_too_long_goes_on_with_the_newest_message(
    open_store: OpenStore,
) -> None:
    model = ScriptedModel(["One.", "Two.", ContextTooLong(), "Three.", "Four."])
    async with Dialogue(model, config=OPEN, store=open_store()) as dialogue:
        await dialogue.says("first", "second")
        third = await dialogue.says("third")
        fourth = await dialogue.says("fourth")

    assert [f"Three.\n\n{notices.EMPTIED}"] == third
    assert ["Four."] == fourth
    assert ["third"] == user_words(model.requests[3])
    assert ["third", "fourth"] == user_words(model.requests[4])
    assert [] == model.refused


async def test_a_message_that_is_too_long_by_itself_does_not_spoil_the_next() -> None:
    def refuse_long(request: ModelRequest) -> str | ContextTooLong:
        is_long = sum(map(len, user_words(request))) > 10_000
        return ContextTooLong() if is_long else "Short enough."

    async with Dialogue(ScriptedModel(refuse_long), config=OPEN) as dialogue:
        first = await dialogue.says("long " * 3_000)
        second = await dialogue.says("hello")

    assert ["too long" in text for text in first] == [True]
    assert ["Short enough."] == second


async def test_a_stop_ends_nothing_that_was_written_after_it(open_store: OpenStore) -> None:
    def echo(request: ModelRequest) -> str:
        return f"To {user_words(request)[-1]}."

    async with Dialogue(ScriptedModel(echo), config=OPEN, store=open_store()) as dialogue:
        say = dialogue.channel.message
        await dialogue.together(say("/stop"), say("first"))
        await dialogue.together(say("second"), say("/stop"), say("third"))

    answers = [text for text in dialogue.channel.texts() if text.startswith("To")]
    assert ["To first.", "To third."] == answers
