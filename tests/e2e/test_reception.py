"""How each channel is doing: told to the operator, judged, and mended where that can be."""

import asyncio
from datetime import datetime

from bot.config import Config
from bot.core.lifecycle import Cursor, Received, SetAside
from bot.errors import ChannelAuthError
from bot.ports import Inbox
from bot.runtime.delivery import REFUSED_PAUSE_S
from bot.testing.clock import FakeClock, settle
from bot.testing.dialogue import Dialogue
from bot.testing.loopback import LoopbackChannel
from bot.testing.model import ScriptedModel
from bot.testing.store import InMemoryStore

OPEN = Config(access="open", plugins=())


class Shaky(LoopbackChannel):
    """A channel that breaks, refuses its token, or loses its connection, as it is told."""

    def __init__(self, *breaks: Exception) -> None:
        super().__init__("shaky")
        self._breaks = list(breaks)
        self.inbox: Inbox | None = None

    async def run(self, inbox: Inbox) -> None:
        self.inbox = inbox
        if self._breaks:
            raise self._breaks.pop(0)
        await super().run(inbox)


class Silent(LoopbackChannel):
    """A channel that cannot reach its platform until a test says so."""

    def __init__(self) -> None:
        super().__init__("silent")

    async def run(self, inbox: Inbox) -> None:
        self.inbox = inbox
        inbox.failing("no route")
        await asyncio.Event().wait()


async def status(dialogue: Dialogue) -> list[str]:
    (answer,) = await dialogue.says("/status")
    return [line for line in answer.splitlines() if "Channels" in line or "Trouble" in line]


async def test_a_channel_that_breaks_is_run_again() -> None:
    clock = FakeClock()
    shaky = Shaky(RuntimeError("a bug"), OSError("a bad day"))
    async with Dialogue(
        ScriptedModel(["Here."]), config=OPEN, clock=clock, channel=shaky
    ) as dialogue:
        await clock.advance(3)
        answers = await dialogue.says("hello")

    assert ["Here."] == answers


async def test_a_refused_token_is_tried_again_now_and_then() -> None:
    clock = FakeClock()
    refused = ChannelAuthError("the token is refused")
    shaky = Shaky(refused, refused)
    async with Dialogue(
        ScriptedModel(), config=OPEN, clock=clock, others={"shaky": shaky}
    ) as dialogue:
        await clock.advance(REFUSED_PAUSE_S + 1)
        told = await status(dialogue)
        announced = dialogue.announced[-2:]
        await clock.advance(REFUSED_PAUSE_S)
        later = await status(dialogue)

    assert "- Channels: loopback (receiving), shaky (receiving)" == later[0]
    assert "- Channels: loopback (receiving), shaky (token refused)" == told[0]
    assert "- Trouble: shaky: token refused" == told[1]
    assert ["shaky: the token is refused", "ready: loopback"] == announced


async def test_a_lost_connection_is_told_and_ready_is_said_once() -> None:
    clock = FakeClock()
    silent = Silent()
    async with Dialogue(
        ScriptedModel(), config=OPEN, clock=clock, others={"silent": silent}
    ) as dialogue:
        assert silent.inbox is not None
        before = [line for line in dialogue.announced if "ready" in line]
        silent.inbox.receiving()
        well = await status(dialogue)
        silent.inbox.failing("no route")
        await clock.advance(20)
        silent.inbox.failing("timed out")
        soon = await status(dialogue)
        await clock.advance(160)
        later = await status(dialogue)
        silent.inbox.receiving()
        await settle()

    assert [] == before
    assert ["- Channels: loopback (receiving), silent (receiving)"] == well
    assert ["- Channels: loopback (receiving), silent (no connection for 20 s: timed out)"] == soon
    assert "- Trouble: silent: no connection for 3 min: timed out" == later[1]
    assert ["ready: loopback, silent"] == [x for x in dialogue.announced if "ready" in x]


class Slow(InMemoryStore):
    """A store whose commits end when a test says so."""

    def __init__(self) -> None:
        super().__init__()
        self.may_end = asyncio.Event()

    async def receive(
        self, events: tuple[Received | SetAside, ...], *, cursor: Cursor | None, at: datetime
    ) -> tuple[bool, ...]:
        are_new = await super().receive(events, cursor=cursor, at=at)
        await self.may_end.wait()
        return are_new


async def test_what_is_cut_in_the_middle_of_its_commit_is_answered_all_the_same() -> None:
    """Its redelivery is no new event, so that nothing else would bring it up before a restart."""
    store = Slow()
    model = ScriptedModel(["Yes?"])
    async with Dialogue(model, config=Config(access="open"), store=store) as dialogue:
        events = (dialogue.channel.message("hello"), dialogue.channel.message("/stpo"))
        receive = dialogue.app._dispatcher.receive
        receiving = asyncio.ensure_future(receive("loopback", events, None))
        await settle()
        for _ in range(2):
            receiving.cancel()
            await settle()
        store.may_end.set()
        await asyncio.wait({receiving})
        await receive("loopback", events, None)
        await dialogue.app.settled(events[0].address)

    assert receiving.cancelled()
    assert {"Yes?", "There is no command `/stpo`. Did you mean `/stop`?"} == set(
        dialogue.channel.texts()
    )
    assert 2 == len(dialogue.channel.texts())


async def test_what_is_committed_after_the_end_is_left_to_the_next_start() -> None:
    store, channel = Slow(), LoopbackChannel()
    dialogue = Dialogue(ScriptedModel(), config=Config(access="open"), store=store, channel=channel)
    running = asyncio.ensure_future(dialogue.app.run())
    await settle()
    await dialogue.happens([channel.message("/help")])
    dialogue.app.stop()
    await settle()
    store.may_end.set()
    await running
    before = channel.texts()
    async with Dialogue(
        ScriptedModel(), config=Config(access="open"), store=store, channel=channel
    ) as following:
        await following.app.settled(channel.message("").address)

    assert [] == before
    assert 1 == len(channel.texts())
