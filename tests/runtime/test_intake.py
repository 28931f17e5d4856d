"""Files are fetched and read once, side by side, and none of them ends a turn."""

from __future__ import annotations

import asyncio
import logging
from collections import deque
from dataclasses import replace
from datetime import timedelta

import pytest

from bot.adapters.attachments.reader import FileReader
from bot.core.brought import Excerpt, Reading, Unreadable
from bot.core.chat import InboundEdit, InboundMessage
from bot.core.files import MOST_FILE_BYTES, Attachment, AttachmentKind
from bot.core.lifecycle import Claim, Received
from bot.core.messages import ContentBlock, Image, Text
from bot.errors import ChannelAuthError, DeliveryError, FileTooLarge, ToolError
from bot.ports import Transcriber
from bot.runtime.intake import (
    EMPTY,
    FETCH_AGAIN_AFTER_S,
    FETCH_WITHIN_S,
    FILES_AT_ONCE,
    FILES_WITHIN_S,
    NO_WORDS,
    NOT_FETCHED,
    NOT_HEARD,
    NOT_IN_TIME,
    TOO_LONG_HEARD,
    TRANSCRIBED_WITHIN_S,
    Intake,
    IntakeParts,
)
from bot.runtime.overheard import Overheard
from bot.testing.clock import START, FakeClock, settle
from bot.testing.loopback import LoopbackChannel
from bot.testing.store import InMemoryStore

PICTURE = Image(media_type="image/png", data="QUJD")
SECRET = "hunter2" + "-swordfish"


class Blanking:
    """A redactor that knows one secret and breaks on another text."""

    def redact(self, text: str) -> str:
        if "odd" in text:
            raise RuntimeError("a bug")
        return text.replace(SECRET, "[redacted:password]")


class Reader:
    """Reads text as it is; ``picture``, ``broken`` and ``hangs`` are what they say."""

    def __init__(self) -> None:
        self.at_once = self.most_at_once = 0
        self.may_go_on = asyncio.Event()
        self.may_go_on.set()

    async def read(self, attachment: Attachment, content: bytes) -> Reading:
        self.at_once += 1
        self.most_at_once = max(self.most_at_once, self.at_once)
        try:
            await self.may_go_on.wait()
        finally:
            self.at_once -= 1
        if content == b"picture":
            return PICTURE
        if content == b"broken":
            return Unreadable(why="it is broken")
        if content == b"a bug":
            raise RuntimeError("a bug")
        return Excerpt(text=content.decode())


class Desk:
    """An intake with all that stands around it."""

    def __init__(self) -> None:
        self.channel = LoopbackChannel()
        self.clock = FakeClock()
        self.store = InMemoryStore()
        self.reader = Reader()
        self.transcriber: Transcriber | None = None
        self.tokens = 50_000
        self.intake = Intake(
            IntakeParts(
                channels={"loopback": self.channel},
                reader=self.reader,
                lifecycle=self.store,
                redactor=Blanking(),
                counter=Letters(),
                clock=self.clock,
                overheard=Overheard(self.clock),
                transcriber=lambda: self.transcriber,
                most_tokens=lambda _: self.tokens,
            )
        )

    def file(
        self,
        name: str,
        content: bytes | Exception | deque[bytes | Exception],
        kind: AttachmentKind = "document",
    ) -> Attachment:
        self.channel.files[name] = content
        return Attachment(kind=kind, name=name, media_type="", handle=name, size_bytes=None)

    async def claims(self, *messages: InboundMessage) -> Claim:
        events = tuple(Received(inbound=each, route="turn") for each in messages)
        await self.store.receive(events, cursor=None, at=START)
        claim = await self.store.claim(messages[0].address.session_key, at=START)
        assert claim is not None
        return claim

    async def takes(self, *files: Attachment, text: str = "Look.") -> tuple[ContentBlock, ...]:
        """Give the blocks behind the text of a message with these files."""
        message = replace(self.channel.message(text), attachments=files)
        claim = await self.intake.take(await self.claims(message))
        return claim.turn.request.blocks[1:]

    async def lines(self, *files: Attachment) -> list[str]:
        return [block.text for block in await self.takes(*files) if isinstance(block, Text)]


class Letters:
    def count(self, text: str) -> int:
        return len(text)


@pytest.fixture
def desk() -> Desk:
    return Desk()


async def test_each_message_has_its_text_then_what_came_with_it(desk: Desk) -> None:
    first = replace(
        desk.channel.message("Which one?"),
        attachments=(desk.file("a.png", b"picture", "picture"), desk.file("b.txt", b"words")),
    )
    second = replace(desk.channel.message("And this?"), forwarded_from="Bo")
    third = replace(desk.channel.message(""), attachments=(desk.file("", b"picture", "picture"),))

    claim = await desk.intake.take(await desk.claims(first, second, third))

    assert claim.turn.request.blocks == (
        Text(text="[picture: a.png]\n[document: b.txt]\nWhich one?"),
        PICTURE,
        Text(text="[document: b.txt: its text follows]\n```\nwords\n```"),
        Text(text="Forwarded from Bo:\n  And this?"),
        Text(text="[picture]"),
        PICTURE,
    )
    assert desk.store.turns[-1].request == claim.turn.request


