"""What goes on beside the chats: remembering what left them, and jobs by the calendar."""

from __future__ import annotations

import asyncio
from functools import partial
from zoneinfo import ZoneInfo

from bot.app.agent import Agent
from bot.app.indexing import SearchedMemory
from bot.app.outside import Outside
from bot.config import Config
from bot.config.changes import CHANGEABLE
from bot.core.chat import SessionKey
from bot.ports import MemoryFiles, ModelClient
from bot.runtime.attendance import AttentiveTimer
from bot.runtime.context.scale import most_digest_tokens
from bot.runtime.housekeeping import CleanUpParts, HousekeepingParts, jobs_of
from bot.runtime.job_book import JobBook
from bot.runtime.jobs import ClockTimer, JobParts, run_job
from bot.runtime.remembering import Remembering, RememberingParts, SummaryLimits
from bot.runtime.remembering.distilling import Distilling, DistillingParts
from bot.runtime.workers import Workers

CAPS = tuple(key for key in CHANGEABLE if key.startswith("caps."))
"""The settings that say how much may be spent in a day."""


class Background:
    """Starts the work that no message asks for, and hears when there is some.

    Attributes:
        timer: By which everything is done that the calendar asks for.
    """

    def __init__(
        self,
        config: Config,
        outside: Outside,
        model: ModelClient,
        workers: Workers,
        searched: SearchedMemory,
        jobs: JobBook,
    ) -> None:
        self._zone = ZoneInfo(config.timezone)
        self._outside = outside
        self._model = model
        self._workers = workers
        self._searched = searched
        self._jobs = jobs
        timer = outside.timer or ClockTimer(clock=outside.clock)
        self.timer = AttentiveTimer(timer, outside.store, outside.clock)
        self._remembering: Remembering | None = None
        self._distilling: Distilling | None = None

    def wake(self) -> None:
        """Say that something left a chat's window, or is to be remembered."""
        if self._remembering is not None:
            self._remembering.wake()

    @property
    def memory_trouble(self) -> str:
        """Why memory files cannot be written; empty when they can."""
        workers = (self._remembering, self._distilling)
        return next((each.trouble for each in workers if each is not None and each.trouble), "")

    def start(self, agent: Agent) -> None:
        """Begin; what an earlier process left undone comes first."""
        self._workers.keep("attendance", self.timer.run)  # first: the rest goes by what it notes
        self._searched.start(self._workers.keep)
        if self._outside.memory_files is not None:
            self._remembering = self._make_remembering(agent, self._outside.memory_files)
            follow_caps = self._remembering.follow_caps
            for key in CAPS:
                agent.settings.follow(key, lambda _: follow_caps())
            self._workers.keep("remembering", self._remembering.run)
            self._distilling = self._make_distilling(self._outside.memory_files)
            self._workers.keep("distilling", self._distilling.run)
        housekeeping = HousekeepingParts(
            store=self._outside.store,
            clock=self._outside.clock,
            zone=self._zone,
            clean_up=self.clean_up_parts(agent),
            wake_memory=self.wake,
            distil=None if self._distilling is None else self._distilling.distil_all,
        )
        parts = JobParts(
            slots=self._outside.store,
            calendar=self._outside.calendar,
            timer=self.timer,
            clock=self._outside.clock,
            zone=self._zone,
            spawn=self._workers.spawn,
            book=self._jobs,
        )
        for job in jobs_of(housekeeping):
            self._workers.keep(f"calendar {job.name}", partial(run_job, job, parts))

    def warm_up(self) -> None:
        """Load what the first message would wait for; later than what the start waits for."""
        if self._outside.warm_up is not None:
            self._workers.spawn("warm up", asyncio.to_thread(self._outside.warm_up))

    def clean_up_parts(self, agent: Agent) -> CleanUpParts:
        """Give what a clean-up of silent chats works with."""
        return CleanUpParts(
            sessions=self._outside.store,
            clock=self._outside.clock,
            stretches=self.timer.look,
            max_age_days=lambda: agent.settings.number("conversation_max_age_days"),
            forget=agent.forget,
        )

    async def close(self) -> None:
        """Let go of the timer and of the search index."""
        await self.timer.close()
        if self._outside.search_index is not None:
            await self._outside.search_index.close()

    def _make_distilling(self, files: MemoryFiles) -> Distilling:
        return Distilling(
            DistillingParts(
                store=self._outside.store,
                files=files,
                redactor=self._outside.redactor,
                clock=self._outside.clock,
                zone=self._zone,
                on_written=self._searched.look_at_files,
            )
        )

    def _make_remembering(self, agent: Agent, files: MemoryFiles) -> Remembering:
        outside = self._outside

        def limits(session_key: SessionKey) -> SummaryLimits:
            model = agent.settings.summary_model(session_key)
            budget = agent.runner.budget_of(session_key)
            return SummaryLimits(
                model=model,
                window_tokens=agent.windows.window_of(model),
                digest_tokens=most_digest_tokens(budget.limit_tokens),
            )

        return Remembering(
            RememberingParts(
                jobs=outside.store,
                conversations=outside.store,
                files=files,
                model=self._model,
                redactor=outside.redactor,
                counter=outside.counter,
                clock=outside.clock,
                timezone=self._zone,
                limits=limits,
                on_landed=agent.runner.forget,
                spawn=self._workers.spawn,
                facts=outside.store,
                episodes=outside.store,
                memories=agent.settings,
            )
        )
