"""The records of past sessions: asked for, landed, read, and dropped with what they were made of.

The law of this file: a turn is marked as recorded in the transaction that keeps its record, and the
mark goes with the record. So each turn is in one record at most, and none is forgotten.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Iterator
from datetime import datetime

from bot.adapters.store import conversations, journal, openings, said, settings
from bot.adapters.store.changes import episode_ref, note_change
from bot.adapters.store.codec import micros_of, moment_of
from bot.adapters.store.context_codec import decode_task
from bot.adapters.store.episode_codec import decode_account, encode_account
from bot.adapters.store.schema import Tables
from bot.core.chat import ChatKind, PersonKey, SessionKey
from bot.core.memory.audience import Audience, Viewer, audience_of
from bot.core.memory.episodes import (
    LEAST_TURNS,
    Account,
    Borders,
    Episode,
    EpisodeId,
    Unrecorded,
    first_run,
)
from bot.core.memory.jobs import MemoryJob
from bot.core.memory.opening import session_of
from bot.core.tasks import TaskState
from bot.core.turns import Turn, TurnId

_UNRECORDED = f"{journal.TURNS} WHERE session_key = ? AND is_recorded = 0 AND outcome IS NOT NULL"
_LOOKED_AT = 5
"""So many records are read for one that is not damaged."""

_COLUMNS = (
    "SELECT episode.id, session_key, channel, account, chat, kind, person_key, first, through,"
    " started_at, ended_at, body FROM episode"
)


def ask_for_episodes(
    tables: Tables, silent_since: datetime, at: datetime, session_key: str = ""
) -> int:
    """Keep a job for each silent chat, or for one chat, with a session that is not recorded.

    The calendar asks often: a job that was put off waits on all the same.
    """
    done = tables.execute(
        "INSERT INTO memory_job (kind, session_key, generation, through, due_at)"
        " SELECT 'episode', session.key, session.generation, MAX(turn.id), ? FROM turn"
        " JOIN session ON session.key = turn.session_key"
        " WHERE is_recorded = 0 AND outcome IS NOT NULL"
        " AND (session.key = ? OR ? = '' AND COALESCE(heard_at, 0) <= ?)"
        " GROUP BY session.key HAVING COUNT(*) >= ? OR task IS NOT NULL"
        " OR (session.key = ? AND former_task IS NOT NULL)"
        " ON CONFLICT (session_key, kind) DO UPDATE SET through = MAX(through, excluded.through),"
        " due_at = CASE WHEN ? = '' THEN due_at ELSE MIN(due_at, excluded.due_at) END",
        micros_of(at),
        session_key,
        session_key,
        micros_of(silent_since),
        LEAST_TURNS,
        session_key,
        session_key,
    )
    return done.rowcount


def unrecorded(tables: Tables, session_key: SessionKey, through: int, limit: int) -> Unrecorded:
    """Give the oldest run of a chat's turns that no record covers."""
    rows = tables.execute(
        f"{_UNRECORDED} AND id <= ? ORDER BY id LIMIT ?",
        session_key,
        through,
        limit,
    )
    turns = journal.read(tables, rows)
    (recorded_from,) = tables.execute(
        "SELECT MIN(id) FROM turn WHERE session_key = ? AND id > ? AND is_recorded = 1",
        session_key,
        turns[0].id if turns else through,
    ).fetchone()
    borders = _borders(tables, session_key, recorded_from)
    return first_run(turns, borders, *_tasks(tables, session_key))


def last_unrecorded(tables: Tables, session_key: SessionKey, limit: int) -> Unrecorded:
    """Give the newest turns of a chat that no record covers, without what was cleared away."""
    borders = _borders(tables, session_key, None)
    rows = tables.execute(
        f"SELECT * FROM ({_UNRECORDED} AND id >= ? AND id > (SELECT COALESCE(MAX(id), 0) FROM turn"  # noqa: S608 - a constant
        " WHERE session_key = ? AND is_recorded = 1) ORDER BY id DESC LIMIT ?) ORDER BY id",
        session_key,
        borders.cleared_before,
        session_key,
        limit,
    )
    return first_run(journal.read(tables, rows), borders, *_tasks(tables, session_key))


