"""When the bot was there, in rows beside the moments of schedules: ``here <since>`` until a moment.

A clock that was ahead leaves moments of a time to come, each of which would keep something for as
long as that takes; one that was behind leaves moments long over, with which something new would go
at once. Here they are set right, once it is found out. Where a clock is doubtful, a row ``doubt
<since>`` until a moment says so: it outlasts the process.
"""

from __future__ import annotations

from datetime import UTC, datetime

from bot.adapters.store.codec import micros_of, moment_of
from bot.adapters.store.schema import Tables
from bot.core.attendance import (
    BELIEVED_AFTER,
    NEVER,
    Stretch,
    Stretches,
    attended,
    is_doubtful,
)
from bot.core.schedule import LONGEST_LEAD

_HERE, _DOUBT = "here ", "doubt "

_MOMENTS = (
    ("session", "heard_at"),
    ("inbox", "received_at"),
    ("outbox", "created_at"),
    ("pairing", "asked_at"),
    ("memory_job", "due_at"),
)
"""What decides how long something is kept, or when it is seen to."""

_LAST = datetime.max.replace(tzinfo=UTC)


def stretches(tables: Tables) -> Stretches:
    """Give what is known; before any was noted, it was there until the newest claimed moment."""
    if noted := _noted(tables, _HERE):
        return noted
    (newest,) = tables.execute(
        "SELECT MAX(slot) FROM job_slot WHERE name NOT GLOB ?", f"{_DOUBT}*"
    ).fetchone()
    return () if newest is None else (Stretch(since=NEVER, until=moment_of(newest)),)


def attend(
    tables: Tables, since: datetime, at: datetime, unproved_since: datetime | None
) -> Stretches:
    """Note that the bot was there until now, and set right what a wrong clock left.

    A doubtful clock changes nothing but that its doubt is noted.
    """
    before = stretches(tables)
    if unproved_since is not None and is_doubtful(before, at):
        _note(tables, _DOUBT, Stretch(since=unproved_since, until=at + BELIEVED_AFTER))
        return before
    after = attended(before, since, at)
    noted = frozenset(_noted(tables, _HERE))
    for each in noted - set(after):
        _drop(tables, _HERE, each)
    for each in set(after) - noted:
        _note(tables, _HERE, each)
    if before and before[-1].until > at + LONGEST_LEAD:
        _set_right(tables, Stretch(since=at + LONGEST_LEAD, until=_LAST), at)
    for each in _noted(tables, _DOUBT):
        _set_right(tables, each, at)
        _drop(tables, _DOUBT, each)
    return after


def _set_right(tables: Tables, shown: Stretch, at: datetime) -> None:
    """Let what a wrong clock noted be of now, given the moments that it showed."""
    moments = micros_of(at), micros_of(shown.since), micros_of(shown.until)
    # What is known of a chat from before stands there still when a clock behind hears something.
    tables.execute(
        "UPDATE session SET heard_at = ? WHERE key IN"
        " (SELECT session_key FROM inbox WHERE received_at BETWEEN ? AND ?)",
        *moments,
    )
    for table, column in _MOMENTS:
        tables.execute(
            f"UPDATE {table} SET {column} = ? WHERE {column} BETWEEN ? AND ?",  # noqa: S608 - names of ours
            *moments,
        )


def _noted(tables: Tables, what: str) -> Stretches:
    rows = tables.execute(
        "SELECT name, slot FROM job_slot WHERE name GLOB ? ORDER BY slot", f"{what}*"
    )
    return tuple(
        Stretch(since=moment_of(int(name.removeprefix(what))), until=moment_of(until))
        for name, until in rows
    )


def _note(tables: Tables, what: str, stretch: Stretch) -> None:
    tables.execute(
        "INSERT INTO job_slot (name, slot) VALUES (?, ?)"
        " ON CONFLICT (name) DO UPDATE SET slot = excluded.slot",
        f"{what}{micros_of(stretch.since)}",
        micros_of(stretch.until),
    )


def _drop(tables: Tables, what: str, stretch: Stretch) -> None:
    tables.execute("DELETE FROM job_slot WHERE name = ?", f"{what}{micros_of(stretch.since)}")
