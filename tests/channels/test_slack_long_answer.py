"""An answer of 40 000 characters, written for twelve minutes, from the preview to the last edit."""

from __future__ import annotations

import random
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest

from bot.core.chat import ChatAddress, InboundMessage, Reply, Sender
from bot.core.lifecycle import Received
from bot.core.retry import RetryPolicy
from bot.core.turns import TurnId
from bot.runtime.activity import Activity
from bot.runtime.delivery import Delivery, DeliveryParts
from bot.runtime.preview import Preview
from bot.runtime.preview_message import PreviewParts
from bot.runtime.supervisor import Supervisor
from bot.testing.channels import WatchedClock, leaves_fence_open, long_answer, words_of
from bot.testing.clock import START
from bot.testing.slack_server import PretendedSlack
from bot.testing.store import InMemoryStore
from channels.slack import Settings, build
from channels.slack.streaming import LONGEST_STREAM_S
from channels.slack.text import split

ROOM = "C1ROOM"
ANSWER_CHARS, ANSWER_S, SHOWINGS = 40_000, 720.0, 120
ANSWER = "\n\n".join(f"## Part {part}\n\n{long_answer()}" for part in range(1, 5))[:ANSWER_CHARS]
STREAMING = ("chat.startStream", "chat.appendStream", "chat.stopStream")
REFUSALS = {
    "message_not_in_streaming_state": STREAMING,
    "stopped_by_user": STREAMING,
    "msg_too_long": STREAMING,
    "drop_after": (*STREAMING, "chat.update"),
    "503": (*STREAMING, "chat.update"),
}
"""What Slack may say, and to which calls."""


