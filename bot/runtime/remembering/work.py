"""The work of one job: turns are summarised, or noted for a daily file, as far as it goes."""

from __future__ import annotations

import logging
from dataclasses import dataclass
from datetime import timedelta
from functools import partial

from bot.core.memory.jobs import MemoryEntry, MemoryJob
from bot.core.turns import Turn
from bot.core.window.conversation import Conversation, KeyPoints, Summary
from bot.core.window.shapes import as_text
from bot.core.window.summary.audit import Draft, apply
from bot.core.window.summary.digest import make_digest
from bot.core.window.summary.pinned import collect_pinned
from bot.core.window.summary.plan import (
    MOST_TURNS_AT_ONCE,
    SummaryPlan,
    plan_notes,
    plan_summary,
)
from bot.core.window.summary.render import mechanical_points
from bot.runtime.remembering.asking import TOO_LONG
from bot.runtime.remembering.entries import make_entries
from bot.runtime.remembering.fact_reading import FactReading
from bot.runtime.remembering.parts import OFF, Failure, RememberingParts
from bot.runtime.remembering.sessions import SessionRecorder
from bot.runtime.remembering.summariser import Summariser

logger = logging.getLogger(__name__)

PAUSES_S = (60, 5 * 60, 30 * 60, 2 * 3_600, 6 * 3_600)
"""How long a job waits after its first, second, … failure; the last one from then on."""

MECHANICAL_AFTER = 6
"""So many failures, some nine hours, and daily files get what is noted without a model; twice as
many where the failure may pass by itself."""

GIVEN_UP_AFTER = 12
"""So many failures that waiting does not mend, and the job ends: the digest goes on standing, and
what leaves next asks for a summary of it all."""

_SHARE_FOR_TURNS = 3
_MOST_HALVINGS = 3
_MOST_LANDINGS = 3


@dataclass(slots=True)
class _Merge:
    """How far the summary of one job has come."""

    summary: Summary | None
    left: tuple[Turn, ...]
    points: tuple[KeyPoints, ...] = ()
    failure: Failure | None = None


