"""What somebody may have told or asked at later moments, and look at, in the chat they are in."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import timedelta

from bot.core.chat import ChatAddress, ChatKind, Sender
from bot.core.quoting import written
from bot.core.reminders import (
    MOST_OPEN,
    MOST_TEXT_CHARS,
    Reminder,
    ReminderId,
    ReminderWish,
    ZoneName,
    is_seen_in,
    local_moment,
    require_in_reach,
    rhythm_of,
)
from bot.errors import ToolError
from bot.languages import gettext, gettext_noop
from bot.ports import Calendar, Clock, CommandContext, Redactor, Reminders, ToolContext
from bot.runtime.redaction import redact_text
from bot.runtime.zones import PeopleZones

NO_PERSON = gettext_noop(
    "Only somebody who writes as themselves can be reminded, not a chat or a channel."
)
TOO_MANY = gettext_noop("{count} reminders are open, which is the most. Cancel some first.")

_SECOND = timedelta(seconds=1)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Asker:
    """Who asks, where, and by what: asked twice by the same thing is asked once."""

    sender: Sender
    address: ChatAddress
    kind: ChatKind
    origin: str
    is_admin: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredReminderRecords:
    """A :class:`~bot.ports.ReminderRecords` of the store.

    Attributes:
        on_added: Called when something may be due earlier than was known.
    """

    store: Reminders
    zones: PeopleZones
    calendar: Calendar
    clock: Clock
    redactor: Redactor
    on_added: Callable[[], None]

    async def add(self, context: ToolContext | CommandContext, wish: ReminderWish) -> Reminder:
        """Keep what is to be told or asked in the chat where that is wished."""
        asker = _asker(context)
        if not asker.sender.is_person:
            raise ToolError(gettext(NO_PERSON))
        reminder = self._timed(wish, asker)
        reminder = replace(reminder, text=await self._text_of(wish))
        kept = await self.store.add_reminder(reminder, most=MOST_OPEN)
        if kept is None:
            raise ToolError(gettext(TOO_MANY, count=MOST_OPEN))
        self.on_added()
        return kept

    async def open(self, context: ToolContext | CommandContext) -> tuple[Reminder, ...]:
        """Give what somebody may see of it, the first due first."""
        asker = _asker(context)
        if asker.kind == "private":
            found = await self.store.reminders_of(asker.sender.person_key)
        else:
            at = asker.address
            found = await self.store.reminders_in(at.channel, at.account, at.chat)
        return tuple(each for each in found if _is_seen(each, asker))

    async def cancel(self, context: ToolContext | CommandContext, number: int) -> Reminder:
        """Take one away that somebody may see."""
        asker = _asker(context)
        is_one = 0 < number < 2**63  # what the database takes for a number
        found = await self.store.reminder(ReminderId(number)) if is_one else None
        is_theirs = found is not None and _is_seen(found, asker)
        if found is None or not is_theirs or not await self.store.drop_reminder(found.id):
            raise ToolError(
                gettext(
                    "There is no open reminder {number} here. List them to see which are.",
                    number=number,
                )
            )
        return found

    def _timed(self, wish: ReminderWish, asker: _Asker) -> Reminder:
        zone, now = self.zones.of(asker.sender), self.clock.now()
        due_at = now + wish.after if wish.after is not None else local_moment(wish.local, zone)
        local = wish.local if wish.local.tzinfo is None else due_at.astimezone(zone)
        rhythm = rhythm_of(wish.repeat, local)
        if rhythm is not None:
            # The first moment of the rhythm that is to come, and not before the one that was named.
            behind = max(due_at - _SECOND, now)
            due_at = self.calendar.next_after(rhythm.cron, behind, zone)
        require_in_reach(due_at, now, zone)
        return Reminder(
            author=asker.sender,
            address=asker.address,
            chat_kind=asker.kind,
            kind=wish.kind,
            text="",
            zone=ZoneName(str(zone)),
            due_at=due_at,
            created_at=now,
            origin=asker.origin,
            rhythm=rhythm,
        )

    async def _text_of(self, wish: ReminderWish) -> str:
        text = written(wish.text).replace("\0", "").strip()
        if not text:
            raise ToolError(gettext("Say what it is about."))
        if len(text) > MOST_TEXT_CHARS:
            raise ToolError(
                gettext(
                    "The text has {count} characters; say it in {most} at most.",
                    count=len(text),
                    most=MOST_TEXT_CHARS,
                )
            )
        return await redact_text(text, self.redactor)


def _asker(context: ToolContext | CommandContext) -> _Asker:
    if isinstance(context, ToolContext):
        return _Asker(
            sender=context.sender,
            address=ChatAddress.from_session_key(context.session_key),
            kind=context.kind,
            origin=f"turn {context.turn_id} {context.call_id}",
            is_admin=False,
        )
    message = context.message
    return _Asker(
        sender=message.sender,
        address=message.address,
        kind=message.kind,
        origin=f"event {message.address.channel} {message.event_id}",
        is_admin=context.is_admin or context.is_chat_admin,
    )


def _is_seen(reminder: Reminder, asker: _Asker) -> bool:
    at = (asker.sender, asker.address, asker.kind)
    return is_seen_in(reminder, *at, is_admin=asker.is_admin)
