"""The contract every channel keeps, and the inbox that records what a channel handed over.

A channel's author writes a :class:`Harness` around a pretended platform and inherits::

    class TestTelegram(ChannelContract):
        @pytest.fixture
        async def harness(self) -> AsyncIterator[Harness]: ...

Platforms are real servers on loopback, so the kit waits for I/O by events with a patience of some
seconds; pretended time passes only where a test advances it.
"""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import Awaitable
from dataclasses import replace
from pathlib import Path
from typing import Literal, Protocol, TypeVar

from bot.core.chat import ChatAddress, Inbound, InboundDeletion, InboundEdit, InboundMessage, Reply
from bot.core.files import Attachment
from bot.errors import ChannelAuthError, DeliveryError
from bot.ports import Channel
from bot.runtime.delivery import REPEATED
from bot.testing.patience import PATIENCE_S
from bot.testing.recording import RecordingInbox, WatchedClock, captured_logs, running
from bot.testing.texts import FAMILY, UNUSUAL_TEXTS, leaves_fence_open, long_answer, words_of

__all__ = [
    "FAMILY",
    "PATIENCE_S",
    "RETRY_AFTER_S",
    "UNUSUAL_TEXTS",
    "ChannelContract",
    "Failure",
    "Harness",
    "RecordingInbox",
    "WatchedClock",
    "captured_logs",
    "leaves_fence_open",
    "long_answer",
    "running",
    "words_of",
]

RETRY_AFTER_S = 7
"""What the pretended platform asks for when it is told to fail by ``rate_limited``."""

Failure = Literal["rate_limited", "unauthorised_send", "unauthorised_run", "disconnect"]
"""``disconnect`` breaks the receiving connection (and the next attempt to make one) once."""


class Harness(Protocol):
    """A pretended platform with the people on it."""

    @property
    def clock(self) -> WatchedClock:
        """The clock the channels are built with."""

    @property
    def secrets(self) -> tuple[str, ...]:
        """Tokens that may appear in no log and no ``repr``."""

    @property
    def address(self) -> ChatAddress:
        """The private chat in which ``says`` writes when no thread is named."""

    @property
    def payloads(self) -> Path:
        """The folder of recorded events."""

    def channel(self) -> Channel:
        """Build the real adapter; who asks for it closes it."""

    async def says(self, text: str, *, thread: str = "") -> str:
        """Make a person write to the bot; give the message's id.

        A thread is any label: equal labels are one thread, all of them lie in one group chat, and
        the bot is mentioned there.
        """

    async def edits(self, message_id: str, text: str) -> None:
        """Change a message written in the private chat."""

    async def deletes(self, message_id: str) -> bool:
        """Take a message of the private chat back; False where bots are not told."""

    async def makes_noise(self) -> None:
        """Let the channel see another bot, the bot itself and a person who joins."""

    async def redeliver(self) -> None:
        """Bring the newest message again, as the platform does after a lost answer."""

    async def fail_next(self, kind: Failure) -> None:
        """Make the next request of this kind fail."""

    def delivered(self) -> tuple[str, ...]:
        """All texts sent, as people see them, oldest first, markup decoded."""

    def read(self, raw: object) -> Inbound | None:
        """Give what the channel makes of a recorded event."""


