"""The bot's own words inside a user's message: what is left out, what holds for this message.

Each has a fixed beginning, so that whoever answers without a language model can tell them from what
people wrote.
"""

from __future__ import annotations

import re

from bot.core.messages import Message, Text

VOLATILE_LEAD = "[For this message only:"
"""Begins the volatile block, the last one of the open turn's request."""

WORDS_ONLY = (
    "[Of the first turns below only the words are shown; the tools that were used in them are left "
    "out. Call a tool again if its result is needed.]"
)
DONE_LEAD = "[Done so far for this request, in "
SUMMARY_LEAD = "[Summary of earlier turns of this chat"
DIGEST_LEAD = "[Mechanical note of "
MEANWHILE_LEAD = "[Meanwhile:"
"""Begins the note on messages that were changed while the answer before was being written."""

DELETED = "[deleted by its author]"
"""Stands where a message stood whose author took it back."""

_LEADS = (
    VOLATILE_LEAD,
    WORDS_ONLY[:40],
    DONE_LEAD,
    SUMMARY_LEAD,
    DIGEST_LEAD,
    MEANWHILE_LEAD,
    DELETED,
)
_LEFT = re.compile(r"\[\d+ earlier turns?( of this chat left this view;|\])")


def turns_left(count: int, *, stands_above: bool) -> str:
    """Say how many turns left the view, and whether anything stands for them."""
    stands = "what matters of them stands above" if stands_above else "nothing of them is shown"
    return (
        f"[{count} earlier turn{'s' * (count > 1)} of this chat left this view; {stands}. If an "
        "exact detail is missing, say so or ask for it.]"
    )


def is_note(text: str) -> bool:
    """Say whether a block's text is the bot's own."""
    return text.startswith(_LEADS) or _LEFT.match(text) is not None


def words_of(message: Message) -> tuple[str, ...]:
    """Give the texts of a message without the bot's own notes."""
    texts = (block.text for block in message.blocks if isinstance(block, Text))
    return tuple(text for text in texts if not is_note(text))
