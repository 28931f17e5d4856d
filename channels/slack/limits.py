"""How much Slack takes in a time, kept to before it has to ask.

Messages are paced in each chat, and wait. What only shows an answer while it is being written is
counted over the whole workspace, as Slack counts each method, and is left out where it would take
the place of what must arrive: the next showing, or the answer itself, brings it.
"""

from __future__ import annotations

import math
from collections import deque
from typing import Final

from bot.api import Clock

A_MINUTE_S: Final = 60.0

MESSAGE_EVERY_S: Final = 1.0
"""In one chat. Source: docs.slack.dev, Rate limits, "posting messages", read 2026-11-30."""

MESSAGES_AT_ONCE: Final = 3
"""Slack lets short bursts pass, without saying of which length."""

STARTS_A_MINUTE: Final = 15
"""Streams begun. Tier 2 takes 20 calls a minute of a method; every stream is also stopped, and a
stop must not wait. Source: docs.slack.dev, chat.startStream and chat.stopStream, read
2026-11-30."""

APPENDS_A_MINUTE: Final = 80
"""Of the 100 of Tier 4. Source: docs.slack.dev, chat.appendStream, read 2026-11-30."""

UPDATES_A_MINUTE: Final = 30
"""Of the 50 of Tier 3; the rest is for answers that are finished. Source: docs.slack.dev,
chat.update, read 2026-11-30."""

_MANY_CHATS: Final = 1000


class Pace:
    """One message a second in each chat, and short bursts."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._due_s: dict[str, float] = {}
        self._reserved: set[str] = set()

    async def reserve(self, chat: str) -> None:
        """Wait until a message may go into a chat; a place that is kept already is that one."""
        if chat in self._reserved:
            return
        wait_s = self._book(chat)
        if wait_s > 0:
            await self._clock.sleep(wait_s)
        self._reserved.add(chat)

    def use(self, chat: str) -> None:
        """Note that a message goes into a chat, at the place kept for it or beside."""
        if chat in self._reserved:
            self._reserved.remove(chat)
        else:
            self._book(chat)

    def _book(self, chat: str) -> float:
        """Give the next message its time and say how long that is from now."""
        now_s = self._clock.monotonic()
        earliest_s = now_s - MESSAGES_AT_ONCE * MESSAGE_EVERY_S
        if len(self._due_s) >= _MANY_CHATS:
            self._due_s = {each: due_s for each, due_s in self._due_s.items() if due_s > earliest_s}
        due_s = max(self._due_s.get(chat, -math.inf), earliest_s) + MESSAGE_EVERY_S
        self._due_s[chat] = due_s
        return due_s - now_s


class Budget:
    """So many calls in any minute; there is no waiting for one."""

    def __init__(self, clock: Clock, a_minute: int) -> None:
        self._clock = clock
        self._a_minute = a_minute
        self._made_s: deque[float] = deque()

    def take(self) -> bool:
        """Say whether a call may be made now, and count it."""
        now_s = self._clock.monotonic()
        while self._made_s and self._made_s[0] <= now_s - A_MINUTE_S:
            self._made_s.popleft()
        if len(self._made_s) >= self._a_minute:
            return False
        self._made_s.append(now_s)
        return True
