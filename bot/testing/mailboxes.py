"""Inbox and outbox of the store that keeps everything in memory."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace
from datetime import datetime
from itertools import count

from bot.core.attendance import Stretch
from bot.core.chat import (
    ButtonPress,
    ChatAddress,
    InboundMessage,
    Receipt,
    Reply,
    SessionKey,
)
from bot.core.edits import BEHIND_ALL_EDITS
from bot.core.lifecycle import (
    DeliveryState,
    OutboxId,
    OutboxItem,
    Received,
    Route,
    SetAside,
    address_of,
    placed,
    sent_again,
)
from bot.core.presses import press_of
from bot.core.turns import TurnId
from bot.testing.kept_buttons import MemoryButtons
from bot.testing.kept_events import KeptEvent as KeptEvent
from bot.testing.kept_events import kept


class MemoryInbox:
    """Events by their identity, in the order of arrival."""

    def __init__(self) -> None:
        self.set_aside: list[SetAside] = []
        self._events: dict[tuple[str, str], KeptEvent] = {}

    def receive(self, event: Received | SetAside, at: datetime) -> bool:
        """Store an event; False when it was known."""
        if isinstance(event, SetAside):
            identity = (event.channel, event.event_id)
        else:
            identity = (address_of(event.inbound).channel, event.inbound.event_id)
        if identity in self._events:
            return False
        self._events[identity] = kept(event, at)
        if isinstance(event, SetAside):
            self.set_aside.append(event)
        return True

    def find(self, channel: str, event_id: str) -> KeptEvent | None:
        """Give what is kept of an event, None when it is not known."""
        return self._events.get((channel, event_id))

    def events_of(self, turn_id: TurnId) -> list[KeptEvent]:
        """Give the messages of a turn, in the order of arrival, as they are kept."""
        return self._of_turn(turn_id)

    def waiting(self, route: Route) -> tuple[InboundMessage, ...]:
        """Give what waits."""
        return tuple(message for _, message in self._waiting(route))

    @property
    def presses(self) -> tuple[ButtonPress, ...]:
        """Give the presses that were not redeemed."""
        return tuple(map(press_of, self.waiting("press")))

    def change_to_command(self, message: InboundMessage) -> None:
        """Let the command that a press was redeemed for wait in its place."""
        event = self._events.get((message.address.channel, message.event_id))
        if event is not None and event.state == "waiting":
            event.route, event.message = "command", message
            event.session_key = message.address.session_key

    def waiting_in(self, session_key: SessionKey) -> tuple[InboundMessage, ...]:
        """Give what waits for the next turn of a chat."""
        messages = self.waiting("turn")
        return tuple(each for each in messages if each.address.session_key == session_key)

    def those_before(
        self, messages: tuple[InboundMessage, ...], event_id: str
    ) -> tuple[InboundMessage, ...]:
        """Keep of these messages what came in before an event; all if that is not known."""
        return tuple(
            each
            for each in messages
            if self.is_before(each.address.channel, each.event_id, event_id)
        )

    def is_before(self, channel: str, event_id: str, other: str) -> bool:
        """Say whether an event came in before another, if both are known."""
        order = [known for where, known in self._events if where == channel]
        is_known = event_id in order and other in order
        return not is_known or order.index(event_id) < order.index(other)

    def claim(self, messages: tuple[InboundMessage, ...], turn_id: TurnId, first: int = 0) -> None:
        """Give these of the waiting messages to a turn, blocks of its request from one on."""
        for place, message in enumerate(messages, first):
            event = self._events[message.address.channel, message.event_id]
            event.state, event.turn_id, event.block = "claimed", turn_id, place

    def place(self, turn_id: TurnId, places: tuple[int, ...]) -> None:
        """Note at which block of its turn's request each message's text stands."""
        for event, place in zip(self._of_turn(turn_id), places, strict=True):
            event.block = place

    def claim_kept(self, turn_id: TurnId) -> bool:
        """Give a turn its messages back; False when they were not kept."""
        kept = [each for each in self._of_turn(turn_id) if each.state == "kept"]
        for event in kept:
            event.state = "claimed"
        return bool(kept)

    def keep_of_turn(self, turn_id: TurnId) -> None:
        """Keep the messages of a turn, so that it can be tried again; not what was taken back."""
        for event in self._of_turn(turn_id):
            if event.changed_at == BEHIND_ALL_EDITS:
                event.state, event.message = "done", None
            elif event.state == "claimed":
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

    def forget(self, turn_id: TurnId, blocks: tuple[int, ...] | None) -> None:
        """Forget messages of an ended turn, by their blocks or all, so that no edit counts."""
        for event in self._of_turn(turn_id):
            if blocks is None or event.block in blocks:
                event.state, event.message, event.files = "done", None, None
                event.changed_at = BEHIND_ALL_EDITS

    def close(self, channel: str, event_id: str) -> bool:
        """Close a waiting event; False when it does not wait any more."""
        event = self._events.get((channel, event_id))
        if event is None:
            raise ValueError(f"no such event: {event_id!r} of {channel}")
        if event.state != "waiting":
            return False
        event.state, event.message = "done", None
        return True

    def readdress(self, change: Callable[[ChatAddress], ChatAddress]) -> None:
        """Let messages that are kept have come from other places."""
        for event in self._events.values():
            message = event.message
            if message is not None and event.route != "press":
                address = change(message.address)
                is_left = event.route == "turn" and address != message.address
                message_id = "" if is_left else message.message_id
                event.message = replace(message, address=address, message_id=message_id)
            if event.session_key is not None:
                address = ChatAddress.from_session_key(event.session_key)
                event.session_key = change(address).session_key

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

    def set_right(self, shown: Stretch, at: datetime) -> frozenset[SessionKey]:
        """Let what was received when a wrong clock showed some time be received now; say where."""
        wrong = [event for event in self._events.values() if event.received_at in shown]
        for event in wrong:
            event.received_at = at
        return frozenset(event.session_key for event in wrong if event.session_key is not None)

    def _of_turn(self, turn_id: TurnId) -> list[KeptEvent]:
        return [event for event in self._events.values() if event.turn_id == turn_id]

    def _waiting(self, route: Route) -> list[tuple[KeptEvent, InboundMessage]]:
        return [
            (event, event.message)
            for event in self._events.values()
            if event.state == "waiting" and event.route == route and event.message is not None
        ]


class MemoryOutbox:
    """Items by their id, oldest first."""

    def __init__(self, installation: str) -> None:
        self._installation = installation
        self.buttons = MemoryButtons()
        self._ids = count(1)
        self._items: dict[OutboxId, OutboxItem] = {}
        self._made_at: dict[OutboxId, datetime] = {}
        self._turns: dict[OutboxId, TurnId] = {}
        self._previews: dict[TurnId, tuple[OutboxId, ...]] = {}

    @property
    def items(self) -> tuple[OutboxItem, ...]:
        """All that were not pruned; of those that were sent, the text is gone."""
        return tuple(self._items.values())

    def add(
        self, replies: Iterable[Reply], at: datetime, *, replaces: Receipt | None = None
    ) -> tuple[OutboxItem, ...]:
        """Add replies; the first one, if it is a text, replaces what ``replaces`` names."""
        items: list[OutboxItem] = []
        for reply in replies:
            is_instead = not items and reply.file is None
            items.append(self._add(reply, at, replaces=replaces if is_instead else None))
        return tuple(items)

    def add_of_turn(
        self, turn_id: TurnId, replies: tuple[Reply, ...], at: datetime
    ) -> tuple[OutboxItem, ...]:
        """Add the replies of a turn that ends; they finish and close its preview."""
        previews = tuple(self._items[each] for each in self._previews.get(turn_id, ()))
        items = []
        for reply, preview in placed(previews, replies):
            if preview is not None and preview.is_in_doubt:
                item = replace(preview, reply=replace(reply, key=preview.reply.key))
                item = self._items[item.id] = replace(item, is_preview=False)
            else:
                item = self._add(reply, at, replaces=None if preview is None else preview.receipt)
            items.append(item)
        self._close_previews(turn_id)
        self._turns.update((item.id, turn_id) for item in items)
        return tuple(items)

    def add_preview(self, turn_id: TurnId, reply: Reply, at: datetime, number: int) -> OutboxItem:
        """Add a message of an unfinished answer, or give the one that the turn has."""
        there = self._previews.get(turn_id, ())
        if number < len(there):
            item = self._items[there[number]]
            return replace(item, reply=replace(reply, key=item.reply.key))
        item = self._add(reply, at, is_preview=True)
        self._previews[turn_id] = (*there, item.id)
        self._turns[item.id] = turn_id
        return item

    def _close_previews(self, turn_id: TurnId) -> None:
        there = (self._items[each] for each in self._previews.get(turn_id, ()))
        still = tuple(item for item in there if item.is_preview)
        self._previews[turn_id] = tuple(item.id for item in still)
        for item in still:
            state: DeliveryState = "failed" if item.receipt is None else "sent"
            self._items[item.id] = _blanked(replace(item, state=state, reason=""))

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

    def readdress(self, change: Callable[[ChatAddress], ChatAddress]) -> None:
        """Let items go to other places."""
        self.buttons.readdress(change)
        for item in self.items:
            address = change(item.reply.address)
            if address == item.reply.address:
                continue
            reply = replace(item.reply, address=address, reply_to="")
            after = replace(item, reply=reply, replaces=None)
            is_done = reply.takes_back and item.state in ("pending", "sending")
            self._items[item.id] = replace(after, state="sent") if is_done else after

    def failed(self, session_key: SessionKey) -> tuple[OutboxItem, ...]:
        """Give the replies that could not be delivered to a chat."""
        return tuple(
            item
            for item in self.items
            if item.state == "failed"
            and not item.is_preview
            and item.reply.kind != "failure"
            and not item.reply.takes_back
            and item.reply.address.session_key == session_key
        )

    def send_again(self, session_key: SessionKey) -> tuple[OutboxItem, ...]:
        """Open again what could not be delivered to a chat, and give it."""
        again = tuple(sent_again(item) for item in self.failed(session_key))
        self._items.update((item.id, item) for item in again)
        return again

    def forget(self, turn_id: TurnId) -> None:
        """Forget what a turn that ended replied; what of it is being sent may arrive yet."""
        for item in self.items:
            if self._turns.get(item.id) == turn_id and not item.is_preview:
                self._items[item.id] = _blanked(replace(item, state="sent", reason=""))

    def prune(self, before: datetime, open_turns: Iterable[TurnId]) -> int:
        """Forget what was made before a moment and is done, and give how many items."""
        in_use = {item for turn in open_turns for item in self._previews.get(turn, ())}
        pruned = [
            item.id
            for item in self.items
            if self._made_at[item.id] < before
            and (item.id not in in_use if item.is_preview else item.state == "sent")
        ]
        for item_id in pruned:
            self._remove(item_id)
        return len(pruned)

    def set_right(self, shown: Stretch, at: datetime) -> None:
        """Let what was made when a wrong clock showed some time be made now."""
        for item_id, made_at in self._made_at.items():
            self._made_at[item_id] = at if made_at in shown else made_at

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
        self.buttons.remove(item_id)
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
        self.buttons.add(item, at)
        return item


def _blanked(item: OutboxItem) -> OutboxItem:
    return replace(item, reply=replace(item.reply, text="", file=None))
