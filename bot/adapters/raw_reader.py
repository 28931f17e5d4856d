"""A program by itself: told on its input what to look for, it says in which files that stands.

Standard library only, and nothing of the bot: it starts in a few hundredths of a second. However
many needles there are, a file is gone through once: read as numbers of a fixed width, of which a
needle that is long enough has one at any place, and only where such a number stands is looked
closer.
"""

from __future__ import annotations

import json
import os
import re
import stat
import sys
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Literal

PIECE_BYTES = 8 * 1024 * 1024

LEAST_BYTES = 7
"""What is shorter has no number of the narrowest width at every place."""

UNREADABLE = -1
"""Stands in the place of a needle's number with a file that could not be read."""

_Code = Literal["Q", "I"]
_SIEVES: tuple[tuple[int, _Code, int], ...] = ((8, "Q", 2), (8, "Q", 1), (4, "I", 1))
"""Width of the numbers and how many in a run, the more telling ones first."""

_AROUND = 2
_BEFORE = re.compile(rb'(?:[\n\r"\x00]|[-:>0-9] )\Z')
_BEHIND = re.compile(rb'[\n\r"\x00]| \(')


@dataclass(frozen=True, slots=True)
class Needle:
    """What is looked for: any of some forms.

    Attributes:
        is_long: It counts wherever it stands; else in other files than the database only where
            line ends, quotation marks, or what is put around a fact stand on both sides.
    """

    forms: tuple[bytes, ...]
    is_long: bool = True


class Sieve:
    """Finds forms by numbers that stand in them: so many, one behind the other, at any place.

    Attributes:
        least: How many bytes a form has that is found.
    """

    def __init__(self, width: int, code: _Code, run: int) -> None:
        """Prepare that, by ``run`` numbers of ``width`` bytes, which ``memoryview`` calls ``code``.

        The middle of a form is looked for, since many sentences begin alike.
        """
        self.least = width * (run + 1) - 1
        self._width, self._code, self._run = width, code, run
        self._forms: set[bytes] = set()
        self._numbers: set[int] = set()
        self._offsets: dict[int, set[int]] = {}
        self._windows: dict[bytes, set[tuple[int, int]]] = {}

    def add(self, form: bytes) -> None:
        """Look for a form, too."""
        start = (len(form) - self.least) // 2
        window = form[start : start + self.least]
        self._forms.add(form)
        self._windows.setdefault(window, set()).add((start, len(form)))
        for offset in range(self._width * self._run):
            number = int.from_bytes(window[offset : offset + self._width], sys.byteorder)
            self._numbers.add(number)
            if offset < self._width:
                self._offsets.setdefault(number, set()).add(offset)

    def find(self, piece: bytes) -> Iterator[tuple[int, bytes]]:
        """Give where forms begin in a piece, with these."""
        if not self._forms:
            return
        width = self._width
        numbers = memoryview(piece)[: len(piece) // width * width].cast(self._code)
        known = bytes(map(self._numbers.__contains__, numbers))
        run, place = bytes([True]) * self._run, -1
        while (place := known.find(run, place + 1)) >= 0:
            for offset in self._offsets.get(numbers[place], ()):
                if (begin := place * width - offset) >= 0:
                    yield from self._forms_around(piece, begin)

    def _forms_around(self, piece: bytes, begin: int) -> Iterator[tuple[int, bytes]]:
        for start, length in self._windows.get(piece[begin : begin + self.least], ()):
            if (
                begin >= start
                and (form := piece[begin - start : begin - start + length]) in self._forms
            ):
                yield begin - start, form


class Reader:
    """Looks for needles in files."""

    def __init__(self, needles: Iterable[Needle], *, database: str = "") -> None:
        """Prepare that.

        Args:
            needles: Each form has at least :data:`LEAST_BYTES` bytes; a shorter one is not found.
            database: What names of files begin with that people do not write.
        """
        self._needles = tuple(needles)
        self._database = database
        self._numbers: dict[bytes, list[int]] = {}
        for number, needle in enumerate(self._needles):
            for form in needle.forms:
                self._numbers.setdefault(form, []).append(number)
        self._sieves = tuple(Sieve(*how) for how in _SIEVES)
        for form in self._numbers:
            sieve = next((each for each in self._sieves if len(form) >= each.least), None)
            if sieve is not None:
                sieve.add(form)
        self._overlap = max(map(len, self._numbers), default=0) + 2 * _AROUND

    def found_in(self, path: str) -> set[int]:
        """Give the numbers of the needles that a file has.

        Raises:
            OSError: It could not be read.
        """
        found: set[int] = set()
        if not stat.S_ISREG(os.lstat(path).st_mode):
            return found
        is_database = bool(self._database) and os.path.basename(path).startswith(self._database)  # noqa: PTH119 - Path is not imported for this
        with open(path, "rb", buffering=0) as file:  # noqa: PTH123 - as above
            rest, following, begin = b"", file.read(PIECE_BYTES), 0
            while following:
                piece = rest + following
                following = file.read(PIECE_BYTES)
                edges = (begin == 0, not following)
                for start, form in self._forms_in(piece):
                    stands_alone = is_database or _stands_alone(piece, start, form, edges)
                    found.update(
                        number
                        for number in self._numbers[form]
                        if stands_alone or self._needles[number].is_long
                    )
                rest = piece[-self._overlap :]
                begin += len(piece) - len(rest)
        return found

    def _forms_in(self, piece: bytes) -> Iterator[tuple[int, bytes]]:
        for sieve in self._sieves:
            yield from sieve.find(piece)


def files_below(folder: str) -> list[str]:
    """Give the paths of all files below a folder, from there, in their order."""
    paths = (os.path.join(place, name) for place, _, names in os.walk(folder) for name in names)  # noqa: PTH118 - for speed alone
    return sorted(os.path.relpath(path, folder) for path in paths)


def find(folder: str, names: list[str], reader: Reader) -> Iterator[tuple[str, list[int]]]:
    """Give each file with the numbers of the needles that it has; of one that is gone, none."""
    for name in names:
        try:
            found = reader.found_in(os.path.join(folder, name))  # noqa: PTH118 - as above
        except FileNotFoundError:
            found = set()
        except OSError:
            found = {UNREADABLE}
        yield name, sorted(found)


def _stands_alone(piece: bytes, start: int, form: bytes, edges: tuple[bool, bool]) -> bool:
    """Say whether nothing else stands beside a form; ``edges`` are those that the file has."""
    end = start + len(form)
    is_begun = (start == 0 and edges[0]) or _BEFORE.search(piece, max(0, start - _AROUND), start)
    is_ended = (end == len(piece) and edges[1]) or _BEHIND.match(piece, end)
    return bool(is_begun and is_ended)


def main() -> None:
    """Answer the order on standard input: a list of files, then a line for each that was read.

    Of an order that names files, these are read.
    """
    order = json.load(sys.stdin)
    needles = (
        Needle(tuple(bytes.fromhex(form) for form in forms), is_long)
        for forms, is_long in order["needles"]
    )
    names = order["files"]
    if names is None:
        names = files_below(order["folder"])
    print(json.dumps(names), flush=True)  # noqa: T201 - this is the answer
    for name, found in find(order["folder"], names, Reader(needles, database=order["database"])):
        print(json.dumps([name, found]), flush=True)  # noqa: T201 - as above


if __name__ == "__main__":
    main()
