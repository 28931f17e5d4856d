"""Albums: messages that were sent as one, of which perhaps only one names the bot."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import TypeVar

from bot.core.chat import Inbound, InboundMessage, SessionKey
from bot.core.lifecycle import SetAside, Unfinished
from bot.ports import Clock

MOST_ALBUMS = 200
"""So many of the newest are remembered; the parts of one come within seconds."""

MOST_HELD = 200
"""So many parts are held that are for nobody yet; a platform's album has ten at most."""

HELD_S = 1.0
"""How long a part is held for another one that names the bot."""

_Key = tuple[SessionKey, str, str]
_K = TypeVar("_K")
_V = TypeVar("_V")


@dataclass(frozen=True, slots=True, kw_only=True)
class _Held:
    message: InboundMessage
    until_s: float


class Albums:
    """Remembers which albums are meant for the bot, so that all their parts are.

    Parts that came before the one that names the bot are held for a moment, in memory only.
    """

    def __init__(self, clock: Clock, gives_command: Callable[[InboundMessage], bool]) -> None:
        """Begin with none; the caption of an album may be a command, which its parts are not."""
        self._clock = clock
        self._gives_command = gives_command
        self._addressed: dict[_Key, None] = {}
        self._held: dict[str, _Held] = {}

    def resume(self, unfinished: Unfinished) -> tuple[SessionKey, ...]:
        """Remember what an earlier process took in; give the chats that wait for more of it."""
        claimed = (message for claim in unfinished.claims for message in claim.messages)
        for message in (*claimed, *unfinished.albums):
            self._note(message)  # none of them is a command, or it would not wait for a turn
        return tuple(dict.fromkeys(each.address.session_key for each in unfinished.albums))

    def joined(self, events: tuple[Inbound | SetAside, ...]) -> tuple[Inbound | SetAside, ...]:
        """Address to the bot what belongs to an album that is, whichever part says so.

        What was held of such an album comes first, again each time until it is ``stored``.
        """
        self._forget_old()
        parts = [event for event in events if isinstance(event, InboundMessage) and event.album]
        for part in parts:
            if not self._gives_command(part):
                self._note(part)
        keys, known = {_key_of(part) for part in parts}, {part.event_id for part in parts}
        held = (each.message for each in self._held.values())
        late = (each for each in held if _key_of(each) in keys and each.event_id not in known)
        called = tuple(each for each in late if _key_of(each) in self._addressed)
        return tuple(self._joined(event) for event in (*called, *events))

    def hold(self, message: InboundMessage) -> None:
        """Hold a part of an album that nobody has addressed to the bot so far."""
        self._forget_old()
        until_s = self._clock.monotonic() + HELD_S
        _make_room(self._held, MOST_HELD)
        self._held[message.event_id] = _Held(message=message, until_s=until_s)

    def stored(self, events: tuple[Inbound | SetAside, ...]) -> None:
        """Let go what is in the store by now."""
        for event in events:
            if isinstance(event, InboundMessage) and event.is_addressed:
                self._held.pop(event.event_id, None)

    def _note(self, message: InboundMessage) -> None:
        if message.album and message.is_addressed and message.is_named:
            _make_room(self._addressed, MOST_ALBUMS)
            self._addressed[_key_of(message)] = None

    def _joined(self, event: Inbound | SetAside) -> Inbound | SetAside:
        if not isinstance(event, InboundMessage) or not event.album or event.is_addressed:
            return event
        if _key_of(event) not in self._addressed:
            return event
        return replace(event, is_addressed=True, is_named=True)

    def _forget_old(self) -> None:
        """Let go what nobody asked about in time; of what is called, the store may have failed."""
        now_s = self._clock.monotonic()
        for event_id, held in tuple(self._held.items()):
            if held.until_s <= now_s and _key_of(held.message) not in self._addressed:
                del self._held[event_id]


def _key_of(message: InboundMessage) -> _Key:
    return message.address.session_key, message.sender.person_key, message.album


def _make_room(entries: dict[_K, _V], most: int) -> None:
    """Take out the oldest entry of what is full."""
    if len(entries) >= most:
        del entries[next(iter(entries))]