async def test_a_turn_without_files_is_left_as_it_is(desk: Desk) -> None:
    claim = await desk.claims(desk.channel.message("Hello"))

    assert await desk.intake.take(claim) is claim


async def test_what_was_recorded_is_not_fetched_again(desk: Desk) -> None:
    message = replace(
        desk.channel.message("Look."), attachments=(desk.file("a.png", b"picture", "picture"),)
    )
    claim = await desk.claims(message)
    taken = await desk.intake.take(claim)
    (found,) = (await desk.store.unfinished()).claims

    assert await desk.intake.take(found) is found
    assert found.turn.request == taken.turn.request
    assert desk.channel.fetched == ["a.png"]


async def test_a_turn_that_was_cut_before_it_was_recorded_fetches_anew(desk: Desk) -> None:
    claim = await desk.claims(
        replace(desk.channel.message("Look."), attachments=(desk.file("a.txt", b"words"),))
    )
    desk.reader.may_go_on.clear()
    taking = asyncio.ensure_future(desk.intake.take(claim))
    await settle()
    taking.cancel()
    await asyncio.wait({taking})
    desk.reader.may_go_on.set()

    again = await desk.intake.take(claim)

    assert desk.reader.at_once == 0
    assert len(again.turn.request.blocks) == 2
    assert desk.channel.fetched == ["a.txt", "a.txt"]


async def test_what_somebody_changed_meanwhile_stays_changed(desk: Desk) -> None:
    claim = await desk.claims(
        replace(desk.channel.message("Look."), attachments=(desk.file("a.txt", b"words"),))
    )
    turn = desk.store.turns[-1]
    changed = replace(turn.request, blocks=(Text(text="[document: a.txt]\nRead."),))
    desk.store._turns_by_id[turn.id] = replace(turn, request=changed)

    taken = await desk.intake.take(claim)

    assert taken.turn.request.blocks[0] == changed.blocks[0]
    assert len(taken.turn.request.blocks) == 2


async def test_files_are_fetched_behind_a_note_on_what_was_changed_meanwhile(desk: Desk) -> None:
    hello = desk.channel.message("Hello")
    claim = await desk.claims(hello)
    edit = InboundEdit(
        event_id="edit:1",
        message=replace(hello, text="Good morning"),
        edited_at=START + timedelta(seconds=9),
    )
    await desk.store.receive((Received(inbound=edit, route="none"),), cursor=None, at=START)
    await desk.store.finish_turn(claim.turn.id, "answered", (), at=START)

    text, words = await desk.takes(desk.file("a.txt", b"words"))

    assert text == Text(text="[document: a.txt]\nLook.")
    assert "words" in getattr(words, "text", "")


async def test_prv_1_what_is_read_is_redacted_or_not_kept(desk: Desk) -> None:
    secret, odd = desk.file("s.txt", f"it is {SECRET}".encode()), desk.file("o.txt", b"odd")

    lines = await desk.lines(secret, odd)

    assert "it is [redacted:password]" in lines[0]
    assert "[redacted:unchecked]" in lines[1]
    assert "odd" not in lines[1]


async def test_a_failed_fetch_is_tried_once_more(desk: Desk) -> None:
    flaky = desk.file("a.txt", deque([DeliveryError("busy"), b"words"]))
    taking = asyncio.ensure_future(desk.lines(flaky))
    await desk.clock.advance(FETCH_AGAIN_AFTER_S)

    assert "words" in (await taking)[0]


@pytest.mark.parametrize(
    ("failure", "why"),
    [
        (DeliveryError("gone", can_retry=False), NOT_FETCHED),
        (DeliveryError("later", retry_after_s=300.0), NOT_FETCHED),
        (ChannelAuthError(), NOT_FETCHED),
        (FileTooLarge(), "too large, I read up to 20 MB"),
        (RuntimeError("a bug"), "it could not be read; incident 20260105-090000-000"),
        (b"", EMPTY),
        (b"broken", "it is broken"),
        (b"a bug", "it could not be read; incident 20260105-090000-000"),
    ],
)
async def test_what_cannot_be_had_is_a_line_and_the_turn_goes_on(
    desk: Desk, failure: bytes | Exception, why: str
) -> None:
    good = desk.file("good.txt", b"words")

    lines = await desk.lines(desk.file("bad.txt", failure), good)

    assert lines == [
        f"[document: bad.txt: {why}]",
        "[document: good.txt: its text follows]\n```\nwords\n```",
    ]
    assert desk.channel.fetched.count("bad.txt") == 1


async def test_what_is_said_to_be_too_large_is_not_fetched(desk: Desk) -> None:
    large = replace(desk.file("film.zip", b"x"), size_bytes=MOST_FILE_BYTES + 14_000_000)

    assert await desk.lines(large) == ["[document: film.zip, 34 MB: too large, I read up to 20 MB]"]
    assert desk.channel.fetched == []


