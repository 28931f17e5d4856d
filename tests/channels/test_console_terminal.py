"""The console on a terminal: a pseudo-terminal of a known size, read as a person sees it."""

from __future__ import annotations

import asyncio
import os
import pty
import re
import sys
import threading
from collections.abc import AsyncIterator, Callable
from contextlib import ExitStack, suppress
from pathlib import Path

import pytest
from prompt_toolkit.completion import CompleteEvent
from prompt_toolkit.data_structures import Size
from prompt_toolkit.document import Document
from prompt_toolkit.input.vt100 import Vt100Input
from prompt_toolkit.output.vt100 import Vt100_Output

from bot.api import ChatAddress, DeliveryError, InboundMessage, MenuEntry, Reply, StopRequest
from bot.testing.channels import UNUSUAL_TEXTS, RecordingInbox, long_answer, words_of
from bot.testing.clock import FakeClock
from bot.testing.patience import PATIENCE_S
from channels.console.markdown import finished_part
from channels.console.person import ADDRESS, LocalPerson
from channels.console.screen import CommandCompleter, Screen
from channels.console.terminal import TerminalChannel

CTRL_C, CTRL_D, ALT_ENTER = "\x03", "\x04", "\x1b\r"
PASTE_BEGINS, PASTE_ENDS = "\x1b[200~", "\x1b[201~"
_ESCAPES = re.compile(r"\x1b(\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b]*(\x07|\x1b\\))|\r")


class Slow(RecordingInbox):
    """Answers nothing by itself: a chat is settled when the test says so."""

    def __init__(self) -> None:
        super().__init__()
        self.answered = asyncio.Event()

    async def settled(self, address: ChatAddress) -> None:
        """Wait for the test."""
        await self.answered.wait()


class Terminal:
    """A pseudo-terminal with a console on it and a person before it.

    A thread reads what is written, since a terminal that nobody reads makes its writer wait.
    """

    def __init__(self, stack: ExitStack, *, columns: int = 80, rows: int = 24) -> None:
        self._keyboard, screen = pty.openpty()
        source = stack.enter_context(os.fdopen(os.dup(screen), "r"))
        output = stack.enter_context(os.fdopen(screen, "w"))
        self.screen = Screen(
            Vt100Input(source),
            Vt100_Output(output, lambda: Size(rows, columns), enable_cpr=False),
        )
        self.channel = TerminalChannel(LocalPerson(FakeClock()), lambda: self.screen)
        self.inbox = Slow()
        self._raw = b""
        self._changed = asyncio.Event()
        self._loop = asyncio.get_running_loop()
        threading.Thread(target=self._read, daemon=True).start()

    def types(self, keys: str) -> None:
        """Press keys."""
        os.write(self._keyboard, keys.encode())

    @property
    def text(self) -> str:
        """Everything that was ever written, without colours and cursor movements."""
        return _ESCAPES.sub("", self._raw.decode(errors="replace"))

    def forget(self) -> None:
        """Leave out of ``text`` what was written so far."""
        self._raw = b""

    async def shows(self, wanted: str) -> None:
        """Wait until something was written."""
        await self.until(lambda: wanted in self.text)

    async def until(self, condition: Callable[[], bool]) -> None:
        """Wait until a condition holds that changes with what is written."""
        async with asyncio.timeout(PATIENCE_S):
            while not condition():
                self._changed.clear()
                await self._changed.wait()

    def _read(self) -> None:
        with suppress(OSError, RuntimeError):  # the other end, or the test, is over
            while data := os.read(self._keyboard, 65_536):
                self._loop.call_soon_threadsafe(self._take, data)
        os.close(self._keyboard)

    def _take(self, data: bytes) -> None:
        self._raw += data
        self._changed.set()

    async def says(self, text: str, *, kind: str = "final") -> None:
        """Let the bot answer."""
        reply = Reply(address=ADDRESS, text=text, kind="final" if kind == "final" else "notice")
        await self.channel.send(reply)


