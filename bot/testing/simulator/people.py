"""What people do in a simulation: bursts of messages, commands, stops."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial

from bot.core.chat import (
    ChatAddress,
    ChatKind,
    Inbound,
    InboundMessage,
    Sender,
    SessionKey,
    StopRequest,
)
from bot.testing.simulator.platforms import Platform, PollingPlatform, PushingPlatform
from bot.testing.simulator.world import World

STORM_S = 600.0
"""For how long people write and things go wrong."""

LONGEST_OUTAGE_S = 300.0

_DOINGS: dict[str, float] = {
    "please": 80,
    "/stop": 6,
    "/retry": 6,
    "/new": 4,
    "/status": 2,
    "/failed": 3,
    "/staus": 1,
    "chatter": 3,
    "button": 3,
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Chat:
    """A chat of a platform."""

    platform: Platform
    address: ChatAddress
    kind: ChatKind


class People:
    """Everybody who writes to the bot; what they do when is decided at once, but for questions."""

    def __init__(self, world: World, polling: PollingPlatform, pushing: PushingPlatform) -> None:
        self._world = world
        self._dice = world.dice
        self._count = 0
        every = [
            _chat(polling, "1", "private"),
            _chat(polling, "2", "group", thread="7"),
            _chat(pushing, "3", "private"),
            _chat(pushing, "4", "private"),
            _chat(pushing, "5", "group", thread="8"),
        ]
        self.chats = tuple(chat for chat in every if self._dice.chance(0.7)) or (every[0],)

    def begin(self) -> None:
        """Plan everything that people will do."""
        for chat in self.chats:
            for delay_s in self._times():
                doing = self._dice.weighted(_DOINGS)
                event = self._event(chat, doing)
                self._world.later(delay_s, partial(chat.platform.happen, event))
        for platform in {chat.platform.name: chat.platform for chat in self.chats}.values():
            platform.on_bad_news = self._ask_back
            if self._dice.chance(0.2):
                lasts_s = self._dice.between(10, LONGEST_OUTAGE_S)
                begins_s = self._dice.between(0, STORM_S / 2)
                self._world.later(begins_s, partial(platform.be_out, lasts_s))

    def _ask_back(self, session_key: SessionKey) -> None:
        """Let somebody who reads that an answer did not arrive ask which, or want it again."""
        for chat in self.chats:
            if chat.address.session_key == session_key and self._dice.chance(0.6):
                event = self._event(chat, self._dice.among(("/failed", "/retry")))
                delay_s = self._dice.between(1, 60)
                self._world.later(delay_s, partial(chat.platform.happen, event))

    def _times(self) -> Iterator[float]:
        """Give when somebody of a chat does something: in bursts."""
        at_s = self._dice.between(0, STORM_S / 4)
        for _ in range(self._dice.count(1, 8)):
            yield at_s
            is_burst = self._dice.chance(0.5)
            at_s += self._dice.between(0, 2 if is_burst else STORM_S / 6)

    def _event(self, chat: Chat, doing: str) -> Inbound:
        self._count += 1
        user = self._dice.among(("11", "12"))
        sender = Sender(channel=chat.platform.name, user_id=user, name=f"Person {user}")
        if doing == "button" and isinstance(chat.platform, PushingPlatform):
            return StopRequest(event_id=f"stop:{self._count}", address=chat.address, sender=sender)
        is_chatter = doing == "chatter" and chat.kind == "group"
        is_typo = doing == "/staus" and chat.kind == "private"
        is_command = doing.startswith("/") and (doing != "/staus" or is_typo)
        return InboundMessage(
            event_id=f"message:{chat.address.chat}:{self._count}",
            address=chat.address,
            kind=chat.kind,
            sender=sender,
            message_id=str(self._count),
            text=doing if is_command else f"m{self._count} please",
            is_addressed=not is_chatter,
            sent_at=self._world.now,
        )


def _chat(platform: Platform, chat: str, kind: ChatKind, thread: str = "") -> Chat:
    address = ChatAddress(channel=platform.name, account="bot", chat=chat, thread=thread)
    return Chat(platform=platform, address=address, kind=kind)
