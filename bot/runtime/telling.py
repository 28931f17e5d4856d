"""Words of the bot itself in chats where nobody asked for them just now."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Mapping

from bot.core.chat import ChatAddress, Reply, Sender
from bot.core.lifecycle import OutboxItem
from bot.languages import speaking
from bot.ports import Channel, Clock, CommandAnswer
from bot.runtime.access_gate import AccessGate
from bot.runtime.answers import replies_to
from bot.runtime.delivery import Delivery
from bot.runtime.language import LanguageFor, in_english

MOST_AN_HOUR = 20
"""So many times an hour are admins told of people and groups that ask for something: who makes up
more of them gets no more attention by it. ``/pair`` and ``/allow`` list them all."""

HOUR_S = 3600.0
MOST_NAME_CHARS = 64

Wording = Callable[[], str | CommandAnswer]
"""Says something in the language that is spoken; each chat has its own."""


class Telling:
    """Writes notices as each channel shows them, in the language of each chat."""

    def __init__(
        self,
        channels: Mapping[str, Channel],
        gate: AccessGate,
        delivery: Delivery,
        clock: Clock,
        language_for: LanguageFor = in_english,
    ) -> None:
        self._channels = channels
        self._gate = gate
        self._delivery = delivery
        self._clock = clock
        self._language_for = language_for
        self._told_s: deque[float] = deque()

    def reaches(self, channel: str) -> bool:
        """Say whether a channel is configured."""
        return channel in self._channels

    async def to(
        self,
        address: ChatAddress,
        wording: Wording,
        *,
        reader: Sender | None = None,
        for_person: str = "",
    ) -> tuple[Reply, ...]:
        """Write to one chat; nothing where its channel is not configured any more.

        Args:
            address: The chat.
            wording: What is said there.
            reader: Whose own wish it is that brings it; None where nobody is known to have one.
            for_person: As :class:`~bot.core.chat.Reply` says.
        """
        channel = self._channels.get(address.channel)
        if channel is None:
            return ()
        language = self._language_for(address, reader)
        template = Reply(
            address=address, text="", kind="notice", for_person=for_person, language=language
        )
        with speaking(language):
            return await replies_to(wording(), channel, template, None)

    async def to_admins(self, wording: Wording) -> tuple[Reply, ...]:
        """Write to every admin who can be reached; nothing when they were told too much of late."""
        now_s = self._clock.monotonic()
        while self._told_s and now_s - self._told_s[0] >= HOUR_S:
            self._told_s.popleft()
        if len(self._told_s) >= MOST_AN_HOUR:
            return ()
        written = [await self.to(home, wording) for home in self._gate.admin_homes]
        replies = tuple(reply for replies in written for reply in replies)
        if replies:
            self._told_s.append(now_s)
        return replies

    def deliver(self, items: tuple[OutboxItem, ...]) -> None:
        """Send what was stored, behind what somebody asked for."""
        self._delivery.enqueue(items, is_unasked=True)


def in_code(name: str) -> str:
    """Write a name that somebody gave themselves so that it is nothing but a name."""
    words = " ".join(name.replace("`", "'").split())
    shown = words if len(words) <= MOST_NAME_CHARS else f"{words[: MOST_NAME_CHARS - 1]}…"
    return f"`{shown or '?'}`"