class ChannelContract:
    """What holds of every channel; see the module's docstring for its use."""

    async def test_text_arrives_unchanged(self, harness: Harness) -> None:
        """Letters of all kinds, line breaks and emoji come through as they were written."""
        texts = (
            "hello",
            "zwei\nZeilen",
            f"你好 {FAMILY} e\u0301",
            "a < b && c > d",
            "Vec<T> *x* _y_ `z`",
        )
        inbox = RecordingInbox()
        async with running(harness.channel(), inbox):
            for text in texts:
                await harness.says(text)
            await inbox.wait_for(len(texts))
        assert texts == tuple(message.text for message in inbox.messages)
        assert all(message.is_addressed for message in inbox.messages)
        assert {"private"} == {message.kind for message in inbox.messages}
        assert {harness.address} == {message.address for message in inbox.messages}
        assert all(message.sent_at.utcoffset() is not None for message in inbox.messages)

    async def test_identities_are_unique_and_stable(self, harness: Harness) -> None:
        """Two messages differ in their identity, a redelivered one has the same as before."""
        inbox = RecordingInbox()
        async with running(harness.channel(), inbox):
            first = await harness.says("same words")
            second = await harness.says("same words")
            await inbox.wait_for(2)
            await harness.redeliver()
            await inbox.wait_for(3)
        ids = [message.event_id for message in inbox.messages]
        assert [first, second, second] == [message.message_id for message in inbox.messages]
        assert ids[0] != ids[1]
        assert ids[1] == ids[2]

    async def test_others_are_not_heard(self, harness: Harness) -> None:
        """Bots, the bot's own messages and joins are no messages of people."""
        inbox = RecordingInbox()
        async with running(harness.channel(), inbox):
            await harness.makes_noise()
            await harness.says("after the noise")
            await inbox.wait_for(1)
        assert [
            event.text if isinstance(event, InboundMessage) else repr(event)
            for event in inbox.events
        ] == ["after the noise"]

    async def test_edits_and_deletions_come_as_such(self, harness: Harness) -> None:
        """A change is no second message and has an identity of its own."""
        inbox = RecordingInbox()
        async with running(harness.channel(), inbox):
            message_id = await harness.says("befor")
            await harness.edits(message_id, "before")
            written, edit, *_ = await inbox.wait_for(2)
            if await harness.deletes(message_id):
                deletion = (await inbox.wait_for(3))[2]
                assert isinstance(deletion, InboundDeletion)
                assert (harness.address, message_id) == (deletion.address, deletion.message_id)
        assert isinstance(written, InboundMessage)
        assert isinstance(edit, InboundEdit)
        assert edit.message.text == "before"
        assert (written.address, written.message_id, written.event_id) == (
            edit.message.address,
            edit.message.message_id,
            edit.message.event_id,
        )
        assert written.event_id != edit.event_id

    async def test_a_thread_is_a_conversation(self, harness: Harness) -> None:
        """Same place, same key; two threads and the private chat, three keys."""
        inbox = RecordingInbox()
        async with running(harness.channel(), inbox):
            for number, thread in enumerate(("one", "two", "one", "")):
                await harness.says(str(number), thread=thread)
            await inbox.wait_for(4)
        heard = sorted(inbox.messages, key=lambda message: message.text)
        one, two, again, private = (message.address.session_key for message in heard)
        assert one == again
        assert len({one, two, private}) == 3
        assert [m.kind for m in heard] == ["group", "group", "group", "private"]
        assert all(message.is_addressed for message in inbox.messages)

    async def test_long_replies_arrive_whole(self, harness: Harness) -> None:
        """Parts fit, no word is lost or out of order, no fence and no character is cut."""
        channel = harness.channel()
        text = long_answer()
        parts = channel.split(text)
        for part in parts:
            assert not leaves_fence_open(part)
            await channel.send(Reply(address=harness.address, text=part))
        await channel.close()
        shown = "\n".join(harness.delivered())
        assert len(parts) == len(harness.delivered()) > 1
        assert words_of(text) == words_of(shown)
        assert text.count(FAMILY) == shown.count(FAMILY)
        assert "\N{REPLACEMENT CHARACTER}" not in shown

    async def test_a_full_part_takes_the_remark_that_it_is_sent_again(
        self, harness: Harness
    ) -> None:
        """A part whose fate is not known must not be lost for want of room to say so."""
        channel = harness.channel()
        for text in ("a" * 50_000, "**bold** " * 10_000):
            part = channel.split(text)[0]
            await channel.send(Reply(address=harness.address, text=part + REPEATED))
        await channel.close()
        assert all("Sent again" in shown for shown in harness.delivered())

    async def test_any_text_can_be_sent(self, harness: Harness) -> None:
        """What cannot be formatted arrives plain; nothing is refused, nothing invisible."""
        channel = harness.channel()
        for text in UNUSUAL_TEXTS:
            receipt = await channel.send(Reply(address=harness.address, text=text))
            assert receipt.message_id
        await channel.close()
        for text, shown in zip(UNUSUAL_TEXTS, harness.delivered(), strict=True):
            visible = re.sub(r"\]\(http\S*", "]", text)
            assert shown.strip()
            assert set() == set(words_of(visible)) - set(words_of(shown)), text

    async def test_what_was_sent_is_found_by_its_key(self, harness: Harness) -> None:
        """Where the channel says that it can be asked; what was not sent is not found."""
        channel = harness.channel()
        sent = Reply(address=harness.address, text="an answer", key="test-1")
        receipt = await channel.send(sent)
        expected = receipt if channel.capabilities.finds_sent else None
        assert await channel.find_sent(sent) == expected
        assert await channel.find_sent(replace(sent, key="test-2")) is None
        await channel.close()

    async def test_a_limit_says_when_to_come_back(self, harness: Harness) -> None:
        """Too many requests is a DeliveryError with the platform's own delay."""
        channel = harness.channel()
        await harness.fail_next("rate_limited")
        error = await _raised(DeliveryError, channel.send(_reply(harness)))
        assert (error.retry_after_s, error.can_retry) == (RETRY_AFTER_S, True)
        await channel.send(_reply(harness))
        await channel.close()
        assert len(harness.delivered()) == 1

    async def test_a_refused_token_is_named(self, harness: Harness) -> None:
        """Both directions say ChannelAuthError when the token is refused."""
        channel = harness.channel()
        await harness.fail_next("unauthorised_send")
        await _raised(ChannelAuthError, channel.send(_reply(harness)))
        await channel.close()
        await harness.fail_next("unauthorised_run")
        channel = harness.channel()
        async with asyncio.timeout(PATIENCE_S):
            await _raised(ChannelAuthError, channel.run(RecordingInbox()))
        await channel.close()

    async def test_a_broken_connection_is_made_again(self, harness: Harness) -> None:
        """After a wait by the clock the channel listens again, and nothing was lost."""
        inbox = RecordingInbox()
        async with running(harness.channel(), inbox):
            await harness.says("before")
            await inbox.wait_for(1)
            naps = len(harness.clock.naps)
            await harness.fail_next("disconnect")
            await harness.says("after")
            await harness.clock.wait_for_naps(naps + 1)
            await harness.clock.advance(60)
            await inbox.wait_for(2)
        assert [message.text for message in inbox.messages] == ["before", "after"]

    async def test_cancelling_leaves_nothing_behind(self, harness: Harness) -> None:
        """A cancelled run ends in time; close ends every task that the channel began."""
        before = asyncio.all_tasks()
        channel = harness.channel()
        inbox = RecordingInbox()
        async with running(channel, inbox) as run:
            await channel.send(_reply(harness))
        assert run.cancelled()
        left = {
            task
            for task in asyncio.all_tasks() - before
            if "channels." in repr(task.get_coro()) and not task.done()
        }
        assert left == set()

    async def test_the_token_stays_secret(self, harness: Harness) -> None:
        """No log record at any level and no ``repr`` holds a secret, in fair weather or foul."""
        with captured_logs() as lines:
            channel = harness.channel()
            inbox = RecordingInbox()
            async with running(channel, inbox):
                await harness.says("hello")
                await inbox.wait_for(1)
                await channel.send(_reply(harness))
                await channel.show_typing(harness.address)
                await harness.fail_next("rate_limited")
                error = await _raised(DeliveryError, channel.send(_reply(harness)))
        seen = "\n".join((*lines(), repr(channel), repr(vars(channel)), repr(error), str(error)))
        assert [secret for secret in harness.secrets if secret in seen] == []

    async def test_a_file_that_is_nowhere_is_refused(self, harness: Harness) -> None:
        """And not worth asking for again."""
        channel = harness.channel()
        gone = Attachment(kind="document", name="a.txt", media_type="", handle="nowhere")
        failure: DeliveryError | None = None
        try:
            await channel.fetch(gone)
        except DeliveryError as error:
            failure = error
        await channel.close()
        assert failure is not None
        assert not failure.can_retry

    async def test_recorded_events_are_read(self, harness: Harness) -> None:
        """Every recorded payload becomes an Inbound or nothing, never an exception."""
        files = sorted(harness.payloads.glob("*.json"))
        assert files
        for file in files:
            harness.read(json.loads(file.read_text(encoding="utf-8")))


def _reply(harness: Harness) -> Reply:
    return Reply(address=harness.address, text="an answer")


Problem = TypeVar("Problem", bound=Exception)


async def _raised(kind: type[Problem], attempt: Awaitable[object]) -> Problem:
    """Await what must fail with this kind of error; give the error."""
    try:
        await attempt
    except kind as error:
        return error
    raise AssertionError(f"{kind.__name__} was not raised")
