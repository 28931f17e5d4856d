"""What is counted and measured, and the one place where all of it is defined.

The law of this file: a label never says who or where. Channels, models, tools and purposes are few
and are named; people, chats and turns are not.

Names follow Prometheus: seconds and bytes, ``_total`` behind what only rises.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

Kind = Literal["counter", "gauge", "histogram"]
Labels = tuple[str, ...]
"""Values of a metric's labels, in their order."""

WAITS_S = (0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0, 60.0, 120.0, 300.0)
"""Upper bounds, in seconds: from an answer at once to a minute of a model with tools."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Metric:
    """Something counted or measured, by the names of Prometheus; compared by identity."""

    name: str
    kind: Kind
    help: str
    labels: tuple[str, ...] = ()
    buckets: tuple[float, ...] = ()


def _counter(name: str, help_: str, *labels: str) -> Metric:
    return Metric(name=f"daybook_{name}_total", kind="counter", help=help_, labels=labels)


def _gauge(name: str, help_: str, *labels: str) -> Metric:
    return Metric(name=f"daybook_{name}", kind="gauge", help=help_, labels=labels)


def _histogram(name: str, help_: str, *labels: str) -> Metric:
    name = f"daybook_{name}_seconds"
    return Metric(name=name, kind="histogram", help=help_, labels=labels, buckets=WAITS_S)


TURNS = _counter("turns", "Turns that ended.", "channel", "outcome")
STEPS = _counter("steps", "Answers of the model in turns that ended.")
TOOL_CALLS = _counter("tool_calls", "Calls of tools in turns that ended.", "result")
TURN_SECONDS = _histogram("turn", "From taking a message to its stored answer.", "channel")
MODEL_SECONDS = _histogram("model_call", "One call of a model that answered.", "purpose")
TOKENS = _counter("tokens", "Tokens of calls of models.", "model", "purpose", "kind")
COST = _counter("cost_dollars", "Dollars that calls of models cost.", "model", "purpose")
UNPRICED = _counter("unpriced_calls", "Calls of models whose price is not known.", "model")
CAPS_REACHED = _counter("caps_reached", "Calls that a spending cap stopped.", "scope")
DELIVERIES = _counter("deliveries", "Replies whose delivery ended.", "channel", "result")
DELIVERY_SECONDS = _histogram("delivery", "From the outbox to the platform.", "channel")
RETRIES = _counter("retries", "Attempts that failed and were made again.", "part")
COMPACTIONS = _counter("compactions", "Times that a chat's view was made smaller.", "kind")
FAILURES = _counter("failures", "What failed, by part and by kind of error.", "part", "kind")
WORKER_BREAKS = _counter("worker_breaks", "Times that lasting work broke off.", "worker")

UP_SECONDS = _gauge("up_seconds", "For how long the process has been running.")
VERSION = _gauge("version", "Always 1; the label says which version runs.", "version")
PART_WELL = _gauge("part_well", "1 where a part of the bot is well, 0 where not.", "part")
CHANNEL_AGE = _gauge(
    "channel_age_seconds", "Since a channel last knew that it receives.", "channel"
)
WORKER_UP = _gauge("worker_up", "1 where lasting work is done, 0 where it broke off.", "worker")
LANES_RUNNING = _gauge("lanes_running", "Turns being answered.")
LANES_WAITING = _gauge("lanes_waiting", "Chats that wait until a turn of theirs may run.")
INBOX_WAITING = _gauge("inbox_waiting", "Events stored and not yet seen to.")
SET_ASIDE = _gauge("set_aside_last_day", "Events of the last day that made no sense.")
OUTBOX_WAITING = _gauge("outbox_waiting", "Replies stored and not yet delivered.")
OUTBOX_AGE = _gauge("outbox_age_seconds", "For how long the oldest of these has been waiting.")
OUTBOX_FAILED = _gauge("outbox_failed", "Replies that could not be delivered.")
MEMORY_JOBS = _gauge("memory_jobs", "Work on memory that waits.")
MEMORY_JOBS_FAILING = _gauge("memory_jobs_failing", "That of it which failed at least once.")
MEMORY_JOB_AGE = _gauge("memory_job_overdue_seconds", "For how long the oldest could be tried.")
INDEX_LAG = _gauge("index_lag_changes", "Changes of memory that the search index lacks.")
JOB_LATE = _gauge("job_late_seconds", "How late a job of the calendar is.", "job")
REMINDER_OVERDUE = _gauge("reminder_overdue_seconds", "How late the most overdue reminder is.")
DISK_FREE = _gauge("disk_free_bytes", "Free on the disk with the data folder.")

METRICS: tuple[Metric, ...] = (
    *(TURNS, STEPS, TOOL_CALLS, TURN_SECONDS, MODEL_SECONDS, TOKENS, COST, UNPRICED),
    *(CAPS_REACHED, DELIVERIES, DELIVERY_SECONDS, RETRIES, COMPACTIONS, FAILURES, WORKER_BREAKS),
    *(UP_SECONDS, VERSION, PART_WELL, WORKER_UP, CHANNEL_AGE, LANES_RUNNING, LANES_WAITING),
    *(INBOX_WAITING, SET_ASIDE, OUTBOX_WAITING, OUTBOX_AGE, OUTBOX_FAILED),
    *(MEMORY_JOBS, MEMORY_JOBS_FAILING, MEMORY_JOB_AGE, INDEX_LAG, JOB_LATE, REMINDER_OVERDUE),
    DISK_FREE,
)
"""All of them, in the order in which they are listed."""


@dataclass(slots=True)
class Spread:
    """How measured values spread: ``counts`` has one more than the metric has buckets."""

    counts: list[int]
    total: float = 0.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Reading:
    """All numbers at a moment; every metric is there, if only with no labels yet."""

    numbers: Mapping[Metric, Mapping[Labels, float]]
    spreads: Mapping[Metric, Mapping[Labels, Spread]]
