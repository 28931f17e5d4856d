"""The ports to long-term memory: what is still to be remembered, files, and redaction."""

from __future__ import annotations

from datetime import date, datetime
from typing import Protocol

from bot.core.memory.audience import Audience, Viewer
from bot.core.memory.jobs import JobId, MemoryEntry, MemoryJob
from bot.core.memory.versions import FilesForgotten, FileVersion, MemoryFile, VersionStamp
from bot.core.turns import Turn, TurnId
from bot.core.window.conversation import Cut, Summary
from bot.ports.spending import CallLog


class MemoryJobs(CallLog, Protocol):
    """Durable work on what is to be remembered; each call is one transaction.

    * ``due_jobs`` gives the jobs that may be tried now, oldest first; ``next_due`` when there is
      one again, None for never.
    * ``unremembered`` gives the ended turns through ``job.through`` of the job's chat that no entry
      was kept of, oldest first, at most ``limit``; cleared ones too.
    * ``ask_to_remember`` keeps a job ``remember`` for each chat with ended, unremembered turns that
      were opened before a moment (or for the one chat); gives how many.
    * ``land_summary`` keeps entries (one for each time a turn was opened: none for a turn that was
      opened again since the entry's moment, changed since its revision, or that has one) and, if
      the conversation's generation is still the summary's and its cut the one given as ``cut``, the
      summary as a new version, which is shown from now on with ``digest`` for what it does not
      cover. The job ``summary`` ends with it, or begins anew for that rest. False when it is not
      shown: then nothing but the entries is kept, and the job stays.
    * ``remember`` keeps entries and ends the job if ``is_done``.
    * ``postpone`` notes a failure and when the job is due again; ``hold_back`` has it wait though
      nothing failed, and ``go_on`` ends that wait at a moment for all that were held back for a
      reason; ``drop`` ends a job.
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
    async def hold_back(self, job_id: JobId, *, due_at: datetime, reason: str) -> None: ...
    async def go_on(self, reason: str, *, at: datetime) -> None: ...
    async def drop(self, job_id: JobId) -> None: ...
    async def unwritten(self, *, limit: int, after: int = 0) -> tuple[MemoryEntry, ...]: ...
    async def mark_written(self, entries: tuple[MemoryEntry, ...]) -> None: ...
    async def moved_audiences(self) -> tuple[tuple[Audience, Audience], ...]: ...
    async def mark_moved(self, old: Audience) -> None: ...


class DailyFiles(Protocol):
    """The daily Markdown files of memory, in a folder for each audience.

    ``append`` adds entries to the daily files they name, each once even if it is called again after
    a crash: the file itself says which it has. One with a revision takes the place of all that its
    file has of the turn, and no version keeps what it takes the place of. A file is never seen half
    written. Entries that were read before ``cleanings`` changed from ``since`` may have what was
    forgotten meanwhile: they are refused.
    ``move`` makes the files of one audience those of another, day by day before what that one has
    by then, notes and versions too; nothing happens when there are none.

    Raises:
        StoreError: The files could not be written.
    """

    @property
    def cleanings(self) -> int: ...
    async def append(
        self, entries: tuple[MemoryEntry, ...], *, since: int | None = None
    ) -> None: ...
    async def read_day(self, audience: Audience, day: date) -> str: ...
    async def move(self, old: Audience, new: Audience) -> None: ...


class LastingFiles(Protocol):
    """``MEMORY.md`` of each audience: a block that the bot writes, and a person's own notes.

    ``write_lasting`` puts lines between the marks of the file, and touches nothing else in it; a
    version keeps the former text. False when the file says so already. Lines that were read before
    ``cleanings`` changed from ``since`` may have what was forgotten meanwhile: they are refused.
    ``notes_of`` gives what a person wrote outside the marks, for the index alone.

    Raises:
        StoreError: The file could not be read or written.
    """

    @property
    def cleanings(self) -> int: ...
    async def write_lasting(
        self, audience: Audience, lines: tuple[str, ...], *, since: int | None = None
    ) -> bool: ...
    async def notes_of(self, audience: Audience) -> str: ...


class FileVersions(Protocol):
    """Former texts of the memory files of the viewer's own audience, the newest 20 of each.

    Kept is what the bot overwrites, and what a person overwrote, as soon as that is noticed.

    ``history`` gives the versions of a file, newest first; none of what is no memory file.
    ``read_version`` gives one, None where there is none.
    ``restore`` makes a version the file's text again and keeps the present one as a version; False
    where there is none.
    ``files_of`` gives all files with all their versions.

    Raises:
        StoreError: The files could not be read or written.
    """

    async def history(self, viewer: Viewer, name: str) -> tuple[FileVersion, ...]: ...
    async def read_version(self, viewer: Viewer, name: str, stamp: VersionStamp) -> str | None: ...
    async def restore(self, viewer: Viewer, name: str, stamp: VersionStamp) -> bool: ...
    async def files_of(self, viewer: Viewer) -> tuple[MemoryFile, ...]: ...


class MemoryFiles(DailyFiles, LastingFiles, FileVersions, Protocol):
    """All that is kept in files.

    ``forget_in_files`` removes from all files of an audience, versions and what was put aside too,
    the entries of turns, and lines: those that say exactly what is given (of notes), and those of
    the block of ``MEMORY.md`` in which it occurs. Nothing keeps the former text, and the bytes on
    the disk are overwritten as far as the file system overwrites in place. Called again after a
    failure it goes on. ``cleanings`` counts these calls: who reads rows to write them into a file
    looks at it before.

    Raises:
        StoreError: Something is left.
    """

    async def forget_in_files(
        self, audience: Audience, turn_ids: frozenset[TurnId], lines: tuple[str, ...]
    ) -> FilesForgotten: ...


class Redactor(Protocol):
    """Replaces passwords, tokens, keys and financial numbers by ``[redacted:kind]``.

    ``redact`` is pure and may be called from any thread; text without secrets comes back as the
    same object, and what it gave comes back unchanged when given again.
    """

    def redact(self, text: str) -> str: ...
