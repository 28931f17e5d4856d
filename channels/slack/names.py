"""What people are called, learnt on the side."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable, Iterable, Mapping
from types import MappingProxyType

from bot.api import ChannelError, Clock
from channels.slack.settings import CHANNEL

logger = logging.getLogger(__name__)

KEPT_S = 24 * 3600.0
"""How long a name is believed; people rename themselves seldom."""

MISSED_S = 600.0
"""How long a failed look-up is not repeated."""


class NameBook:
    """Names of people by user id.

    A message is stored under whatever name is known when it comes, at first the bare id: a look-up
    in front of the store would delay the acknowledgement, and let a later message of the same chat
    overtake an earlier one. The name is learnt meanwhile and stands from the next message on.
    """

    def __init__(self, look_up: Callable[[str], Awaitable[str]], clock: Clock) -> None:
        self._look_up = look_up
        self._clock = clock
        self._names: dict[str, str] = {}
        self._good_until_s: dict[str, float] = {}

    @property
    def known(self) -> Mapping[str, str]:
        """The names known at this moment; grows by itself."""
        return MappingProxyType(self._names)

    def learn(self, user_ids: Iterable[str], background: asyncio.TaskGroup) -> None:
        """Begin to look up those whose names are unknown or old."""
        now_s = self._clock.monotonic()
        for user_id in user_ids:
            if self._good_until_s.get(user_id, now_s) <= now_s:
                self._good_until_s[user_id] = now_s + MISSED_S  # also while it is looked up
                background.create_task(self._learn(user_id))

    async def _learn(self, user_id: str) -> None:
        try:
            self._names[user_id] = await self._look_up(user_id)
        except ChannelError as error:
            logger.debug("name.unknown", extra={"channel": CHANNEL, "reason": str(error)})
        else:
            self._good_until_s[user_id] = self._clock.monotonic() + KEPT_S
