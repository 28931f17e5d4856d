"""How the bot is doing: its parts note what they find out, :func:`judge` says what it means.

The law of this file: *down* means that a restart or the operator has to help, *degraded* that
somebody waits longer than they should while the bot itself does all it can. An orchestrator that
restarts what is down must not restart a bot whose vendor has a bad day.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from typing import Literal

from bot.core.llm import Delta, ModelRequest, ModelResponse
from bot.errors import ContextTooLong, ModelError, ModelRequestRefused, StoreError, StoreLost
from bot.ports import Clock, ModelClient

OUTAGE_S = 60.0
"""A channel that is without its platform for longer counts; shorter breaks are everyday life."""

FAILED_ASKS = 3
"""So many failures of the model in a row, over all chats, are more than one unlucky answer."""

BACKLOG_S = 300.0
"""How long a reply may wait for its delivery; a platform's usual limits are over sooner."""

DAY_S = 86_400.0
MOST_COUNTED = 1_000

Condition = Literal["ok", "degraded", "down"]
Phase = Literal["starting", "receiving", "failing", "refused", "ended"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Health:
    """What :func:`judge` makes of all signs; each reason is a phrase for the operator."""

    condition: Condition = "ok"
    reasons: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class ChannelState:
    """How a channel is doing.

    Attributes:
        since_s: When the phase began, in seconds of :meth:`bot.ports.Clock.monotonic`.
        reason: Why it is failing.
        has_received: Whether it ever had its connection.
    """

    phase: Phase = "starting"
    since_s: float = 0.0
    reason: str = ""
    has_received: bool = False

    def is_out(self, now_s: float) -> bool:
        """Tell whether people who write there are not heard, and have not been for a while."""
        if self.phase == "refused":
            return True
        return self.phase in ("starting", "failing") and now_s - self.since_s > OUTAGE_S

    def worded(self, now_s: float) -> str:
        """Say it in a phrase: ``no connection for 3 min: timed out``."""
        match self.phase:
            case "failing":
                return f"no connection for {duration(now_s - self.since_s)}: {self.reason}"
            case "refused":
                return "token refused"
            case phase:
                return phase


class ChannelBook:
    """The state of every channel; ``on_change`` is called after each change."""

    def __init__(
        self, names: Iterable[str], clock: Clock, on_change: Callable[[], None] = lambda: None
    ) -> None:
        self._clock = clock
        self._on_change = on_change
        self.states = dict.fromkeys(names, ChannelState(since_s=clock.monotonic()))

    def note(self, name: str, phase: Phase, reason: str = "") -> None:
        """Write down how a channel is doing; said again, it goes on since when it was first."""
        before = self.states[name]
        self.states[name] = ChannelState(
            phase=phase,
            since_s=before.since_s if before.phase == phase else self._clock.monotonic(),
            reason=reason,
            has_received=before.has_received or phase == "receiving",
        )
        if self.states[name] != before:
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


class WatchedModel:
    """A model that counts how often it failed in a row.

    Attributes:
        failures: Of all chats together, since the last answer.
        reason: What the last one said.
    """

    def __init__(self, model: ModelClient) -> None:
        self._model = model
        self.failures = 0
        self.reason = ""

    async def ask(self, request: ModelRequest, on_delta: Callable[[Delta], None]) -> ModelResponse:
        """Ask; a request that is at fault itself says nothing about the model."""
        try:
            response = await self._model.ask(request, on_delta)
        except (ContextTooLong, ModelRequestRefused):
            raise
        except ModelError as error:
            self.failures += 1
            self.reason = str(error)
            raise
        self.failures = 0
        return response

    async def close(self) -> None:
        """Close the model."""
        await self._model.close()


class SetAsideCount:
    """Counts events that made no sense to their channel, of the last day and since the start."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._noted_s: deque[float] = deque(maxlen=MOST_COUNTED)

    def note(self) -> None:
        """Take note of one more."""
        self._noted_s.append(self._clock.monotonic())

    @property
    def of_last_day(self) -> int:
        """How many there were; of very many, :data:`MOST_COUNTED`."""
        since_s = self._clock.monotonic() - DAY_S
        return sum(noted_s > since_s for noted_s in self._noted_s)


class StoreWatch:
    """What became of the store's work, told by the store itself.

    Attributes:
        trouble: Why the last write failed; empty when it did not.
        loss: Set for good once the file is damaged or gone.
    """

    def __init__(self) -> None:
        self.trouble = ""
        self.loss: StoreLost | None = None
        self.on_loss: Callable[[], None] = lambda: None

    def tell(self, error: StoreError | None) -> None:
        """Note a failure, or with None that a write succeeded."""
        self.trouble = "" if error is None else str(error)
        if isinstance(error, StoreLost) and self.loss is None:
            self.loss = error
            self.on_loss()


@dataclass(frozen=True, slots=True, kw_only=True)
class Signs:
    """All that health is judged by, at ``now_s`` of the clock.

    Attributes:
        undelivered_for_s: How long the oldest undelivered reply has been waiting.
    """

    now_s: float
    channels: dict[str, ChannelState]
    store_trouble: str = ""
    model_failures: int = 0
    model_reason: str = ""
    undelivered_for_s: float = 0.0
    memory_trouble: str = ""


def judge(signs: Signs) -> Health:
    """Say how the bot is doing and why."""
    health = Health()
    lost = {name: s for name, s in signs.channels.items() if s.is_out(signs.now_s)}
    for name, state in lost.items():
        needs_help = state.phase == "refused" or len(lost) == len(signs.channels)
        reason = f"{name}: {state.worded(signs.now_s)}"
        health = _worse(health, "down" if needs_help else "degraded", reason)
    if signs.store_trouble:
        health = _worse(health, "down", f"store: {signs.store_trouble}")
    if signs.model_failures >= FAILED_ASKS:
        reason = f"model: failed {signs.model_failures} times in a row: {signs.model_reason}"
        health = _worse(health, "degraded", reason)
    if signs.undelivered_for_s > BACKLOG_S:
        reason = f"delivery: a reply has been waiting for {duration(signs.undelivered_for_s)}"
        health = _worse(health, "degraded", reason)
    if signs.memory_trouble:
        health = _worse(health, "degraded", f"memory: {signs.memory_trouble}")
    return health


def duration(seconds: float) -> str:
    """Write a duration for people, its two greatest units: ``1 h 5 min``."""
    minutes, rest_s = divmod(int(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    days, hours = divmod(hours, 24)
    parts = [(days, "d"), (hours, "h"), (minutes, "min"), (rest_s, "s")]
    shown = [f"{value} {unit}" for value, unit in parts if value][:2]
    return " ".join(shown) or "0 s"


def _worse(health: Health, condition: Condition, reason: str) -> Health:
    is_down = "down" in (health.condition, condition)
    return replace(
        health,
        condition="down" if is_down else condition,
        reasons=(*health.reasons, reason),
    )
