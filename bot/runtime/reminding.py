"""Reminders told, and prompts asked, when their moments come: each once, come what may.

The law of this file: a moment is claimed in the transaction that stores what it brings, so that a
crash before it leaves the moment open, and one after it the reply in the outbox or the message in
its chat. Who may talk to the bot is asked anew each time. What is damaged costs itself alone.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import partial

from bot.core.addresses import sender_of
from bot.core.chat import ChatAddress, ChatKind, InboundMessage, PersonKey
from bot.core.reminders import (
    DamagedReminder,
    Reminder,
    ReminderId,
    announced,
    due_slot,
    lost,
    slot_message,
    told,
    was_passed,
)
from bot.core.schedule import LONGEST_LEAD
from bot.errors import StoreError
from bot.ports import Calendar, Channel, Clock, Reminders, Timer
from bot.runtime.access_gate import AccessGate
from bot.runtime.delivery import Delivery
from bot.runtime.jobs import BROKEN
from bot.runtime.lanes import Lanes
from bot.runtime.supervisor import Spawn
from bot.runtime.telling import Telling
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
    telling: Telling
    channels: Mapping[str, Channel]
    delivery: Delivery
    lanes: Lanes
    calendar: Calendar
    timer: Timer
    clock: Clock
    spawn: Spawn


class Reminding:
    """Sees to what is due.

    Attributes:
        trouble: Why something that is due could not be seen to last; empty when all could.
    """

    def __init__(self, parts: RemindingParts) -> None:
        self._parts = parts
        self._woken = asyncio.Event()
        self._right_since: datetime | None = None
        self.trouble = ""

    def wake(self) -> None:
        """Say that something may be due earlier than was known."""
        self._woken.set()

    def set_right(self, since: datetime) -> None:
        """Say that the clock has proved right since a moment; before, it may have been ahead."""
        self._right_since = since
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
        left: dict[ReminderId, str] = {}
        try:
            now = parts.clock.now()
            if self._right_since is not None:
                await self._bring_back(self._right_since, now)
                self._right_since = None
            for damaged in await parts.store.damaged_reminders(channels, now):
                await self._see_to(damaged.id, partial(self._give_up, damaged), left)
            while due := await self._due(channels, now, left):
                for reminder in due:
                    await self._see_to(reminder.id, partial(self._pass, reminder), left)
                now = parts.clock.now()
            self.trouble = next(iter(left.values()), "")
            following = await parts.store.next_reminder_at(channels, after=now)
        except StoreError as error:
            self.trouble = str(error)
            logger.warning("reminders.put_off", extra={"why": str(error)})
            return parts.clock.now() + RETRY_AFTER
        again = (now + RETRY_AFTER,) if left else ()
        return min(filter(None, (following, *again)), default=None)

    async def _bring_back(self, since: datetime, now: datetime) -> None:
        """Let what a clock ahead passed for a time to come be due when it should be.

        That is from the moment on since which the clock is right: what was due between that and now
        is late, not gone.

        Raises:
            StoreError: Not all of it was.
        """
        parts = self._parts
        for reminder in await parts.store.reminders_passed_after(now + LONGEST_LEAD):
            due_at = since
            if reminder.rhythm is not None:
                zone = parts.zones.named(reminder.zone)
                with suppress(ValueError):  # damaged: who passes it finds that out, and tells it
                    due_at = parts.calendar.next_after(reminder.rhythm.cron, since, zone)
            if due_at < reminder.due_at and await parts.store.redate_reminder(
                reminder, due_at=due_at
            ):
                logger.info("reminder.brought_back", extra={"reminder": reminder.id})

    async def _due(
        self, channels: frozenset[str], now: datetime, left: Mapping[ReminderId, str]
    ) -> tuple[Reminder, ...]:
        """Give what is due, without what this round could not see to: that holds up no other."""
        limit = AT_ONCE + len(left)
        due = await self._parts.store.reminders_due(channels, now, limit=limit)
        return tuple(each for each in due if each.id not in left)

    async def _see_to(
        self,
        reminder_id: ReminderId,
        work: Callable[[], Awaitable[None]],
        left: dict[ReminderId, str],
    ) -> None:
        """Do what one needs; where that fails, ``left`` has why."""

        async def do() -> None:
            try:
                await work()
            except StoreError as error:
                about = {"reminder": reminder_id, "why": str(error)}
                logger.warning("reminders.put_off", extra=about)
                left[reminder_id] = str(error)
            else:
                del left[reminder_id]

        left[reminder_id] = BROKEN
        # A task of its own: what breaks it ends at the supervisor, and no other.
        await asyncio.wait({self._parts.spawn(f"reminder {reminder_id}", do())})

    async def _give_up(self, damaged: DamagedReminder) -> None:
        """Take a reminder away that nobody can be told of any more, and tell its owner so.

        Raises:
            StoreError: It is there still.
        """
        parts, address = self._parts, damaged.address
        is_told = address is not None and self._may_hear_of(damaged.person_key, address)
        replies = (
            await parts.telling.to(address, partial(lost, damaged.id))
            if address is not None and is_told
            else ()
        )
        items = await parts.store.give_up_reminder(
            damaged.id, at=parts.clock.now(), replies=replies
        )
        if items is not None:
            parts.delivery.enqueue(items, is_unasked=True)
            about = {"reminder": damaged.id, "person": damaged.person_key, "is_told": is_told}
            logger.error("reminder.lost", extra=about)

    async def _pass(self, reminder: Reminder) -> None:
        """Pass the moment of a reminder, and all before it that were missed, with what it brings.

        Raises:
            StoreError: It is due still.
        """
        parts, now = self._parts, self._parts.clock.now()
        zone = parts.zones.named(reminder.zone)
        newest = following = None
        if reminder.rhythm is not None:
            cron = reminder.rhythm.cron
            try:
                newest = parts.calendar.last_until(cron, now, zone)
                following = parts.calendar.next_after(cron, now, zone)
            except ValueError:  # whoever kept it looked at it; so it was damaged since
                whose, where = reminder.author.person_key, reminder.address
                await self._give_up(
                    DamagedReminder(id=reminder.id, person_key=whose, address=where)
                )
                return
        slot = due_slot(reminder, newest)
        if following is not None and was_passed(reminder, slot, now):
            if await parts.store.redate_reminder(reminder, due_at=following):
                logger.info("reminder.passed_before", extra={"reminder": reminder.id})
            return
        wording = partial(told, reminder, slot, now, zone)
        message = slot_message(reminder, slot, wording(), now)
        may_happen = self._is_heard(message)
        is_prompt = may_happen and reminder.kind == "prompt"
        if is_prompt:  # those words are the model's to read; people see what is being answered
            wording = partial(announced, reminder, slot, zone)
        items = await parts.store.pass_slot(
            reminder,
            following=following,
            at=now,
            replies=(
                await parts.telling.to(reminder.address, wording, reader=reminder.author)
                if may_happen
                else ()
            ),
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

    def _may_hear_of(self, person_key: PersonKey, address: ChatAddress) -> bool:
        """Say whether somebody may be told in a chat of which nothing else is known."""
        gate = self._parts.gate
        kind: ChatKind = "private" if gate.place_of(address) is None else "group"
        try:
            sender = sender_of(person_key)
        except ValueError:  # that is damaged, too
            return False
        return gate.decide(sender, kind, address) in ("admin", "allowed")
