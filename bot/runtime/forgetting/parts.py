"""What forgetting works with, and what a person is told before anything is done."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from datetime import datetime, tzinfo

from bot.core.chat import Reply, SessionKey
from bot.core.cost import span_of
from bot.core.lifecycle import OutboxItem
from bot.core.memory.audience import Viewer
from bot.core.memory.forgetting import ReceiptPlace, Wish
from bot.core.memory.items import Hit
from bot.ports import Clock, MemoryFiles, Redactor
from bot.ports.forgetting import Forgettings, RawSearch
from bot.runtime.activity import Activity
from bot.runtime.supervisor import Spawn

Search = Callable[[str, Viewer], Awaitable[tuple[Hit, ...]]]
"""Gives what is surely about some words; nothing where it cannot be searched."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ForgettingParts:
    """What forgetting works with.

    Attributes:
        files: Memory files; None where there are none.
        rebuild_index: Throws the search index away, to be made anew; None where there is none.
        raw: Searches the disk; None where nothing is kept on one.
        redactor: Takes secrets out of what is shown of files.
        zone: Whose midnight divides the days.
        forget_chat: Drops what is held of a chat in memory.
        forget_overheard: Drops what a wish means of what was overheard.
        on_forgotten: Lets memory files and the index follow.
        write: Makes the messages that bring a text to a place.
        deliver: Sends what was stored.
        search: Finds what is about words without having them in it.
    """

    store: Forgettings
    files: MemoryFiles | None
    rebuild_index: Callable[[], Awaitable[None]] | None
    raw: RawSearch | None
    redactor: Redactor
    clock: Clock
    zone: tzinfo
    activity: Activity
    forget_chat: Callable[[SessionKey], None]
    forget_overheard: Callable[[Wish, Viewer], None]
    on_forgotten: Callable[[], None]
    write: Callable[[ReceiptPlace, str], Awaitable[tuple[Reply, ...]]]
    deliver: Callable[[tuple[OutboxItem, ...]], None]
    spawn: Spawn
    search: Search | None = None

    def day_of(self, wish: Wish) -> tuple[datetime, datetime] | None:
        """Give the beginning of the day that is meant and of the one after it; None for no day."""
        if wish.kind != "day":
            return None
        return span_of(datetime.fromisoformat(wish.text).date(), self.zone)


@dataclass(frozen=True, slots=True, kw_only=True)
class Proposal:
    """What would go, for whoever wants it gone to confirm within a day.

    Attributes:
        token: Stands for it when it is confirmed; empty where nothing would go.
        turns: Turns of which something would be blanked.
        lines: Entries of daily files and hand-written lines.
        reminders: Reminders that are still to come.
        heads: How the first of it begins, facts before turns, in the words they were said in.
    """

    wish: Wish
    token: str
    turns: int = 0
    facts: int = 0
    episodes: int = 0
    lines: int = 0
    reminders: int = 0
    heads: tuple[str, ...] = ()

    @property
    def is_empty(self) -> bool:
        """Whether nothing would go."""
        return not (self.turns or self.facts or self.episodes or self.lines or self.reminders)
