"""How the bot is doing: its parts note what they find out, :func:`judge` says what it means.

The law of this file: *down* means that a restart or the operator has to help, *degraded* that
somebody waits longer than they should while the bot itself does all it can. An orchestrator that
restarts what is down must not restart a bot whose vendor has a bad day.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Literal

from bot.errors import StoreError, StoreLost
from bot.languages import gettext, gettext_noop
from bot.ports import Clock
from bot.runtime.durations import duration

OUTAGE_S = 25.0
"""A channel that is without its platform for longer counts; shorter breaks are everyday life, and
within half a minute whoever watches the bot is to know."""

FAILED_ASKS = 3
"""So many failures of the model in a row, over all chats, are more than one unlucky answer."""

BACKLOG_S = 300.0
"""How long a reply may wait for its delivery; a platform's usual limits are over sooner."""

REMINDER_LATE_S = 90.0
"""A machine that wakes up is noticed within a minute, and what failed is tried again in one."""

Condition = Literal["ok", "degraded", "down"]
Phase = Literal["starting", "receiving", "failing", "refused", "ended"]

_PHASES: dict[Phase, str] = {
    "starting": gettext_noop("starting"),
    "receiving": gettext_noop("receiving"),
    "refused": gettext_noop("token refused"),
    "ended": gettext_noop("ended"),
}
"""Those of which there is no more to say."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Health:
    """What :func:`judge` makes of all signs; each reason is a phrase, in the language spoken."""

    condition: Condition = "ok"
    reasons: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Part:
    """How one part of the bot is: its condition, and what was seen of it in a phrase.

    The name is a label of metrics, so it is said in English; ``seen`` is in the language spoken.
    """

    name: str
    condition: Condition = "ok"
    seen: str = "well"


@dataclass(frozen=True, slots=True, kw_only=True)
class ChannelState:
    """How a channel is doing.

    Attributes:
        since_s: When the phase began, in seconds of :meth:`bot.ports.Clock.monotonic`; of a failing
            one, when it knew last that it was not.
        reason: Why it is failing.
        has_received: Whether it ever had its connection.
        known_s: When it knew last that it receives.
        again_in_s: How soon it was to know that again; None where it only tells of changes.
    """

    phase: Phase = "starting"
    since_s: float = 0.0
    reason: str = ""
    has_received: bool = False
    known_s: float = 0.0
    again_in_s: float | None = None

    def is_deaf(self, now_s: float) -> bool:
        """Tell whether it seems to receive, and should have noticed long ago that it does."""
        is_kept = self.phase == "receiving" and self.again_in_s is not None
        return is_kept and now_s - self.known_s > (self.again_in_s or 0.0)

    def is_out(self, now_s: float) -> bool:
        """Tell whether people who write there are not heard, and have not been for a while."""
        if self.phase == "refused" or self.is_deaf(now_s):
            return True
        return self.phase in ("starting", "failing") and now_s - self.since_s > OUTAGE_S

    def age_s(self, now_s: float) -> float | None:
        """Say how long ago it knew that it receives; None where that is not known of it."""
        if self.phase == "receiving" and self.again_in_s is None:
            return 0.0
        return now_s - self.known_s if self.has_received else None

    def worded(self, now_s: float) -> str:
        """Say it in a phrase: ``no connection for 3 min: timed out``."""
        if self.is_deaf(now_s):
            silence = duration(now_s - self.known_s)
            return gettext("nothing was heard of the platform for {duration}", duration=silence)
        if self.phase == "failing":
            return gettext(
                "no connection for {duration}: {reason}",
                duration=duration(now_s - self.since_s),
                reason=self.reason,
            )
        return gettext(_PHASES[self.phase])


class ChannelBook:
    """The state of every channel; ``on_change`` is called after each change."""

    def __init__(
        self, names: Iterable[str], clock: Clock, on_change: Callable[[], None] = lambda: None
    ) -> None:
        self._clock = clock
        self._on_change = on_change
        self.states = dict.fromkeys(names, ChannelState(since_s=clock.monotonic()))

    def note(
        self, name: str, phase: Phase, reason: str = "", *, again_in_s: float | None = None
    ) -> None:
        """Write down how a channel is doing; said again, it goes on since when it was first."""
        before, now_s = self.states[name], self._clock.monotonic()
        since_s = now_s
        if phase == before.phase:
            since_s = before.since_s
        elif phase == "failing" and before.again_in_s is not None:
            since_s = before.known_s  # it may have been deaf since then
        is_receiving = phase == "receiving"
        after = ChannelState(
            phase=phase,
            since_s=since_s,
            reason=reason,
            has_received=before.has_received or is_receiving,
            known_s=now_s if is_receiving else before.known_s,
            again_in_s=again_in_s if is_receiving else None,
        )
        self.states[name] = after
        if (after.phase, after.reason) != (before.phase, before.reason):
            self._on_change()

    def worded(self) -> dict[str, str]:
        """Say of each channel how it is doing."""
        now_s = self._clock.monotonic()
        return {name: state.worded(now_s) for name, state in self.states.items()}

    @property
    def heard(self) -> tuple[str, ...]:
        """The channels that had a connection once; empty while any is still to get its first."""
        states = self.states.items()
        if any(s.phase in ("starting", "failing") and not s.has_received for _, s in states):
            return ()
        return tuple(name for name, state in states if state.has_received)

    @property
    def is_starting(self) -> bool:
        """Whether there is a channel of which nothing is known yet."""
        return any(state.phase == "starting" for state in self.states.values())


class StoreWatch:
    """What became of the store's work, told by the store itself.

    Attributes:
        trouble: Why the last write failed; empty when it did not.
        loss: Set for good once the file is damaged or gone.
        on_failure: Is told of each failure.
    """

    def __init__(self) -> None:
        self.trouble = ""
        self.loss: StoreLost | None = None
        self.on_loss: Callable[[], None] = lambda: None
        self.on_failure: Callable[[StoreError], None] = lambda error: None

    def tell(self, error: StoreError | None) -> None:
        """Note a failure, or with None that a write succeeded."""
        self.trouble = "" if error is None else str(error)
        if error is not None:
            self.on_failure(error)
        if isinstance(error, StoreLost) and self.loss is None:
            self.loss = error
            self.on_loss()


@dataclass(frozen=True, slots=True, kw_only=True)
class Signs:
    """All that health is judged by, at ``now_s`` of the clock.

    Attributes:
        model_is_refused: Whether the newest question was refused because of the key.
        undelivered_for_s: How long the oldest undelivered reply has been waiting.
        job_trouble: Which jobs are late, or cannot be done; empty for none.
        disk_trouble: Why the disk takes, or will soon take, nothing more.
        worker_trouble: Which workers broke off, that are to go on for ever; empty for none.
        reminder_overdue_s: How late the most overdue reminder is.
        reminder_trouble: Why something that is due could not be told, where that is known.
    """

    now_s: float
    channels: dict[str, ChannelState]
    store_trouble: str = ""
    model_failures: int = 0
    model_reason: str = ""
    model_is_refused: bool = False
    undelivered_for_s: float = 0.0
    memory_trouble: str = ""
    search_trouble: str = ""
    job_trouble: str = ""
    disk_trouble: str = ""
    worker_trouble: str = ""
    reminder_overdue_s: float = 0.0
    reminder_trouble: str = ""


def judge(signs: Signs) -> Health:
    """Say how the bot is doing and why."""
    troubles = [part for part in parts_of(signs) if part.condition != "ok"]
    if not troubles:
        return Health()
    is_down = any(part.condition == "down" for part in troubles)
    return Health(
        condition="down" if is_down else "degraded",
        reasons=tuple(
            gettext("{part}: {reason}", part=gettext(part.name), reason=part.seen)
            for part in troubles
        ),
    )


def parts_of(signs: Signs) -> tuple[Part, ...]:
    """Say of each part of the bot how it is."""
    return (
        *_channels(signs),
        _part(gettext_noop("store"), signs.store_trouble, "down"),
        _part(gettext_noop("disk"), signs.disk_trouble, "down"),
        _model(signs),
        _part(gettext_noop("delivery"), _delivery(signs), "degraded"),
        _part(gettext_noop("jobs"), signs.job_trouble, "degraded"),
        _part(gettext_noop("reminders"), _reminders(signs), "degraded"),
        _part(gettext_noop("workers"), signs.worker_trouble, "degraded"),
        _part(gettext_noop("memory"), signs.memory_trouble, "degraded"),
        _part(gettext_noop("search of memory"), signs.search_trouble, "degraded"),
    )


def _part(name: str, trouble: str, condition: Condition) -> Part:
    return Part(name=name, condition=condition, seen=trouble) if trouble else Part(name=name)


def _channels(signs: Signs) -> tuple[Part, ...]:
    out = {name for name, state in signs.channels.items() if state.is_out(signs.now_s)}

    def condition(name: str) -> Condition:
        needs_help = signs.channels[name].phase == "refused" or len(out) == len(signs.channels)
        return "ok" if name not in out else "down" if needs_help else "degraded"

    return tuple(
        Part(name=name, condition=condition(name), seen=state.worded(signs.now_s))
        for name, state in signs.channels.items()
    )


def _delivery(signs: Signs) -> str:
    if signs.undelivered_for_s <= BACKLOG_S:
        return ""
    waited = duration(signs.undelivered_for_s)
    return gettext("a reply has been waiting for {duration}", duration=waited)


def _reminders(signs: Signs) -> str:
    """Say what keeps reminders; while nothing can be stored the store says why they are late."""
    if signs.reminder_overdue_s <= REMINDER_LATE_S or signs.store_trouble:
        return ""
    late = gettext("one was due {duration} ago", duration=duration(signs.reminder_overdue_s))
    if not signs.reminder_trouble:
        return late
    return gettext("{part}: {reason}", part=late, reason=signs.reminder_trouble)


def _model(signs: Signs) -> Part:
    name = gettext_noop("model")
    if signs.model_is_refused:
        refused = gettext("the key is refused: {reason}", reason=signs.model_reason)
        return _part(name, refused, "down")
    if signs.model_failures < FAILED_ASKS:
        return Part(name=name)
    failed = gettext(
        "failed {count} times in a row: {reason}",
        count=signs.model_failures,
        reason=signs.model_reason,
    )
    return _part(name, failed, "degraded")
