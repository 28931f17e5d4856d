"""The store's verbs on reminders, and on the time zones of people."""

from __future__ import annotations

from datetime import datetime

from bot.adapters.store import reminders
from bot.adapters.store.verbs import Verbs
from bot.core.chat import InboundMessage, PersonKey, Reply
from bot.core.lifecycle import OutboxItem
from bot.core.reminders import Reminder, ReminderId, ZoneName


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
        return await self._call(reminders.due, channels, until, limit)

    async def next_reminder_at(self, channels: frozenset[str]) -> datetime | None:
        """Say when the first one is due."""
        return await self._read(reminders.next_at, channels)

    async def drop_reminder(self, reminder_id: ReminderId) -> bool:
        """Take one away; False when it was none any more."""
        return await self._call(reminders.drop, reminder_id)

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

    async def chosen_zones(self) -> dict[PersonKey, ZoneName]:
        """Give the time zones that people chose."""
        return await self._read(reminders.chosen_zones)

    async def choose_zone(self, person_key: PersonKey, zone: ZoneName | None) -> None:
        """Set somebody's time zone, or leave them that of the bot."""
        await self._call(reminders.choose_zone, person_key, zone)