def land_episode(
    tables: Tables, job: MemoryJob, turns: tuple[Turn, ...], account: Account
) -> Episode | None:
    """Keep the record of turns that are still as they were when it was written.

    None where memory was switched off meanwhile.
    """
    if settings.is_memory_off(tables, job.session_key):
        return None
    keys = {_key_as_it_was(tables, turn) for turn in turns}
    if len(keys) != 1 or None in keys:
        return None
    session_key = next(filter(None, keys))
    episode_id = _insert(tables, session_key, turns, account)
    _mark(tables, turns)
    tables.execute(
        "DELETE FROM memory_job WHERE id = ? AND NOT EXISTS (SELECT 1 FROM turn"
        " WHERE turn.session_key = memory_job.session_key AND is_recorded = 0"
        " AND outcome IS NOT NULL AND turn.id <= memory_job.through)",
        job.id,
    )
    episode = next(iter(by_ids(tables, f"[{episode_id}]")))
    note_change(tables, episode_ref(episode_id))
    openings.refresh(tables, session_key, session_of(episode, None))
    return episode


def pass_over(tables: Tables, turns: tuple[Turn, ...]) -> None:
    """Mark turns as recorded, of which there is no record."""
    _mark(tables, turns)


def last_episodes(tables: Tables, viewer: Viewer, limit: int) -> tuple[Episode, ...]:
    """Give the newest records of an audience, newest first."""
    audience = viewer.audience
    rows = tables.execute(
        f"{_COLUMNS} WHERE channel = ? AND account = ? AND chat = ? AND kind = ?"
        " ORDER BY through DESC LIMIT ?",
        audience.channel,
        audience.account,
        audience.chat,
        audience.kind,
        limit,
    )
    return tuple(_episodes(tables, rows))


def last_episode(tables: Tables, viewer: Viewer, session_key: SessionKey) -> Episode | None:
    """Give the newest record of a chat that was not cleared away, else of its audience."""
    audience = viewer.audience
    rows = tables.execute(
        f"{_COLUMNS} WHERE channel = ? AND account = ? AND chat = ? AND kind = ?"
        " AND (session_key != ? OR first >= ?)"
        " ORDER BY session_key = ? DESC, through DESC LIMIT ?",
        audience.channel,
        audience.account,
        audience.chat,
        audience.kind,
        session_key,
        conversations.cut_of(tables, session_key).recalled_from,
        session_key,
        _LOOKED_AT,
    )
    return next(_episodes(tables, rows), None)


def by_ids(tables: Tables, ids: str) -> tuple[Episode, ...]:
    """Give records by their ids, a JSON list, oldest first; those that are gone are left out."""
    rows = tables.execute(
        f"{_COLUMNS} WHERE id IN (SELECT value FROM json_each(?)) ORDER BY through",  # noqa: S608 - a constant
        ids,
    )
    return tuple(_episodes(tables, rows))


def drop_covering(tables: Tables, turn_ids: Iterable[int], at: datetime) -> tuple[EpisodeId, ...]:
    """Drop all that was made of the sessions of turns that were changed, taken back or forgotten.

    Each is to be recorded anew, of what the turns say by then. Openings lose what they had of them.
    """
    dropped: list[EpisodeId] = []
    for turn_id in turn_ids:
        rows = tables.execute(
            "SELECT episode.id, turn.session_key, first, through FROM turn JOIN episode"
            " ON episode.session_key = turn.session_key AND turn.id BETWEEN first AND through"
            " WHERE turn.id = ?",
            turn_id,
        )
        for episode_id, session_key, first, through in rows.fetchall():
            dropped.append(EpisodeId(episode_id))
            _drop(tables, episode_id)
            _unmark(tables, session_key, first, through)
            _ask(tables, session_key, through, at)
        openings.let_go_of_turn(tables, turn_id)
    return tuple(dropped)


def move_chat(tables: Tables, where: tuple[str, str, str], new_chat: str) -> None:
    """Let records follow a chat, ``where`` its channel, account and chat were, to another id."""
    rows = tables.execute(
        "UPDATE episode SET chat = ? WHERE channel = ? AND account = ? AND chat = ? RETURNING id",
        new_chat,
        *where,
    )
    note_change(tables, *(episode_ref(episode_id) for (episode_id,) in rows.fetchall()))


def _borders(tables: Tables, session_key: SessionKey, recorded_from: int | None) -> Borders:
    cut = conversations.cut_of(tables, session_key)
    return Borders(
        recorded_from=recorded_from,
        cleared_before=cut.recalled_from,
        begun_from=cut.cleared_before,
    )


