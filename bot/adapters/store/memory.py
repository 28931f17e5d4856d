"""What is still to be summarised and remembered, and what daily files are to get."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from dataclasses import replace
from datetime import date, datetime

from bot.adapters.store import conversations, turns
from bot.adapters.store.changes import note_change
from bot.adapters.store.codec import micros_of, moment_of
from bot.adapters.store.moved import audience_now
from bot.adapters.store.schema import Tables
from bot.core.chat import PersonKey, SessionKey
from bot.core.memory.audience import Audience, audience_of
from bot.core.memory.jobs import JobId, MemoryEntry, MemoryJob
from bot.core.memory.pieces import day_ref
from bot.core.turns import Turn, TurnId
from bot.core.window.conversation import Cut, Summary


def due_jobs(tables: Tables, at: datetime, limit: int) -> tuple[MemoryJob, ...]:
    """Give the jobs that may be tried now, the one that waits longest first."""
    rows = tables.execute(
        "SELECT memory_job.id, memory_job.kind, session_key, memory_job.generation, through,"
        " attempts, due_at, session.kind, session.person_key FROM memory_job"
        " JOIN session ON session.key = session_key WHERE due_at <= ? ORDER BY due_at, id LIMIT ?",
        micros_of(at),
        limit,
    )
    return _jobs(rows)


def next_due(tables: Tables) -> datetime | None:
    """Say when a job is due, None when there is none."""
    (due,) = tables.execute("SELECT MIN(due_at) FROM memory_job").fetchone()
    return None if due is None else moment_of(due)


def unremembered(tables: Tables, job: MemoryJob, limit: int) -> tuple[Turn, ...]:
    """Give the turns of a job that no daily file has."""
    return turns.unremembered(tables, job.session_key, through=job.through, limit=limit)


def ask_to_remember(tables: Tables, before: datetime, at: datetime, session_key: str = "") -> int:
    """Keep a job for each chat with turns opened before a moment that no daily file has."""
    done = tables.execute(
        "INSERT INTO memory_job (kind, session_key, generation, through, due_at)"
        " SELECT 'remember', session_key, session.generation, MAX(turn.id), ? FROM turn"
        " JOIN session ON session.key = session_key WHERE remembered = 0 AND outcome IS NOT NULL"
        " AND started_at < ? AND ? IN ('', session_key) GROUP BY session_key"
        " ON CONFLICT (session_key, kind) DO UPDATE SET through = MAX(through, excluded.through),"
        " due_at = MIN(due_at, excluded.due_at)",
        micros_of(at),
        micros_of(before),
        session_key,
    )
    return done.rowcount


def land_summary(
    tables: Tables,
    job: MemoryJob,
    summary: Summary,
    entries: tuple[MemoryEntry, ...],
    cut: Cut,
    digest: str,
) -> bool:
    """Keep entries, and show the summary if the chat is still as it was when it was written."""
    _keep_entries(tables, entries)
    row = tables.execute("SELECT generation FROM session WHERE key = ?", job.session_key).fetchone()
    if row is None or row[0] != summary.generation:
        return False
    if conversations.cut_of(tables, job.session_key) != cut:
        return False
    conversations.show_summary(tables, job.session_key, summary, replace(cut, digest=digest))
    return True


def remember(
    tables: Tables, job: MemoryJob, entries: tuple[MemoryEntry, ...], is_done: bool
) -> None:
    """Keep entries, and end the job with the last of them."""
    _keep_entries(tables, entries)
    if is_done:
        tables.execute("DELETE FROM memory_job WHERE id = ? AND through <= ?", job.id, job.through)


def postpone(tables: Tables, job_id: JobId, due_at: datetime, reason: str) -> None:
    """Note a failure and when the job is tried again."""
    tables.execute(
        "UPDATE memory_job SET attempts = attempts + 1, due_at = ?, reason = ? WHERE id = ?",
        micros_of(due_at),
        reason,
        job_id,
    )


def hold_back(tables: Tables, job_id: JobId, due_at: datetime, reason: str) -> None:
    """Have a job wait, through no failure of its own."""
    tables.execute(
        "UPDATE memory_job SET due_at = ?, reason = ? WHERE id = ?",
        micros_of(due_at),
        reason,
        job_id,
    )


def go_on(tables: Tables, reason: str, at: datetime) -> None:
    """End the wait of all jobs that were held back for a reason."""
    tables.execute(
        "UPDATE memory_job SET due_at = ?1 WHERE reason = ?2 AND due_at > ?1",
        micros_of(at),
        reason,
    )


def drop(tables: Tables, job_id: JobId) -> None:
    """End a job."""
    tables.execute("DELETE FROM memory_job WHERE id = ?", job_id)


def unwritten(tables: Tables, limit: int, after: int) -> tuple[MemoryEntry, ...]:
    """Give entries that their daily file does not have yet, of turns after one, oldest first."""
    rows = tables.execute(
        "SELECT turn_id, moment, channel, account, chat, kind, day, text, revision"
        " FROM memory_entry WHERE text IS NOT NULL AND turn_id > ? ORDER BY turn_id LIMIT ?",
        after,
        limit,
    )
    return tuple(entry for entry, _ in _entries(rows))


def entry_of(tables: Tables, turn_id: TurnId) -> tuple[MemoryEntry, bool] | None:
    """Give the newest entry of a turn, and whether the file has it: then its text is gone here."""
    rows = tables.execute(
        "SELECT turn_id, moment, channel, account, chat, kind, day, text, revision"
        " FROM memory_entry WHERE turn_id = ?",
        turn_id,
    )
    return next(_entries(rows), None)


def amend(tables: Tables, entry: MemoryEntry) -> None:
    """Have the file get this of a turn next."""
    tables.execute(
        "UPDATE memory_entry SET moment = ?, text = ?, revision = ? WHERE turn_id = ?",
        micros_of(entry.moment),
        entry.text,
        entry.revision,
        entry.turn_id,
    )


def mark_written(tables: Tables, entries: tuple[MemoryEntry, ...]) -> None:
    """Note that daily files have entries; their text is kept there alone."""
    for entry in entries:
        tables.execute(
            "UPDATE memory_entry SET text = NULL WHERE turn_id = ? AND moment = ? AND text = ?",
            entry.turn_id,
            micros_of(entry.moment),
            entry.text,
        )
        note_change(tables, day_ref(entry.audience, entry.day))


def _keep_entries(tables: Tables, entries: tuple[MemoryEntry, ...]) -> None:
    """Keep entries of turns that have none; one that was removed meanwhile had one.

    A turn that was opened again while its failure was being noted, or was changed meanwhile, waits
    to be noted anew. What was noted of it before is in its file, or gives way to the whole.
    """
    for entry in entries:
        noted = tables.execute(
            "UPDATE turn SET remembered = 1"
            " WHERE id = ? AND remembered = 0 AND started_at = ? AND revision = ?"
            " AND outcome IS NOT NULL",
            entry.turn_id,
            micros_of(entry.moment),
            entry.revision,
        )
        if not noted.rowcount:
            continue
        audience = audience_now(tables, entry.audience)
        tables.execute(
            "INSERT OR REPLACE INTO memory_entry"
            " (turn_id, moment, channel, account, chat, kind, day, text, revision)"
            " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
            entry.turn_id,
            micros_of(entry.moment),
            audience.channel,
            audience.account,
            audience.chat,
            audience.kind,
            entry.day.isoformat(),
            entry.text,
            entry.revision,
        )


def _entries(rows: sqlite3.Cursor) -> Iterator[tuple[MemoryEntry, bool]]:
    """Read entries, and of each whether the file has it."""
    for turn_id, moment, channel, account, chat, kind, day, text, revision in rows:
        entry = MemoryEntry(
            turn_id=TurnId(turn_id),
            moment=moment_of(moment),
            audience=Audience(channel=channel, account=account, chat=chat, kind=kind),
            day=date.fromisoformat(day),
            text=text or "",
            revision=revision,
        )
        yield entry, text is None


def _jobs(rows: sqlite3.Cursor) -> tuple[MemoryJob, ...]:
    return tuple(
        MemoryJob(
            id=JobId(job_id),
            kind=kind,
            session_key=SessionKey(key),
            # A chat nobody wrote in since kinds are noted is taken for the more private kind.
            audience=audience_of(SessionKey(key), chat_kind or "private"),
            person_key=PersonKey(person or ""),
            generation=generation,
            through=TurnId(through),
            attempts=attempts,
            due_at=moment_of(due),
        )
        for job_id, kind, key, generation, through, attempts, due, chat_kind, person in rows
    )
