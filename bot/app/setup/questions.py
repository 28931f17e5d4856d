"""Questions to whoever sits at a terminal, or to the lines of a pipe.

Nothing that was answered is ever shown again, and a secret is not even shown while it is typed.
Without a terminal there are no escape codes, and each line that is read answers one question: what
is no answer to it ends the talk, since nobody can say what the lines behind it are about.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import TextIO

from bot.app.findings_shown import page_for
from bot.core.findings import Finding

PASTE_PAUSE_S = 0.1
"""A pasted text comes at once; whoever types does not begin a new line as soon as that."""


class Questions:
    """Reads answers from ``source`` and writes to ``sink``, which ``hide`` keeps free of secrets.

    Whatever reads an answer raises EOFError when there are no more that could be one.

    Attributes:
        is_typed: Whether somebody at a terminal answers, who can be asked again.
    """

    def __init__(self, source: TextIO, sink: TextIO, hide: Callable[[str], str]) -> None:
        self._source = source
        self._sink = sink
        self._hide = hide
        self.is_typed = source.isatty()
        self._has_colours = sink.isatty() and not (
            os.environ.get("NO_COLOR") or os.environ.get("TERM") == "dumb"
        )

    def say(self, *lines: str) -> None:
        """Show lines."""
        self._write("".join(f"{line}\n" for line in lines))

    def head(self, title: str) -> None:
        """Begin a step."""
        self.say("", f"\x1b[1m{title}\x1b[0m" if self._has_colours else title)

    def show(self, findings: Sequence[Finding], area: str) -> None:
        """Show what was found of an area, whose name stands above."""
        self.say(*page_for(self._sink, as_json=False, area=area).lines(tuple(findings)))

    def ask(self, question: str) -> str:
        """Give an answer, empty for a mere Enter."""
        self._write(f"{question} ")
        return self._read_answer().strip()

    def confirm(self, question: str, *, default: bool) -> bool:
        """Give a yes or no, ``default`` for a mere Enter."""
        while True:
            answer = self.ask(f"{question} [{'Y/n' if default else 'y/N'}]").lower()
            if answer in ("", "y", "yes", "n", "no"):
                return answer.startswith("y") if answer else default
            self._refuse("y or n?")

    def choose(self, question: str, ways: Sequence[str]) -> int | None:
        """Give the index of one of several ways; None for a mere Enter."""
        self.say(*(f"  {number}  {way}" for number, way in enumerate(ways, start=1)))
        numbers = {str(number): number - 1 for number in range(1, len(ways) + 1)}
        while answer := self.ask(question):
            if answer in numbers:
                return numbers[answer]
            self._refuse(f"A number from 1 to {len(ways)}, or Enter.")
        return None

    def ask_secret(self, question: str) -> str:
        """Give all lines of what was pasted, empty for a mere Enter; nothing of it is shown."""
        if not self.is_typed:
            return self.ask(question)
        if sys.platform == "win32":
            from getpass import getpass

            return getpass(f"{question} ")
        from select import select

        with self._unseen():
            self._write(f"{question} ")
            text = self._read_line()
            while select([self._source], [], [], PASTE_PAUSE_S)[0]:
                text += self._read_line()
        return text.strip()

    if sys.platform != "win32":

        @contextmanager
        def _unseen(self) -> Iterator[None]:
            """Have the terminal show nothing of what is typed."""
            import termios

            handle = self._source.fileno()
            former = termios.tcgetattr(handle)
            silent = [*former[:3], former[3] & ~termios.ECHO, *former[4:]]
            termios.tcsetattr(handle, termios.TCSADRAIN, silent)
            try:
                yield
            finally:
                termios.tcsetattr(handle, termios.TCSADRAIN, former)
                self._write("\n")

    def _refuse(self, wanted: str) -> None:
        """Say what would be an answer; without a terminal nobody can give another one.

        Raises:
            EOFError: There is none.
        """
        self.say(wanted)
        if not self.is_typed:
            raise EOFError

    def _read_answer(self) -> str:
        text = self._read_line()
        if not self.is_typed:
            self._write("\n")  # the line end that somebody at a terminal would have typed
        return text

    def _read_line(self) -> str:
        line = self._source.readline()
        if not line:
            raise EOFError
        return line

    def _write(self, text: str) -> None:
        encoding = self._sink.encoding or "utf-8"
        self._sink.write(self._hide(text).encode(encoding, "replace").decode(encoding))
        self._sink.flush()
