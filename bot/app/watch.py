"""What is known of how the bot is: its parts tell, and whoever runs the bot asks."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Coroutine, Mapping
from dataclasses import dataclass

from bot import __version__
from bot.app.indexing import SearchedMemory
from bot.app.outside import Outside
from bot.app.reminding import RemindingService
from bot.core import metrics as defined
from bot.errors import StoreError
from bot.runtime.checkup import Checkup, CheckupParts
from bot.runtime.commands.status import Vitals
from bot.runtime.delivery import Delivery
from bot.runtime.dispatcher import Dispatcher
from bot.runtime.health import ChannelBook, Health, Signs, judge, parts_of
from bot.runtime.job_book import JobBook
from bot.runtime.lanes import Lanes
from bot.runtime.live_settings import LiveSettings
from bot.runtime.metrics import Metrics
from bot.runtime.supervisor import Spawn
from bot.runtime.watched_model import WatchedModel
from bot.runtime.workers import WorkerBook


@dataclass(frozen=True, slots=True, kw_only=True)
class Watched:
    """The parts that are asked how they are; ``memory_trouble`` says why memory is not written.

    ``spawn`` starts what is found out beside whoever asks.
    """

    settings: LiveSettings
    lanes: Lanes
    delivery: Delivery
    dispatcher: Dispatcher
    memory_trouble: Callable[[], str]
    searched: SearchedMemory
    reminding: RemindingService
    spawn: Spawn


class Watch:
    """Watches from the beginning; can be asked once it was told of ``parts``.

    Attributes:
        metrics: Where everything is counted.
        book: How each channel is doing.
        jobs: How each job of the calendar is doing.
        workers: How each piece of work is doing that is to go on for ever.
        model: The model, watched.
        parts: What is asked; set before anybody asks.
    """

    parts: Watched

    def __init__(self, outside: Outside, on_channel_change: Callable[[], None]) -> None:
        self._outside = outside
        self._clock = outside.clock
        self._started_s = outside.clock.monotonic()
        self.metrics = Metrics()
        self.book = ChannelBook(outside.channels, outside.clock, on_channel_change)
        self.jobs = JobBook(outside.clock)
        self.workers = WorkerBook(outside.clock, self.metrics)
        self.model = WatchedModel(outside.model, outside.clock, self.metrics)
        self._checkup = Checkup(
            CheckupParts(
                store=outside.store,
                store_watch=outside.store_watch,
                clock=outside.clock,
                channels=frozenset(outside.channels),
                disk=outside.disk,
                index_lag=_index_lag(outside),
            )
        )
        outside.store_watch.on_failure = self._note_store_failure

    def note_task_failure(self, error: Exception) -> None:
        """Count work that broke and was not foreseen to."""
        self.metrics.count(defined.FAILURES, "task", type(error).__name__)

    async def look(self) -> Health:
        """Look at what has to be asked, then say how the bot is.

        The model takes too long for that: what a trial finds is told at the next look.
        """
        directory = self._outside.model_directory
        if directory is not None and self.model.is_to_be_tried:
            name = self.parts.settings.name("model")
            self.parts.spawn("model trial", self.model.try_out(directory, name))
        await self._checkup.look()
        return self.health()

    async def readiness(self) -> tuple[bool, dict[str, object]]:
        """Say whether the bot does all it should, and how each part of it is."""
        health = await self.look()
        parts = {
            part.name: {"status": part.condition, "seen": part.seen}
            for part in parts_of(self._signs())
        }
        return health.condition == "ok", {"status": health.condition, "parts": parts}

    async def reading(self) -> defined.Reading:
        """Give all metrics as they are now."""
        await self._checkup.look()
        return self.metrics.read(self._gauges())

    def health(self) -> Health:
        """Say how the bot is, by what is known at this moment."""
        return judge(self._signs())

    def vitals(self) -> Vitals:
        """Say what the process knows of itself at this moment."""
        parts = self.parts
        return Vitals(
            version=__version__,
            up_s=self._clock.monotonic() - self._started_s,
            model=parts.settings.name("model"),
            channels=self.book.worded(),
            running_turns=parts.lanes.running_turns,
            max_turns=parts.settings.number("agent_max_context_turns"),
            set_aside=parts.dispatcher.set_aside.of_last_day,
            is_rebuilding=parts.searched.is_rebuilding,
            health=self.health(),
        )

    def _signs(self) -> Signs:
        checkup, parts = self._checkup, self.parts
        return Signs(
            now_s=self._clock.monotonic(),
            channels=self.book.states,
            store_trouble=self._outside.store_watch.trouble or checkup.seen.store_trouble,
            model_failures=self.model.failures,
            model_reason=self.model.reason,
            model_is_refused=self.model.is_refused,
            undelivered_for_s=parts.delivery.longest_wait_s,
            memory_trouble=parts.memory_trouble() or checkup.memory_trouble,
            search_trouble=parts.searched.trouble,
            job_trouble=self.jobs.trouble,
            disk_trouble=checkup.disk_trouble,
            worker_trouble=self.workers.trouble,
            reminder_overdue_s=checkup.reminder_overdue_s,
            reminder_trouble=parts.reminding.trouble,
        )

    def _gauges(self) -> Mapping[defined.Metric, Mapping[defined.Labels, float]]:
        gauges: defaultdict[defined.Metric, dict[defined.Labels, float]] = defaultdict(dict)
        now_s, parts, seen = self._clock.monotonic(), self.parts, self._checkup.seen
        gauges[defined.UP_SECONDS][()] = now_s - self._started_s
        gauges[defined.VERSION][__version__,] = 1.0
        for part in parts_of(self._signs()):
            gauges[defined.PART_WELL][part.name,] = float(part.condition == "ok")
        for name, state in self.book.states.items():
            if (age_s := state.age_s(now_s)) is not None:
                gauges[defined.CHANNEL_AGE][name,] = age_s
        for job, late_s in self.jobs.late_s.items():
            gauges[defined.JOB_LATE][job,] = late_s
        for worker, is_up in self.workers.up.items():
            gauges[defined.WORKER_UP][worker,] = float(is_up)
        gauges[defined.LANES_RUNNING][()] = float(parts.lanes.running_turns)
        gauges[defined.LANES_WAITING][()] = float(parts.lanes.waiting_chats)
        gauges[defined.SET_ASIDE][()] = float(parts.dispatcher.set_aside.of_last_day)
        gauges[defined.OUTBOX_AGE][()] = parts.delivery.longest_wait_s
        if seen.backlog is not None:
            gauges[defined.INBOX_WAITING][()] = float(seen.backlog.unanswered)
            gauges[defined.OUTBOX_WAITING][()] = float(seen.backlog.undelivered)
            gauges[defined.OUTBOX_FAILED][()] = float(seen.backlog.failed_replies)
            gauges[defined.MEMORY_JOBS][()] = float(seen.backlog.memory_jobs)
            gauges[defined.MEMORY_JOBS_FAILING][()] = float(seen.backlog.failing_jobs)
            gauges[defined.MEMORY_JOB_AGE][()] = self._checkup.memory_overdue_s
            gauges[defined.REMINDER_OVERDUE][()] = self._checkup.reminder_overdue_s
        if seen.index_lag is not None:
            gauges[defined.INDEX_LAG][()] = float(seen.index_lag)
        if seen.disk is not None:
            gauges[defined.DISK_FREE][()] = float(seen.disk.free_bytes)
        return gauges

    def _note_store_failure(self, error: StoreError) -> None:
        self.metrics.count(defined.FAILURES, "store", type(error).__name__)


def _index_lag(outside: Outside) -> Callable[[], Coroutine[object, object, int]] | None:
    index = outside.search_index
    if index is None:
        return None

    async def lag() -> int:
        return max(0, await outside.store.newest_seq() - await index.applied_seq())

    return lag
