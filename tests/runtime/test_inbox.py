"""What the store refuses is held, in order, until it is stored."""

import asyncio

import pytest

from bot.core.chat import Inbound
from bot.core.lifecycle import SetAside
from bot.errors import StoreError, StoreLost
from bot.runtime.activity import Activity
from bot.runtime.health import ChannelBook
from bot.runtime.inbox import ChannelInbox
from bot.runtime.storing import STORE_RETRY_S
from bot.testing.clock import FakeClock, settle
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


def event(name: str) -> tuple[SetAside, ...]:
    return (SetAside(event_id=name, channel="telegram", raw="", reason=""),)


def inbox_on(disk: Disk, clock: FakeClock) -> ChannelInbox:
    book = ChannelBook(["telegram"], clock)
    return ChannelInbox("telegram", disk.receive, InMemoryStore(), clock, Activity(), book)


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


async def test_a_lost_store_is_not_waited_for(clock: FakeClock) -> None:
    disk = Disk()
    disk.error = StoreLost("damaged")
    with pytest.raises(StoreLost):
        await inbox_on(disk, clock).receive(event("a"))