@pytest.fixture
async def terminal() -> AsyncIterator[Terminal]:
    with ExitStack() as stack:
        made = Terminal(stack)
        run = asyncio.create_task(made.channel.run(made.inbox))
        await made.inbox.wait_until_receiving()
        await made.shows(">")
        yield made
        run.cancel()
        await asyncio.wait({run}, timeout=PATIENCE_S)
        assert run.done()


async def test_an_entered_line_is_received_and_stays_on_screen(terminal: Terminal) -> None:
    terminal.types("hello there\r")
    [message] = await terminal.inbox.wait_for(1)
    assert isinstance(message, InboundMessage)
    assert "hello there" == message.text
    await terminal.shows("> hello there\n")


async def test_a_pasted_text_is_one_message(terminal: Terminal) -> None:
    terminal.types(f"{PASTE_BEGINS}one\ntwo\nthree{PASTE_ENDS}\r")
    [message] = await terminal.inbox.wait_for(1)
    assert isinstance(message, InboundMessage)
    assert "one\ntwo\nthree" == message.text


async def test_alt_enter_begins_a_line(terminal: Terminal) -> None:
    terminal.types(f"one{ALT_ENTER}two\r")
    [message] = await terminal.inbox.wait_for(1)
    assert isinstance(message, InboundMessage)
    assert "one\ntwo" == message.text


async def test_the_next_message_can_be_entered_during_an_answer(terminal: Terminal) -> None:
    terminal.types("first\r")
    await terminal.inbox.wait_for(1)
    await terminal.channel.show_draft(ADDRESS, 1, "an answer that is not fin")
    terminal.types("second\r")
    await terminal.inbox.wait_for(2)
    assert ["first", "second"] == [message.text for message in terminal.inbox.messages]


async def test_an_empty_line_is_nothing(terminal: Terminal) -> None:
    terminal.types("\r   \rhello\r")
    await terminal.inbox.wait_for(1)
    assert ["hello"] == [message.text for message in terminal.inbox.messages]


async def test_tab_completes_a_command(terminal: Terminal) -> None:
    names = ("context", "config", "claim")
    entries = tuple(MenuEntry(name=name, description=f"About {name}.") for name in names)
    await terminal.channel.offer_commands(entries, ())
    terminal.types("/CL\t")
    await terminal.shows("aim")
    terminal.types(" detail\r")
    [message] = await terminal.inbox.wait_for(1)
    assert isinstance(message, InboundMessage)
    assert "/CLaim detail" == message.text  # as it was begun

    terminal.types("/co\t")
    await terminal.shows("About config.")


def test_nothing_is_completed_but_a_command_at_the_beginning() -> None:
    commands = CommandCompleter()
    commands.entries = (MenuEntry(name="claim", description="Become the owner."),)

    def completions(text: str) -> list[str]:
        found = commands.get_completions(Document(text), CompleteEvent(completion_requested=True))
        return [each.text for each in found]

    assert ["aim"] == completions("/cl")
    assert [] == completions("cl")
    assert [] == completions("and /cl")
    assert [] == completions("/claim now")


async def test_ctrl_c_stops_a_running_answer(terminal: Terminal) -> None:
    terminal.types("write a book\r")
    [message] = await terminal.inbox.wait_for(1)
    terminal.types(CTRL_C)
    _, stop = await terminal.inbox.wait_for(2)
    assert isinstance(stop, StopRequest)
    assert isinstance(message, InboundMessage)
    assert (message.address, message.sender) == (stop.address, stop.sender)
    assert message.event_id != stop.event_id


async def test_ctrl_c_at_an_empty_prompt_says_how_to_leave(terminal: Terminal) -> None:
    terminal.types(CTRL_C)
    await terminal.shows("Ctrl-D leaves the chat")
    assert [] == terminal.inbox.events


async def test_ctrl_c_empties_the_input(terminal: Terminal) -> None:
    terminal.types("not this")
    await terminal.shows("not this")
    terminal.types(CTRL_C)
    terminal.types("but this\r")
    await terminal.inbox.wait_for(1)
    assert ["but this"] == [message.text for message in terminal.inbox.messages]


