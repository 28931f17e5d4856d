"""Where the bot takes part, as the store in memory knows it."""

from __future__ import annotations

from datetime import UTC, datetime

from bot.core.chat import ChatAddress, HeardChat, SessionKey
from bot.testing.kept_usage import KeptUsage


class KeptPresence(KeptUsage):
    """Answers from sessions, turns and events."""

    async def takes_part(self, session_key: SessionKey) -> bool:
        """Say whether a conversation has a turn, or waits for its first."""
        return self._has_begun(session_key) or bool(self._inbox.waiting_in(session_key))

    async def heard_since(
        self, channel: str, since: datetime, *, limit: int
    ) -> tuple[HeardChat, ...]:
        """Give conversations of which something came in since a moment, newest first."""
        heard = [
            HeardChat(address=ChatAddress.from_session_key(key), heard_at=session.heard_at)
            for key, session in sorted(self._sessions.items())
            if session.heard_at is not None and self._has_begun(key)
        ]
        newest = sorted(heard, key=lambda chat: chat.heard_at, reverse=True)
        mine = [
            chat for chat in newest if chat.address.channel == channel and chat.heard_at >= since
        ]
        return tuple(mine[:limit])

    async def received(self, address: ChatAddress, event_ids: tuple[str, ...]) -> frozenset[str]:
        """Give those of event ids that came in at an address."""
        kept = {each: self._inbox.find(address.channel, each) for each in event_ids}
        key = address.session_key
        return frozenset(id_ for id_, event in kept.items() if event and event.session_key == key)

    async def heard_in(self, address: ChatAddress, *, limit: int) -> tuple[HeardChat, ...]:
        """Give the conversations of a chat, newest first."""
        heard = await self.heard_since(address.channel, datetime.min.replace(tzinfo=UTC), limit=999)
        whole = address.whole_chat
        return tuple(chat for chat in heard if chat.address.whole_chat == whole)[:limit]

    def _has_begun(self, session_key: SessionKey) -> bool:
        """Say whether a turn was ever begun: who wrote last is noted with it."""
        session = self._sessions.get(session_key)
        return session is not None and bool(session.person_key)
