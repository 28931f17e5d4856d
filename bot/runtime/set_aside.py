"""How many events of the last day made no sense to their channel."""

from __future__ import annotations

from collections import deque

from bot.ports import Clock

DAY_S = 86_400.0
MOST_COUNTED = 1_000


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
