"""An album is one question to the bot, whichever part names it and whatever happens between."""

from __future__ import annotations

from dataclasses import replace

from bot.core.chat import InboundMessage
from bot.runtime.lanes import ALBUM_WAIT_S, RESUMED_ALBUM_WAIT_S
from bot.testing.clock import FakeClock, settle
from bot.testing.dialogue import Dialogue
from bot.testing.loopback import LoopbackChannel
from bot.testing.model import ScriptedModel
from tests.e2e.conftest import OPEN, OpenStore

GROUP = "-9"


def part(channel: LoopbackChannel, text: str, *, is_named: bool = True) -> InboundMessage:
    message = channel.message(text, chat=GROUP, kind="group", is_addressed=is_named)
    return replace(message, album="7", is_named=is_named)


def asked(model: ScriptedModel) -> list[str]:
    return [str(request.messages[-1].blocks) for request in model.requests]


class Begun:
    """A process that was killed, and the next one on what it left."""

    def __init__(self, open_store: OpenStore) -> None:
        self.model = ScriptedModel(["one.", "two."])
        self.channel, self.clock = LoopbackChannel(), FakeClock()
        self._open_store = open_store

    def process(self) -> Dialogue:
        return Dialogue(
            self.model,
            config=OPEN,
            store=self._open_store(),
            channel=self.channel,
            clock=self.clock,
        )

    async def takes_and_dies(self, *events: InboundMessage) -> None:
        dialogue = await self.process().__aenter__()
        await dialogue.happens(events)
        await dialogue.crash()


async def test_in_a_group_the_rest_comes_after_a_kill(open_store: OpenStore) -> None:
    begun = Begun(open_store)
    await begun.takes_and_dies(part(begun.channel, "which?"))
    async with begun.process() as dialogue:
        rest = part(begun.channel, "PART-B", is_named=False)
        await begun.clock.advance(RESUMED_ALBUM_WAIT_S * 0.7)
        await dialogue.happens([rest])
        await begun.clock.advance(RESUMED_ALBUM_WAIT_S)
        await dialogue.app.settled(rest.address)

    assert len(begun.model.requests) == 1
    assert "which?" in asked(begun.model)[0]
    assert "PART-B" in asked(begun.model)[0]


async def test_in_a_private_chat_it_is_one_turn_across_a_kill(open_store: OpenStore) -> None:
    begun = Begun(open_store)
    one, two = (
        replace(begun.channel.message(text), album="7") for text in ("which?", "second part")
    )
    await begun.takes_and_dies(one)
    async with begun.process() as dialogue:
        await dialogue.happens([two])
        await begun.clock.advance(2 * ALBUM_WAIT_S)
        await dialogue.app.settled(two.address)

    assert begun.channel.texts() == ["one."]


async def test_a_turn_that_was_claimed_before_the_kill_is_followed_by_the_rest(
    open_store: OpenStore,
) -> None:
    begun = Begun(open_store)
    begun.model.hold()
    dialogue = await begun.process().__aenter__()
    await dialogue.happens([part(begun.channel, "which?")])
    await begun.clock.advance(ALBUM_WAIT_S)
    await begun.model.held()
    await dialogue.crash()
    begun.model.release()
    async with begun.process() as dialogue:
        rest = part(begun.channel, "PART-B", is_named=False)
        await dialogue.happens([rest])
        await begun.clock.advance(2 * ALBUM_WAIT_S)
        await dialogue.app.settled(rest.address)

    assert "PART-B" in asked(begun.model)[-1]


async def test_what_waits_on_a_channel_that_is_gone_stops_nobody(open_store: OpenStore) -> None:
    begun = Begun(open_store)
    gone = part(begun.channel, "which?")
    await begun.takes_and_dies(gone)
    begun.channel = LoopbackChannel(name="other")
    async with begun.process() as dialogue:
        await dialogue.says("hello")

    assert begun.channel.texts() == ["one."]


async def test_the_part_that_names_the_bot_may_come_last(open_store: OpenStore) -> None:
    begun = Begun(open_store)
    async with begun.process() as dialogue:
        named = part(begun.channel, "which?")
        await dialogue.happens([part(begun.channel, "PART-A", is_named=False)])
        await settle()
        await dialogue.happens([named])
        await begun.clock.advance(2 * ALBUM_WAIT_S)
        await dialogue.app.settled(named.address)

    assert len(begun.model.requests) == 1
    assert "PART-A" in asked(begun.model)[0]


async def test_pictures_under_a_command_are_no_question(open_store: OpenStore) -> None:
    begun = Begun(open_store)
    async with begun.process() as dialogue:
        command = part(begun.channel, "/help")
        await dialogue.happens([command, part(begun.channel, "PART-B", is_named=False)])
        await begun.clock.advance(2 * ALBUM_WAIT_S)
        await dialogue.app.settled(command.address)

    assert begun.model.requests == []
    assert len(begun.channel.texts(GROUP)) == 1
