"""What people, and the model, read about reminders."""

from __future__ import annotations

import re
from datetime import datetime, tzinfo

from bot.core.names import name_in_line
from bot.core.quoting import one_line
from bot.core.reminders.moments import is_late, moment_with_zone
from bot.core.reminders.rhythm import how_often
from bot.core.reminders.values import Reminder, ReminderId
from bot.languages import gettext, speaking

MOST_LISTED_CHARS = 80

_LEAD = re.compile(r"\A((?:[^\n]*?: )?)\[Scheduled for [^\n\[\]]*; nobody wrote just now\.\]\n *")
"""What a scheduled prompt tells the model of itself; in a group its author stands before it."""


def told(reminder: Reminder, slot: datetime, now: datetime, zone: tzinfo) -> str:
    """Write what is told when a reminder is due; of a prompt, what the model is asked.

    Args:
        reminder: The reminder.
        slot: Its moment that is seen to.
        now: The time; what is late says when it was due.
        zone: That of the reminder.
    """
    if reminder.kind == "prompt":
        return _asked(reminder, slot, zone)
    text, name = reminder.text, name_in_line(reminder.author.name)
    due = moment_with_zone(slot, zone)
    match reminder.chat_kind, is_late(slot, now):
        case "group", True:
            return gettext(
                "⏰ Reminder for {name} (it was due on {due}): {text}",
                name=name,
                due=due,
                text=text,
            )
        case "group", False:
            return gettext("⏰ Reminder for {name}: {text}", name=name, text=text)
        case _, True:
            return gettext("⏰ Reminder (it was due on {due}): {text}", due=due, text=text)
    return gettext("⏰ Reminder: {text}", text=text)


def announced(reminder: Reminder, slot: datetime, zone: tzinfo) -> str:
    """Write what is told before a scheduled prompt is answered: nobody asked just now."""
    due, text = moment_with_zone(slot, zone), one_line(reminder.text, MOST_LISTED_CHARS)
    if reminder.chat_kind == "group":
        name = name_in_line(reminder.author.name)
        return gettext("⏰ Scheduled by {name} for {due}: {text}", name=name, due=due, text=text)
    return gettext("⏰ Scheduled for {due}: {text}", due=due, text=text)


def without_lead(text: str) -> str:
    """Give what somebody wrote for the model to be asked, of what the model is asked."""
    return _LEAD.sub(r"\1", text)


def lost(reminder_id: ReminderId) -> str:
    """Write that a reminder cannot be read any more, which is all that is known of it."""
    return gettext(
        "⏰ Reminder {number} cannot be read any more: it was damaged where it was stored. "
        "Please set it again.",
        number=reminder_id,
    )


def confirmation(reminder: Reminder, zone: tzinfo) -> str:
    """Write that a reminder is kept, and when it is due: a mistake is seen at once."""
    when = moment_with_zone(reminder.due_at, zone)
    if reminder.rhythm is not None:
        when = gettext("{moment}, then {rhythm}", moment=when, rhythm=how_often(reminder.rhythm))
    if reminder.kind == "prompt":
        return gettext(
            "Reminder {number}: I will ask the model this on {when}: {text}",
            number=reminder.id,
            when=when,
            text=reminder.text,
        )
    return gettext(
        "Reminder {number}: I will remind you on {when}: {text}",
        number=reminder.id,
        when=when,
        text=reminder.text,
    )


def in_list(reminder: Reminder, zone: tzinfo, *, with_author: bool = False) -> str:
    """Write a reminder in a line of a list."""
    when = moment_with_zone(reminder.due_at, zone)
    if reminder.rhythm is not None:
        when = gettext("{moment}, {rhythm}", moment=when, rhythm=how_often(reminder.rhythm))
    text = one_line(reminder.text, MOST_LISTED_CHARS)
    text = f"prompt: {text}" if reminder.kind == "prompt" else text  # as it was written
    if with_author:
        return gettext(
            "**{number}** for {name}: {when}: {text}",
            number=reminder.id,
            name=name_in_line(reminder.author.name),
            when=when,
            text=text,
        )
    return gettext("**{number}**: {when}: {text}", number=reminder.id, when=when, text=text)


def _asked(reminder: Reminder, slot: datetime, zone: tzinfo) -> str:
    with speaking("en"):  # whatever people speak: the model reads it
        due = moment_with_zone(slot, zone)
    rhythm = "" if reminder.rhythm is None else f", {reminder.rhythm.words}"
    return f"[Scheduled for {due}{rhythm}; nobody wrote just now.]\n{reminder.text}"