@pytest.mark.parametrize("is_busy", [False, True])
async def test_ctrl_d_ends_the_chat(is_busy: bool) -> None:
    with ExitStack() as stack:
        terminal = Terminal(stack)
        run = asyncio.create_task(terminal.channel.run(terminal.inbox))
        await terminal.shows(">")
        if is_busy:
            terminal.types("hello\r")
            await terminal.inbox.wait_for(1)
        terminal.types(CTRL_D)
        async with asyncio.timeout(PATIENCE_S):
            await run


async def test_a_process_on_a_terminal_gets_the_prompt() -> None:
    """The channel is built for a real process whose input and output are a terminal."""
    code = (
        "import asyncio, channels.console as c\n"
        "from bot.adapters.clock import SystemClock\n"
        "from bot.testing.channels import RecordingInbox\n"
        "async def chat():\n"
        "    channel, inbox = c.build(c.Settings(), SystemClock()), RecordingInbox()\n"
        "    await channel.run(inbox)\n"
        "    print('received', [m.text for m in inbox.messages])\n"
        "asyncio.run(chat())"
    )
    keyboard, screen = pty.openpty()
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-c", code),
        stdin=screen,
        stdout=screen,
        stderr=screen,
        cwd=Path(__file__).parents[2],
        env={**os.environ, "PROMPT_TOOLKIT_NO_CPR": "1"},
    )
    os.close(screen)
    shown = b""
    while b">" not in shown:
        shown += await asyncio.to_thread(os.read, keyboard, 4096)
    os.write(keyboard, f"hello\r{CTRL_D}".encode())
    with suppress(OSError):  # the terminal is gone with the process
        while data := await asyncio.to_thread(os.read, keyboard, 4096):
            shown += data
    os.close(keyboard)
    assert 0 == await process.wait()
    assert "received ['hello']" in shown.decode()


async def test_an_answer_can_be_shown_before_and_after_the_chat() -> None:
    """What an earlier process left undelivered comes at once; a last word comes after the end."""
    with ExitStack() as stack:
        terminal = Terminal(stack)
        await terminal.says("from before")
        await terminal.shows("from before")
        run = asyncio.create_task(terminal.channel.run(terminal.inbox))
        await terminal.shows(">")
        terminal.types("hello\r")
        await terminal.inbox.wait_for(1)
        await terminal.channel.show_draft(ADDRESS, 1, "a last\n\nwo")
        terminal.types(CTRL_D)
        await run
        await terminal.says("a last\n\nword")
        await terminal.shows("word")
        assert 1 == terminal.text.count("a last")


async def test_finished_blocks_are_printed_once_and_the_rest_is_shown(terminal: Terminal) -> None:
    drafts = {
        "First par": "First par",
        "First paragraph.\n\nSec": "Sec",
        "First paragraph.\n\nSecond par": "ond par",  # only what changed is drawn
    }
    for draft, drawn in drafts.items():
        await terminal.channel.show_draft(ADDRESS, 1, draft)
        await terminal.shows(drawn)
    await terminal.says("First paragraph.\n\nSecond paragraph.")
    await terminal.shows("Second paragraph.")
    assert 1 == terminal.text.count("First paragraph.")


async def test_an_answer_without_drafts_is_printed_whole(terminal: Terminal) -> None:
    await terminal.says("# Title\n\n- a **bold** word\n\n```python\nx = 1\n```")
    await terminal.shows("x = 1")
    assert "Title" in terminal.text
    assert "• a bold word" in terminal.text


async def test_a_final_answer_that_differs_from_its_draft_is_printed_whole(
    terminal: Terminal,
) -> None:
    await terminal.channel.show_draft(ADDRESS, 1, "Let me look it up.\n\nIt is")
    await terminal.channel.show_draft(ADDRESS, 1, "I found")
    terminal.forget()
    await terminal.says("I found it.\n\nIt is here.")
    await terminal.shows("It is here.")
    assert "I found it." in terminal.text