class Process:
    """One process of the bot: its preview of a turn, its delivery, its channel."""

    def __init__(
        self, slack: PretendedSlack, store: InMemoryStore, clock: WatchedClock, of: TurnId
    ) -> None:
        self.clock, self.store, self.turn_id = clock, store, of
        self.supervisor = Supervisor()
        self.channel = build(Settings.model_validate(slack.settings), clock)
        self.activity = Activity()
        self.delivery = Delivery(
            DeliveryParts(
                channels={"slack": self.channel},
                lifecycle=store,
                clock=clock,
                activity=self.activity,
                spawn=self.supervisor.spawn,
                policy=RetryPolicy(attempts=4, base_s=1.0, factor=2.0, cap_s=8.0),
                jitter=lambda: 0.0,
            )
        )

    def preview(self, thread: ChatAddress) -> Preview:
        parts = PreviewParts(
            lifecycle=self.store,
            clock=self.clock,
            marks=self.delivery.marks,
            pacer=self.delivery.pacer,
        )
        template = Reply(address=thread, text="", watched_by="U1ADA")
        return Preview(self.channel, parts, self.turn_id, template)

    async def shows(self, preview: Preview, text: str, showings: int) -> None:
        """Let a model write for a while and people look on."""
        self.supervisor.spawn("preview", preview.run())
        size, naps = -(-len(text) // showings), len(self.clock.naps)
        for number in range(showings):
            preview.add(text[number * size : (number + 1) * size])
            await self.clock.wait_for_naps(naps + number + 1)
            await self.clock.advance(ANSWER_S / SHOWINGS)
        preview.add(" ")  # shown is what came before once the next nap is begun
        await self.clock.wait_for_naps(naps + showings + 1)
        await preview.close()

    async def delivers(self, thread: ChatAddress, text: str) -> None:
        """End the turn with an answer, and let it arrive."""
        replies = tuple(Reply(address=thread, text=part) for part in split(text))
        items = await self.store.finish_turn(self.turn_id, "answered", replies, at=START)
        self.delivery.enqueue(items)
        while (await self.store.unfinished()).outbox:
            await self.clock.advance(1)

    @asynccontextmanager
    async def running(self) -> AsyncIterator[Process]:
        try:
            async with self.supervisor:
                yield self
        finally:
            await self.channel.close()


@pytest.fixture
async def slack() -> AsyncIterator[PretendedSlack]:
    async with PretendedSlack() as server:
        server.state.channels[ROOM] = "channel"
        yield server


@pytest.fixture
def clock(slack: PretendedSlack) -> WatchedClock:
    clock = WatchedClock()
    slack.sending.now_s = clock.monotonic
    return clock


@pytest.fixture
async def thread(slack: PretendedSlack) -> ChatAddress:
    root = await slack.says(ROOM, "write a lot", mention=True)
    return ChatAddress(channel="slack", account="T0TEAM", chat=ROOM, thread=root)


async def asked(thread: ChatAddress) -> tuple[InMemoryStore, TurnId]:
    store = InMemoryStore()
    question = InboundMessage(
        event_id="1",
        address=thread,
        kind="group",
        sender=Sender(channel="slack", realm="T0TEAM", user_id="U1ADA", name="Ada"),
        message_id=thread.thread,
        text="write a lot",
        is_addressed=True,
        sent_at=START,
    )
    await store.receive((Received(inbound=question, route="turn"),), cursor=None, at=START)
    claim = await store.claim(thread.session_key, at=START)
    assert claim is not None
    return store, claim.turn.id


def assert_stands(slack: PretendedSlack, thread: ChatAddress) -> None:
    """Complete, in order, every fence whole, in the thread, and nothing beside it."""
    shown = slack.state.shown(thread.chat, thread.thread)
    assert tuple(shown) == split(ANSWER)
    assert words_of("\n".join(shown)) == words_of(ANSWER)
    assert not any(map(leaves_fence_open, shown))
    assert len(slack.state.current) == len(shown)
    assert slack.sending.open_streams == 0
    assert not any(post.pings for post in slack.state.current.values())


async def test_a_long_answer_is_streamed_for_twelve_minutes(
    slack: PretendedSlack, clock: WatchedClock, thread: ChatAddress
) -> None:
    store, turn_id = await asked(thread)
    async with Process(slack, store, clock, turn_id).running() as process:
        await process.shows(process.preview(thread), ANSWER, SHOWINGS)
        shown = slack.state.shown(thread.chat, thread.thread)
        assert len(shown) == len(split(ANSWER))
        assert len("".join(shown)) > 0.99 * len("".join(split(ANSWER)))
        await process.delivers(thread, ANSWER)
    assert clock.monotonic() >= ANSWER_S
    assert_stands(slack, thread)
    streams = [slack.calls.count(f"chat.{name}Stream") for name in ("start", "stop")]
    assert streams == [len(split(ANSWER))] * 2
    assert slack.calls.count("chat.postMessage") == 0


async def test_a_slow_answer_outlives_its_stream(
    slack: PretendedSlack, clock: WatchedClock, thread: ChatAddress
) -> None:
    """Twelve minutes in one message: Slack would end its stream after five."""
    store, turn_id = await asked(thread)
    text = long_answer()[:9_000]
    async with Process(slack, store, clock, turn_id).running() as process:
        await process.shows(process.preview(thread), text, SHOWINGS)
        await process.delivers(thread, text)
    assert slack.state.shown(thread.chat, thread.thread) == list(split(text))
    assert ANSWER_S > LONGEST_STREAM_S


@pytest.mark.parametrize("code", REFUSALS)
async def test_a_long_answer_whose_streams_are_refused_now_and_then(
    slack: PretendedSlack, clock: WatchedClock, thread: ChatAddress, code: str
) -> None:
    for method in REFUSALS[code]:
        slack.fail(method, code)
    store, turn_id = await asked(thread)
    async with Process(slack, store, clock, turn_id).running() as process:
        await process.shows(process.preview(thread), ANSWER, SHOWINGS // 3)
        await process.delivers(thread, ANSWER)
    assert_stands(slack, thread)


@pytest.mark.parametrize("share", [0.1, 0.5, 0.9])
async def test_a_process_that_ends_in_the_middle_of_a_stream_leaves_it_to_the_next(
    slack: PretendedSlack, clock: WatchedClock, thread: ChatAddress, share: float
) -> None:
    store, turn_id = await asked(thread)
    async with Process(slack, store, clock, turn_id).running() as process:
        preview = process.preview(thread)
        await process.shows(preview, ANSWER[: int(share * len(ANSWER))], SHOWINGS // 3)
    assert slack.sending.open_streams > 0
    async with Process(slack, store, clock, turn_id).running() as later:
        again = later.preview(thread)
        await again.adopt()
        await later.shows(again, ANSWER, SHOWINGS // 3)
        await later.delivers(thread, ANSWER)
    assert_stands(slack, thread)


async def test_weather_of_all_kinds(
    slack: PretendedSlack, clock: WatchedClock, thread: ChatAddress
) -> None:
    rng = random.Random(11)
    for method in (*STREAMING, "chat.update"):
        for _ in range(4):
            slack.fail(method, rng.choice(("drop_before", "drop_after", "503", "fatal_error")))
    store, turn_id = await asked(thread)
    async with Process(slack, store, clock, turn_id).running() as process:
        await process.shows(process.preview(thread), ANSWER, SHOWINGS // 3)
        await process.delivers(thread, ANSWER)
    assert_stands(slack, thread)


@pytest.mark.parametrize("code", ["drop_before", "drop_after", "fatal_error"])
@pytest.mark.parametrize("message", [1, 2])
async def test_a_later_message_whose_beginning_is_in_doubt_takes_no_other_ones_place(
    slack: PretendedSlack, clock: WatchedClock, thread: ChatAddress, code: str, message: int
) -> None:
    slack.fail("chat.startStream", code, after=message)
    store, turn_id = await asked(thread)
    async with Process(slack, store, clock, turn_id).running() as process:
        await process.shows(process.preview(thread), ANSWER, SHOWINGS // 3)
        await process.delivers(thread, ANSWER)
    assert_stands(slack, thread)
