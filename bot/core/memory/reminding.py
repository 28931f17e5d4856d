"""Which reminders a wish to have something forgotten means."""

from __future__ import annotations

from bot.core.memory.audience import Viewer, audience_of
from bot.core.memory.forgetting import Wish, mentions
from bot.core.reminders import Reminder


def is_meant(reminder: Reminder, wish: Wish, viewer: Viewer) -> bool:
    """Say whether a reminder goes when somebody's wish is carried out.

    Theirs do, in a private chat those of groups too; in a group those that are told there, and
    everybody's where the wish speaks for all.
    """
    if wish.kind != "all" and not mentions(wish, reminder.text):
        return False
    is_own = reminder.author.person_key == viewer.person_key
    is_here = audience_of(reminder.address.session_key, reminder.chat_kind) == viewer.audience
    if viewer.audience.kind == "private":
        return is_own and (is_here or reminder.chat_kind == "group")
    return is_here and (is_own or wish.of_everyone)
