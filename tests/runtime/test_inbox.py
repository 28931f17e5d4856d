"""What the store refuses is held, in order, until it is stored."""

import asyncio
from dataclasses import replace

import pytest

from bot.core.chat import Inbound, InboundMessage
from bot.core.lifecycle import SetAside
from bot.errors import StoreError, StoreLost
from bot.runtime.activity import Activity
from bot.runtime.health import ChannelBook
from bot.runtime.inbox import ChannelInbox, InboxParts
from bot.runtime.storing import STORE_RETRY_S
from bot.testing.clock import FakeClock, settle
from bot.testing.loopback import LoopbackChannel
from bot.testing.recording import NoScreens
from bot.testing.store import InMemoryStore


class Disk:
    """Takes events as long as there is room."""

    def __init__(self) -> None:
        self.error: StoreError | None = StoreError("disk is full")
        self.stored: list[str] = []

    async def receive(
        self, channel: str, events: tuple[Inbound | SetAside, ...], cursor: str | None
    ) -> None:
        await FakeClock().sleep(0)  # a commit takes its time
        if self.error is not None:
            raise self.error
        self.stored += [event.event_id for event in events]


class ShakyDisk(Disk):
    """Takes events, but not the first time."""

    def __init__(self) -> None:
        super().__init__()
        self.error = None
        self.refused: list[str] = []

    async def receive(
        self, channel: str, events: tuple[Inbound | SetAside, ...], cursor: str | None
    ) -> None:
        name = events[0].event_id
        if not self.refused and name == "a":
            self.refused.append(name)
            await FakeClock().sleep(0)
            raise StoreError("busy")
        await super().receive(channel, events, cursor)


def event(name: str, chat: str = "1001") -> tuple[InboundMessage, ...]:
    return (replace(LoopbackChannel().message(name, chat=chat), event_id=name),)


def inbox_on(disk: Disk, clock: FakeClock) -> ChannelInbox:
    book = ChannelBook(["telegram"], clock)
    parts = InboxParts(
        receive=disk.receive,
        overhears=lambda message: message.address.chat == "overheard",
        lifecycle=InMemoryStore(),
        clock=clock,
        activity=Activity(),
        book=book,
        screens=NoScreens(),
    )
    return ChannelInbox("telegram", parts)


@pytest.mark.parametrize(
    ("chat", "is_addressed", "expected"),
    [("1001", True, True), ("1001", False, False), ("overheard", False, True)],
)
async def test_what_may_be_for_the_bot(
    clock: FakeClock, chat: str, is_addressed: bool, expected: bool
) -> None:
    inbox, store = inbox_on(Disk(), clock), InMemoryStore()
    message = replace(event("a", chat)[0], is_addressed=is_addressed)
    assert expected is await inbox.concerns(message)
    assert expected is await inbox.concerns(replace(message, is_follow_up=True))
    assert not await store.takes_part(message.address.session_key)


async def test_what_cannot_be_stored_waits_and_keeps_its_order(
    clock: FakeClock, caplog: pytest.LogCaptureFixture
) -> None:
    disk = Disk()
    inbox = inbox_on(disk, clock)
    waiting = [asyncio.ensure_future(inbox.receive(event(name))) for name in "abc"]
    await clock.advance(STORE_RETRY_S * 3)
    told_too_early = [each.done() for each in waiting]
    disk.error = None
    waiting.append(asyncio.ensure_future(inbox.receive(event("d"))))
    await clock.advance(STORE_RETRY_S)
    await settle()

    assert [False, False, False] == told_too_early
    assert list("abcd") == disk.stored
    assert all(each.done() for each in waiting)
    assert ["inbox.not_stored"] == caplog.messages


async def test_what_can_be_stored_goes_side_by_side(clock: FakeClock) -> None:
    disk = Disk()
    disk.error = None
    inbox = inbox_on(disk, clock)
    await asyncio.gather(*(inbox.receive(event(name)) for name in "abc"))

    assert list("abc") == disk.stored


async def test_an_event_that_could_be_stored_does_not_overtake_one_that_could_not(
    clock: FakeClock,
) -> None:
    disk = ShakyDisk()
    inbox = inbox_on(disk, clock)
    waiting = [asyncio.ensure_future(inbox.receive(event(name))) for name in "ab"]
    waiting.append(asyncio.ensure_future(inbox.receive(event("x", chat="other"))))
    await clock.advance(STORE_RETRY_S)
    await asyncio.gather(*waiting)

    assert list("xab") == disk.stored


async def test_nobody_slips_in_while_a_store_comes_back(clock: FakeClock) -> None:
    disk = Disk()
    inbox = inbox_on(disk, clock)
    waiting = [asyncio.ensure_future(inbox.receive(event(name))) for name in "ab"]
    await settle()
    disk.error = None

    async def come_late() -> None:
        while "a" not in disk.stored:
            await FakeClock().sleep(0)
        await inbox.receive(event("c"))

    waiting.append(asyncio.ensure_future(come_late()))
    await clock.advance(STORE_RETRY_S)
    await asyncio.gather(*waiting)

    assert list("abc") == disk.stored


async def test_one_that_gives_up_waiting_lets_nobody_overtake(clock: FakeClock) -> None:
    disk = Disk()
    inbox = inbox_on(disk, clock)
    first, second, third = (asyncio.ensure_future(inbox.receive(event(name))) for name in "abc")
    await settle()
    second.cancel()
    disk.error = None
    await settle()
    before = list(disk.stored)
    await clock.advance(STORE_RETRY_S)
    await asyncio.gather(first, third)

    assert [] == before
    assert list("ac") == disk.stored


async def test_a_lost_store_is_not_waited_for(clock: FakeClock) -> None:
    disk = Disk()
    disk.error = StoreLost("damaged")
    with pytest.raises(StoreLost):
        await inbox_on(disk, clock).receive(event("a"))
