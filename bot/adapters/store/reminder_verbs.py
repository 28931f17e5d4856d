"""The store's verbs on reminders, and on the time zones of people."""

from __future__ import annotations

from datetime import datetime

from bot.adapters.store import reminders
from bot.adapters.store.verbs import Verbs
from bot.core.chat import InboundMessage, PersonKey, Reply
from bot.core.lifecycle import OutboxItem
from bot.core.reminders import DamagedReminder, Reminder, ReminderId, ZoneName


class ReminderVerbs(Verbs):
    """A part of the store; it fills the ports Reminders and PersonZones."""

    async def add_reminder(self, reminder: Reminder, *, most: int) -> Reminder | None:
        """Keep a reminder; None when its author has too many."""
        return await self._call(reminders.add, reminder, most)

    async def reminder(self, reminder_id: ReminderId) -> Reminder | None:
        """Give one, None when it is none any more."""
        return await self._read(reminders.by_id, reminder_id)

    async def reminders_of(self, person_key: PersonKey) -> tuple[Reminder, ...]:
        """Give those of a person, the first due first."""
        return await self._read(reminders.of_person, person_key)

    async def reminders_in(self, channel: str, account: str, chat: str) -> tuple[Reminder, ...]:
        """Give those that are told in a chat, the first due first."""
        return await self._read(reminders.of_chat, channel, account, chat)

    async def reminders_due(
        self, channels: frozenset[str], until: datetime, *, limit: int
    ) -> tuple[Reminder, ...]:
        """Give those that are due by a moment, the first due first."""
        return await self._read(reminders.due, channels, until, limit)

    async def next_reminder_at(
        self, channels: frozenset[str], *, after: datetime | None = None
    ) -> datetime | None:
        """Say when the first one is due, with ``after`` the first behind that moment."""
        return await self._read(reminders.next_at, channels, after)

    async def drop_reminder(self, reminder_id: ReminderId) -> bool:
        """Take one away; False when it was none any more."""
        return await self._call(reminders.drop, reminder_id)

    async def damaged_reminders(
        self, channels: frozenset[str], until: datetime
    ) -> tuple[DamagedReminder, ...]:
        """Give those that cannot be read and are due by a moment, or at none that there is."""
        return await self._read(reminders.damaged, channels, until)

    async def give_up_reminder(
        self, reminder_id: ReminderId, *, at: datetime, replies: tuple[Reply, ...] = ()
    ) -> tuple[OutboxItem, ...] | None:
        """Take one away, with what is told of that; None if it is gone."""
        return await self._call(reminders.give_up, reminder_id, at, replies)

    async def pass_slot(
        self,
        reminder: Reminder,
        *,
        following: datetime | None,
        at: datetime,
        replies: tuple[Reply, ...] = (),
        message: InboundMessage | None = None,
    ) -> tuple[OutboxItem, ...] | None:
        """Claim the moment at which a reminder is due, with what it brings; None if it is gone."""
        return await self._call(reminders.pass_slot, reminder, following, at, (replies, message))

    async def reminders_passed_after(self, moment: datetime) -> tuple[Reminder, ...]:
        """Give those that come again and were seen to last at a later moment."""
        return await self._read(reminders.passed_after, moment)

    async def redate_reminder(self, reminder: Reminder, *, due_at: datetime) -> bool:
        """Let one be due at another moment; False where its moment was claimed, or it is gone."""
        return await self._call(reminders.redate, reminder, due_at)

    async def chosen_zones(self) -> dict[PersonKey, ZoneName]:
        """Give the time zones that people chose."""
        return await self._read(reminders.chosen_zones)

    async def choose_zone(self, person_key: PersonKey, zone: ZoneName | None) -> None:
        """Set somebody's time zone, or leave them that of the bot."""
        await self._call(reminders.choose_zone, person_key, zone)
