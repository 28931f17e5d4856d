"""The console on pipes and files: what a program that talks to the bot can rely on."""

from __future__ import annotations

import asyncio
import os
import subprocess
import sys
import tempfile
import threading
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

import pytest

from bot.api import ChatAddress, DeliveryError, InboundMessage, Reply
from bot.testing.channels import UNUSUAL_TEXTS, RecordingInbox, running
from bot.testing.clock import FakeClock
from bot.testing.patience import PATIENCE_S
from channels.console import Settings, build
from channels.console.person import ADDRESS, LocalPerson
from channels.console.pipe import PipeChannel
from channels.console.text import without_escapes


class Answering(RecordingInbox):
    """Answers each message with its own text once the channel waits for it."""

    def __init__(self, channel: PipeChannel, *, prefix: str = "you said: ") -> None:
        super().__init__()
        self._channel = channel
        self._prefix = prefix
        self.failures: list[DeliveryError] = []

    async def settled(self, address: ChatAddress) -> None:
        """Deliver the answer to the newest message."""
        reply = Reply(address=address, text=self._prefix + self.messages[-1].text)
        try:
            await self._channel.send(reply)
        except DeliveryError as error:
            self.failures.append(error)


@contextmanager
def console(source: int) -> Iterator[tuple[PipeChannel, int]]:
    """Make a console that reads ``source``; gives it and where its output can be read."""
    with ExitStack() as stack:
        out, into = os.pipe()
        stack.callback(os.close, out)
        stack.callback(os.close, into)
        os.set_blocking(out, False)
        yield PipeChannel(LocalPerson(FakeClock()), read_from=source, write_to=into), out


def file_with(data: bytes) -> int:
    """Open a file that holds ``data`` for reading."""
    with tempfile.TemporaryFile() as file:
        file.write(data)
        file.seek(0)
        return os.dup(file.fileno())


async def answers_to(data: bytes) -> tuple[str, list[InboundMessage]]:
    """Run a console on a file until its end; give its output and what it received."""
    source = file_with(data)
    with console(source) as (channel, out):
        inbox = Answering(channel)
        async with asyncio.timeout(PATIENCE_S):
            await channel.run(inbox)
        os.close(source)
        return os.read(out, 1_000_000).decode(), list(inbox.messages)


async def test_each_line_is_answered_in_order() -> None:
    output, messages = await answers_to(b"one\n\n   \ntwo\r\nthree without an end")
    assert "you said: one\nyou said: two\nyou said: three without an end\n" == output
    assert ["one", "two", "three without an end"] == [message.text for message in messages]


async def test_a_message_is_private_addressed_and_from_this_machine() -> None:
    _, [message] = await answers_to(b"hello\n")
    assert ADDRESS == message.address
    assert ("console", "local") == (message.sender.channel, message.sender.user_id)
    assert message.sender.name
    assert ("private", True) == (message.kind, message.is_addressed)


async def test_identities_differ_between_lines_and_between_starts() -> None:
    _, first = await answers_to(b"same\nsame\n")
    _, second = await answers_to(b"same\nsame\n")
    assert 4 == len({message.event_id for message in first + second})


async def test_the_next_line_waits_for_the_answer() -> None:
    """With two lines at once the second is received only when the first is settled."""
    source, into = os.pipe()
    os.write(into, b"first\nsecond\n")
    os.close(into)
    received_when_settled = []
    with console(source) as (channel, _):

        class Counting(RecordingInbox):
            async def settled(self, address: ChatAddress) -> None:
                received_when_settled.append(len(self.messages))

        async with asyncio.timeout(PATIENCE_S):
            await channel.run(Counting())
    os.close(source)
    assert [1, 2] == received_when_settled


async def test_bytes_that_are_no_text_are_replaced() -> None:
    output, _ = await answers_to(b"caf\xe9 \xff\xfe\n")
    assert "you said: caf\ufffd \ufffd\ufffd\n" == output


async def test_a_long_line_comes_in_one_piece() -> None:
    text = "wörter " * 100_000
    source = file_with(text.encode() + b"\n")
    with console(source) as (channel, _):
        inbox = RecordingInbox()
        async with asyncio.timeout(PATIENCE_S):
            await channel.run(inbox)
    os.close(source)
    assert [text] == [message.text for message in inbox.messages]


@pytest.mark.parametrize("path", ["/dev/null", "/"])
async def test_an_input_without_lines_ends_at_once(path: str) -> None:
    source = os.open(path, os.O_RDONLY)
    with console(source) as (channel, _):
        inbox = RecordingInbox()
        async with asyncio.timeout(PATIENCE_S):
            await channel.run(inbox)
    os.close(source)
    assert [] == inbox.events


async def test_a_closed_input_ends_at_once() -> None:
    source = file_with(b"never read\n")
    os.close(source)
    with console(source) as (channel, _):
        inbox = RecordingInbox()
        async with asyncio.timeout(PATIENCE_S):
            await channel.run(inbox)
    assert [] == inbox.events


