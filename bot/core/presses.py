"""Buttons being pressed: a button is a command that somebody gives once, by pressing.

The law of this file: what a press may do is decided by what was kept of the button when it was
sent, never by what comes with the press, which anybody could make up. So is where its command is
given: of an old message a platform may not say the thread, and its chat may have moved since.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import Literal

from bot.core.chat import ButtonPress, ChatAddress, InboundMessage
from bot.core.commands import PREFIX

LASTS = timedelta(days=1)
"""How long after it was sent a button can be pressed: later, nobody remembers what it was about."""

Refusal = Literal["unknown", "taken", "foreign", "old"]
"""Why a press does nothing: no such button in that channel, one of its reply was pressed before,
it is for somebody else, it was sent too long ago."""


@dataclass(frozen=True, slots=True, kw_only=True)
class KeptButton:
    """What is kept of a button.

    Attributes:
        command: Without its prefix.
        person: The key of who alone may press; empty for everybody.
        address: Where it was sent, or where that chat goes on by now.
        made_at: When its reply was stored.
        taken_by: The event id of the press that took this button, or another of its reply; empty
            while none did.
    """

    command: str
    person: str
    address: ChatAddress
    made_at: datetime
    taken_by: str = ""


def redeemed(
    button: KeptButton | None, press: ButtonPress, at: datetime
) -> InboundMessage | Refusal:
    """Give the command that a press stands for, or say why it does nothing.

    The same press, seen again, gives the same command, however late. Below a message that nobody
    can change the command goes by the press's own id: one without any would be a greeting.
    """
    if button is None or button.address.channel != press.address.channel:
        return "unknown"
    if button.taken_by != press.event_id:
        if button.taken_by:
            return "taken"
        if button.person not in ("", press.sender.person_key):
            return "foreign"
        if at - button.made_at > LASTS:
            return "old"
    command = pressed(replace(press, address=button.address), f"{PREFIX}{button.command}")
    return replace(command, message_id=press.message_id or press.event_id)


def message_below(button: KeptButton, press: ButtonPress) -> str:
    """Give the id of the message whose place the answer takes.

    It is empty where nobody can change that message, and where the chat goes on under another id:
    the message is not there, and another one may have its number.
    """
    return press.message_id if press.address.chat == button.address.chat else ""


def pressed(press: ButtonPress, text: str) -> InboundMessage:
    """Make the message that a press is taken for; it goes by the event id of the press.

    Its message id is that of the message which the button stands below.
    """
    return InboundMessage(
        event_id=press.event_id,
        address=press.address,
        kind=press.kind,
        sender=press.sender,
        message_id=press.message_id,
        text=text,
        is_addressed=True,
        sent_at=press.pressed_at,
    )


def press_of(message: InboundMessage) -> ButtonPress:
    """Read back the press of which :func:`pressed` made a message that says its token."""
    return ButtonPress(
        event_id=message.event_id,
        address=message.address,
        kind=message.kind,
        sender=message.sender,
        message_id=message.message_id,
        token=message.text,
        pressed_at=message.sent_at,
    )
