"""Files from the platform to the model: read once, over restarts, and within the window."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from dataclasses import replace
from io import BytesIO

import pytest
from PIL import Image as Picture

from bot.config import Config
from bot.core.chat import Capabilities, InboundMessage
from bot.core.files import Attachment
from bot.core.llm import ModelRequest, ModelResponse, Usage
from bot.core.messages import Image, Text
from bot.core.tokens import IMAGE_TOKENS
from bot.core.window.notes import words_of
from bot.errors import DeliveryError
from bot.runtime.intake import NOT_FETCHED
from bot.runtime.lanes import ALBUM_WAIT_S
from bot.testing.clock import settle
from bot.testing.dialogue import Dialogue
from bot.testing.loopback import LoopbackChannel
from bot.testing.model import ScriptedModel, answer
from bot.testing.patience import PATIENCE_S
from tests.e2e.conftest import OPEN, OpenStore, begin, passes

PLAIN = Capabilities(max_text_length=4_096, can_edit=True)


def png() -> bytes:
    file = BytesIO()
    Picture.new("RGB", (30, 20), "red").save(file, "PNG")
    return file.getvalue()


def sent(channel: LoopbackChannel, text: str, *names: str, album: str = "") -> InboundMessage:
    """Make a message with files, a picture each unless it was put there before."""
    for name in names:
        channel.files.setdefault(name, png())
    files = tuple(
        Attachment(kind="picture", name="", media_type="image/png", handle=name) for name in names
    )
    return replace(channel.message(text), attachments=files, album=album)


def pictures(request: ModelRequest) -> int:
    return sum(isinstance(block, Image) for message in request.messages for block in message.blocks)


def asked(request: ModelRequest) -> str:
    return "\n".join(words_of(request.messages[-1]))


@pytest.fixture
async def dialogue() -> AsyncIterator[Dialogue]:
    async with Dialogue(ScriptedModel(lambda _: "I see."), config=OPEN) as running:
        yield running


async def test_chn_7_a_picture_reaches_the_model(dialogue: Dialogue) -> None:
    message = sent(dialogue.channel, "What is this?", "one")
    await dialogue.together(message)

    assert ["I see."] == dialogue.channel.texts()
    (request,) = dialogue.app._outside.model.requests  # type: ignore[attr-defined] # it is scripted
    text, picture, *_ = request.messages[-1].blocks
    assert text == Text(text="[picture]\nWhat is this?")
    assert isinstance(picture, Image)
    assert picture.media_type == "image/png"


async def test_an_album_is_one_turn_with_its_words_once(open_store: OpenStore) -> None:
    model = ScriptedModel(lambda _: "I see.")
    async with Dialogue(model, config=OPEN, store=open_store()) as dialogue:
        parts = [
            sent(dialogue.channel, "Which one?" * (not number), f"{number}", album="7")
            for number in range(3)
        ]
        await dialogue.happens(parts)
        assert model.requests == []
        await passes(dialogue, ALBUM_WAIT_S)
        await dialogue.app.settled(parts[0].address)

    (request,) = model.requests
    assert pictures(request) == 3
    assert asked(request).count("Which one?") == 1


async def test_typing_shows_while_a_file_is_fetched() -> None:
    channel = LoopbackChannel(capabilities=replace(PLAIN, typing_interval_s=4.0))
    channel.files["one"] = DeliveryError("busy", retry_after_s=5.0)
    message = sent(channel, "Look", "one")
    model = ScriptedModel(lambda _: "I see.")
    async with Dialogue(model, config=OPEN, channel=channel) as dialogue:
        await dialogue.happens([message])
        await passes(dialogue, 1)
        assert [channel.typing, model.requests] == [[message.address], []]
        await passes(dialogue, 5)
        await dialogue.app.settled(message.address)

    assert f"[picture: {NOT_FETCHED}]" in asked(model.requests[0])
    assert ["I see."] == channel.texts()


async def test_a_crash_before_a_file_was_read_reads_it_again(open_store: OpenStore) -> None:
    model = ScriptedModel(["I see."])
    first = await begin(open_store, PLAIN, model)
    first.channel.files["one"] = DeliveryError("busy", retry_after_s=5.0)
    message = sent(first.channel, "Look", "one")
    await first.happens([message])
    await first.crash()
    first.channel.files["one"] = png()

    again = Dialogue(model, config=OPEN, store=open_store(), channel=first.channel)
    async with again:
        await again.app.settled(message.address)

    assert pictures(model.requests[0]) == 1
    assert ["I see."] == first.channel.texts()


async def test_a_crash_behind_it_does_not_fetch_again(open_store: OpenStore) -> None:
    model = ScriptedModel(["I see.", "I see again."])
    model.hold()
    first = await begin(open_store, PLAIN, model)
    message = sent(first.channel, "Look", "one")
    await first.happens([message])
    async with asyncio.timeout(PATIENCE_S):
        while not model.requests:
            await settle()
    await first.crash()
    del first.channel.files["one"]
    model.release()

    again = Dialogue(model, config=OPEN, store=open_store(), channel=first.channel)
    async with again:
        await again.app.settled(message.address)

    assert ["one"] == first.channel.fetched
    assert [pictures(request) for request in model.requests] == [1, 1]
    assert [asked(request) for request in model.requests] == ["[picture]\nLook"] * 2


async def test_thirty_turns_with_pictures_fit_and_old_ones_are_words(
    open_store: OpenStore,
) -> None:
    most = 24_000
    config = Config(access="open", plugins=(), agent_max_context_tokens=most)

    def count(request: ModelRequest) -> ModelResponse:
        words = sum(len(message.text) for message in request.messages) + len(request.system)
        size = pictures(request) * IMAGE_TOKENS + words // 4
        said = answer(Text(text=f"Picture {len(request.messages)}."))
        return replace(said, usage=Usage(input_tokens=size, output_tokens=5))

    model, channel, store = ScriptedModel(count), LoopbackChannel(), open_store()
    async with Dialogue(model, config=config, store=store, channel=channel) as dialogue:
        for number in range(30):
            await dialogue.together(sent(channel, f"number {number}", "one"))
        (told,) = await dialogue.says("/context detail")
    shown = [pictures(request) for request in model.requests if "number" in asked(request)]

    assert [] == model.refused
    assert len(channel.texts()) == 31
    assert shown[:3] == [1, 2, 3]
    assert max(shown) * IMAGE_TOKENS < most
    assert min(shown[10:]) >= 1
    assert "[picture]" in told

    await store.close()
    async with Dialogue(model, config=config, store=open_store(), channel=channel) as dialogue:
        await dialogue.says("What did I show you?")
    after = model.requests[-1]
    assert pictures(after) == 0
    assert "[picture]" in "\n".join(message.text for message in after.messages)
