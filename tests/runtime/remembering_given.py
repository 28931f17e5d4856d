"""A chat that outgrows its window, the worker beside it, and daily files in memory."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from datetime import date, datetime, timedelta, timezone

from bot.core.chat import SessionKey
from bot.core.llm import ModelRequest
from bot.core.memory.audience import Audience
from bot.core.memory.jobs import JobId, MemoryEntry, MemoryJob
from bot.core.window.conversation import Conversation, Cut, Summary
from bot.core.window.summary.extract import extractive_answer
from bot.core.window.summary.plan import SUMMARISER
from bot.errors import StoreError
from bot.ports import Redactor
from bot.runtime.remembering import Remembering, RememberingParts, SummaryLimits
from bot.runtime.supervisor import Supervisor
from bot.testing.chat_run import ChatRun, RuleOfThumb, Unchanging
from bot.testing.clock import settle
from bot.testing.model import Answer, ScriptedModel
from bot.testing.store import InMemoryStore

ZONE = timezone(timedelta(hours=15))
"""Where it is after midnight when fake clocks begin: 2026-01-06."""

TODAY = date(2026, 1, 6)
MINUTE = 60.0


class DailyFiles:
    """Fills MemoryFiles: lists by day; ``failures`` is how often writing fails from now on.

    Attributes:
        broken: The audience whose folder cannot be written.
    """

    def __init__(self) -> None:
        self.appended: list[MemoryEntry] = []
        self.failures = 0
        self.cleanings = 0
        self.broken: Audience | None = None

    async def append(self, entries: tuple[MemoryEntry, ...], *, since: int | None = None) -> None:
        if self.failures:
            self.failures -= 1
            raise StoreError("the disk is full")
        if any(entry.audience == self.broken for entry in entries):
            raise StoreError("permission denied")
        known = {(entry.turn_id, entry.moment) for entry in self.appended}
        self.appended += (each for each in entries if (each.turn_id, each.moment) not in known)

    async def read_day(self, audience: Audience, day: date) -> str:
        return "\n".join(entry.text for entry in self.appended if entry.day == day)

    async def move(self, old: Audience, new: Audience) -> None:
        self.appended = [
            replace(each, audience=new) if each.audience == old else each for each in self.appended
        ]

    @property
    def turns(self) -> list[int]:
        return [entry.turn_id for entry in self.appended]


class WatchedStore(InMemoryStore):
    """Notes why jobs were put off, and the digests beside which summaries landed."""

    def __init__(self) -> None:
        super().__init__()
        self.reasons: list[str] = []
        self.landings: list[str] = []

    async def postpone(self, job_id: JobId, *, due_at: datetime, reason: str) -> None:
        self.reasons.append(reason)
        await super().postpone(job_id, due_at=due_at, reason=reason)

    async def land_summary(
        self,
        job: MemoryJob,
        summary: Summary,
        entries: tuple[MemoryEntry, ...],
        *,
        cut: Cut,
        digest: str,
    ) -> bool:
        is_shown = await super().land_summary(job, summary, entries, cut=cut, digest=digest)
        if is_shown:
            self.landings.append(digest)
        return is_shown


def extract(request: ModelRequest) -> str:
    assert request.system == SUMMARISER
    return extractive_answer(request.messages[0].text)


def front(request: ModelRequest) -> str:
    """The bot's notes before what people said, as one text."""
    blocks = [getattr(block, "text", "") for block in request.messages[0].blocks]
    return "\n".join(text for text in blocks if text.startswith("["))


class World:
    """A chat with its store, and a worker that may be killed and begun anew.

    Attributes:
        answer: What the model says from now on.
    """

    def __init__(
        self,
        answer: Callable[[ModelRequest], Answer] = extract,
        *,
        limits: SummaryLimits | None = None,
        redactor: Redactor | None = None,
        store: WatchedStore | None = None,
    ) -> None:
        self.store = store or WatchedStore()
        self.chat = ChatRun(self.store)
        self.clock = self.chat.clock
        self.answer = answer
        self.model = ScriptedModel(lambda request: self.answer(request))
        self.files = DailyFiles()
        self.landed: list[SessionKey] = []
        self.limits = limits or SummaryLimits(model="small", window_tokens=200_000)
        self._redactor = redactor or Unchanging()

    def parts(self, supervisor: Supervisor) -> RememberingParts:
        return RememberingParts(
            jobs=self.store,
            conversations=self.store,
            files=self.files,
            model=self.model,
            redactor=self._redactor,
            counter=RuleOfThumb(),
            clock=self.clock,
            timezone=ZONE,
            limits=lambda _: self.limits,
            on_landed=self._note_landed,
            spawn=supervisor.spawn,
        )

    def begin(self, supervisor: Supervisor) -> Remembering:
        """Begin the worker."""
        remembering = Remembering(self.parts(supervisor))
        supervisor.spawn("remembering", remembering.run())
        return remembering

    async def outgrow(self, turns: int = 20) -> None:
        """Have so many turns and open one more; with 20 the oldest ten leave."""
        for _ in range(turns):
            await self.chat.turn()
        await self.chat.turn()

    async def conversation(self) -> Conversation:
        return await self.store.load(self.chat.key)

    async def rest(self) -> None:
        """Wait until nothing happens any more: an answer is written down word by word."""
        before = None
        while before != (before := self._happened()):
            for _ in range(40):
                await settle()

    async def pass_time(self, minutes: float) -> None:
        """Let time pass, resting whenever a job is due: answers take no time."""
        end = self.clock.now() + timedelta(minutes=minutes)
        while (left_s := (end - self.clock.now()).total_seconds()) > 0:
            due_at = await self.store.next_due()
            wait_s = left_s if due_at is None else (due_at - self.clock.now()).total_seconds()
            await self.clock.advance(min(wait_s if wait_s > 0 else MINUTE, left_s))
            await self.rest()

    def each_once(self, turns: int) -> bool:
        """Say whether daily files have the first turns, each once, and no other."""
        return Counter(self.files.turns) == Counter(range(1, turns + 1))

    def _happened(self) -> tuple[int, ...]:
        return len(self.model.requests), len(self.store.calls), len(self.files.appended)

    def _note_landed(self, session_key: SessionKey) -> None:
        self.landed.append(session_key)
        self.chat.manager.forget()
