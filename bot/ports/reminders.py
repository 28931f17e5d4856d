"""The ports to what people want to be reminded of, and to the time zones that they live in."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Protocol

from bot.core.chat import InboundMessage, PersonKey, Reply
from bot.core.lifecycle import OutboxItem
from bot.core.reminders import DamagedReminder, Reminder, ReminderId, ZoneName


class Reminders(Protocol):
    """What is to be told, or asked of the model, at moments to come. Each call is one transaction.

    * ``add_reminder`` keeps one and gives it with its id; of an origin that made one which is still
      open, that one is given again and nothing is added. None when its author has ``most`` open.
    * ``reminder`` gives one, None when it is none any more; ``reminders_of`` gives those of a
      person, ``reminders_in`` those that are told in a chat, any thread of it, ``reminders_due``
      those of some channels that are due by a moment, no more than ``limit``. All in the order in
      which they are due.
    * ``next_reminder_at`` says when the first one of some channels is due, with ``after`` the first
      behind that moment; None for never.
    * ``drop_reminder`` takes one away; False when it was none any more.
    * ``damaged_reminders`` gives those of some channels that are due by a moment, or at none that
      there is, and cannot be read; nothing else gives them. ``give_up_reminder`` takes one away and
      puts what is told of it into the outbox; None where it is gone.
    * ``pass_slot`` claims the moment ``due_at`` of a reminder: in the same transaction its
      ``replies`` are put into the outbox, its ``message`` waits for a turn of its chat, and the
      reminder is due at ``following`` or, without that, gone. None, and nothing is done, where
      that moment was claimed before, the reminder is gone, or it moved away with its chat. What is
      due again keeps as ``passed_at`` that this was ``at``.
    * ``reminders_passed_after`` gives those whose ``passed_at`` is behind a moment.
      ``redate_reminder`` lets one be due at another moment; False, and nothing is done, where its
      own was claimed or it is gone.

    Raises:
        StoreError: It could not be read, or not committed.
    """

    async def add_reminder(self, reminder: Reminder, *, most: int) -> Reminder | None: ...
    async def reminder(self, reminder_id: ReminderId) -> Reminder | None: ...
    async def reminders_of(self, person_key: PersonKey) -> tuple[Reminder, ...]: ...
    async def reminders_in(self, channel: str, account: str, chat: str) -> tuple[Reminder, ...]: ...
    async def reminders_due(
        self, channels: frozenset[str], until: datetime, *, limit: int
    ) -> tuple[Reminder, ...]: ...
    async def next_reminder_at(
        self, channels: frozenset[str], *, after: datetime | None = None
    ) -> datetime | None: ...
    async def drop_reminder(self, reminder_id: ReminderId) -> bool: ...
    async def damaged_reminders(
        self, channels: frozenset[str], until: datetime
    ) -> tuple[DamagedReminder, ...]: ...
    async def give_up_reminder(
        self, reminder_id: ReminderId, *, at: datetime, replies: tuple[Reply, ...] = ()
    ) -> tuple[OutboxItem, ...] | None: ...
    async def pass_slot(
        self,
        reminder: Reminder,
        *,
        following: datetime | None,
        at: datetime,
        replies: tuple[Reply, ...] = (),
        message: InboundMessage | None = None,
    ) -> tuple[OutboxItem, ...] | None: ...

    async def reminders_passed_after(self, moment: datetime) -> tuple[Reminder, ...]: ...
    async def redate_reminder(self, reminder: Reminder, *, due_at: datetime) -> bool: ...


class PersonZones(Protocol):
    """The time zones that people chose for themselves.

    ``choose_zone`` sets one's; with None that of the bot holds for them again.

    Raises:
        StoreError: It could not be read, or not committed.
    """

    async def chosen_zones(self) -> Mapping[PersonKey, ZoneName]: ...
    async def choose_zone(self, person_key: PersonKey, zone: ZoneName | None) -> None: ...
