"""Inbox and outbox of the store that keeps everything in memory."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Literal

from bot.core.chat import InboundEdit, InboundMessage, Receipt, Reply, SessionKey
from bot.core.lifecycle import OutboxId, OutboxItem, Received, Route, SetAside, address_of
from bot.core.turns import TurnId


@dataclass(slots=True)
class _Event:
    """What is kept of an event; ``message`` only as long as it is not done."""

    event_id: str
    state: Literal["waiting", "claimed", "done"] = "done"
    route: Route = "none"
    message: InboundMessage | None = None
    turn_id: TurnId | None = None


class MemoryInbox:
    """Events by their identity, in the order of arrival."""

    def __init__(self) -> None:
        self.set_aside: list[SetAside] = []
        self._events: dict[tuple[str, str], _Event] = {}

    def receive(self, event: Received | SetAside) -> bool:
        """Store an event; False when it was known."""
        kept = _kept(event)
        if isinstance(event, SetAside):
            identity = (event.channel, kept.event_id)
        else:
            identity = (address_of(event.inbound).channel, kept.event_id)
        if identity in self._events:
            return False
        self._events[identity] = kept
        if isinstance(event, SetAside):
            self.set_aside.append(event)
        return True

    def waiting(self, route: Route) -> tuple[InboundMessage, ...]:
        """Give what waits."""
        return tuple(message for _, message in self._waiting(route))

    def waiting_in(self, session_key: SessionKey) -> tuple[InboundMessage, ...]:
        """Give what waits for the next turn of a chat."""
        messages = self.waiting("turn")
        return tuple(each for each in messages if each.address.session_key == session_key)

    def claim(self, session_key: SessionKey, turn_id: TurnId) -> None:
        """Give all that waits in a chat to a turn."""
        for event, message in self._waiting("turn"):
            if message.address.session_key == session_key:
                event.state, event.turn_id = "claimed", turn_id

    def of_turn(self, turn_id: TurnId) -> tuple[InboundMessage, ...]:
        """Give the messages that an open turn owns."""
        return tuple(
            event.message
            for event in self._events.values()
            if event.turn_id == turn_id and event.message is not None
        )

    def close_of_turn(self, turn_id: TurnId) -> None:
        """Forget the messages of a turn, all but that they were there."""
        for event in self._events.values():
            if event.turn_id == turn_id:
                event.state, event.message = "done", None

    def close(self, event_id: str) -> bool:
        """Close the oldest waiting event of this id; False when none waits any more."""
        known = [event for event in self._events.values() if event.event_id == event_id]
        if not known:
            raise ValueError(f"no such event: {event_id!r}")
        for event in known:
            if event.state == "waiting":
                event.state, event.message = "done", None
                return True
        return False

    def _waiting(self, route: Route) -> list[tuple[_Event, InboundMessage]]:
        return [
            (event, event.message)
            for event in self._events.values()
            if event.state == "waiting" and event.route == route and event.message is not None
        ]


class MemoryOutbox:
    """Items by their id, oldest first."""

    def __init__(self) -> None:
        self.failures: dict[OutboxId, str] = {}
        self._items: dict[OutboxId, OutboxItem] = {}
        self._previews: dict[TurnId, OutboxId] = {}

    @property
    def items(self) -> tuple[OutboxItem, ...]:
        """All of them; of those that were sent, the text is gone."""
        return tuple(self._items.values())

    def add(
        self, replies: Iterable[Reply], *, replaces: Receipt | None = None
    ) -> tuple[OutboxItem, ...]:
        """Add replies; the first one takes the place of what ``replaces`` names."""
        items: list[OutboxItem] = []
        for reply in replies:
            items.append(self._add(reply, replaces=None if items else replaces))
        return tuple(items)

    def add_preview(self, turn_id: TurnId, reply: Reply) -> OutboxItem:
        """Add an unfinished answer, or give the one that the turn has."""
        if turn_id in self._previews:
            return replace(self._items[self._previews[turn_id]], reply=reply)
        item = self._add(reply, is_preview=True)
        self._previews[turn_id] = item.id
        return item

    def close_preview(self, turn_id: TurnId) -> Receipt | None:
        """Close the preview of a turn and give its receipt."""
        if turn_id not in self._previews:
            return None
        preview = self._items[self._previews[turn_id]]
        shown = preview.receipt is not None
        self._items[preview.id] = _blanked(replace(preview, state="sent" if shown else "failed"))
        return preview.receipt

    def mark_sending(self, item_id: OutboxId) -> None:
        """Note that the platform is about to be called."""
        item = self._item(item_id)
        if item.state == "pending":
            self._items[item_id] = replace(item, state="sending")

    def mark_pending(self, item_id: OutboxId) -> None:
        """Note that what was being sent did not arrive."""
        item = self._item(item_id)
        if item.state == "sending":
            self._items[item_id] = replace(item, state="pending")

    def mark_sent(self, item_id: OutboxId, receipt: Receipt) -> None:
        """Note that the platform has it."""
        item = self._item(item_id)
        self._items[item_id] = _blanked(replace(item, state="sent", receipt=receipt))
        self.failures.pop(item_id, None)

    def mark_failed(self, item_id: OutboxId, reason: str) -> None:
        """Note that it will not be delivered, and why."""
        item = self._item(item_id)
        if item.state in ("pending", "sending"):
            self._items[item_id] = replace(item, state="failed")
            self.failures[item_id] = reason

    def _item(self, item_id: OutboxId) -> OutboxItem:
        if item_id not in self._items:
            raise ValueError(f"no such outbox item: {item_id}")
        return self._items[item_id]

    def _add(
        self, reply: Reply, *, is_preview: bool = False, replaces: Receipt | None = None
    ) -> OutboxItem:
        item = OutboxItem(
            id=OutboxId(len(self._items) + 1),
            reply=reply,
            state="pending",
            is_preview=is_preview,
            replaces=replaces,
        )
        self._items[item.id] = item
        return item


def _kept(event: Received | SetAside) -> _Event:
    """Say what is kept of an event: only messages, new or changed, can wait."""
    if isinstance(event, SetAside):
        return _Event(event.event_id)
    inbound = event.inbound
    if event.route == "none" or not isinstance(inbound, InboundMessage | InboundEdit):
        return _Event(inbound.event_id)
    message = inbound.message if isinstance(inbound, InboundEdit) else inbound
    waiting = replace(message, event_id=inbound.event_id)
    return _Event(inbound.event_id, state="waiting", route=event.route, message=waiting)


def _blanked(item: OutboxItem) -> OutboxItem:
    return replace(item, reply=replace(item.reply, text=""))
