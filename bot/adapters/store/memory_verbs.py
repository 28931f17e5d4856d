"""The store's verbs on what chats remember, on settings, and on what goes by the calendar."""

from __future__ import annotations

import secrets
from datetime import datetime

from bot.adapters.store import (
    attendance,
    conversations,
    memory,
    moving,
    settings,
    turns,
    upkeep,
    usage,
)
from bot.adapters.store.verbs import Verbs
from bot.core.attendance import Stretches
from bot.core.chat import SessionKey
from bot.core.llm import Usage
from bot.core.memory.audience import Audience
from bot.core.memory.jobs import JobId, MemoryEntry, MemoryJob
from bot.core.memory.opening import Opening
from bot.core.schedule import SilentChat
from bot.core.tasks import TaskState
from bot.core.turns import Turn, TurnId
from bot.core.window.conversation import Compaction, Conversation, Cut, Summary
from bot.ports import Override, SettingChange


class MemoryVerbs(Verbs):
    """A part of the store, told apart by what it is about.

    It fills the ports Conversations, TaskStates, KeptResults, ModelLimits, Sessions, MemoryJobs,
    Settings, JobSlots and Attendance.
    """

    def __init__(self) -> None:
        super().__init__()
        # Which opening of the store a chat's cut was written by: a new one is a new process.
        self.opened_by = secrets.token_hex(8)

    async def load(self, session_key: SessionKey) -> Conversation:
        """Give a chat's cut and all that it shows."""
        return await self._read(conversations.load, self.opened_by, session_key)

    async def save_cut(
        self,
        session_key: SessionKey,
        cut: Cut,
        *,
        generation: int,
        at: datetime,
        compaction: Compaction | None = None,
    ) -> bool:
        """Put a cut in the place of the one that is kept, if the chat was not cleared."""
        mark = conversations.CutMark(
            opened_by=self.opened_by, generation=generation, at=at, compaction=compaction
        )
        return await self._call(conversations.save_cut, session_key, cut, mark)

    async def clear(
        self,
        session_key: SessionKey,
        *,
        at: datetime,
        compaction: Compaction | None = None,
        opening: Opening | None = None,
        is_recalled: bool = False,
    ) -> int:
        """Show nothing of what was opened so far; gives the new generation."""
        return await self._call(
            conversations.clear, session_key, at, compaction, opening, is_recalled=is_recalled
        )

    async def undo(self, session_key: SessionKey, *, at: datetime) -> bool:
        """Put the former cut back."""
        return await self._call(conversations.undo, session_key, self.opened_by, at)

    async def turns_between(
        self, session_key: SessionKey, first: int, last: int
    ) -> tuple[Turn, ...]:
        """Give ended turns by their ids, both ends included."""
        return await self._read(turns.ended_turns, session_key, first=first, last=last)

    async def usage_of(self, session_key: SessionKey) -> Usage:
        """Add up what a chat's answers have cost since its last clear."""
        return await self._read(usage.of_chat, session_key)

    async def task_of(self, session_key: SessionKey) -> TaskState | None:
        """Give the state of a chat's task."""
        return await self._read(conversations.task_of, session_key)

    async def note_task(
        self, session_key: SessionKey, task: TaskState | None, *, turn_id: TurnId, at: datetime
    ) -> bool:
        """Note the state of a chat's task, unless the turn was cleared."""
        return await self._call(conversations.note_task, session_key, task, turn_id)

    async def tool_output(self, session_key: SessionKey, call_id: str) -> str | None:
        """Give the whole result of a call of a chat."""
        return await self._read(conversations.tool_output, session_key, call_id)

    async def windows(self) -> dict[str, int]:
        """Give what models were found to read."""
        return await self._read(upkeep.windows)

    async def learn_window(self, model: str, tokens: int, *, at: datetime) -> None:
        """Note what a model was found to read."""
        await self._call(upkeep.learn_window, model, tokens, at)

    async def quiet_since(self, before: datetime) -> int:
        """Count the chats in which nothing came in since."""
        return await self._read(upkeep.quiet_since, before)

    async def silent_since(self, before: datetime) -> tuple[SilentChat, ...]:
        """Name silent chats."""
        return await self._read(upkeep.silent_since, before)

    async def remove(self, session_key: SessionKey, *, before: datetime) -> bool:
        """Remove a chat that is silent still."""
        return await self._call(upkeep.remove, session_key, before)

    async def due_jobs(self, at: datetime, *, limit: int) -> tuple[MemoryJob, ...]:
        """Give the jobs that may be tried now."""
        return await self._read(memory.due_jobs, at, limit)

    async def next_due(self) -> datetime | None:
        """Say when a job is due."""
        return await self._read(memory.next_due)

    async def unremembered(self, job: MemoryJob, *, limit: int) -> tuple[Turn, ...]:
        """Give the turns of a job that no daily file has."""
        return await self._read(memory.unremembered, job, limit)

    async def ask_to_remember(
        self, before: datetime, *, at: datetime, session_key: str = ""
    ) -> int:
        """Keep jobs for turns that no daily file has; gives how many."""
        return await self._call(memory.ask_to_remember, before, at, session_key)

    async def land_summary(
        self,
        job: MemoryJob,
        summary: Summary,
        entries: tuple[MemoryEntry, ...],
        *,
        cut: Cut,
        digest: str,
    ) -> bool:
        """Keep entries, and show the summary if the chat is still as it was."""
        return await self._call(memory.land_summary, job, summary, entries, cut, digest)

    async def remember(
        self, job: MemoryJob, entries: tuple[MemoryEntry, ...], *, is_done: bool
    ) -> None:
        """Keep entries, and end the job with the last of them."""
        await self._call(memory.remember, job, entries, is_done)

    async def postpone(self, job_id: JobId, *, due_at: datetime, reason: str) -> None:
        """Note a failure and when the job is tried again."""
        await self._call(memory.postpone, job_id, due_at, reason)

    async def hold_back(self, job_id: JobId, *, due_at: datetime, reason: str) -> None:
        """Have a job wait, through no failure of its own."""
        await self._call(memory.hold_back, job_id, due_at, reason)

    async def go_on(self, reason: str, *, at: datetime) -> None:
        """End the wait of all jobs that were held back for a reason."""
        await self._call(memory.go_on, reason, at)

    async def drop(self, job_id: JobId) -> None:
        """End a job."""
        await self._call(memory.drop, job_id)

    async def unwritten(self, *, limit: int, after: int = 0) -> tuple[MemoryEntry, ...]:
        """Give entries that their daily file does not have yet."""
        return await self._read(memory.unwritten, limit, after)

    async def mark_written(self, entries: tuple[MemoryEntry, ...]) -> None:
        """Note that daily files have entries, and forget their text."""
        await self._call(memory.mark_written, entries)

    async def moved_audiences(self) -> tuple[tuple[Audience, Audience], ...]:
        """Give the audiences whose files are still to be moved."""
        return await self._read(moving.moved_audiences)

    async def mark_moved(self, old: Audience) -> None:
        """Note that the files of an audience were moved."""
        await self._call(moving.mark_moved, old)

    async def overrides(self) -> tuple[Override, ...]:
        """Give what holds in the place of the operator's settings."""
        return await self._read(settings.overrides)

    async def override(
        self, key: str, value: str | None, *, scope: str, by: str, at: datetime
    ) -> SettingChange:
        """Set a value, or with None take the override away."""
        return await self._call(settings.override, (key, value, scope), by, at)

    async def newest_change(self, *, scope: str) -> SettingChange | None:
        """Give the newest change of a scope that was not taken back."""
        return await self._read(settings.newest_change, scope)

    async def undo_override(self, *, scope: str, by: str, at: datetime) -> SettingChange | None:
        """Take back the newest change of a scope."""
        return await self._call(settings.undo_override, scope, by, at)

    async def claim_slot(self, name: str, slot: datetime, *, at: datetime) -> bool:
        """Claim a moment of a schedule."""
        return await self._call(upkeep.claim_slot, name, slot, at)

    async def last_slot(self, name: str) -> datetime | None:
        """Give the newest claimed moment of a schedule."""
        return await self._read(upkeep.last_slot, name)

    async def attend(
        self, since: datetime, *, at: datetime, unproved_since: datetime | None = None
    ) -> Stretches:
        """Note that the bot was there until now, and give all that is known of when it was."""
        return await self._call(attendance.attend, since, at, unproved_since)

    async def stretches(self) -> Stretches:
        """Say when the bot was there."""
        return await self._read(attendance.stretches)
