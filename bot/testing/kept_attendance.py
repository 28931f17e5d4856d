"""When the bot was there, as the store in memory keeps it."""

from __future__ import annotations

from datetime import UTC, datetime

from bot.core.attendance import (
    BELIEVED_AFTER,
    NEVER,
    Stretch,
    Stretches,
    attended,
    is_doubtful,
)
from bot.core.schedule import LONGEST_LEAD
from bot.testing.kept_reminders import KeptReminders


class KeptAttendance(KeptReminders):
    """Fills the port Attendance from a tuple."""

    def __init__(self, installation: str) -> None:
        super().__init__(installation)
        self._stretches: Stretches = ()
        self._doubts: dict[datetime, Stretch] = {}

    async def stretches(self) -> Stretches:
        """Say when the bot was there."""
        if self._stretches or not self._slots:
            return self._stretches
        return (Stretch(since=NEVER, until=max(self._slots.values())),)

    async def attend(
        self, since: datetime, *, at: datetime, unproved_since: datetime | None = None
    ) -> Stretches:
        """Note that the bot was there until now; set right what a wrong clock left."""
        before = await self.stretches()
        if unproved_since is not None and is_doubtful(before, at):
            doubt = Stretch(since=unproved_since, until=at + BELIEVED_AFTER)
            self._doubts[unproved_since] = doubt
            return before
        self._stretches = attended(before, since, at)
        latest = at + LONGEST_LEAD
        if before and before[-1].until > latest:
            self._set_right(Stretch(since=latest, until=datetime.max.replace(tzinfo=UTC)), at)
        for doubt in self._doubts.values():
            self._set_right(doubt, at)
        self._doubts.clear()
        return self._stretches

    def _set_right(self, shown: Stretch, at: datetime) -> None:
        heard = self._inbox.set_right(shown, at)
        for key, session in self._sessions.items():
            if key in heard or (session.heard_at is not None and session.heard_at in shown):
                session.heard_at = at
        for job in self._jobs.values():
            job.due_at = at if job.due_at in shown else job.due_at
        self._outbox.set_right(shown, at)
        self._set_right_pairings(shown, at)
