"""Whether Slack still takes the bot's token: it closes no connection when that is revoked."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable

from bot.api import Clock, DeliveryError

EVERY_S = 20.0
LEAST_BETWEEN_S = 10.0
"""How often Slack is asked, far below what it allows for auth.test: hundreds a minute. Source:
docs.slack.dev, auth.test, "Special" rate limit, read 2026-11-30."""


class TokenWatch:
    """Asks whenever Slack gives a sign of life, if it has not just done so."""

    def __init__(
        self, ask: Callable[[], Awaitable[object]], clock: Clock, background: asyncio.TaskGroup
    ) -> None:
        self._ask = ask
        self._clock = clock
        self._background = background
        self._asked_s = clock.monotonic()

    def on_sign(self) -> None:
        """Ask in the background; a refused token ends whatever runs there."""
        now_s = self._clock.monotonic()
        if now_s - self._asked_s >= LEAST_BETWEEN_S:
            self._asked_s = now_s
            self._background.create_task(is_taken(self._ask))


async def keep_asking(
    ask: Callable[[], Awaitable[object]], clock: Clock, on_answer: Callable[[], None]
) -> None:
    """Ask for ever where Slack gives no signs of life; its answer is the only one there is.

    Raises:
        ChannelAuthError: The token is refused.
    """
    while True:
        await clock.sleep(EVERY_S)
        if await is_taken(ask):
            on_answer()


async def is_taken(ask: Callable[[], Awaitable[object]]) -> bool:
    """Ask once; False when Slack cannot be asked just now, which says nothing of the token.

    Raises:
        ChannelAuthError: The token is refused.
    """
    try:
        await ask()
    except DeliveryError:
        return False
    return True
