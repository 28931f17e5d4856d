"""A program at a pseudo-terminal, and the person before it.

Standard library only, and blocking: an event loop lets it work in a thread.
"""

from __future__ import annotations

import contextlib
import os
import pty
import re
import select
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Self

from bot.testing.patience import PATIENCE_S
from bot.testing.starts import Start, begin_fork

CTRL_C, CTRL_D, ENTER = "\x03", "\x04", "\r"

_ESCAPES = re.compile(r"\x1b(\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b]*(\x07|\x1b\\)|[=>])|\r")
_WHERE, _HERE = b"\x1b[6n", b"\x1b[1;1R"  # where is the cursor?

_LAUNCHER = (
    "import fcntl, os, sys, termios; fcntl.ioctl(0, termios.TIOCSCTTY, 0);"
    " os.execvpe(sys.argv[1], sys.argv[1:], os.environ)"
)
"""Makes the terminal that of its session, so that Ctrl-C is one, then becomes the program."""


class TerminalProcess:
    """A context manager that leaves no process behind."""

    def __init__(
        self,
        command: Sequence[str],
        *,
        folder: Path,
        environ: Mapping[str, str],
        is_fork: bool = False,
    ) -> None:
        """Start the program in a folder; it sees a terminal on all of its three files.

        With ``is_fork`` it is a fork that becomes the bot's command line, and ``command`` holds
        the arguments.
        """
        self._screen, inside = pty.openpty()
        self._written = b""
        self._seen = 0
        environ = {"TERM": "xterm", **environ}
        try:
            if is_fork:
                self._begin_fork(Start(arguments=command, environ=environ, folder=folder), inside)
            else:
                self._begin(command, folder, environ, inside)
        finally:
            os.close(inside)

    def _begin(
        self, command: Sequence[str], folder: Path, environ: Mapping[str, str], terminal: int
    ) -> None:
        process = subprocess.Popen(  # noqa: S603 - whatever the test names
            [sys.executable, "-I", "-S", "-c", _LAUNCHER, *command],
            stdin=terminal,
            stdout=terminal,
            stderr=terminal,
            cwd=folder,
            env=environ,
            start_new_session=True,
        )
        self._pid, self._wait = process.pid, process.wait

    def _begin_fork(self, start: Start, terminal: int) -> None:
        process = begin_fork(start, (terminal, terminal, terminal), owns_terminal=True)
        assert process.pid is not None

        def wait(timeout: float | None = None) -> int:
            process.join(timeout)
            assert process.exitcode is not None, "it has not ended"
            return process.exitcode

        self._pid, self._wait = process.pid, wait

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(self._pid, signal.SIGKILL)
        self._wait(PATIENCE_S)
        os.close(self._screen)

    @property
    def text(self) -> str:
        """Everything that was ever shown, without colours and movements of the cursor."""
        return _ESCAPES.sub("", self._written.decode(errors="replace"))

    @property
    def raw(self) -> bytes:
        """Everything that was ever written to the terminal."""
        return self._written

    def types(self, keys: str) -> None:
        """Press keys."""
        os.write(self._screen, keys.encode())

    def shows(self, wanted: str, *, patience_s: float = PATIENCE_S) -> None:
        """Wait until something is shown behind what was waited for before."""
        until_s = time.monotonic() + patience_s
        while (found := self.text.find(wanted, self._seen)) < 0:
            assert self._reads(until_s), f"{wanted!r} is not shown, but {self.text[self._seen :]!r}"
        self._seen = found + len(wanted)

    def reaches(self, state: Callable[[bytes], bool]) -> None:
        """Wait until all that was ever written, escape codes included, is as wanted."""
        until_s = time.monotonic() + PATIENCE_S
        while not state(self._written):
            assert self._reads(until_s), f"not reached, but {self.text[-1_000:]!r}"
        self._seen = len(self.text)

    def asked(self, question: str, answer: str) -> None:
        """Wait for a question, and answer it."""
        self.shows(question)
        self.types(answer + ENTER)

    def ended(self) -> int:
        """Wait for the end; give the exit code."""
        until_s = time.monotonic() + PATIENCE_S
        while self._reads(until_s):
            pass
        return self._wait(max(0.0, until_s - time.monotonic()))

    def _reads(self, until_s: float) -> bool:
        """Take what is written next; False at the end, or when it takes too long."""
        if not select.select([self._screen], [], [], max(0.0, until_s - time.monotonic()))[0]:
            return False
        try:
            piece = os.read(self._screen, 65_536)
        except OSError:  # the last one who had the terminal is gone
            return False
        self._written += piece
        for _ in range(piece.count(_WHERE)):
            os.write(self._screen, _HERE)
        return bool(piece)
