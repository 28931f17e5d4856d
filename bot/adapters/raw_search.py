"""Searching the bytes of all files of ours for words that must be gone.

The law of this file: no file is opened by the process that has the database open. On POSIX systems,
closing a file takes away all locks that its process has on it, those of SQLite too; so another
process reads. It is told what to look for through a pipe: nothing of that stands on a disk, in a
command line or in an environment. What it has read is not read once more when it is broken off.
"""

from __future__ import annotations

import asyncio
import json
import subprocess
import sys
from dataclasses import dataclass, field
from pathlib import Path

from bot.adapters import raw_reader
from bot.adapters.raw_reader import UNREADABLE
from bot.adapters.store.switching import DATABASE
from bot.core.memory.forgetting import Trace
from bot.core.memory.needles import forms_of, is_long
from bot.errors import StoreError

WITHIN_S = 600.0
"""How long one process reads: at 100 MB a second, 60 GB."""

MOST_PROCESSES = 3
"""So many read one after the other; what they have not read by then could not be read."""


@dataclass(slots=True)
class _Progress:
    """What was read so far; ``left`` is None before the files are known."""

    found: list[tuple[int, str]] = field(default_factory=list)
    left: list[str] | None = None

    def take(self, answer: bytes) -> None:
        """Note what a process said, whose last line may be broken off."""
        lines = answer.split(b"\n")[:-1]
        if not lines:
            return
        self.left = json.loads(lines[0])
        for line in lines[1:]:
            name, numbers = json.loads(line)
            self.found += [(int(number), str(name)) for number in numbers]
        self.left = (self.left or [])[len(lines) - 1 :]

    def give_up_one(self) -> None:
        """Be done with the file in which a process was broken off."""
        if self.left:
            self.found.append((UNREADABLE, self.left.pop(0)))


class DiskSearch:
    """Fills :class:`~bot.ports.forgetting.RawSearch` for all files below a folder."""

    def __init__(self, folder: Path, *, within_s: float = WITHIN_S) -> None:
        self._folder = folder
        self._within_s = within_s

    async def find(self, needles: tuple[str, ...]) -> tuple[Trace, ...]:
        """Give where needles stand, each of a file once, and what could not be read in time.

        Raises:
            StoreError: It could not be done at all.
        """
        if not needles:
            return ()
        found = await asyncio.to_thread(self._search, needles)
        named = (("" if number == UNREADABLE else needles[number], file) for number, file in found)
        return tuple(Trace(needle=needle, file=file) for needle, file in named)

    def _search(self, needles: tuple[str, ...]) -> list[tuple[int, str]]:
        told = [[[form.hex() for form in forms_of(each)], is_long(each)] for each in needles]
        progress = _Progress()
        for _ in range(MOST_PROCESSES):
            order = {
                "folder": str(self._folder),
                "database": DATABASE,
                "needles": told,
                "files": progress.left,
            }
            if self._ask(json.dumps(order).encode(), progress):
                return progress.found
        if progress.left is None:
            raise StoreError("The files could not be searched: the time was too short.")
        while progress.left:
            progress.give_up_one()
        return progress.found

    def _ask(self, order: bytes, progress: _Progress) -> bool:
        """Have a process read; False when it was broken off."""
        try:
            progress.take(self._run(order))
        except subprocess.TimeoutExpired as error:
            progress.take(error.stdout or b"")
            progress.give_up_one()
            return False
        except (OSError, subprocess.SubprocessError) as error:
            raise StoreError(f"The files could not be searched: {type(error).__name__}.") from None
        return True

    def _run(self, order: bytes) -> bytes:
        done = subprocess.run(  # noqa: S603 - this very file, in this very Python
            [sys.executable, "-I", "-S", raw_reader.__file__],
            input=order,
            capture_output=True,
            timeout=self._within_s,
            check=True,
        )
        return done.stdout
