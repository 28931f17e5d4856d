"""Messages that were changed or taken back, as the store in memory follows them."""

from __future__ import annotations

from collections.abc import MutableMapping
from dataclasses import replace
from datetime import datetime

from bot.core.chat import InboundDeletion, InboundEdit, InboundMessage, SessionKey
from bot.core.edits import (
    BEHIND_ALL_EDITS,
    Change,
    Correction,
    Meaning,
    Standing,
    change_of,
    changed_message,
    files_mark,
    meaning_of,
    merged,
    note_of,
    rewritten,
)
from bot.core.lifecycle import Received, SetAside, address_of, compose_request
from bot.core.messages import ContentBlock, Message
from bot.core.rewriting import Rewriting
from bot.core.turns import Turn, TurnId
from bot.testing.kept_facts import KeptFacts
from bot.testing.mailboxes import KeptEvent, MemoryInbox


class MemoryChanges:
    """Changes messages in an inbox, in the turns that took them up, and in what is remembered."""

    def __init__(
        self, inbox: MemoryInbox, turns: MutableMapping[TurnId, Turn], memory: KeptFacts
    ) -> None:
        self._inbox = inbox
        self._turns = turns
        self._memory = memory
        self._untold: dict[TurnId, tuple[Correction, ...]] = {}

    def receive(self, event: Received | SetAside, at: datetime) -> bool:
        """Store an event, or do what it changes; False when it was known, or meant nothing."""
        if isinstance(event, Received) and isinstance(event.inbound, InboundEdit | InboundDeletion):
            return self._take_in(event.inbound, at, is_for_bot=event.route == "turn")
        is_new = self._inbox.receive(event, at)
        if is_new and isinstance(event, Received) and event.route != "none":
            self._memory.hear(address_of(event.inbound).session_key, at)
        return is_new

    def request_of(
        self, session_key: SessionKey, messages: tuple[InboundMessage, ...]
    ) -> tuple[Message, int]:
        """Compose a turn's request behind the note on what was changed meanwhile.

        Also gives at which block the first message stands.
        """
        untold = self.forget(session_key)
        note, request = note_of(untold), compose_request(messages)
        return replace(request, blocks=(*note, *request.blocks)), len(note)

    def forget(self, session_key: SessionKey) -> tuple[Correction, ...]:
        """Take away what the next turn of a chat was to be told."""
        known = [self._turns[each] for each in self._untold if each in self._turns]
        of_chat = [turn.id for turn in known if turn.session_key == session_key]
        return tuple(each for turn_id in of_chat for each in self._untold.pop(turn_id))

    def brought_still(
        self, turn_id: TurnId, brought: tuple[tuple[ContentBlock, ...], ...]
    ) -> tuple[tuple[ContentBlock, ...], ...]:
        """Leave out what came with messages that were taken back meanwhile."""
        events = self._inbox.events_of(turn_id)
        return tuple(
            () if event.changed_at == BEHIND_ALL_EDITS else blocks
            for event, blocks in zip(events, brought, strict=True)
        )

    def _take_in(
        self, inbound: InboundEdit | InboundDeletion, at: datetime, *, is_for_bot: bool
    ) -> bool:
        channel, change = address_of(inbound).channel, change_of(inbound)
        if self._inbox.find(channel, inbound.event_id) is not None:
            return False
        event = self._inbox.find(channel, change.event_id)
        standing = None if event is None else _standing(event)
        meaning = meaning_of(change, standing, is_for_bot=is_for_bot)
        if meaning == "nothing":
            return False
        self._inbox.receive(Received(inbound=inbound, route="none"), at)
        if change.message is not None and event is None:
            self.receive(Received(inbound=change.message, route="turn"), at)
            event = self._inbox.find(channel, change.event_id)
        assert event is not None
        if meaning != "message":
            self._change(event, change, meaning, at)
        event.changed_at = change.moment
        event.files = None if change.message is None else files_mark(change.message)
        return True

    def _change(self, event: KeptEvent, change: Change, meaning: Meaning, at: datetime) -> None:
        if event.message is not None:
            event.message = changed_message(event.message, change)
        if change.message is None and meaning != "running":
            event.state, event.message = "done", None
        if event.turn_id is None or event.turn_id not in self._turns:
            return
        correction = self._rewrite(event, event.turn_id, change)
        if correction is None:
            return
        turn = self._turns[event.turn_id]
        if meaning != "running":
            self._memory.follow(Rewriting(turn=turn, correction=correction, at=at))
        elif self._memory.is_current(turn):
            self._untold[turn.id] = merged(self._untold.get(turn.id, ()), correction)

    def _rewrite(self, event: KeptEvent, turn_id: TurnId, change: Change) -> Correction | None:
        turn, events = self._turns[turn_id], self._inbox.events_of(turn_id)
        places = tuple(each.block or 0 for each in events)
        index = next(number for number, each in enumerate(events) if each is event)
        request, moved = rewritten(turn.request, places, index, change, event.files)
        if request == turn.request:
            return None
        self._turns[turn_id] = replace(turn, request=request, revision=turn.revision + 1)
        self._inbox.place(turn_id, moved)
        self._memory.follow_block(
            turn_id, dict(zip(places, moved, strict=True)), places[index], change
        )
        before, after = (_text_at(each, places[index]) for each in (turn.request, request))
        return Correction(before=before, after="" if change.message is None else after)


def _standing(event: KeptEvent) -> Standing:
    return Standing(
        place=event.state,
        route=event.route,
        has_turn=event.turn_id is not None,
        changed_at=event.changed_at,
    )


def _text_at(request: Message, place: int) -> str:
    return getattr(request.blocks[place], "text", "")