def _tasks(tables: Tables, session_key: SessionKey) -> tuple[TaskState | None, TaskState | None]:
    """Read the task of now, and the one that was put away last."""
    row = tables.execute(
        "SELECT task, former_task FROM session WHERE key = ?", session_key
    ).fetchone()
    task, former = (
        None if text is None else tables.damage.read("session.task", session_key, decode_task, text)
        for text in row or (None, None)
    )
    return task, former


def _key_as_it_was(tables: Tables, turn: Turn) -> SessionKey | None:
    """Name the chat of a turn, which may have moved; None where the turn is another one by now."""
    row = tables.execute(
        "SELECT session_key FROM turn WHERE id = ? AND is_recorded = 0 AND started_at = ?"
        " AND revision = ? AND outcome IS NOT NULL",
        turn.id,
        micros_of(turn.started_at),
        turn.revision,
    ).fetchone()
    return None if row is None else SessionKey(row[0])


def _insert(
    tables: Tables, session_key: SessionKey, turns: tuple[Turn, ...], account: Account
) -> int:
    kind, person = tables.execute(
        "SELECT COALESCE(kind, 'private'), COALESCE(person_key, '') FROM session WHERE key = ?",
        session_key,
    ).fetchone()
    audience = audience_of(session_key, kind)
    inserted = tables.execute(
        "INSERT INTO episode (session_key, channel, account, chat, kind, person_key, first,"
        " through, started_at, ended_at, body) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
        session_key,
        audience.channel,
        audience.account,
        audience.chat,
        audience.kind,
        _only_speaker(tables, turns, (kind, person)),
        turns[0].id,
        turns[-1].id,
        micros_of(turns[0].started_at),
        micros_of(turns[-1].started_at),
        encode_account(account),
    )
    assert inserted.lastrowid is not None
    return inserted.lastrowid


def _only_speaker(
    tables: Tables, turns: tuple[Turn, ...], spoken: tuple[ChatKind, str]
) -> PersonKey:
    """Name who said all that was said in turns; empty where several did, or it is not known."""
    speakers: set[PersonKey] = set()
    for turn in turns:
        (text,) = tables.execute("SELECT said FROM turn WHERE id = ?", turn.id).fetchone()
        speakers |= {each.person_key for each in said.read(tables, turn, text, spoken)}
    return speakers.pop() if len(speakers) == 1 else PersonKey("")


def _mark(tables: Tables, turns: tuple[Turn, ...]) -> None:
    for turn in turns:
        tables.execute("UPDATE turn SET is_recorded = 1 WHERE id = ?", turn.id)


def _unmark(tables: Tables, session_key: str, first: int, through: int) -> None:
    tables.execute(
        "UPDATE turn SET is_recorded = is_off_record WHERE session_key = ? AND id BETWEEN ? AND ?",
        session_key,
        first,
        through,
    )


def _drop(tables: Tables, episode_id: int) -> None:
    tables.execute("DELETE FROM episode WHERE id = ?", episode_id)
    note_change(tables, episode_ref(episode_id))


def _ask(tables: Tables, session_key: str, through: int, at: datetime) -> None:
    tables.execute(
        "INSERT INTO memory_job (kind, session_key, generation, through, due_at)"
        " SELECT 'episode', key, generation, ?, ? FROM session WHERE key = ?"
        " ON CONFLICT (session_key, kind) DO UPDATE SET through = MAX(through, excluded.through),"
        " due_at = MIN(due_at, excluded.due_at)",
        through,
        micros_of(at),
        session_key,
    )


def _episodes(tables: Tables, rows: sqlite3.Cursor) -> Iterator[Episode]:
    """Read records, without those that are damaged."""
    for row in rows.fetchall():
        episode_id, key, channel, account, chat, kind, person, first, through, start, end, body = (
            row
        )
        read = tables.damage.read("episode.body", episode_id, decode_account, body)
        if read is None:
            continue
        yield Episode(
            id=EpisodeId(episode_id),
            session_key=SessionKey(key),
            audience=Audience(channel=channel, account=account, chat=chat, kind=kind),
            person_key=PersonKey(person),
            first=TurnId(first),
            through=TurnId(through),
            started_at=moment_of(start),
            ended_at=moment_of(end),
            account=read,
        )
