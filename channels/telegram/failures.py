"""Telegram's and the network's errors, in the bot's words."""

from __future__ import annotations

import os
from datetime import timedelta

import httpx
from telegram.error import (
    BadRequest,
    ChatMigrated,
    Conflict,
    Forbidden,
    InvalidToken,
    RetryAfter,
    TelegramError,
)

from bot.api import ChannelAuthError, ChannelError, DeliveryError, FateUnknown
from channels.telegram.token import TOKEN_REFUSED, redact

os.environ.setdefault("PTB_TIMEDELTA", "1")
"""The SDK's own switch to durations as ``timedelta``; without it each 429 is a warning."""

_NEVER_SENT = (
    httpx.ConnectError,
    httpx.ConnectTimeout,
    httpx.PoolTimeout,
    httpx.ProxyError,
    httpx.UnsupportedProtocol,
)

_PATIENCE_S = 5.0
"""How long to wait after a 429 that does not say how long."""


def failure_of(error: TelegramError, *, is_repeatable: bool) -> ChannelError:
    """Say what an error means for whoever called.

    Args:
        error: What the SDK raised.
        is_repeatable: Doing it twice shows nothing twice (an edit, a poll), so that a request of
            unknown fate may simply be made again. A 5xx counts as unknown fate: behind Telegram's
            front servers the message may have been accepted.
    """
    text = redact(f"Telegram: {error.message}")
    match error:
        case RetryAfter():
            return DeliveryError(text, retry_after_s=_seconds(error.retry_after))
        case InvalidToken():
            return ChannelAuthError(TOKEN_REFUSED)
        case Forbidden() | ChatMigrated() | BadRequest():
            return DeliveryError(text, can_retry=False)
        case Conflict():
            return DeliveryError(text)
    if error.message.startswith("Too Many Requests"):
        return DeliveryError(text, retry_after_s=_PATIENCE_S)
    if is_repeatable or isinstance(error.__cause__, _NEVER_SENT):
        return DeliveryError(text)
    return FateUnknown(text)


def _seconds(retry_after: float | timedelta) -> float:
    """Read either form: an operator's environment may have switched it off."""
    return retry_after.total_seconds() if isinstance(retry_after, timedelta) else float(retry_after)
