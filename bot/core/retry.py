"""When something that failed is tried again."""

from __future__ import annotations

from dataclasses import dataclass

_LARGEST_EXPONENT = 64  # any cap is long reached; more would overflow a float


@dataclass(frozen=True, slots=True, kw_only=True)
class RetryPolicy:
    """How often and how soon.

    Attributes:
        attempts: How often it is tried in all, the first time included.
        base_s: Pause after the first failure; each further one is ``factor`` times as long, but
            never longer than ``cap_s``.
        patience_s: The longest wait that the other side may ask for; asked for more, there is no
            further attempt. None waits as long as it is told to: right for a delivery, which
            nobody watches, and wrong for a model call, which a person does.

    Raises:
        ValueError: The numbers make no sense together.
    """

    attempts: int
    base_s: float
    factor: float
    cap_s: float
    patience_s: float | None = None

    def __post_init__(self) -> None:
        if self.attempts < 1 or self.factor < 1 or not 0 <= self.base_s <= self.cap_s:
            raise ValueError(f"no retry policy: {self}")


def delay_before(
    policy: RetryPolicy, failures: int, retry_after_s: float | None, jitter: float
) -> float | None:
    """Say how long to wait before the next attempt, None if there is to be none.

    ``failures`` counts the attempts that failed, at least 1. ``jitter`` in ``[0, 1)`` takes up to
    half of the pause away, so that many who failed together do not return together. What the
    other side asks for (``retry_after_s``) is never undercut.
    """
    if failures >= policy.attempts:
        return None
    growth = policy.factor ** min(failures - 1, _LARGEST_EXPONENT)
    pause_s = min(policy.base_s * growth, policy.cap_s) * (1 - jitter / 2)
    if retry_after_s is None:
        return pause_s
    if policy.patience_s is not None and retry_after_s > policy.patience_s:
        return None
    return max(pause_s, retry_after_s)
