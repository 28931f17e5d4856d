"""The job ``episode``: a past session gets its record, by a model or in the end without one."""

from __future__ import annotations

import logging
from collections.abc import Callable
from dataclasses import dataclass

from bot.core.memory.episodes import MOST_TURNS, Account, Unrecorded, with_task
from bot.core.memory.jobs import MemoryJob
from bot.core.turns import Turn
from bot.core.window.summary.sessions import (
    RECORDER,
    faults_of,
    mechanical_account,
    plan_record,
    read_account,
    redacted_account,
    with_details,
)
from bot.ports import Episodes
from bot.runtime.remembering.asking import HOPELESS, TOO_LONG, Asking, Faults, Wish
from bot.runtime.remembering.parts import OFF, Failure, RememberingParts

logger = logging.getLogger(__name__)

CHANGED = "changed meanwhile"

_SHARE_FOR_TURNS = 2
_MOST_HALVINGS = 3
_MOST_LANDINGS = 3


@dataclass(slots=True)
class _Recording:
    """How far the account of one session has come."""

    left: tuple[Turn, ...]
    account: Account | None = None
    halvings: int = 0


class SessionRecorder:
    """Writes the records of past sessions."""

    def __init__(self, parts: RememberingParts, episodes: Episodes) -> None:
        self._parts = parts
        self._episodes = episodes
        self._asking = Asking(parts)

    async def record(
        self, job: MemoryJob, is_without_hope: Callable[[Failure], bool]
    ) -> Failure | None:
        """Record all sessions that a job is about, or say why one of them has to wait.

        What no model will record, or none could for too long, is recorded without one. While the
        chat's memory is off nothing is recorded: a record that an edit took away is written anew
        once it is on again.

        Raises:
            StoreError: The store failed; what landed before stays.
        """
        refused = 0
        while True:
            found = await self._episodes.unrecorded(
                job.session_key, through=job.through, limit=MOST_TURNS
            )
            if not found.is_session:
                if found.turns and found.is_closed:
                    await self._episodes.pass_over(found.turns)
                    continue
                # It waits for the rest of its session.
                await self._parts.jobs.remember(job, (), is_done=True)
                return None
            if not self._parts.is_remembered(job.session_key):
                return OFF
            account = await self._account(found, job)
            if isinstance(account, Failure):
                if account.reason not in HOPELESS and not is_without_hope(account):
                    return account
                account = mechanical_account(found.turns)
            if not self._parts.is_remembered(job.session_key):
                return OFF
            if not await self._land(job, found, account):
                refused += 1
                if refused == _MOST_LANDINGS:
                    return Failure(reason=CHANGED)

    async def _land(self, job: MemoryJob, found: Unrecorded, account: Account) -> bool:
        whole = with_details(with_task(account, found.task), found.turns)
        whole = redacted_account(whole, self._parts.redactor.redact)
        episode = await self._episodes.land_episode(job, found.turns, whole)
        if episode is None:
            return False
        self._parts.on_landed(episode.session_key)
        logger.info(
            "memory.session_recorded",
            extra={"session": episode.session_key, "turns": len(found.turns)},
        )
        return True

    async def _account(self, found: Unrecorded, job: MemoryJob) -> Account | Failure:
        """Tell the session run after run, each with what was recorded of those before it."""
        recording = _Recording(left=found.turns)
        while recording.left:
            run, room = self._parts.next_run(
                job.session_key,
                recording.left,
                share=_SHARE_FOR_TURNS,
                halvings=recording.halvings,
                instructions=RECORDER,
            )
            plan = plan_record(
                recording.account, run, max_tokens=room, count=self._parts.counter.count
            )
            limits = self._parts.limits(job.session_key)
            wish = Wish(purpose="episode", system=RECORDER, text=plan.text, judge=self._judge)
            account = await self._asking.fulfil(wish, job, limits)
            if not isinstance(account, Failure):
                recording.account, recording.left = account, recording.left[len(run) :]
            elif account.reason != TOO_LONG or recording.halvings == _MOST_HALVINGS:
                return account
            else:
                recording.halvings += 1
        assert recording.account is not None
        return recording.account

    def _judge(self, answer: str) -> Account | Faults:
        account = read_account(answer)
        faults = faults_of(account, self._parts.counter.count)
        return Faults(faults=faults) if account is None or faults else account
