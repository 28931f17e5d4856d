"""Former texts of memory files: their names, and which of them are kept.

The law of this file: what stands in a file goes only if a version has it, unless it was to be
forgotten; then no version has it either.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from itertools import pairwise
from typing import NewType

LASTING = "MEMORY.md"
"""The file of lasting facts and of a person's own notes."""

MOST_VERSIONS = 20
"""So many former texts of a file are kept."""

VersionStamp = NewType("VersionStamp", str)
"""When a text gave way, in UTC, as a name that sorts by time: ``20261130T101112.000123Z``."""

_FORM = "%Y%m%dT%H%M%S.%fZ"
_STAMP = re.compile(r"[0-9]{8}T[0-9]{6}\.[0-9]{6}Z")
_DAY = re.compile(r"([0-9]{4}-[0-9]{2}-[0-9]{2})\.md")


@dataclass(frozen=True, slots=True, kw_only=True)
class FileVersion:
    """A former text of a file; ``at`` is when it gave way to another one."""

    stamp: VersionStamp
    at: datetime
    size_bytes: int


@dataclass(frozen=True, slots=True, kw_only=True)
class MemoryFile:
    """What a file says.

    Attributes:
        name: Its path below the audience's folder: ``MEMORY.md``, ``2026-11-30.md``,
            ``versions/MEMORY.md/20261130T101112.000123Z.md``.
    """

    name: str
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class FilesForgotten:
    """What was removed from the files of an audience.

    Attributes:
        files: The names of those that had something of it, versions too.
        lines: What stood there, as it stood; each line once.
    """

    files: tuple[str, ...]
    lines: tuple[str, ...]


def day_of(name: str) -> date | None:
    """Say which day a daily file is of; None for any other name."""
    found = _DAY.fullmatch(name)
    try:
        return None if found is None else date.fromisoformat(found[1])
    except ValueError:
        return None


def has_versions(name: str) -> bool:
    """Say whether a name is that of a memory file, and of nothing else on a disk."""
    return name == LASTING or day_of(name) is not None


def stamp_behind(newest: VersionStamp | None, now: datetime) -> VersionStamp:
    """Name a version of this moment, behind all others also where a clock was set back."""
    at = now.astimezone(UTC)
    if newest is not None and (known := moment_of(newest)) is not None:
        at = max(at, known + timedelta(microseconds=1))
    return VersionStamp(at.strftime(_FORM))


def moment_of(stamp: str) -> datetime | None:
    """Say when a text gave way; None for what is no stamp."""
    if _STAMP.fullmatch(stamp) is None:
        return None
    try:
        return datetime.strptime(stamp, _FORM).replace(tzinfo=UTC)
    except ValueError:
        return None


def surplus(notes: tuple[str, ...], most: int = MOST_VERSIONS) -> tuple[int, ...]:
    """Say which versions are too many, by their places.

    The oldest go, but before them those whose own notes the next version has too: however often
    facts change, what a person wrote can be brought back.

    Args:
        notes: Of each version what a person wrote, oldest first.
        most: How many may stay.
    """
    left = list(range(len(notes)))
    gone: list[int] = []
    while len(left) > most:
        repeated = (place for place, after in pairwise(left) if notes[place] == notes[after])
        place = next(repeated, left[0])
        left.remove(place)
        gone.append(place)
    return tuple(gone)
