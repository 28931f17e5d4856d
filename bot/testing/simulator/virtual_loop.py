"""An event loop in which time passes only when nothing else can happen."""

from __future__ import annotations

import asyncio
import selectors


class StandsStill(RuntimeError):
    """Nothing can ever happen again: everybody waits for somebody else."""


class _JumpingSelector(selectors.SelectSelector):
    """Waits for nothing: the time that it was to wait for has passed at once."""

    def __init__(self) -> None:
        super().__init__()
        self.elapsed_s = 0.0

    def select(self, timeout: float | None = None) -> list[tuple[selectors.SelectorKey, int]]:
        """Jump to the next alarm."""
        if timeout is None:
            raise StandsStill(str(StandsStill.__doc__))
        self.elapsed_s += max(0.0, timeout)
        return []


class VirtualLoop(asyncio.SelectorEventLoop):
    """Counts its time from zero and never waits for real; sockets and threads mean nothing to it.

    All else being equal, two runs take the same steps in the same order.
    """

    def __init__(self) -> None:
        self._jumping = _JumpingSelector()
        super().__init__(self._jumping)

    def time(self) -> float:
        """Tell the virtual seconds since the loop was made."""
        return self._jumping.elapsed_s