class Deaf(LoopbackChannel):
    """A platform that never answers."""

    async def fetch(self, attachment: Attachment) -> bytes:
        await asyncio.get_running_loop().create_future()
        raise AssertionError


async def test_nobody_waits_for_ever(desk: Desk) -> None:
    deaf = Desk()
    deaf.channel.__class__ = Deaf
    taking = asyncio.ensure_future(deaf.lines(deaf.file("a.txt", b"")))
    await deaf.clock.advance(FETCH_WITHIN_S)
    assert not taking.done()
    await deaf.clock.advance(FETCH_AGAIN_AFTER_S + FETCH_WITHIN_S)

    assert await taking == [f"[document: a.txt: {NOT_FETCHED}]"]

    desk.reader.may_go_on.clear()
    taking = asyncio.ensure_future(desk.lines(desk.file("slow.txt", b"words")))
    await desk.clock.advance(FILES_WITHIN_S)

    assert await taking == [f"[document: slow.txt: {NOT_IN_TIME}]"]
    assert desk.reader.at_once == 0


async def test_files_are_read_side_by_side_but_not_all_at_once(desk: Desk) -> None:
    desk.reader.may_go_on.clear()
    files = [desk.file(f"{number}.txt", b"words") for number in range(10)]
    taking = asyncio.ensure_future(desk.lines(*files))
    await settle()
    assert desk.reader.at_once == FILES_AT_ONCE
    desk.reader.may_go_on.set()

    assert len(await taking) == 10
    assert desk.reader.most_at_once == FILES_AT_ONCE


async def test_all_files_together_take_half_of_a_request(desk: Desk) -> None:
    desk.tokens = 2_000

    lines = await desk.lines(desk.file("a.txt", b"a" * 5_000), desk.file("b.txt", b"b" * 30))

    assert "characters are left out" in lines[0]
    assert 600 < lines[0].count("a" * 10) * 10 < 1_000
    assert "b" * 30 in lines[1]


@pytest.mark.parametrize("kind", ["sound", "video"])
async def test_sound_and_video_say_that_nobody_listens(desk: Desk, kind: AttachmentKind) -> None:
    said = desk.file("voice message (0:12)", b"sound", kind)

    assert await desk.lines(said) == [f"[{kind}: voice message (0:12): {NOT_HEARD[kind]}]"]
    assert desk.channel.fetched == []


async def test_a_plugin_puts_sound_into_words(desk: Desk) -> None:
    async def transcribe(attachment: Attachment, content: bytes) -> str:
        return f"{attachment.name} says {content.decode()}, {SECRET}"

    desk.transcriber = transcribe

    (line,) = await desk.lines(desk.file("note.ogg", b"hello", "sound"))

    assert line == (
        "[sound: note.ogg: its text follows]\n```\nnote.ogg says hello, [redacted:password]\n```"
    )


async def silent(attachment: Attachment, content: bytes) -> str:
    return " \n"


async def unwilling(attachment: Attachment, content: bytes) -> str:
    raise ToolError("the key of the service is missing")


async def faulty(attachment: Attachment, content: bytes) -> str:
    raise ZeroDivisionError


@pytest.mark.parametrize(
    ("transcriber", "why"),
    [
        (silent, NO_WORDS),
        (unwilling, "the key of the service is missing"),
        (faulty, "it could not be read; incident 20260105-090000-000"),
    ],
)
async def test_a_plugin_that_fails_is_told(desk: Desk, transcriber: Transcriber, why: str) -> None:
    desk.transcriber = transcriber

    assert await desk.lines(desk.file("a", b"hello", "sound")) == [f"[sound: a: {why}]"]


async def test_a_plugin_that_hangs_is_cut(desk: Desk) -> None:
    async def hang(attachment: Attachment, content: bytes) -> str:
        await asyncio.get_running_loop().create_future()
        return ""

    desk.transcriber = hang
    taking = asyncio.ensure_future(desk.lines(desk.file("a", b"hello", "video")))
    await desk.clock.advance(TRANSCRIBED_WITHIN_S)

    assert await taking == [f"[video: a: {TOO_LONG_HEARD}]"]


async def test_what_is_logged_names_no_file(desk: Desk, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG)
    await desk.takes(desk.file("diary.txt", DeliveryError("gone", can_retry=False)))

    events = [record.message for record in caplog.records if record.name.endswith("intake")]
    assert events == ["attachment.not_fetched", "attachment.not_read", "intake.done"]
    assert not any("diary" in str(vars(record)) for record in caplog.records)


async def test_real_files_are_read(desk: Desk) -> None:
    desk.intake._parts = replace(desk.intake._parts, reader=FileReader())

    lines = await desk.lines(desk.file("a.txt", "Grüße".encode("cp1252")))
    assert lines == ["[document: a.txt: its text follows]\n```\nGrüße\n```"]
