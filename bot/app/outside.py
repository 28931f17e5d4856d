"""What the application is built on."""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Protocol

from bot.adapters.attachments.reader import FileReader
from bot.adapters.calendar import CronCalendar
from bot.adapters.redactor import RuleRedactor
from bot.adapters.token_counter import TiktokenCounter
from bot.app.channels import Announce
from bot.ports import (
    AttachmentReader,
    Calendar,
    Channel,
    Clock,
    Conversations,
    JobSlots,
    KeptResults,
    Lifecycle,
    MemoryFiles,
    MemoryJobs,
    ModelClient,
    ModelLimits,
    People,
    Redactor,
    Sessions,
    Settings,
    TaskStates,
    Timer,
    TokenCounter,
    UsageLog,
)
from bot.runtime.health import StoreWatch


class Store(
    Lifecycle,
    Conversations,
    People,
    TaskStates,
    KeptResults,
    ModelLimits,
    Sessions,
    MemoryJobs,
    Settings,
    JobSlots,
    UsageLog,
    Protocol,
):
    """The ports that one store fills together; ``close`` finishes what is queued."""

    async def close(self) -> None:
        """Write what is queued and let go of the file."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Outside:
    """What the application is built on; tests put fakes here.

    Attributes:
        store_watch: Is told by the store how its work went.
        data_dir: Where a running bot leaves word of how it can be asked; None to answer nobody.
        follows_bad_end: Whether the process before did not end as it should, or may not have.
        warm_up: Loads, in a thread, what the first message would have to wait for.
        memory_files: Where what is remembered is written; None to remember nothing beyond chats.
        timer: What waits for moments of the calendar; None for one that sleeps by ``clock``.
        jitter: Gives numbers in [0, 1), so that pauses are not all of the same length.
    """

    store: Store
    model: ModelClient
    model_name: str
    channels: Mapping[str, Channel]
    clock: Clock
    announce: Announce
    store_watch: StoreWatch = field(default_factory=StoreWatch)
    data_dir: Path | None = None
    follows_bad_end: bool = True
    jitter: Callable[[], float] = random.random
    counter: TokenCounter = field(default_factory=TiktokenCounter)
    redactor: Redactor = field(default_factory=RuleRedactor)
    reader: AttachmentReader = field(default_factory=FileReader)
    warm_up: Callable[[], None] | None = None
    memory_files: MemoryFiles | None = None
    timer: Timer | None = None
    calendar: Calendar = field(default_factory=CronCalendar)