async def test_a_notice_leaves_the_running_answer_alone(terminal: Terminal) -> None:
    await terminal.channel.show_draft(ADDRESS, 1, "One.\n\nTwo is on its w")
    await terminal.says("The command's answer.", kind="notice")
    await terminal.shows("The command's answer.")
    terminal.forget()
    await terminal.says("One.\n\nTwo is on its way.")
    await terminal.shows("Two is on its way.")
    assert "One." not in terminal.text


async def test_a_draft_that_was_never_finished_stays_on_screen(terminal: Terminal) -> None:
    terminal.types("hello\r")
    await terminal.inbox.wait_for(1)
    await terminal.channel.show_draft(ADDRESS, 1, "This was cut")
    await terminal.shows("This was cut")
    terminal.forget()
    terminal.inbox.answered.set()
    await terminal.shows("This was cut")


async def test_a_long_answer_loses_no_word_however_it_grows(terminal: Terminal) -> None:
    """Blocks far longer than the screen included."""
    answer = long_answer()
    for end in range(0, len(answer), 997):
        await terminal.channel.show_draft(ADDRESS, 7, answer[:end])
    terminal.forget()
    await terminal.says(answer)
    printed_last = answer[len(finished_part(answer[: len(answer) // 997 * 997])) :]
    await terminal.until(lambda: words_of(printed_last)[-1] in terminal.text)


@pytest.mark.parametrize("text", [*UNUSUAL_TEXTS, long_answer()])
async def test_any_answer_can_be_shown(terminal: Terminal, text: str) -> None:
    terminal.forget()
    await terminal.says(text)
    await terminal.says("the end")
    await terminal.shows("the end")
    shown = terminal.text.replace("\n", "")
    lost = [word for word in words_of(text) if word not in shown]
    assert not [word for word in lost if "\ud83d" not in text]


async def test_an_answer_cannot_move_the_cursor(terminal: Terminal) -> None:
    await terminal.says("\x1b[2Jnot cleared\x07")
    await terminal.shows("not cleared")
    assert "\ufffd[2Jnot cleared\ufffd" in terminal.text


async def test_what_was_printed_cannot_be_changed(terminal: Terminal) -> None:
    receipt = await terminal.channel.send(Reply(address=ADDRESS, text="final"))
    with pytest.raises(DeliveryError):
        await terminal.channel.edit(receipt, Reply(address=ADDRESS, text="other"))


async def test_wide_tables_break_words_instead_of_cutting_them() -> None:
    with ExitStack() as stack:
        terminal = Terminal(stack, columns=40)
        word = "abcdefghij" * 6
        await terminal.says(f"| name | value |\n|---|---|\n| {word} | y |")
        await terminal.shows("y")
        assert "…" not in terminal.text
        assert word == re.sub(r"[^a-j]", "", terminal.text.split("────")[-1])


async def test_a_pictures_address_is_shown(terminal: Terminal) -> None:
    await terminal.says("See ![a cat](https://example.org/cat.png).")
    await terminal.shows("See a cat (https://example.org/cat.png).")


async def test_cells_beyond_a_tables_columns_are_shown(terminal: Terminal) -> None:
    await terminal.says("> | operator | means |\n> |---|---|\n> | `a || b` | either |")
    await terminal.shows("either")
    assert [] == [word for word in ("operator", "`a", "b`") if word not in terminal.text]


def test_a_block_is_finished_when_the_next_one_begins() -> None:
    assert "" == finished_part("one paragraph")
    assert "" == finished_part("")
    assert "one\n\n" == finished_part("one\n\ntwo")
    assert "" == finished_part("```\ncode\n\nmore")
    assert "```\ncode\n```\n" == finished_part("```\ncode\n```\nafter")
    assert "" == finished_part("- a\n\n- b")
    assert "a | b\n" not in finished_part("a | b\n--|--\n1 | 2")
