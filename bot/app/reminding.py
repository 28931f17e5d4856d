"""Reminders and people's time zones, wired together."""

from __future__ import annotations

from zoneinfo import ZoneInfo

from bot.app.access import Access
from bot.app.outside import Outside
from bot.config import Config
from bot.runtime.attendance import AttentiveTimer
from bot.runtime.delivery import Delivery
from bot.runtime.lanes import Lanes
from bot.runtime.reminder_records import StoredReminderRecords
from bot.runtime.reminding import Reminding, RemindingParts
from bot.runtime.workers import Workers
from bot.runtime.zones import PeopleZones


class RemindingService:
    """What plugins keep reminders in, and what sees to them.

    Attributes:
        zones: The time zones that people live by.
        records: What plugins keep reminders in.
    """

    def __init__(self, config: Config, outside: Outside) -> None:
        self.zones = PeopleZones(outside.store, ZoneInfo(config.timezone))
        self.records = StoredReminderRecords(
            store=outside.store,
            zones=self.zones,
            calendar=outside.calendar,
            clock=outside.clock,
            redactor=outside.redactor,
            on_added=self._wake,
        )
        self._outside = outside
        self._reminding: Reminding | None = None

    @property
    def trouble(self) -> str:
        """Why something that is due could not be seen to; empty when all could."""
        return "" if self._reminding is None else self._reminding.trouble

    def start(
        self,
        access: Access,
        delivery: Delivery,
        lanes: Lanes,
        workers: Workers,
        timer: AttentiveTimer,
    ) -> None:
        """Begin to see to what is due, first to what was missed."""
        outside = self._outside
        self._reminding = reminding = Reminding(
            RemindingParts(
                store=outside.store,
                zones=self.zones,
                gate=access.gate,
                telling=access.telling,
                channels=outside.channels,
                delivery=delivery,
                lanes=lanes,
                calendar=outside.calendar,
                timer=timer,
                clock=outside.clock,
                spawn=workers.spawn,
            )
        )
        timer.follow(reminding.set_right)
        workers.keep("reminding", reminding.run)

    def _wake(self) -> None:
        if self._reminding is not None:
            self._reminding.wake()
