"""Reminders as rows: a moment is claimed by moving the row on, and never without what it brings.

The body has who wants what, ``due_at`` when next; both keys are columns of their own, which follow
a chat that moves.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime
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
from bot.core.reminders import DamagedReminder, Reminder, ReminderId, Rhythm, ZoneName
from bot.errors import StoreUnreadable

_COLUMNS = "SELECT id, session_key, due_at, origin, body FROM reminder"
_FIRST, _LAST = 0, micros_of(datetime.max.replace(tzinfo=UTC))
"""Between these a moment lies; whatever else stands there is damage, and sorts before or behind."""

_OF_CHANNELS = (
    "substr(session_key, 1, instr(session_key, ':') - 1) IN (SELECT value FROM json_each(?))"
)


@dataclass(frozen=True, slots=True, kw_only=True)
class RemindersLook:
    """Reminders, counted; ``late_channels`` are those in which the overdue ones are told."""

    kept: int = 0
    damaged: int = 0
    overdue: int = 0
    oldest_due_at: datetime | None = None
    late_channels: tuple[str, ...] = ()


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
    """Give those that are due by a moment."""
    rows = tables.execute(
        f"{_COLUMNS} WHERE due_at BETWEEN ? AND ? AND {_OF_CHANNELS} ORDER BY due_at, id LIMIT ?",
        _FIRST,
        micros_of(until),
        json.dumps(sorted(channels)),
        limit,
    )
    return _read(tables, rows)


def damaged(
    tables: Tables, channels: frozenset[str], until: datetime
) -> tuple[DamagedReminder, ...]:
    """Give those that cannot be read and are due by a moment, or at none that there is."""
    rows = tables.execute(
        f"{_COLUMNS} WHERE (due_at <= ? OR due_at > ?) AND {_OF_CHANNELS}",
        micros_of(until),
        _LAST,
        json.dumps(sorted(channels)),
    ).fetchall()
    found = {each.id for each in _readable(tables, rows)}
    return tuple(_left_of(tables, row, key) for row, key, *_ in rows if row not in found)


def _left_of(tables: Tables, row: int, session_key: str) -> DamagedReminder:
    (person_key,) = tables.execute("SELECT person_key FROM reminder WHERE id = ?", row).fetchone()
    try:
        address = ChatAddress.from_session_key(SessionKey(session_key))
    except ValueError:
        address = None
    whose = PersonKey(str(person_key))  # which may be damaged, too
    return DamagedReminder(id=ReminderId(row), person_key=whose, address=address)


def next_at(tables: Tables, channels: frozenset[str], after: datetime | None) -> datetime | None:
    """Say when the first one is due, with ``after`` the first behind that moment."""
    row = tables.execute(
        "SELECT due_at FROM reminder"  # noqa: S608 - constants
        f" WHERE due_at > ? AND due_at <= ? AND {_OF_CHANNELS} ORDER BY due_at LIMIT 1",
        _FIRST if after is None else micros_of(after),
        _LAST,
        json.dumps(sorted(channels)),
    ).fetchone()
    return None if row is None else moment_of(row[0])


def give_up(
    tables: Tables, reminder_id: ReminderId, at: datetime, replies: tuple[Reply, ...]
) -> tuple[OutboxItem, ...] | None:
    """Take one away, with what is told of that."""
    return outbox.add(tables, replies, at) if drop(tables, reminder_id) else None


def look(tables: Tables, now: datetime) -> RemindersLook:
    """Count those that there are, for whoever examines them."""
    rows = tables.execute(_COLUMNS).fetchall()
    found: list[Reminder] = []
    for row in rows:
        with suppress(StoreUnreadable):  # counted, and told by the bot when it is due
            found.append(_decoded(row[-1], row))
    late = sorted((each.due_at, each.address.channel) for each in found if each.due_at <= now)
    return RemindersLook(
        kept=len(rows),
        damaged=len(rows) - len(found),
        overdue=len(late),
        oldest_due_at=late[0][0] if late else None,
        late_channels=tuple(sorted({channel for _, channel in late})),
    )


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
            "UPDATE reminder SET due_at = ?, body = json_set(body, '$.passed_at', ?)"
            " WHERE id = ? AND due_at = ? AND session_key = ?",
            micros_of(following),
            micros_of(at),
            *claimed,
        )
    if done.rowcount != 1:
        return None
    replies, message = brings
    if message is not None:
        inbox.take_in(tables, Received(inbound=message, route="turn"), at)
    return outbox.add(tables, replies, at)


def passed_after(tables: Tables, moment: datetime) -> tuple[Reminder, ...]:
    """Give those that come again and were seen to last when the clock showed a later moment."""
    rows = tables.execute(
        f"{_COLUMNS} WHERE CASE WHEN json_valid(body)"
        " THEN json_extract(body, '$.passed_at') END > ?"
        " ORDER BY due_at, id",
        micros_of(moment),
    )
    return _read(tables, rows)


def redate(tables: Tables, reminder: Reminder, due_at: datetime) -> bool:
    """Let one be due at another moment."""
    done = tables.execute(
        "UPDATE reminder SET due_at = ? WHERE id = ? AND due_at = ?",
        micros_of(due_at),
        reminder.id,
        micros_of(reminder.due_at),
    )
    return done.rowcount == 1


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
            "passed_at": None if reminder.passed_at is None else micros_of(reminder.passed_at),
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
        if not _FIRST <= due_at <= _LAST:
            raise ValueError("due_at")
        again, passed_at = data["repeat"], data.get("passed_at")
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
            passed_at=None if passed_at is None else moment_of(passed_at),
            origin=origin,
            rhythm=None if again is None else Rhythm(words=again["words"], cron=again["cron"]),
        )

    return decoded(text, _reminder)
