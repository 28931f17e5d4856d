"""What a store in memory keeps of chats beside their turns: cuts, summaries, tasks, jobs."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace
from datetime import datetime

from bot.core.chat import InboundMessage, SessionKey
from bot.core.lifecycle import ModelCall
from bot.core.llm import Usage
from bot.core.memory.audience import audience_of
from bot.core.memory.jobs import JobId, MemoryEntry, MemoryJob, MemoryJobKind
from bot.core.memory.opening import Opening
from bot.core.rewriting import Rewriting, amended, rederived
from bot.core.tasks import TaskState
from bot.core.turns import Turn, TurnId
from bot.core.window.conversation import (
    Compaction,
    Conversation,
    Cut,
    Summary,
    emptied,
    is_emptied,
)
from bot.testing.chat_session import ChatSession as ChatSession
from bot.testing.chat_session import KeptJob
from bot.testing.kept_settings import KeptSettings

MOST_CALLS = 8


class ChatMemory(KeptSettings):
    """Keeps in dicts what the SQLite store keeps in tables; ``turns`` gives all turns.

    Attributes:
        entries: What daily files have, or are to get, by the id of the turn.
    """

    def __init__(self, turns: Callable[[], Iterable[Turn]], calls: list[ModelCall]) -> None:
        super().__init__()
        self.entries: dict[int, MemoryEntry] = {}
        self._turns = turns
        self._calls = calls
        self._sessions: dict[SessionKey, ChatSession] = {}
        self._remembered: set[int] = set()
        self._off_record: set[int] = set()
        self._written: set[int] = set()
        self._wholes: dict[tuple[int, int, str], str] = {}
        self._summaries: dict[int, Summary] = {}
        self._newest_version = 0
        self._jobs: dict[tuple[SessionKey, MemoryJobKind], KeptJob] = {}
        self._newest_job = 0  # also of those that turned out to be there: ids have gaps

    async def load(self, session_key: SessionKey) -> Conversation:
        """Give a chat's cut and all that it shows."""
        session = self._known(session_key)
        calls = self._answers_of(session_key, 0)
        return Conversation(
            session_key=session_key,
            generation=session.generation,
            turns=tuple(self._ended(session_key, session.cut.kept_from)),
            cut=session.cut,
            summary=self._summaries.get(session.cut.summary_version),
            former=session.former,
            compaction=session.compaction,
            is_fresh=not session.is_open,
            calls=tuple(calls[-MOST_CALLS:]),
        )

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
        if self._known(session_key).generation != generation:
            return False
        session = self._session(session_key)
        before, session.cut, session.is_open = session.cut, cut, True
        if compaction is not None:
            session.former, session.former_task = before, None
            session.compaction = compaction
            self._ask_for_summary(session_key, at)
        return True

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
        self._begin_anew(session_key)
        session = self._session(session_key)
        ids = [turn.id for turn in self._turns() if turn.session_key == session_key]
        first = TurnId(max(ids, default=0) + 1)
        empty = emptied(session.cut, first, opening, is_recalled=is_recalled)
        has_nothing = session.task is None and is_emptied(session.cut, first)
        if has_nothing and (opening is not None or session.cut.opening is None):
            session.cut = empty
            return session.generation
        session.generation += 1
        session.former, session.cut = session.cut, empty
        session.former_task, session.task = session.task, None
        session.compaction = compaction or session.compaction
        session.calls_after = len(self._calls)
        self._ask_for_summary(session_key, at)
        return session.generation

    async def undo(self, session_key: SessionKey, *, at: datetime) -> bool:
        """Put the former cut back, and what the task was then unless there is a new one."""
        session = self._known(session_key)
        if session.former is None:
            return False
        session.generation += 1
        session.cut, session.former, session.is_open = session.former, None, True
        session.task, session.former_task = session.task or session.former_task, None
        self._ask_for_summary(session_key, at)
        return True

    async def turns_between(
        self, session_key: SessionKey, first: int, last: int
    ) -> tuple[Turn, ...]:
        """Give ended turns by their ids, both ends included."""
        return tuple(turn for turn in self._ended(session_key, first) if turn.id <= last)

    async def usage_of(self, session_key: SessionKey) -> Usage:
        """Add up what a chat's answers have cost since its last clear."""
        usage = Usage()
        for call in self._answers_of(session_key, self._known(session_key).calls_after):
            usage += call.usage
        return usage

    async def task_of(self, session_key: SessionKey) -> TaskState | None:
        """Give the state of a chat's task."""
        return self._known(session_key).task

    async def note_task(
        self, session_key: SessionKey, task: TaskState | None, *, turn_id: TurnId, at: datetime
    ) -> bool:
        """Note the state of a chat's task, unless the turn was cleared."""
        if turn_id < self._known(session_key).cut.cleared_before:
            return False
        self._session(session_key).task = task
        return True

    async def tool_output(self, session_key: SessionKey, call_id: str) -> str | None:
        """Give the whole result of a call of a chat."""
        first = self._known(session_key).cut.cleared_before
        found: str | None = None
        for turn in self._turns():
            if turn.session_key != session_key or turn.id < first:
                continue
            for index, step in enumerate(turn.steps):
                for result in step.results:
                    if result.call_id == call_id:
                        found = self._wholes.get((turn.id, index, call_id), result.content)
        return found

    async def due_jobs(self, at: datetime, *, limit: int) -> tuple[MemoryJob, ...]:
        """Give the jobs that may be tried now, the one that waits longest first."""
        due = [job for job in self._jobs.values() if job.due_at <= at]
        due.sort(key=lambda job: (job.due_at, job.id))
        return tuple(self._job(job) for job in due[:limit])

    async def next_due(self) -> datetime | None:
        """Say when a job is due."""
        return min((job.due_at for job in self._jobs.values()), default=None)

    async def unremembered(self, job: MemoryJob, *, limit: int) -> tuple[Turn, ...]:
        """Give the turns of a job that no daily file has."""
        turns = (turn for turn in self._ended(job.session_key, 0) if turn.id <= job.through)
        return tuple(turn for turn in turns if turn.id not in self._remembered)[:limit]

    async def ask_to_remember(
        self, before: datetime, *, at: datetime, session_key: str = ""
    ) -> int:
        """Keep jobs for turns that no daily file has; gives how many."""
        through: dict[SessionKey, int] = {}
        for turn in self._turns():
            is_meant = session_key in ("", turn.session_key) and turn.outcome is not None
            if is_meant and turn.started_at < before and turn.id not in self._remembered:
                through[turn.session_key] = turn.id
        for key, last in sorted(through.items()):
            job = self._jobs.get((key, "remember"))
            if job is None:
                self._add_job("remember", key, last, at)
            else:
                self._newest_job += 1
                job.through, job.due_at = max(job.through, last), min(job.due_at, at)
        return len(through)

    async def record_call(self, call: ModelCall) -> None:
        """Account for a call of the model beside those of turns."""
        self._calls.append(call)

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
        self._keep(entries)
        session = self._sessions.get(job.session_key)
        if session is None or session.generation != summary.generation or session.cut != cut:
            return False
        self._newest_version += 1
        version = self._newest_version
        self._summaries[version] = replace(summary, version=version)
        session.cut = replace(cut, summary_version=version, digest=digest)
        self._ask_for_summary(job.session_key, summary.made_at)
        return True

    async def remember(
        self, job: MemoryJob, entries: tuple[MemoryEntry, ...], *, is_done: bool
    ) -> None:
        """Keep entries, and end the job with the last of them."""
        self._keep(entries)
        kept = self._waiting_job(job.id)
        if is_done and kept is not None and kept.through <= job.through:
            await self.drop(job.id)

    async def postpone(self, job_id: JobId, *, due_at: datetime, reason: str) -> None:
        """Note a failure and when the job is tried again."""
        if (job := self._waiting_job(job_id)) is not None:
            job.attempts, job.due_at, job.reason = job.attempts + 1, due_at, reason

    async def hold_back(self, job_id: JobId, *, due_at: datetime, reason: str) -> None:
        """Have a job wait, through no failure of its own."""
        if (job := self._waiting_job(job_id)) is not None:
            job.due_at, job.reason = due_at, reason

    async def go_on(self, reason: str, *, at: datetime) -> None:
        """End the wait of all jobs that were held back for a reason."""
        for job in self._jobs.values():
            if job.reason == reason:
                job.due_at = min(job.due_at, at)

    async def drop(self, job_id: JobId) -> None:
        """End a job."""
        if (job := self._waiting_job(job_id)) is not None:
            del self._jobs[job.session_key, job.kind]

    async def unwritten(self, *, limit: int, after: int = 0) -> tuple[MemoryEntry, ...]:
        """Give entries that their daily file does not have yet."""
        ids = sorted(each for each in set(self.entries) - self._written if each > after)
        return tuple(self.entries[turn_id] for turn_id in ids[:limit])

    async def mark_written(self, entries: tuple[MemoryEntry, ...]) -> None:
        """Note that daily files have entries."""
        for entry in entries:
            kept = self.entries.get(entry.turn_id)
            if kept and (kept.moment, kept.text) == (entry.moment, entry.text):
                self._written.add(entry.turn_id)

    def hear(self, session_key: SessionKey, at: datetime) -> None:
        """Note that something came in, of a chat that there is."""
        if session_key in self._sessions:
            self._sessions[session_key].hear(at)

    def is_current(self, turn: Turn) -> bool:
        """Say whether a turn may be shown."""
        return turn.id >= self._known(turn.session_key).cut.kept_from

    def follow(self, rewriting: Rewriting) -> None:
        """Let what was made of an ended turn follow its new request."""
        turn = rewriting.turn
        session = self._session(turn.session_key)
        session.generation += 1
        cut = self._rederived(session.cut, rewriting)
        if cut != session.cut:
            session.cut = cut
            self._ask_for_summary(turn.session_key, rewriting.at)
        if session.former is not None:
            session.former = self._rederived(session.former, rewriting)
        if (entry := self.entries.get(turn.id)) is not None:
            is_written = turn.id in self._written
            if is_written:  # from then on the file alone has it
                self._written.discard(turn.id)
                entry = replace(entry, text="")
            self.entries[turn.id] = amended(entry, rewriting, is_written=is_written)

    def _begin_anew(self, session_key: SessionKey) -> None:
        """Let go of what waited for the turn that would have come next."""

    def _known(self, session_key: SessionKey) -> ChatSession:
        """Give what is known of a chat, which may be nothing."""
        return self._sessions.get(session_key) or ChatSession()

    def _session(self, session_key: SessionKey) -> ChatSession:
        return self._sessions.setdefault(session_key, ChatSession())

    def _note_chat(self, message: InboundMessage, at: datetime) -> int:
        """Note what kind of chat it is and who wrote last; gives the generation."""
        session = self._session(message.address.session_key)
        session.kind, session.person_key = message.kind, message.sender.person_key
        session.hear(at)
        return session.generation

    def _rederived(self, cut: Cut, rewriting: Rewriting) -> Cut:
        ended = self._ended(rewriting.turn.session_key, cut.cleared_before)
        left = tuple(turn for turn in ended if turn.id < cut.kept_from)
        summary = self._summaries.get(cut.summary_version)
        after, derived = rederived(cut, summary, rewriting, left)
        if derived is None or derived == summary:
            return after
        self._newest_version += 1
        self._summaries[self._newest_version] = replace(derived, version=self._newest_version)
        return replace(after, summary_version=self._newest_version)

    def _is_remembered(self, turn: Turn) -> bool:
        """Say whether the daily file has a turn."""
        return turn.id in self._remembered and (
            turn.id not in self.entries or turn.id in self._written
        )

    def _remove_chat(self, session_key: SessionKey) -> None:
        """Forget all of a chat but its turns, which are to be removed behind it."""
        del self._sessions[session_key]
        self._jobs = {place: job for place, job in self._jobs.items() if place[0] != session_key}
        for turn in self._turns():
            if turn.session_key == session_key:
                self.entries.pop(turn.id, None)
        self.remove_settings_of(session_key)

    def _ended(self, session_key: SessionKey, first: int) -> list[Turn]:
        return [
            turn
            for turn in self._turns()
            if turn.session_key == session_key and turn.id >= first and turn.outcome is not None
        ]

    def _answers_of(self, session_key: SessionKey, after: int) -> list[ModelCall]:
        return [
            call
            for call in self._calls[after:]
            if call.session_key == session_key and call.purpose == "answer"
        ]

    def _keep(self, entries: tuple[MemoryEntry, ...]) -> None:
        turns = [turn for turn in self._turns() if turn.outcome is not None]
        ended = {(turn.id, turn.started_at, turn.revision): turn.session_key for turn in turns}
        for entry in entries:
            key = ended.get((entry.turn_id, entry.moment, entry.revision))
            if key is not None and entry.turn_id not in self._remembered:
                self._remembered.add(entry.turn_id)
                self._written.discard(entry.turn_id)
                kept = replace(entry, audience=audience_of(key, entry.audience.kind))
                self.entries[entry.turn_id] = kept

    def _ask_for_summary(self, session_key: SessionKey, at: datetime) -> None:
        """Keep a job if turns left that the summary which is shown does not cover."""
        session = self._session(session_key)
        summary = self._summaries.get(session.cut.summary_version)
        first = max(session.cut.cleared_before, summary.through + 1 if summary else 0)
        left = [turn for turn in self._ended(session_key, first) if turn.id < session.cut.kept_from]
        job = self._jobs.get((session_key, "summary"))
        if not left:
            self._jobs.pop((session_key, "summary"), None)
        elif job is None:
            self._add_job("summary", session_key, left[-1].id, at)
        else:
            self._newest_job += 1
            job.generation, job.through = session.generation, left[-1].id
            job.attempts, job.due_at = 0, at

    def _add_job(self, kind: MemoryJobKind, key: SessionKey, through: int, at: datetime) -> None:
        self._newest_job += 1
        generation = self._session(key).generation
        self._jobs[key, kind] = KeptJob(self._newest_job, kind, key, generation, through, at)

    def _waiting_job(self, job_id: JobId) -> KeptJob | None:
        return next((job for job in self._jobs.values() if job.id == job_id), None)

    def _job(self, job: KeptJob) -> MemoryJob:
        session = self._session(job.session_key)
        return MemoryJob(
            id=JobId(job.id),
            kind=job.kind,
            session_key=job.session_key,
            audience=audience_of(job.session_key, session.kind),
            person_key=session.person_key,
            generation=job.generation,
            through=TurnId(job.through),
            attempts=job.attempts,
            due_at=job.due_at,
        )
