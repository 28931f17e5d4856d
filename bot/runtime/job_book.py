"""Whether jobs of the calendar are done when they should be."""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import datetime

from bot.languages import gettext
from bot.languages.rows import in_clauses
from bot.ports import Clock
from bot.runtime.durations import duration

LATE_S = 20.0
"""A job that did not begin so long after its moment is late: whatever should have woken it did not,
and within half a minute whoever watches the bot is to know."""

LONGEST_RUN_S = 7_200.0
"""Far more than a clean-up of a hundred thousand chats takes."""


@dataclass(frozen=True, slots=True, kw_only=True)
class JobState:
    """How a job stands.

    Attributes:
        due_at: The next moment at which it is to begin; None while it runs.
        began_at: Since when it has been running.
        trouble: Why it could not be done; empty when it could.
    """

    due_at: datetime | None = None
    began_at: datetime | None = None
    trouble: str = ""


class JobBook:
    """The state of every job."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._states: dict[str, JobState] = {}

    def wait(self, name: str, due_at: datetime) -> None:
        """Note that a job waits for its next moment; why the last one went wrong stays."""
        self._states[name] = replace(self._state(name), due_at=due_at, began_at=None)

    def begin(self, name: str) -> None:
        """Note that a job begins."""
        self._states[name] = JobState(began_at=self._clock.now(), trouble=self._state(name).trouble)

    def end(self, name: str) -> None:
        """Note that a job was done."""
        self._states[name] = replace(self._state(name), trouble="")

    def fail(self, name: str, reason: str) -> None:
        """Note that a job could not be done."""
        self._states[name] = replace(self._state(name), trouble=reason)

    @property
    def late_s(self) -> dict[str, float]:
        """How late each job is; 0 for one that is not."""
        now = self._clock.now()
        return {
            name: max(0.0, (now - state.due_at).total_seconds()) if state.due_at else 0.0
            for name, state in self._states.items()
        }

    @property
    def trouble(self) -> str:
        """Which jobs are late or cannot be done, and why; empty for none."""
        return in_clauses(filter(None, map(self._trouble_of, self._states)))

    def _trouble_of(self, name: str) -> str:
        state = self._states[name]
        late_s = self.late_s[name]
        if late_s > LATE_S:
            return gettext("{job} was due {duration} ago", job=name, duration=duration(late_s))
        if state.trouble:
            return gettext("{job} could not be done: {reason}", job=name, reason=state.trouble)
        ran_s = 0.0 if state.began_at is None else _seconds(self._clock.now(), state.began_at)
        if ran_s <= LONGEST_RUN_S:
            return ""
        return gettext("{job} has been running for {duration}", job=name, duration=duration(ran_s))

    def _state(self, name: str) -> JobState:
        return self._states.get(name, JobState())


def _seconds(now: datetime, then: datetime) -> float:
    return (now - then).total_seconds()
