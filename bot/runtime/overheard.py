"""What was said in groups whose platform cannot be asked for it later.

The law of this file: nothing of it is stored or logged. It is in memory, little of it and not for
long.
"""

from __future__ import annotations

from collections import OrderedDict
from dataclasses import dataclass

from bot.core.addresses import ChatAddress, sender_of
from bot.core.chat import EarlierMessage, InboundMessage, SessionKey
from bot.core.looking_back import MOST_EARLIER
from bot.core.memory.audience import Viewer
from bot.core.memory.forgetting import Wish, mentions
from bot.ports import Clock

REMEMBERED_S = 86_400.0
"""A day, as far as a channel that can be asked is asked."""

MOST_CHATS = 200
"""So many groups and topics, the liveliest: with messages of 4 096 characters, 33 MB."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Heard:
    said: EarlierMessage
    at_s: float


class Overheard:
    """Remembers the newest messages of each group whose platform cannot be asked for them."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._chats: OrderedDict[SessionKey, dict[str, _Heard]] = OrderedDict()

    def hear(self, session_key: SessionKey, said: EarlierMessage) -> None:
        """Remember a message; one that comes again keeps its place."""
        chat = self._chats.setdefault(session_key, {})
        self._chats.move_to_end(session_key)
        known = chat.get(said.event_id)
        at_s = self._clock.monotonic() if known is None else known.at_s
        chat[said.event_id] = _Heard(said=said, at_s=at_s)
        if len(chat) > MOST_EARLIER:
            del chat[next(iter(chat))]
        if len(self._chats) > MOST_CHATS:
            self._chats.popitem(last=False)
        self._forget_old(session_key)

    def change(self, session_key: SessionKey, event_id: str, said: EarlierMessage | None) -> None:
        """Follow a message that was changed, or taken back."""
        chat = self._chats.get(session_key, {})
        known = chat.get(event_id)
        if known is not None and said is not None:
            chat[event_id] = _Heard(said=said, at_s=known.at_s)
        elif known is not None:
            del chat[event_id]

    def forget(self, wish: Wish, viewer: Viewer) -> None:
        """Drop what somebody said and wants forgotten; in private, what they said in any group.

        Of a day all goes, which is a day old at most; facts and turns are no part of it.
        """
        if wish.kind in ("fact", "turn"):
            return
        is_private = viewer.audience.kind == "private"
        if is_private and wish.kind == "day":
            return  # of the private chat
        of = ChatAddress(
            channel=viewer.audience.channel,
            account=viewer.audience.account,
            chat=viewer.audience.chat,
        )
        author = sender_of(viewer.person_key)
        for key, chat in self._chats.items():
            address = ChatAddress.from_session_key(key)
            is_here = address.whole_chat == of or (is_private and address.channel == of.channel)
            for event_id, heard in tuple(chat.items() if is_here else ()):
                is_theirs = wish.of_everyone or heard.said.author_id == author.user_id
                if is_theirs and (wish.kind != "words" or mentions(wish, heard.said.text)):
                    del chat[event_id]

    def before(self, message: InboundMessage) -> tuple[EarlierMessage, ...]:
        """Give what was said before a message that was heard, oldest first."""
        session_key = message.address.session_key
        self._forget_old(session_key)
        chat = self._chats.get(session_key, {})
        if message.event_id not in chat:
            return ()
        order = tuple(chat)
        return tuple(chat[each].said for each in order[: order.index(message.event_id)])

    def _forget_old(self, session_key: SessionKey) -> None:
        """Forget the chats that were silent for too long, and what is too old of one."""
        oldest_s = self._clock.monotonic() - REMEMBERED_S
        for key, chat in tuple(self._chats.items()):
            if chat and next(reversed(chat.values())).at_s >= oldest_s:
                break  # those behind it were heard later
            del self._chats[key]
        chat = self._chats.get(session_key, {})
        for event_id in [each for each, heard in chat.items() if heard.at_s < oldest_s]:
            del chat[event_id]
