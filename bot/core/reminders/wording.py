"""What people, and the model, read about reminders."""

from __future__ import annotations

from datetime import datetime, tzinfo

from bot.core.names import name_in_line
from bot.core.quoting import one_line
from bot.core.reminders.moments import is_late
from bot.core.reminders.values import Reminder

MOST_LISTED_CHARS = 80


def moment_in_words(moment: datetime, zone: tzinfo) -> str:
    """Write a moment with its weekday, as a clock of a zone shows it."""
    return f"{moment.astimezone(zone):%A, %Y-%m-%d %H:%M}"


def told(reminder: Reminder, slot: datetime, now: datetime, zone: tzinfo) -> str:
    """Write what is told when a reminder is due; of a prompt, what the model is asked.

    Args:
        reminder: The reminder.
        slot: Its moment that is seen to.
        now: The time; what is late says when it was due.
        zone: That of the reminder.
    """
    due = f"{moment_in_words(slot, zone)} ({zone})"
    if reminder.kind == "prompt":
        rhythm = "" if reminder.rhythm is None else f", {reminder.rhythm.words}"
        return f"[Scheduled for {due}{rhythm}; nobody wrote just now.]\n{reminder.text}"
    whom = f" for {name_in_line(reminder.author.name)}" if reminder.chat_kind == "group" else ""
    late = f" (it was due on {due})" if is_late(slot, now) else ""
    return f"⏰ Reminder{whom}{late}: {reminder.text}"


def confirmation(reminder: Reminder, zone: tzinfo) -> str:
    """Write that a reminder is kept, and when it is due: a mistake is seen at once."""
    again = "" if reminder.rhythm is None else f", then {reminder.rhythm.words}"
    what = "will ask the model this" if reminder.kind == "prompt" else "will remind you"
    when = f"{moment_in_words(reminder.due_at, zone)} ({zone}){again}"
    return f"Reminder {reminder.id}: I {what} on {when}: {reminder.text}"


def in_list(reminder: Reminder, zone: tzinfo, *, with_author: bool = False) -> str:
    """Write a reminder in a line of a list."""
    again = "" if reminder.rhythm is None else f", {reminder.rhythm.words}"
    whose = f" for {name_in_line(reminder.author.name)}" if with_author else ""
    prompt = "prompt: " if reminder.kind == "prompt" else ""
    text = one_line(reminder.text, MOST_LISTED_CHARS)
    when = f"{moment_in_words(reminder.due_at, zone)} ({zone}){again}"
    return f"**{reminder.id}**{whose}: {when}: {prompt}{text}"
