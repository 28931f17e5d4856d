"""The ports to what a check of the bot's health looks at: what waits, and the disk."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

from bot.core.backlog import Backlog


class Backlogs(Protocol):
    """What waits in the store; ``backlog`` counts it.

    Raises:
        StoreError: It could not be read.
    """

    async def backlog(self) -> Backlog: ...


@dataclass(frozen=True, slots=True, kw_only=True)
class DiskState:
    """The disk with the data folder; ``trouble`` says why nothing can be written to it."""

    free_bytes: int
    trouble: str = ""


class Disk(Protocol):
    """Looks at the disk with the data folder, and tries to write there; it raises nothing."""

    async def look(self) -> DiskState: ...
