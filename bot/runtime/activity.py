"""Which chats have work under way, and waiting until they have none."""

from __future__ import annotations

import asyncio
import contextlib
from collections import Counter
from collections.abc import Iterator

from bot.core.chat import SessionKey


class Activity:
    """Counts work by chat; waiting costs nothing while it goes on, no clock is looked at."""

    def __init__(self) -> None:
        self._busy: Counter[SessionKey] = Counter()
        self._waiters: dict[SessionKey | None, list[asyncio.Future[None]]] = {}

    @contextlib.contextmanager
    def work(self, session_key: SessionKey) -> Iterator[None]:
        """Count what happens inside as work of this chat."""
        self.begin(session_key)
        try:
            yield
        finally:
            self.end(session_key)

    def begin(self, session_key: SessionKey) -> None:
        """Count one more piece of work."""
        self._busy[session_key] += 1

    def end(self, session_key: SessionKey) -> None:
        """Count one less; who waits for the last one wakes."""
        self._busy[session_key] -= 1
        if self._busy[session_key] > 0:
            return
        del self._busy[session_key]
        self._wake(session_key)
        if not self._busy:
            self._wake(None)

    def is_busy(self, session_key: SessionKey) -> bool:
        """Say whether this chat has work under way."""
        return session_key in self._busy

    @property
    def busy_chats(self) -> int:
        """How many chats have work under way."""
        return len(self._busy)

    async def idle(self, session_key: SessionKey | None = None) -> None:
        """Wait until a chat, or with None every chat, has no work under way."""
        while session_key in self._busy if session_key is not None else self._busy:
            waiter: asyncio.Future[None] = asyncio.get_running_loop().create_future()
            self._waiters.setdefault(session_key, []).append(waiter)
            await waiter

    def _wake(self, key: SessionKey | None) -> None:
        for waiter in self._waiters.pop(key, []):
            if not waiter.done():
                waiter.set_result(None)
