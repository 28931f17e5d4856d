"""Moments of a schedule: which one is to be seen to now, as a function of what was seen to."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta, tzinfo

from bot.core.chat import SessionKey

LONGEST_LEAD = timedelta(days=1)
"""A slot that was claimed further ahead was claimed by a clock that was wrong."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SilentChat:
    """A chat that a clean-up may remove.

    Attributes:
        turns: How many turns go with it.
        heard_at: When something came in last, None for never.
    """

    session_key: SessionKey
    turns: int
    heard_at: datetime | None


def due(newest: datetime, claimed: datetime | None, now: datetime) -> datetime | None:
    """Say which moment of a schedule is to be seen to now, None when there is none.

    Args:
        newest: The schedule's newest moment that is not behind ``now``. However many were missed
            before it, it stands for all of them.
        claimed: The newest moment that was seen to. A schedule that never ran has missed nothing.
        now: The time.
    """
    if claimed is None or not is_open(newest, claimed, now):
        return None
    return newest


def is_open(slot: datetime, claimed: datetime | None, now: datetime) -> bool:
    """Say whether a moment may still be claimed, given the newest that was.

    A clock that is set back gives no moment twice; only where it had been wrong by more than
    :data:`LONGEST_LEAD` does it begin anew, lest nothing happen until that time comes.
    """
    return claimed is None or slot > claimed or claimed > now + LONGEST_LEAD


def last_midnight(now: datetime, zone: tzinfo) -> datetime:
    """Give the moment at which the local day of ``now`` began.

    Where the clock is put forward at midnight that is the moment it is put forward; where it shows
    midnight twice, the first time.
    """
    local = now.astimezone(zone)
    midnight = local.replace(hour=0, minute=0, second=0, microsecond=0, fold=0)
    return midnight.astimezone(UTC)


def silent_before(now: datetime, max_age_days: int) -> datetime:
    """Say since when a chat has been silent for so long by the calendar."""
    return now - timedelta(days=max_age_days)
