"""The ports to long-term memory: what is still to be remembered, files, and redaction."""

from __future__ import annotations

from datetime import date, datetime
from typing import Protocol

from bot.core.lifecycle import ModelCall
from bot.core.memory.audience import Audience
from bot.core.memory.jobs import JobId, MemoryEntry, MemoryJob
from bot.core.turns import Turn
from bot.core.window.conversation import Cut, Summary


class MemoryJobs(Protocol):
    """Durable work on what is to be remembered; each call is one transaction.

    * ``due_jobs`` gives the jobs that may be tried now, oldest first; ``next_due`` when there is
      one again, None for never.
    * ``unremembered`` gives the ended turns through ``job.through`` of the job's chat that no entry
      was kept of, oldest first, at most ``limit``; cleared ones too.
    * ``ask_to_remember`` keeps a job ``remember`` for each chat with ended, unremembered turns that
      were opened before a moment (or for the one chat); gives how many.
    * ``record_call`` accounts for a call of the model beside those of turns.
    * ``land_summary`` keeps entries (one for each time a turn was opened: none for a turn that was
      opened again since the entry's moment, changed since its revision, or that has one) and, if
      the conversation's generation is still the summary's and its cut the one given as ``cut``, the
      summary as a new version, which is shown from now on with ``digest`` for what it does not
      cover. The job ``summary`` ends with it, or begins anew for that rest. False when it is not
      shown: then nothing but the entries is kept, and the job stays.
    * ``remember`` keeps entries and ends the job if ``is_done``.
    * ``postpone`` notes a failure and when the job is due again; ``drop`` ends a job.
    * ``unwritten`` gives entries whose file does not have them yet, by the ids of their turns from
      ``after`` on; ``mark_written`` notes that it has, and forgets their text.
    * ``moved_audiences`` gives pairs of audiences, old and new, of chats that were moved and whose
      files were not; ``mark_moved`` notes that those of the old one were.
    """

    async def due_jobs(self, at: datetime, *, limit: int) -> tuple[MemoryJob, ...]: ...
    async def next_due(self) -> datetime | None: ...
    async def unremembered(self, job: MemoryJob, *, limit: int) -> tuple[Turn, ...]: ...
    async def ask_to_remember(
        self, before: datetime, *, at: datetime, session_key: str = ""
    ) -> int: ...
    async def record_call(self, call: ModelCall) -> None: ...
    async def land_summary(
        self,
        job: MemoryJob,
        summary: Summary,
        entries: tuple[MemoryEntry, ...],
        *,
        cut: Cut,
        digest: str,
    ) -> bool: ...
    async def remember(
        self, job: MemoryJob, entries: tuple[MemoryEntry, ...], *, is_done: bool
    ) -> None: ...
    async def postpone(self, job_id: JobId, *, due_at: datetime, reason: str) -> None: ...
    async def drop(self, job_id: JobId) -> None: ...
    async def unwritten(self, *, limit: int, after: int = 0) -> tuple[MemoryEntry, ...]: ...
    async def mark_written(self, entries: tuple[MemoryEntry, ...]) -> None: ...
    async def moved_audiences(self) -> tuple[tuple[Audience, Audience], ...]: ...
    async def mark_moved(self, old: Audience) -> None: ...


class MemoryFiles(Protocol):
    """The Markdown files of memory, a folder for each audience.

    ``append`` adds entries to the daily files they name, each once even if it is called again after
    a crash: the file itself says which it has. One with a revision takes the place of all that its
    file has of the turn. A file is never seen half written.
    ``move`` makes the files of one audience those of another, day by day before what that one has
    by then; nothing happens when there are none.

    Raises:
        StoreError: The files could not be written.
    """

    async def append(self, entries: tuple[MemoryEntry, ...]) -> None: ...
    async def read_day(self, audience: Audience, day: date) -> str: ...
    async def move(self, old: Audience, new: Audience) -> None: ...


class Redactor(Protocol):
    """Replaces passwords, tokens, keys and financial numbers by ``[redacted:kind]``.

    ``redact`` is pure and may be called from any thread; text without secrets comes back as the
    same object, and what it gave comes back unchanged when given again.
    """

    def redact(self, text: str) -> str: ...
