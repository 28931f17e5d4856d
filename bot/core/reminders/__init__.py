"""Reminders and scheduled prompts: what they are, when they are due, how they are asked for."""

from bot.core.reminders.grammar import USAGE, ReminderWish, read_remind
from bot.core.reminders.moments import (
    FARTHEST,
    LATE_AFTER,
    SHORTEST_GAP,
    due_slot,
    is_late,
    local_moment,
    moment_in_words,
    read_local,
    require_in_reach,
    was_passed,
)
from bot.core.reminders.rhythm import REPEATS, rhythm_of
from bot.core.reminders.values import (
    MOST_OPEN,
    MOST_TEXT_CHARS,
    NOT_KEPT_YET,
    DamagedReminder,
    Reminder,
    ReminderId,
    ReminderKind,
    Rhythm,
    ZoneName,
    is_seen_in,
    slot_message,
)
from bot.core.reminders.wording import announced, confirmation, in_list, lost, told

__all__ = [
    "FARTHEST",
    "LATE_AFTER",
    "MOST_OPEN",
    "MOST_TEXT_CHARS",
    "NOT_KEPT_YET",
    "REPEATS",
    "SHORTEST_GAP",
    "USAGE",
    "DamagedReminder",
    "Reminder",
    "ReminderId",
    "ReminderKind",
    "ReminderWish",
    "Rhythm",
    "ZoneName",
    "announced",
    "confirmation",
    "due_slot",
    "in_list",
    "is_late",
    "is_seen_in",
    "local_moment",
    "lost",
    "moment_in_words",
    "read_local",
    "read_remind",
    "require_in_reach",
    "rhythm_of",
    "slot_message",
    "told",
    "was_passed",
]
