"""Inbox and outbox of the store that keeps everything in memory."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from datetime import datetime
from itertools import count
from typing import Literal

from bot.core.chat import InboundEdit, InboundMessage, Receipt, Reply, SessionKey
from bot.core.lifecycle import (
    OutboxId,
    OutboxItem,
    Received,
    Route,
    SetAside,
    address_of,
    sent_again,
)
from bot.core.turns import TurnId


@dataclass(slots=True)
class _Event:
    """What is kept of an event; ``message`` only as long as it is not done."""

    received_at: datetime
    state: Literal["waiting", "claimed", "kept", "done"] = "done"
    route: Route = "none"
    message: InboundMessage | None = None
    turn_id: TurnId | None = None


class MemoryInbox:
    """Events by their identity, in the order of arrival."""

    def __init__(self) -> None:
        self.set_aside: list[SetAside] = []
        self._events: dict[tuple[str, str], _Event] = {}

    def receive(self, event: Received | SetAside, at: datetime) -> bool:
        """Store an event; False when it was known."""
        if isinstance(event, SetAside):
            identity = (event.channel, event.event_id)
        else:
            identity = (address_of(event.inbound).channel, event.inbound.event_id)
        if identity in self._events:
            return False
        self._events[identity] = _kept(event, at)
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

    def those_before(
        self, messages: tuple[InboundMessage, ...], event_id: str
    ) -> tuple[InboundMessage, ...]:
        """Keep of these messages what came in before an event; all if that is not known."""
        order = [known for _, known in self._events]
        if event_id not in order:
            return messages
        earlier = set(order[: order.index(event_id)])
        return tuple(message for message in messages if message.event_id in earlier)

    def claim(self, messages: tuple[InboundMessage, ...], turn_id: TurnId) -> None:
        """Give these of the waiting messages to a turn."""
        for message in messages:
            event = self._events[message.address.channel, message.event_id]
            event.state, event.turn_id = "claimed", turn_id

    def claim_kept(self, turn_id: TurnId) -> bool:
        """Give a turn its messages back; False when they were not kept."""
        kept = [each for each in self._of_turn(turn_id) if each.state == "kept"]
        for event in kept:
            event.state = "claimed"
        return bool(kept)

    def keep_of_turn(self, turn_id: TurnId) -> None:
        """Keep the messages of a turn, so that it can be tried again."""
        for event in self._of_turn(turn_id):
            event.state = "kept"

    def drop_kept(self, session_key: SessionKey) -> None:
        """Forget what was kept in a chat."""
        for event in self._events.values():
            message = event.message
            if event.state == "kept" and message and message.address.session_key == session_key:
                event.state, event.message = "done", None

    def of_turn(self, turn_id: TurnId) -> tuple[InboundMessage, ...]:
        """Give the messages that an open turn owns."""
        return tuple(each.message for each in self._of_turn(turn_id) if each.message is not None)

    def close_of_turn(self, turn_id: TurnId) -> None:
        """Forget the messages of a turn, all but that they were there."""
        for event in self._of_turn(turn_id):
            event.state, event.message = "done", None

    def close(self, channel: str, event_id: str) -> bool:
        """Close a waiting event; False when it does not wait any more."""
        event = self._events.get((channel, event_id))
        if event is None:
            raise ValueError(f"no such event: {event_id!r} of {channel}")
        if event.state != "waiting":
            return False
        event.state, event.message = "done", None
        return True

    def prune(self, before: datetime) -> int:
        """Forget events received before a moment that wait for nothing, and give how many."""
        pruned = [
            identity
            for identity, event in self._events.items()
            if event.state in ("done", "kept") and event.received_at < before
        ]
        for identity in pruned:
            del self._events[identity]
        return len(pruned)

    def _of_turn(self, turn_id: TurnId) -> list[_Event]:
        return [event for event in self._events.values() if event.turn_id == turn_id]

    def _waiting(self, route: Route) -> list[tuple[_Event, InboundMessage]]:
        return [
            (event, event.message)
            for event in self._events.values()
            if event.state == "waiting" and event.route == route and event.message is not None
        ]


class MemoryOutbox:
    """Items by their id, oldest first."""

    def __init__(self, installation: str) -> None:
        self._installation = installation
        self._ids = count(1)
        self._items: dict[OutboxId, OutboxItem] = {}
        self._made_at: dict[OutboxId, datetime] = {}
        self._turns: dict[OutboxId, TurnId] = {}
        self._previews: dict[TurnId, OutboxId] = {}

    @property
    def items(self) -> tuple[OutboxItem, ...]:
        """All that were not pruned; of those that were sent, the text is gone."""
        return tuple(self._items.values())

    def add(
        self, replies: Iterable[Reply], at: datetime, *, replaces: Receipt | None = None
    ) -> tuple[OutboxItem, ...]:
        """Add replies; the first one takes the place of what ``replaces`` names."""
        items: list[OutboxItem] = []
        for reply in replies:
            items.append(self._add(reply, at, replaces=None if items else replaces))
        return tuple(items)

    def add_of_turn(
        self, turn_id: TurnId, replies: tuple[Reply, ...], at: datetime
    ) -> tuple[OutboxItem, ...]:
        """Add the replies of a turn that ends; the first one finishes its preview.

        A preview of which nobody knows whether it was shown becomes the first reply itself.
        """
        preview = self._items.get(self._previews.get(turn_id, OutboxId(0)))
        if not replies or preview is None or preview.receipt or preview.state != "sending":
            items = self.add(replies, at, replaces=self.close_preview(turn_id))
        else:
            reply = replace(replies[0], key=preview.reply.key)
            first = replace(preview, reply=reply, is_preview=False)
            self._items[first.id] = first
            del self._previews[turn_id]
            items = (first, *self.add(replies[1:], at))
        self._turns.update((item.id, turn_id) for item in items)
        return items

    def add_preview(self, turn_id: TurnId, reply: Reply, at: datetime) -> OutboxItem:
        """Add an unfinished answer, or give the one that the turn has."""
        if turn_id in self._previews:
            item = self._items[self._previews[turn_id]]
            return replace(item, reply=replace(reply, key=item.reply.key))
        item = self._add(reply, at, is_preview=True)
        self._previews[turn_id] = item.id
        self._turns[item.id] = turn_id
        return item

    def close_preview(self, turn_id: TurnId) -> Receipt | None:
        """Close the preview of a turn and give its receipt."""
        if turn_id not in self._previews:
            return None
        preview = self._items[self._previews[turn_id]]
        is_shown = preview.receipt is not None
        closed = replace(preview, state="sent" if is_shown else "failed", reason="")
        self._items[preview.id] = _blanked(closed)
        return preview.receipt

    def part_from_preview(self, turn_id: TurnId) -> None:
        """Leave the closed preview of a turn that is opened again as it is."""
        self._previews.pop(turn_id, None)

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
        self._items[item_id] = _blanked(
            replace(item, state="sent", receipt=receipt, reason="", failed_at=None)
        )

    def mark_failed(
        self, item_id: OutboxId, reason: str, at: datetime, notice: Reply | None
    ) -> OutboxItem | None:
        """Note that it will not be delivered, and why; add the notice about that."""
        item = self._item(item_id)
        if item.state not in ("pending", "sending"):
            return None
        self._items[item_id] = replace(item, state="failed", reason=reason, failed_at=at)
        return None if notice is None else self._add(notice, at)

    def failed(self, session_key: SessionKey) -> tuple[OutboxItem, ...]:
        """Give the replies that could not be delivered to a chat."""
        return tuple(
            item
            for item in self.items
            if item.state == "failed"
            and not item.is_preview
            and item.reply.kind != "failure"
            and item.reply.address.session_key == session_key
        )

    def send_again(self, session_key: SessionKey) -> tuple[OutboxItem, ...]:
        """Open again what could not be delivered to a chat, and give it."""
        again = tuple(sent_again(item) for item in self.failed(session_key))
        self._items.update((item.id, item) for item in again)
        return again

    def prune(self, before: datetime, open_turns: Iterable[TurnId]) -> int:
        """Forget what was made before a moment and is done, and give how many items."""
        in_use = {self._previews[each] for each in open_turns if each in self._previews}
        pruned = [
            item.id
            for item in self.items
            if self._made_at[item.id] < before
            and (item.id not in in_use if item.is_preview else item.state == "sent")
        ]
        for item_id in pruned:
            self._remove(item_id)
        return len(pruned)

    def remove_of_chat(self, session_key: SessionKey, turn_ids: Iterable[TurnId]) -> None:
        """Forget what was sent by a chat's turns, and what could not be delivered to it."""
        of_chat = set(turn_ids)
        for item in self.items:
            is_lost = not item.is_preview and item.reply.address.session_key == session_key
            if (item.state == "failed" and is_lost) or (
                item.state in ("sent", "failed") and self._turns.get(item.id) in of_chat
            ):
                self._remove(item.id)

    def _remove(self, item_id: OutboxId) -> None:
        del self._items[item_id], self._made_at[item_id]
        self._turns.pop(item_id, None)

    def _item(self, item_id: OutboxId) -> OutboxItem:
        if item_id not in self._items:
            raise ValueError(f"no such outbox item: {item_id}")
        return self._items[item_id]

    def _add(
        self,
        reply: Reply,
        at: datetime,
        *,
        is_preview: bool = False,
        replaces: Receipt | None = None,
    ) -> OutboxItem:
        item_id = OutboxId(next(self._ids))
        item = OutboxItem(
            id=item_id,
            reply=replace(reply, key=f"{self._installation}-{item_id}"),
            state="pending",
            is_preview=is_preview,
            replaces=replaces,
        )
        self._items[item_id] = item
        self._made_at[item_id] = at
        return item


def _kept(event: Received | SetAside, at: datetime) -> _Event:
    """Say what is kept of an event: only messages, new or changed, can wait."""
    if isinstance(event, SetAside):
        return _Event(at)
    inbound = event.inbound
    if event.route == "none" or not isinstance(inbound, InboundMessage | InboundEdit):
        return _Event(at)
    message = inbound.message if isinstance(inbound, InboundEdit) else inbound
    waiting = replace(message, event_id=inbound.event_id)
    return _Event(at, state="waiting", route=event.route, message=waiting)


def _blanked(item: OutboxItem) -> OutboxItem:
    return replace(item, reply=replace(item.reply, text=""))
