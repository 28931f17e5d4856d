"""A platform that keeps the slash for itself: what begins with its prefix, and what is told."""

from __future__ import annotations

from dataclasses import replace

import pytest

from bot.config import Config
from bot.core.chat import Capabilities, InboundMessage
from bot.core.llm import ModelResponse
from bot.core.messages import Text
from bot.errors import DeliveryError, ModelRequestRefused
from bot.testing.dialogue import Dialogue
from bot.testing.loopback import LoopbackChannel
from bot.testing.model import ScriptedModel, answer
from tests.e2e.conftest import OPEN, OpenStore

EXCLAIMING = Capabilities(max_text_length=4_096, can_edit=True, command_prefix="!")
ROOM, THREAD = "C1", "1.5"
OF_ALL = Config(access="open", admins=("loopback:1001",), group_mode="all")


def dialogue_with(model: ScriptedModel, config: Config = OPEN) -> Dialogue:
    return Dialogue(model, config=config, channel=LoopbackChannel(capabilities=EXCLAIMING))


def exclaimed(channel: LoopbackChannel, text: str, *, goes_on: bool) -> InboundMessage:
    """Make a message as a channel gives it that begins like a command, and names nobody."""
    thread = THREAD if goes_on else "9.5"
    message = channel.message(text, chat=ROOM, thread=thread, kind="group")
    return replace(message, is_named=False, is_follow_up=goes_on)


def called(channel: LoopbackChannel, text: str) -> InboundMessage:
    return channel.message(text, chat=ROOM, thread=THREAD, kind="group")


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("!wow that is great", "Indeed."),
        ("!1a", "Indeed."),
        ("!stop.", "Nothing is running."),
        ("!status?", "**Daybook"),
        ("!contxt", "There is no command `!contxt`. Did you mean `!context`?"),
    ],
)
async def test_nothing_is_lost_in_a_thread_of_the_bots(text: str, told: str) -> None:
    model = ScriptedModel(["Hello.", "Indeed."])
    async with dialogue_with(model) as dialogue:
        await dialogue.together(called(dialogue.channel, "hello"))
        await dialogue.together(exclaimed(dialogue.channel, text, goes_on=True))
        *_, last = dialogue.channel.texts(ROOM)

    assert last.startswith(told)
    assert ["Hello.", last] == dialogue.channel.texts(ROOM)


@pytest.mark.parametrize("text", ["!important: read this", "!contxt", "!wow"])
async def test_what_begins_like_a_command_calls_nobody(text: str) -> None:
    async with dialogue_with(ScriptedModel()) as dialogue:
        await dialogue.together(exclaimed(dialogue.channel, text, goes_on=False))
        await dialogue.together(exclaimed(dialogue.channel, text, goes_on=True))  # not its thread

    assert [] == dialogue.channel.texts(ROOM)


async def test_where_all_is_listened_to_it_is_heard_like_all() -> None:
    model = ScriptedModel(["I see."])
    async with dialogue_with(model, OF_ALL) as dialogue:
        await dialogue.together(exclaimed(dialogue.channel, "!allow", goes_on=False))
        for text in ("!important: read this", "!contxt", "!help@other"):
            await dialogue.together(exclaimed(dialogue.channel, text, goes_on=False))
        _, *told = dialogue.channel.texts(ROOM)

    assert ["I see.", "There is no command `!contxt`. Did you mean `!context`?"] == told


async def test_where_the_bot_is_off_it_is_no_command() -> None:
    config = Config(access="open", admins=("loopback:1001",), group_mode="off")
    async with dialogue_with(ScriptedModel(), config) as dialogue:
        message = replace(called(dialogue.channel, "!wow"), is_named=True)
        await dialogue.together(message)

    assert [] == dialogue.channel.texts(ROOM)


@pytest.mark.parametrize(
    ("what", "told"),
    [
        (answer(), "`!retry` asks again; perhaps other words help."),
        (ModelRequestRefused(), "The model refused this request as invalid. `!new` starts afresh."),
    ],
)
async def test_what_the_bot_says_in_place_of_an_answer_names_commands_as_they_are_written(
    what: ModelResponse | ModelRequestRefused, told: str
) -> None:
    async with dialogue_with(ScriptedModel([what])) as dialogue:
        [text] = await dialogue.says("hello")

    assert text.endswith(told)


async def test_the_models_own_words_stay_as_they_are() -> None:
    text = "Write `/new` into the file `/etc/motd`."
    half = answer(Text(text=text), stop="max_tokens")
    async with dialogue_with(ScriptedModel([half])) as dialogue:
        [told] = await dialogue.says("hello")

    assert told.startswith(f"{text}\n\n*The answer reached its length limit.")


async def test_so_it_is_where_an_answer_did_not_arrive(open_store: OpenStore) -> None:
    channel = LoopbackChannel(capabilities=EXCLAIMING)
    model = ScriptedModel(["Ducks float."])
    async with Dialogue(model, config=OPEN, store=open_store(), channel=channel) as dialogue:
        channel.failures.append(DeliveryError("it is too odd", can_retry=False))
        [told] = await dialogue.says("tell me about ducks")

    assert "An answer could not be delivered: it is too odd. `!retry` sends it again." == told
