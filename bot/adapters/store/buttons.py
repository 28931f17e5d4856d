"""Buttons below replies, and the presses that wait to be redeemed for the command of one.

A row is a button. Once one of a reply was pressed, all of that reply hold who took them and which
message they stood below, as ``channel:event id`` and the platform's id; so the answer to the
command finds the message that it takes the place of, also in another process. The id is empty when
that message stands in a chat which went on under another id.
"""

from __future__ import annotations

from datetime import datetime

from bot.adapters.store.codec import encode_inbound, moment_of
from bot.adapters.store.kept_messages import waiting_message
from bot.adapters.store.schema import SqlValue, Tables
from bot.core.chat import (
    ButtonPress,
    ChatAddress,
    InboundMessage,
    Receipt,
    Reply,
    SessionKey,
)
from bot.core.presses import (
    KeptButton,
    Refusal,
    message_below,
    press_of,
    pressed,
    redeemed,
)


def add(tables: Tables, item_id: int, reply: Reply) -> None:
    """Keep the buttons of a reply that goes into the outbox."""
    for button in reply.buttons:
        tables.execute(
            "INSERT INTO button (token, outbox_id, person, command) VALUES (?, ?, ?, ?)",
            button.token,
            item_id,
            button.person,
            button.command,
        )


def waiting_press(press: ButtonPress) -> tuple[SqlValue, ...]:
    """Say channel, event id, session, route, state and body of a press in the inbox.

    It is written as the message that it becomes, with the button's token in the command's place.
    """
    address, body = press.address, encode_inbound(pressed(press, press.token))
    return address.channel, press.event_id, address.session_key, "press", "waiting", body


def waiting_presses(tables: Tables) -> tuple[ButtonPress, ...]:
    """Give the presses that were not redeemed, oldest first."""
    rows = tables.execute(
        "SELECT id, body FROM inbox WHERE state = 'waiting' AND route = 'press' ORDER BY +id"
    ).fetchall()
    read = (waiting_message(tables, row, body) for row, body in rows)
    return tuple(press_of(each) for each in read if each is not None)


def button_of(tables: Tables, press: ButtonPress) -> KeptButton | None:
    """Give what is kept of the button that a press names."""
    row = tables.execute(
        "SELECT command, person, created_at, taken_by, session_key"
        " FROM button JOIN outbox ON outbox.id = outbox_id WHERE token = ?",
        press.token,
    ).fetchone()
    if row is None:
        return None
    command, person, created_at, taken_by, key = row
    by = _presser(press.address.channel, press.event_id)
    return KeptButton(
        command=command,
        person=person,
        address=ChatAddress.from_session_key(SessionKey(key)),
        made_at=moment_of(created_at),
        taken_by=press.event_id if taken_by == by else taken_by or "",
    )


def redeem(tables: Tables, press: ButtonPress, at: datetime) -> InboundMessage | Refusal:
    """Take the buttons of a reply for a press and let the command wait in the press's place."""
    button = button_of(tables, press)
    command = redeemed(button, press, at)
    if button is not None and isinstance(command, InboundMessage) and not button.taken_by:
        tables.execute(
            "UPDATE button SET taken_by = ?, message_id = ?"
            " WHERE outbox_id = (SELECT outbox_id FROM button WHERE token = ?)",
            _presser(press.address.channel, press.event_id),
            message_below(button, press),
            press.token,
        )
        tables.execute(
            "UPDATE inbox SET route = 'command', session_key = ?, body = ?"
            " WHERE event_id = ? AND channel = ? AND state = 'waiting'",
            command.address.session_key,
            encode_inbound(command),
            press.event_id,
            press.address.channel,
        )
    return command


def pressed_message(tables: Tables, channel: str, event_id: str) -> Receipt | None:
    """Say below which message the button stood that an event took; None if it took none."""
    row = tables.execute(
        "SELECT message_id FROM button WHERE taken_by = ?", _presser(channel, event_id)
    ).fetchone()
    return Receipt(message_id=row[0]) if row is not None and row[0] else None


def _presser(channel: str, event_id: str) -> str:
    return f"{channel}:{event_id}"