class MemoryWork:
    """Carries jobs out. What a job has done is kept in one transaction, or not at all."""

    def __init__(self, parts: RememberingParts) -> None:
        self._parts = parts
        self._summariser = Summariser(parts)
        self._reading = None if parts.facts is None else FactReading(parts, parts.facts)
        self._recorder = None if parts.episodes is None else SessionRecorder(parts, parts.episodes)

    async def carry_out(self, job: MemoryJob) -> None:
        """Do a job, or put it off.

        Raises:
            StoreError: The store failed; the job is as it was.
        """
        if job.kind == "summary":
            await self._summarise(job)
        elif job.kind == "facts":
            await self._read_facts(job)
        elif job.kind == "episode":
            await self._record_session(job)
        else:
            await self._remember(job)

    async def put_off(self, job: MemoryJob, failure: Failure) -> None:
        """Note a failure, and when the job is tried again; a pause is no failure."""
        if failure.is_pause:
            due_at = self._parts.clock.now() + timedelta(seconds=failure.retry_after_s)
            await self._parts.jobs.hold_back(job.id, due_at=due_at, reason=failure.reason)
            about = {"why": failure.reason, "retry_in_s": round(failure.retry_after_s, 1)}
            logger.info("memory.held_back", extra=_told(job) | about)
            return
        failures = job.attempts + 1
        pause_s = max(PAUSES_S[min(failures, len(PAUSES_S)) - 1], failure.retry_after_s)
        due_at = self._parts.clock.now() + timedelta(seconds=pause_s)
        await self._parts.jobs.postpone(job.id, due_at=due_at, reason=failure.reason)
        logger.warning(
            "memory.put_off",
            extra=_told(job) | {"why": failure.reason, "failures": failures, "retry_in_s": pause_s},
        )

    async def _summarise(self, job: MemoryJob) -> None:
        conversation = await self._parts.conversations.load(job.session_key)
        turns = await self._uncovered(conversation)
        if not turns:
            await self._parts.jobs.remember(job, (), is_done=True)
            return
        merge = _Merge(summary=conversation.summary, left=turns)
        await self._merge(merge, job, conversation.generation)
        if merge.points and merge.summary is not None:
            entries = make_entries(self._parts, job, merge.points, turns)
            await self._land(job, conversation, merge.summary, entries)
        if merge.failure is not None:
            await self._fail(job, merge.failure, merge.left)

    async def _record_session(self, job: MemoryJob) -> None:
        if self._recorder is None:
            await self._parts.jobs.drop(job.id)
            return
        failure = await self._recorder.record(job, partial(_is_without_hope, job))
        if failure is not None:
            await self.put_off(job, failure)

    async def _read_facts(self, job: MemoryJob) -> None:
        if self._reading is None:
            await self._parts.jobs.drop(job.id)
        elif (failure := await self._reading.carry_out(job)) is not None:
            await self.put_off(job, failure)

    async def _fail(self, job: MemoryJob, failure: Failure, left: tuple[Turn, ...]) -> None:
        """Put a summary off; after many failures daily files do not wait for it any longer."""
        is_given_up = failure.is_lasting and job.attempts + 1 >= GIVEN_UP_AFTER
        if _is_without_hope(job, failure):
            entries = make_entries(self._parts, job, tuple(map(mechanical_points, left)), left)
            await self._parts.jobs.remember(job, entries, is_done=is_given_up)
        if is_given_up:
            logger.error("memory.given_up", extra=_told(job) | {"why": failure.reason})
        else:
            await self.put_off(job, failure)

    async def _uncovered(self, conversation: Conversation) -> tuple[Turn, ...]:
        """Give the turns that left, were not cleared, and that no summary covers."""
        ids = conversation.uncovered_ids
        return await self._parts.conversations.turns_between(
            conversation.session_key, ids.start, ids.stop - 1
        )

    async def _merge(self, merge: _Merge, job: MemoryJob, generation: int) -> None:
        """Merge run after run into the summary, until all is covered or the model fails."""
        halvings = 0
        while merge.left:
            before = merge.summary
            run, room = self._parts.next_run(
                job.session_key, merge.left, share=_SHARE_FOR_TURNS, halvings=halvings
            )
            plan = plan_summary(
                before,
                run,
                pinned=self._pinned(run, before.pinned if before is not None else ()),
                generation=generation,
                max_tokens=room,
                count=self._parts.counter.count,
            )
            draft = await self._draft(plan, job)
            if isinstance(draft, Failure):
                if draft.reason != TOO_LONG or halvings == _MOST_HALVINGS:
                    merge.failure = draft
                    return
                halvings += 1
                continue
            merge.summary = apply(draft, plan, self._parts.clock.now())
            merge.points += draft.turns
            merge.left = merge.left[len(run) :]

    async def _land(
        self,
        job: MemoryJob,
        planned: Conversation,
        summary: Summary,
        entries: tuple[MemoryEntry, ...],
    ) -> None:
        """Keep entries and show the summary, also if more has left while it was written."""
        for _ in range(_MOST_LANDINGS):
            now = await self._parts.conversations.load(job.session_key)
            is_same = (
                now.generation == planned.generation
                and now.cut.cleared_before == planned.cut.cleared_before
                and now.cut.summary_version == planned.cut.summary_version
            )
            cut = now.cut if is_same else planned.cut
            later = await self._parts.conversations.turns_between(
                job.session_key, summary.through + 1, cut.kept_from - 1
            )
            digest = self._digest(job, later)
            is_shown = await self._parts.jobs.land_summary(
                job, summary, entries, cut=cut, digest=digest
            )
            if is_shown or not is_same:
                break
        if is_shown:
            self._parts.on_landed(job.session_key)
        logger.info(
            "memory.landed" if is_shown else "memory.outdated",
            extra=_told(job) | {"turns": len(entries), "uncovered": len(later)},
        )

    async def _remember(self, job: MemoryJob) -> None:
        halvings = 0
        while turns := await self._parts.jobs.unremembered(job, limit=MOST_TURNS_AT_ONCE):
            if not self._parts.is_remembered(job.session_key):
                await self.put_off(job, OFF)
                return
            run, room = self._parts.next_run(
                job.session_key, turns, share=_SHARE_FOR_TURNS, halvings=halvings
            )
            plan = plan_notes(
                run,
                pinned=self._pinned(run, ()),
                max_tokens=room,
                count=self._parts.counter.count,
            )
            draft = await self._draft(plan, job)
            if not self._parts.is_remembered(job.session_key):
                continue  # it was switched off while the model answered
            if not isinstance(draft, Failure):
                await self._note(job, run, draft.turns)
            elif draft.reason == TOO_LONG and halvings < _MOST_HALVINGS:
                halvings += 1
            elif _is_without_hope(job, draft):
                await self._note(job, turns, tuple(map(mechanical_points, turns)))
            else:
                await self.put_off(job, draft)
                return
        await self._parts.jobs.remember(job, (), is_done=True)

    async def _note(
        self, job: MemoryJob, turns: tuple[Turn, ...], points: tuple[KeyPoints, ...]
    ) -> None:
        entries = make_entries(self._parts, job, points, turns, on_their_day=True)
        await self._parts.jobs.remember(job, entries, is_done=False)
        logger.info("memory.noted", extra=_told(job) | {"turns": len(turns)})

    async def _draft(self, plan: SummaryPlan, job: MemoryJob) -> Draft | Failure:
        return await self._summariser.draft(plan, job, self._parts.limits(job.session_key))

    def _pinned(self, turns: tuple[Turn, ...], known: tuple[str, ...]) -> tuple[str, ...]:
        return tuple(map(self._parts.redactor.redact, collect_pinned(turns, known)))

    def _digest(self, job: MemoryJob, turns: tuple[Turn, ...]) -> str:
        texts = tuple(map(as_text, turns))
        return make_digest(
            texts,
            self._pinned(texts, ()),
            max_tokens=self._parts.limits(job.session_key).digest_tokens,
            count=self._parts.counter.count,
        )


def _is_without_hope(job: MemoryJob, failure: Failure) -> bool:
    """Say whether daily files have waited long enough for a model."""
    most = MECHANICAL_AFTER * (1 if failure.is_lasting else 2)
    return not failure.is_pause and job.attempts + 1 >= most


def _told(job: MemoryJob) -> dict[str, object]:
    return {"session": job.session_key, "kind": job.kind}
