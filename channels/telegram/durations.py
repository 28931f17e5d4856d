"""Durations as the SDK gives them."""

import os
from datetime import timedelta

os.environ.setdefault("PTB_TIMEDELTA", "1")
"""The SDK's own switch to durations as ``timedelta``; without it each one is a warning."""


def seconds_of(duration: float | timedelta) -> float:
    """Read either form: an operator's environment may have switched it off."""
    return duration.total_seconds() if isinstance(duration, timedelta) else float(duration)


def clock_of(duration: float | timedelta) -> str:
    """Write a duration as players do: ``1:02:03``, ``0:07``."""
    minutes, seconds = divmod(round(seconds_of(duration)), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{seconds:02}" if hours else f"{minutes}:{seconds:02}"
