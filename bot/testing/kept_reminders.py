"""Reminders and time zones, as the store in memory keeps them."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace
from datetime import datetime

from bot.core.chat import ChatAddress, InboundMessage, PersonKey, Reply, SessionKey
from bot.core.lifecycle import OutboxItem, Received
from bot.core.memory.audience import Viewer
from bot.core.memory.forgetting import Forgetting, Meant, Removed, Wish
from bot.core.memory.reminding import is_meant
from bot.core.reminders import DamagedReminder, Reminder, ReminderId, ZoneName
from bot.ports.forgetting import RemovedTurns
from bot.testing.kept_backlog import KeptBacklog


class KeptReminders(KeptBacklog):
    """Fills the ports Reminders and PersonZones from dicts."""

    def __init__(self, installation: str) -> None:
        super().__init__(installation)
        self._reminders: dict[ReminderId, Reminder] = {}
        self._newest_reminder = 0
        self._chosen_zones: dict[PersonKey, ZoneName] = {}

    async def add_reminder(self, reminder: Reminder, *, most: int) -> Reminder | None:
        """Keep a reminder; None when its author has too many."""
        known = [each for each in self._reminders.values() if each.origin == reminder.origin]
        if known:
            return known[0]
        if len(await self.reminders_of(reminder.author.person_key)) >= most:
            return None
        self._newest_reminder += 1
        kept = replace(reminder, id=ReminderId(self._newest_reminder))
        self._reminders[kept.id] = kept
        return kept

    async def reminder(self, reminder_id: ReminderId) -> Reminder | None:
        """Give one, None when it is none any more."""
        return self._reminders.get(reminder_id)

    async def reminders_of(self, person_key: PersonKey) -> tuple[Reminder, ...]:
        """Give those of a person, the first due first."""
        every = self._reminders.values()
        return _in_order(each for each in every if each.author.person_key == person_key)

    async def reminders_in(self, channel: str, account: str, chat: str) -> tuple[Reminder, ...]:
        """Give those that are told in a chat, the first due first."""
        whole = ChatAddress(channel=channel, account=account, chat=chat)
        every = self._reminders.values()
        return _in_order(each for each in every if each.address.whole_chat == whole)

    async def reminders_due(
        self, channels: frozenset[str], until: datetime, *, limit: int
    ) -> tuple[Reminder, ...]:
        """Give those that are due by a moment, the first due first."""
        due = (each for each in self._of(channels) if each.due_at <= until)
        return _in_order(due)[:limit]

    async def next_reminder_at(
        self, channels: frozenset[str], *, after: datetime | None = None
    ) -> datetime | None:
        """Say when the first one is due, with ``after`` the first behind that moment."""
        moments = (each.due_at for each in self._of(channels))
        return min((each for each in moments if after is None or each > after), default=None)

    async def drop_reminder(self, reminder_id: ReminderId) -> bool:
        """Take one away; False when it was none any more."""
        return self._reminders.pop(reminder_id, None) is not None

    async def damaged_reminders(
        self, channels: frozenset[str], until: datetime
    ) -> tuple[DamagedReminder, ...]:
        """Give none: memory damages nothing."""
        return ()

    async def give_up_reminder(
        self, reminder_id: ReminderId, *, at: datetime, replies: tuple[Reply, ...] = ()
    ) -> tuple[OutboxItem, ...] | None:
        """Take one away, with what is told of that; None if it is gone."""
        return self._tell(replies, at) if await self.drop_reminder(reminder_id) else None

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
        kept = self._reminders.get(reminder.id)
        if kept is None or kept != reminder:
            return None
        if following is None:
            del self._reminders[reminder.id]
        else:
            self._reminders[reminder.id] = replace(kept, due_at=following, passed_at=at)
        if message is not None:
            self._inbox.receive(Received(inbound=message, route="turn"), at)
        return self._tell(replies, at)

    async def reminders_passed_after(self, moment: datetime) -> tuple[Reminder, ...]:
        """Give those that come again and were seen to last at a later moment."""
        every = self._reminders.values()
        return _in_order(each for each in every if each.passed_at and each.passed_at > moment)

    async def redate_reminder(self, reminder: Reminder, *, due_at: datetime) -> bool:
        """Let one be due at another moment; False where its moment was claimed, or it is gone."""
        kept = self._reminders.get(reminder.id)
        if kept is None or kept.due_at != reminder.due_at:
            return False
        self._reminders[reminder.id] = replace(kept, due_at=due_at)
        return True

    async def chosen_zones(self) -> dict[PersonKey, ZoneName]:
        """Give the time zones that people chose."""
        return dict(self._chosen_zones)

    async def choose_zone(self, person_key: PersonKey, zone: ZoneName | None) -> None:
        """Set somebody's time zone, or leave them that of the bot."""
        self._chosen_zones.pop(person_key, None)
        if zone is not None:
            self._chosen_zones[person_key] = zone

    async def meant_reminders(self, wish: Wish, viewer: Viewer) -> tuple[str, ...]:
        """Give the texts of the reminders that a wish means."""
        return tuple(
            each.text
            for each in _in_order(self._reminders.values())
            if is_meant(each, wish, viewer)
        )

    async def remove_rest(self, work: Forgetting, meant: Meant, *, at: datetime) -> RemovedTurns:
        """Remove what stands beside turns, reminders too."""
        wish, viewer = work.new.wish, work.new.viewer
        gone = [each for each in self._reminders.values() if is_meant(each, wish, viewer)]
        for each in gone:
            del self._reminders[each.id]
        self._add(work.id, Removed(reminders=len(gone)))
        return await super().remove_rest(work, meant, at=at)

    def has_reminder_in(self, session_key: SessionKey) -> bool:
        """Say whether something is to be told in a conversation."""
        every = self._reminders.values()
        return any(each.address.session_key == session_key for each in every)

    def _move_all(self, change: Callable[[ChatAddress], ChatAddress]) -> None:
        super()._move_all(change)
        self._reminders = {
            key: replace(each, address=change(each.address))
            for key, each in self._reminders.items()
        }

    def _of(self, channels: frozenset[str]) -> Iterable[Reminder]:
        return (each for each in self._reminders.values() if each.address.channel in channels)


def _in_order(reminders: Iterable[Reminder]) -> tuple[Reminder, ...]:
    return tuple(sorted(reminders, key=lambda each: (each.due_at, each.id)))
