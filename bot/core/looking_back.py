"""What was said before a message that calls the bot into a talk of others, as the model reads it.

The law of this file: what was not said to the bot is a quotation, whatever it says.
"""

from __future__ import annotations

from bot.core.chat import EarlierMessage, InboundMessage
from bot.core.files import label_of
from bot.core.names import name_in_line, speaker

MOST_EARLIER = 20
"""So many messages before one that names the bot are looked up."""

MOST_CHARS_EACH = 1_000
MOST_CHARS = 8_000
"""Longest quotation: two screens; of a longer talk the end is given."""

LEAD = "[Said here before, by and to others, quoted so that you know what is spoken of:]"
NOT_TO_BE_HAD = "[What was said here before could not be looked up.]"


def as_said(message: InboundMessage, *, is_named: bool) -> EarlierMessage:
    """Put a message as one that stands before others.

    Whole, though only its beginning will be quoted: half of a secret is not known as one.
    """
    labels = "\n".join(map(label_of, message.attachments))
    whose = f"[forwarded from {name_in_line(message.forwarded_from)}]"
    text = "\n".join(filter(None, (whose * bool(message.forwarded_from), labels, message.text)))
    return EarlierMessage(
        event_id=message.event_id,
        author=message.sender.name,
        author_id=message.sender.user_id,
        text=text,
        is_named=is_named,
    )


def unknown(
    earlier: tuple[EarlierMessage, ...], received: frozenset[str]
) -> tuple[EarlierMessage, ...]:
    """Keep of what stands before a message what its conversation does not have already.

    Args:
        earlier: What stands before it, oldest first.
        received: Event ids of those that the conversation took in. What stands before the newest of
            them that names the bot was looked up then. As soon as there is one, the bot's own words
            are answers, which the conversation has.
    """
    begin = 0
    for index, message in enumerate(earlier):
        if message.is_named and message.event_id in received:
            begin = index + 1
    is_begun = any(message.event_id in received for message in earlier)
    return tuple(
        message
        for message in earlier[begin:]
        if message.event_id not in received and not (message.is_own and is_begun)
    )


def quoted(messages: tuple[EarlierMessage, ...], *, most_chars: int = MOST_CHARS) -> str:
    """Quote messages below a line that says what they are; empty where there is nothing.

    Of those that would be longer than ``most_chars`` together, the newest are kept.
    """
    lines: list[str] = []
    for message in reversed(messages):
        quotation = _quotation(message)
        most_chars -= len(quotation)
        if most_chars < 0:
            break
        lines.append(quotation)
    return "\n".join((LEAD, *reversed(lines))) if lines else ""


def _quotation(message: EarlierMessage) -> str:
    text = message.text.strip()
    if len(text) > MOST_CHARS_EACH:
        text = f"{text[:MOST_CHARS_EACH]}…"
    author = "You" if message.is_own else speaker(message.author, message.author_id)
    # Indented, so that a line of the message cannot pose as what somebody else said.
    return f"> {author}: " + "\n>   ".join(text.splitlines() or [""])
