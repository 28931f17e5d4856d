"""Reminders told, and prompts asked, when their moments come: each once, come what may.

The law of this file: a moment is claimed in the transaction that stores what it brings, so that a
crash before it leaves the moment open, and one after it the reply in the outbox or the message in
its chat. Who may talk to the bot is asked anew each time.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta

from bot.core.chat import InboundMessage, Reply
from bot.core.reminders import Reminder, ReminderId, due_slot, slot_message, told
from bot.errors import StoreError
from bot.ports import Calendar, Channel, Clock, Reminders, Timer
from bot.runtime.access_gate import AccessGate
from bot.runtime.answers import replies_to
from bot.runtime.delivery import Delivery
from bot.runtime.lanes import Lanes
from bot.runtime.supervisor import Spawn
from bot.runtime.waiting import either
from bot.runtime.zones import PeopleZones

logger = logging.getLogger(__name__)

AT_ONCE = 100
"""So many are looked at together: after a long sleep many are due."""

RETRY_AFTER = timedelta(minutes=1)
"""So long after a failure of the store, or of ours, it is tried again."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RemindingParts:
    """What reminding works with; only what is told in one of ``channels`` is seen to."""

    store: Reminders
    zones: PeopleZones
    gate: AccessGate
    channels: Mapping[str, Channel]
    delivery: Delivery
    lanes: Lanes
    calendar: Calendar
    timer: Timer
    clock: Clock
    spawn: Spawn


class Reminding:
    """Sees to what is due."""

    def __init__(self, parts: RemindingParts) -> None:
        self._parts = parts
        self._woken = asyncio.Event()

    def wake(self) -> None:
        """Say that something may be due earlier than was known."""
        self._woken.set()

    async def run(self) -> None:
        """See to each moment when it comes, for ever; first to those that went by meanwhile."""
        while True:
            self._woken.clear()
            moment = await self._see_to_all()
            if moment is None:
                await self._woken.wait()
            else:
                await either(self._woken.wait(), self._parts.timer.wait_until(moment))

    async def _see_to_all(self) -> datetime | None:
        """See to all that is due, and say when the next is; None for never."""
        parts, channels = self._parts, frozenset(self._parts.channels)
        try:
            while due := await self._due(channels):
                seen_to: set[ReminderId] = set()
                for reminder in due:
                    # A task of its own: what breaks it ends at the supervisor, and no other.
                    work = self._see_to(reminder, seen_to)
                    await asyncio.wait({parts.spawn(f"reminder {reminder.id}", work)})
                if not seen_to:
                    return parts.clock.now() + RETRY_AFTER
            return await parts.store.next_reminder_at(channels)
        except StoreError as error:
            logger.warning("reminders.put_off", extra={"why": str(error)})
            return parts.clock.now() + RETRY_AFTER

    async def _due(self, channels: frozenset[str]) -> tuple[Reminder, ...]:
        return await self._parts.store.reminders_due(
            channels, self._parts.clock.now(), limit=AT_ONCE
        )

    async def _see_to(self, reminder: Reminder, seen_to: set[ReminderId]) -> None:
        try:
            await self._pass(reminder)
        except StoreError as error:
            about = {"reminder": reminder.id, "why": str(error)}
            logger.warning("reminders.put_off", extra=about)
        else:
            seen_to.add(reminder.id)

    async def _pass(self, reminder: Reminder) -> None:
        """Pass the moment of a reminder, and all before it that were missed, with what it brings.

        Raises:
            StoreError: It is due still.
        """
        parts, now = self._parts, self._parts.clock.now()
        zone = parts.zones.named(reminder.zone)
        newest = following = None
        if reminder.rhythm is not None:
            newest = parts.calendar.last_until(reminder.rhythm.cron, now, zone)
            following = parts.calendar.next_after(reminder.rhythm.cron, now, zone)
        slot = due_slot(reminder, newest)
        message = slot_message(reminder, slot, told(reminder, slot, now, zone), now)
        may_happen = self._is_heard(message)
        is_prompt = may_happen and reminder.kind == "prompt"
        items = await parts.store.pass_slot(
            reminder,
            following=following,
            at=now,
            replies=await self._replies(message) if may_happen and not is_prompt else (),
            message=message if is_prompt else None,
        )
        if items is None:  # cancelled, moved with its chat, or seen to by somebody else
            return
        parts.delivery.enqueue(items, is_unasked=True)
        if is_prompt:
            parts.lanes.wake(reminder.address.session_key)
        logger.info(
            "reminder.told" if may_happen else "reminder.withheld",
            extra={
                "reminder": reminder.id,
                "session": reminder.address.session_key,
                "kind": reminder.kind,
                "late_s": round((now - slot).total_seconds(), 1),
            },
        )

    def _is_heard(self, message: InboundMessage) -> bool:
        """Say whether its author would be answered if they wrote now."""
        decision = self._parts.gate.decide(message.sender, message.kind, message.address)
        return self._parts.gate.hear(message, decision, is_command=False) == "heard"

    async def _replies(self, message: InboundMessage) -> tuple[Reply, ...]:
        channel = self._parts.channels[message.address.channel]
        template = Reply(address=message.address, text="", kind="notice")
        return await replies_to(message.text, channel, template, None)