async def test_streams_in_non_blocking_mode_are_waited_for() -> None:
    source, into = os.pipe()
    os.set_blocking(source, False)
    with console(source) as (channel, _):
        inbox = RecordingInbox()
        async with running(channel, inbox) as run:
            os.write(into, b"late\n")
            await inbox.wait_for(1)
            os.close(into)
            await run
    os.close(source)
    assert ["late"] == [message.text for message in inbox.messages]


async def test_a_full_output_delays_nothing_but_the_answer() -> None:
    """Nobody reads for a while: the loop goes on, and the whole answer arrives in the end."""
    source = file_with(b"x\n")
    with console(source) as (channel, out):
        text = "line of the answer\n" * 20_000
        sending = asyncio.create_task(channel.send(Reply(address=ADDRESS, text=text)))
        output = b""
        async with asyncio.timeout(PATIENCE_S):
            while not sending.done() or len(output) < len(text):
                try:
                    output += os.read(out, 65_536)
                except BlockingIOError:
                    await asyncio.wait({sending}, timeout=0.001)
        assert text == output.decode()
    os.close(source)


async def test_a_reader_that_left_ends_the_chat_quietly() -> None:
    source = file_with(b"one\ntwo\n")
    out, into = os.pipe()
    os.close(out)
    channel = PipeChannel(LocalPerson(FakeClock()), read_from=source, write_to=into)
    inbox = Answering(channel)
    async with asyncio.timeout(PATIENCE_S):
        await channel.run(inbox)
    os.close(source)
    os.close(into)
    assert ["one"] == [message.text for message in inbox.messages]
    assert [False] == [failure.can_retry for failure in inbox.failures]


async def test_cancelling_does_not_wait_for_input() -> None:
    source, into = os.pipe()
    with console(source) as (channel, _):
        inbox = RecordingInbox()
        async with running(channel, inbox) as run:
            before = asyncio.all_tasks()
        assert run.cancelled()
        assert asyncio.all_tasks() <= before
    os.close(into)  # which lets the reading thread end
    for thread in threading.enumerate():
        if thread.name == "console":
            thread.join(PATIENCE_S)
    os.close(source)


async def test_control_characters_cannot_reach_a_terminal() -> None:
    output, _ = await answers_to(b"\x1b]0;title\x07 \x1b[2J \xc2\x9b2J tab\there\n")
    assert "you said: \ufffd]0;title\ufffd \ufffd[2J \ufffd2J tab\there\n" == output


async def test_drafts_leave_the_output_clean() -> None:
    source = file_with(b"")
    with console(source) as (channel, out):
        await channel.show_draft(ADDRESS, 1, "half an ans")
        await channel.show_typing(ADDRESS)
        for text in UNUSUAL_TEXTS:
            await channel.send(Reply(address=ADDRESS, text=text))
        await channel.close()
        output = os.read(out, 100_000).decode()
    os.close(source)
    shown = map(without_escapes, UNUSUAL_TEXTS)
    assert "".join(f"{text}\n" for text in shown).replace("\ud83d", "?") == output


@pytest.mark.parametrize(
    ("written", "shown"),
    [
        (r"\[x\] is 2 \* 3 \\ 1\_000", r"[x] is 2 * 3 \ 1_000"),
        (r"C:\dir\new \d \ä", r"C:\dir\new \d \ä"),
        (r"`a\_b` and ``c\`d`` and \`e\_f\`", r"`a\_b` and ``c\`d`` and `e_f`"),
        ("```sh\nx\\_y\n```\n\\#1", "```sh\nx\\_y\n```\n#1"),
        ("~~~\nx\\_y", "~~~\nx\\_y"),
    ],
)
def test_signs_are_shown_as_they_are_meant_but_in_code(written: str, shown: str) -> None:
    assert shown == without_escapes(written)


async def test_what_was_written_cannot_be_changed() -> None:
    source = file_with(b"")
    with console(source) as (channel, _):
        receipt = await channel.send(Reply(address=ADDRESS, text="final"))
        with pytest.raises(DeliveryError):
            await channel.edit(receipt, Reply(address=ADDRESS, text="other"))
    os.close(source)


def test_text_stays_whole_and_emptiness_is_nothing() -> None:
    channel = build(Settings(), FakeClock())
    assert ("a " * 50_000,) == channel.split("a " * 50_000)
    assert () == channel.split(" \n")


def test_no_terminal_library_is_loaded_for_a_pipe(tmp_path: Path) -> None:
    """The import stays cheap: no prompt_toolkit and no Rich before there is a terminal."""
    code = (
        "import sys, channels.console as c; from bot.adapters.clock import SystemClock\n"
        "c.build(c.Settings(), SystemClock())\n"
        "print(sorted({'rich', 'prompt_toolkit', 'markdown_it'} & set(sys.modules)))"
    )
    root = Path(__file__).parents[2]
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=root, capture_output=True, text=True, check=True
    )
    assert "[]\n" == done.stdout
