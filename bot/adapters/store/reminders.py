"""Reminders as rows: a moment is claimed by moving the row on, and never without what it brings.

The body has who wants what, ``due_at`` when next; both keys are columns of their own, which follow
a chat that moves.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterable
from datetime import datetime
from functools import partial
from typing import Any

from bot.adapters.store import inbox, outbox
from bot.adapters.store.chat_keys import behind_all
from bot.adapters.store.codec import (
    decoded,
    json_text,
    micros_of,
    moment_of,
    sender_data,
    sender_in,
    text_in,
)
from bot.adapters.store.schema import Tables
from bot.core.chat import ChatAddress, InboundMessage, PersonKey, Reply, SessionKey
from bot.core.lifecycle import OutboxItem, Received
from bot.core.memory.audience import Viewer
from bot.core.memory.forgetting import Wish
from bot.core.memory.reminding import is_meant
from bot.core.reminders import Reminder, ReminderId, Rhythm, ZoneName

_COLUMNS = "SELECT id, session_key, due_at, origin, body FROM reminder"
_OF_CHANNELS = (
    "substr(session_key, 1, instr(session_key, ':') - 1) IN (SELECT value FROM json_each(?))"
)


def add(tables: Tables, reminder: Reminder, most: int) -> Reminder | None:
    """Keep a reminder; of an origin that made one already, give that."""
    known = _read(tables, tables.execute(f"{_COLUMNS} WHERE origin = ?", reminder.origin))
    if known:
        return known[0]
    person_key = reminder.author.person_key
    (count,) = tables.execute(
        "SELECT COUNT(*) FROM reminder WHERE person_key = ?", person_key
    ).fetchone()
    if count >= most:
        return None
    tables.execute(
        "INSERT INTO reminder (session_key, person_key, due_at, origin, body)"
        " VALUES (?, ?, ?, ?, ?)",
        reminder.address.session_key,
        person_key,
        micros_of(reminder.due_at),
        reminder.origin,
        _encoded(reminder),
    )
    (kept,) = _read(tables, tables.execute(f"{_COLUMNS} WHERE origin = ?", reminder.origin))
    return kept


def by_id(tables: Tables, reminder_id: ReminderId) -> Reminder | None:
    """Give one, None when it is none any more."""
    found = _read(tables, tables.execute(f"{_COLUMNS} WHERE id = ?", reminder_id))
    return found[0] if found else None


def of_person(tables: Tables, person_key: PersonKey) -> tuple[Reminder, ...]:
    """Give those of a person."""
    rows = tables.execute(f"{_COLUMNS} WHERE person_key = ? ORDER BY due_at, id", person_key)
    return _read(tables, rows)


def of_chat(tables: Tables, channel: str, account: str, chat: str) -> tuple[Reminder, ...]:
    """Give those that are told in a chat."""
    whole = ChatAddress(channel=channel, account=account, chat=chat).session_key
    rows = tables.execute(
        f"{_COLUMNS} WHERE session_key >= ? AND session_key < ? ORDER BY due_at, id",
        whole,
        behind_all(whole),
    )
    return _read(tables, rows)


def due(
    tables: Tables, channels: frozenset[str], until: datetime, limit: int
) -> tuple[Reminder, ...]:
    """Give those that are due by a moment.

    One that cannot be read can be told to nobody: it goes, lest it be due for ever.
    """
    rows = tables.execute(
        f"{_COLUMNS} WHERE due_at <= ? AND {_OF_CHANNELS} ORDER BY due_at, id LIMIT ?",
        micros_of(until),
        json.dumps(sorted(channels)),
        limit,
    ).fetchall()
    found = _readable(tables, rows)
    for lost in {row for row, *_ in rows} - {each.id for each in found}:
        drop(tables, ReminderId(lost))
    return found


def next_at(tables: Tables, channels: frozenset[str]) -> datetime | None:
    """Say when the first one is due."""
    row = tables.execute(
        f"SELECT due_at FROM reminder WHERE {_OF_CHANNELS} ORDER BY due_at LIMIT 1",  # noqa: S608 - constants
        json.dumps(sorted(channels)),
    ).fetchone()
    return None if row is None else moment_of(row[0])


def drop(tables: Tables, reminder_id: ReminderId) -> bool:
    """Take one away."""
    return tables.execute("DELETE FROM reminder WHERE id = ?", reminder_id).rowcount == 1


def pass_slot(
    tables: Tables,
    reminder: Reminder,
    following: datetime | None,
    at: datetime,
    brings: tuple[tuple[Reply, ...], InboundMessage | None],
) -> tuple[OutboxItem, ...] | None:
    """Claim the moment at which a reminder is due, with what it brings: replies and a message."""
    claimed = (reminder.id, micros_of(reminder.due_at), reminder.address.session_key)
    if following is None:
        done = tables.execute(
            "DELETE FROM reminder WHERE id = ? AND due_at = ? AND session_key = ?", *claimed
        )
    else:
        done = tables.execute(
            "UPDATE reminder SET due_at = ? WHERE id = ? AND due_at = ? AND session_key = ?",
            micros_of(following),
            *claimed,
        )
    if done.rowcount != 1:
        return None
    replies, message = brings
    if message is not None:
        inbox.take_in(tables, Received(inbound=message, route="turn"), at)
    return outbox.add(tables, replies, at)


def meant(tables: Tables, wish: Wish, viewer: Viewer) -> tuple[Reminder, ...]:
    """Give those that a wish means."""
    of = viewer.audience
    found = (
        of_person(tables, viewer.person_key)
        if of.kind == "private"
        else of_chat(tables, of.channel, of.account, of.chat)
    )
    return tuple(each for each in found if is_meant(each, wish, viewer))


def forget(tables: Tables, wish: Wish, viewer: Viewer) -> tuple[str, ...]:
    """Take away those that a wish means, and give their texts."""
    gone = meant(tables, wish, viewer)
    for each in gone:
        drop(tables, each.id)
    return tuple(each.text for each in gone)


def chosen_zones(tables: Tables) -> dict[PersonKey, ZoneName]:
    """Give the time zones that people chose."""
    rows = tables.execute("SELECT person_key, zone FROM person_zone")
    return {PersonKey(person): ZoneName(zone) for person, zone in rows}


def choose_zone(tables: Tables, person_key: PersonKey, zone: ZoneName | None) -> None:
    """Set somebody's time zone, or leave them that of the bot."""
    tables.execute("DELETE FROM person_zone WHERE person_key = ?", person_key)
    if zone is not None:
        tables.execute("INSERT INTO person_zone (person_key, zone) VALUES (?, ?)", person_key, zone)


