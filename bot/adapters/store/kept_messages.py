"""Messages read back from the inbox, and what becomes of a row that cannot be read any more.

What waits is set aside, so that the rest of its chat goes on. What a turn owns has a stand-in: its
chat is known from other columns, and the turn's request says what was asked.
"""

from __future__ import annotations

from bot.adapters.store.codec import decode_inbound, moment_of
from bot.adapters.store.damage import UNREADABLE
from bot.adapters.store.schema import Tables
from bot.core.addresses import sender_of
from bot.core.chat import ChatAddress, InboundMessage, PersonKey, Sender, SessionKey


def waiting_message(tables: Tables, row: int, body: str) -> InboundMessage | None:
    """Read a row that waits; None when it cannot be read, and then it waits no longer."""
    message = tables.damage.read("inbox.body", row, decode_inbound, body)
    if message is None:
        tables.execute(
            "UPDATE inbox SET state = 'set_aside', reason = ? WHERE id = ?", UNREADABLE, row
        )
    return message


def messages_of_turn(tables: Tables, turn_id: int) -> tuple[InboundMessage, ...]:
    """Give the messages that an open turn owns, in the order of arrival."""
    rows = tables.execute(
        "SELECT id, body FROM inbox WHERE turn_id = ? AND body IS NOT NULL ORDER BY id", turn_id
    ).fetchall()
    return tuple(
        tables.damage.read("inbox.body", row, decode_inbound, body) or _stand_in(tables, row)
        for row, body in rows
    )


def _stand_in(tables: Tables, row: int) -> InboundMessage:
    event_id, key, received_at, kind, person = tables.execute(
        "SELECT event_id, session_key, received_at, kind, person_key FROM inbox"
        " JOIN session ON session.key = session_key WHERE inbox.id = ?",
        row,
    ).fetchone()
    address = ChatAddress.from_session_key(SessionKey(key))
    return InboundMessage(
        event_id=event_id,
        address=address,
        kind=kind or "private",
        sender=_sender(address, person),
        message_id="",
        text="",
        is_addressed=True,
        sent_at=moment_of(received_at),
    )


def _sender(address: ChatAddress, person: str | None) -> Sender:
    """Give whoever wrote last in the chat, as far as that is known."""
    if not person:
        return Sender(channel=address.channel, user_id="", name="")
    return sender_of(PersonKey(person))
