"""What the application is built on."""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Protocol

from bot.adapters.attachments.reader import FileReader
from bot.adapters.backup_making import BackupSource
from bot.adapters.calendar import CronCalendar
from bot.adapters.redactor import RuleRedactor
from bot.adapters.token_counter import TiktokenCounter
from bot.app.channels import Announce
from bot.ports import (
    AttachmentReader,
    Attendance,
    Backlogs,
    Calendar,
    Channel,
    Clock,
    Conversations,
    Disk,
    Episodes,
    Facts,
    Forgettings,
    JobSlots,
    KeptItems,
    KeptResults,
    Lifecycle,
    MemoryFiles,
    MemoryJobs,
    ModelClient,
    ModelDirectory,
    ModelLimits,
    People,
    PersonalRecords,
    PersonZones,
    RawSearch,
    RecalledFiles,
    Redactor,
    Reminders,
    SearchIndex,
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
    Episodes,
    Facts,
    KeptItems,
    People,
    TaskStates,
    KeptResults,
    ModelLimits,
    Sessions,
    MemoryJobs,
    Settings,
    JobSlots,
    Attendance,
    UsageLog,
    PersonalRecords,
    Reminders,
    PersonZones,
    Forgettings,
    Backlogs,
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
        model_directory: Tells which models there are, at no cost; None where nobody does.
        store_watch: Is told by the store how its work went.
        data_dir: Where a running bot leaves word of how it can be asked; None to answer nobody.
        follows_bad_end: Whether the process before did not end as it should, or may not have.
        warm_up: Loads, in a thread, what the first message would have to wait for.
        memory_files: Where what is remembered is written; None to remember nothing beyond chats.
        search_index: What finds pieces of memory; None to find nothing.
        recalled_files: The files that it is to find besides what the store has.
        raw_search: What searches the disk for what was forgotten; None where nothing is on one.
        disk: What looks at the disk with the data folder; None where there is none.
        timer: What waits for moments of the calendar; None for one that sleeps by ``clock``.
        backup_source: What a backup is made of; None where nothing is on a disk.
        jitter: Gives numbers in [0, 1), so that pauses are not all of the same length.
    """

    store: Store
    model: ModelClient
    model_name: str
    channels: Mapping[str, Channel]
    clock: Clock
    announce: Announce
    model_directory: ModelDirectory | None = None
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
    disk: Disk | None = None
    search_index: SearchIndex | None = None
    recalled_files: RecalledFiles | None = None
    raw_search: RawSearch | None = None
    backup_source: BackupSource | None = None
    calendar: Calendar = field(default_factory=CronCalendar)