def _encoded(reminder: Reminder) -> str:
    rhythm = reminder.rhythm
    return json_text(
        {
            "author": sender_data(reminder.author),
            "chat_kind": reminder.chat_kind,
            "kind": reminder.kind,
            "text": reminder.text,
            "zone": reminder.zone,
            "created_at": micros_of(reminder.created_at),
            "repeat": None if rhythm is None else {"words": rhythm.words, "cron": rhythm.cron},
        }
    )


_Row = tuple[int, str, int, str, str]
"""Id, session key, when it is due, origin, body."""


def _read(tables: Tables, rows: sqlite3.Cursor) -> tuple[Reminder, ...]:
    return _readable(tables, rows.fetchall())


def _readable(tables: Tables, rows: Iterable[_Row]) -> tuple[Reminder, ...]:
    """Read rows, all but those that are damaged."""
    read = (
        tables.damage.read("reminder.body", row[0], partial(_decoded, place=row), row[-1])
        for row in rows
    )
    return tuple(reminder for reminder in read if reminder is not None)


def _decoded(text: str, place: _Row) -> Reminder:
    def _reminder(data: dict[str, Any]) -> Reminder:  # JSON as it was read
        row, key, due_at, origin, _ = place
        again = data["repeat"]
        return Reminder(
            id=ReminderId(row),
            author=sender_in(data["author"]),
            address=ChatAddress.from_session_key(SessionKey(key)),
            chat_kind=data["chat_kind"],
            kind=data["kind"],
            text=text_in(data, "text"),
            zone=ZoneName(text_in(data, "zone")),
            due_at=moment_of(due_at),
            created_at=moment_of(data["created_at"]),
            origin=origin,
            rhythm=None if again is None else Rhythm(words=again["words"], cron=again["cron"]),
        )

    return decoded(text, _reminder)
