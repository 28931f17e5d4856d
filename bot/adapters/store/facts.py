"""Facts about people, all versions of them, and the turns that are still to be read for some.

The law of this file: which version holds is decided by :mod:`bot.core.memory.facts`; here rows are
read, written, and noted for the search index.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterable
from dataclasses import replace
from datetime import datetime, timedelta

from bot.adapters.store import openings, said, settings, turns
from bot.adapters.store.changes import note_change
from bot.adapters.store.codec import decoded, micros_of, moment_of
from bot.adapters.store.moved import audience_now
from bot.adapters.store.schema import SqlValue, Tables
from bot.core.chat import PersonKey
from bot.core.memory.audience import Audience, Viewer
from bot.core.memory.extraction import UnreadTurn
from bot.core.memory.facts import (
    NOT_KEPT,
    Fact,
    FactId,
    NewFact,
    is_own,
    placed,
    rechained,
    settle,
    shown_to,
)
from bot.core.memory.jobs import MemoryJob
from bot.core.memory.pieces import fact_ref
from bot.core.memory.taking_back import without_turn
from bot.core.turns import TurnId

READ_AFTER = timedelta(minutes=2)
"""So long after the first turn that is to be read: what is said in a burst is read together."""

_READ = (
    "SELECT id, person_key, channel, account, chat, kind, topic, key, text, origin, confidence,"
    " turn_id, valid_from, valid_to, confirmed_at, said_again FROM fact"
)

_Place = tuple[str, str, str, str, str]
"""Under what versions are one chain: person, channel, account, chat, key."""


def facts_for(tables: Tables, viewer: Viewer) -> tuple[Fact, ...]:
    """Give the facts that hold and may be recalled by a viewer."""
    audience = viewer.audience
    rows = tables.execute(
        f"{_READ} WHERE id IN ("  # noqa: S608 - a constant
        "SELECT id FROM fact WHERE valid_to IS NULL AND channel = ? AND account = ? AND chat = ?"
        " UNION SELECT id FROM fact WHERE person_key = ? AND valid_to IS NULL)",
        audience.channel,
        audience.account,
        audience.chat,
        viewer.person_key,
    )
    return shown_to(viewer, _facts(tables, rows))


def facts_about(
    tables: Tables, viewer: Viewer, people: tuple[PersonKey, ...], most: int
) -> tuple[Fact, ...]:
    """Give the facts about some people that hold and may be recalled by a viewer, the newest."""
    audience = viewer.audience
    ids = json.dumps(people)
    rows = tables.execute(
        f"{_READ} WHERE id IN (SELECT id FROM ("  # noqa: S608 - a constant
        "SELECT id, confirmed_at FROM fact WHERE valid_to IS NULL"
        " AND person_key IN (SELECT value FROM json_each(?))"
        " AND channel = ? AND account = ? AND chat = ? AND kind = ?"
        " UNION SELECT id, confirmed_at FROM fact WHERE valid_to IS NULL AND person_key = ?"
        " AND person_key IN (SELECT value FROM json_each(?)) AND person_key != ''"
        " AND kind = 'group' AND ? = 'private'"
        ") ORDER BY confirmed_at DESC, id DESC LIMIT ?)",
        ids,
        audience.channel,
        audience.account,
        audience.chat,
        audience.kind,
        viewer.person_key,
        ids,
        audience.kind,
        most,
    )
    return shown_to(viewer, _facts(tables, rows))


def facts_by_id(tables: Tables, ids: Iterable[int]) -> tuple[Fact, ...]:
    """Give facts by their ids, those that ended too, in the order of ids."""
    rows = tables.execute(
        f"{_READ} WHERE id IN (SELECT value FROM json_each(?)) ORDER BY id",  # noqa: S608 - a constant
        json.dumps(list(ids)),
    )
    return _facts(tables, rows)


def history_of(tables: Tables, fact_id: FactId, viewer: Viewer) -> tuple[Fact, ...]:
    """Give all versions of what a fact's key said, newest first, for whom it is about."""
    found = facts_by_id(tables, (fact_id,))
    if not found or not is_own(viewer, found[0]):
        return ()
    return _versions(tables, _place_of(found[0]))[::-1]


def keep_facts(tables: Tables, facts: tuple[NewFact, ...]) -> tuple[tuple[Fact, Fact | None], ...]:
    """Keep statements in the order given; gives of each the fact, and what it ended."""
    return tuple(_keep(tables, each) for each in facts)


def confirm_fact(tables: Tables, fact_id: FactId, viewer: Viewer, at: datetime) -> bool:
    """Note that a fact was said to hold still."""
    fact = next(iter(facts_by_id(tables, (fact_id,))), None)
    if fact is None or not fact.holds or not is_own(viewer, fact):
        return False
    _write(tables, replace(fact, confirmed_at=max(fact.confirmed_at, at)))
    return True


def ask_to_read(tables: Tables) -> int:
    """Keep a job for each chat with ended turns to be read, due soon after the first one ended."""
    done = tables.execute(
        "INSERT INTO memory_job (kind, session_key, generation, through, due_at)"
        " SELECT 'facts', turn.session_key, session.generation, MAX(turn.id), MIN(finished_at) + ?"
        " FROM turn JOIN session ON session.key = turn.session_key"
        " WHERE is_read = 0 AND outcome IS NOT NULL GROUP BY turn.session_key"
        " HAVING MAX(turn.id) > COALESCE((SELECT through FROM memory_job"  # else nothing is written
        " WHERE memory_job.session_key = turn.session_key AND kind = 'facts'), 0)"
        " ON CONFLICT (session_key, kind) DO UPDATE SET through = excluded.through",
        READ_AFTER // timedelta(microseconds=1),
    )
    return done.rowcount


def unread(tables: Tables, job: MemoryJob, limit: int) -> tuple[UnreadTurn, ...]:
    """Give the turns of a job that no facts were read out of, oldest first."""
    found = turns.unread(tables, job.session_key, through=job.through, limit=limit)
    ids = json.dumps([turn.id for turn in found])
    noted = dict(
        tables.execute(
            "SELECT id, said FROM turn WHERE id IN (SELECT value FROM json_each(?))", ids
        ).fetchall()
    )
    spoken = (job.audience.kind, job.person_key)
    return tuple(
        UnreadTurn(turn=turn, said=said.read(tables, turn, noted[turn.id], spoken))
        for turn in found
    )


def land_facts(
    tables: Tables, job: MemoryJob, read: tuple[UnreadTurn, ...], facts: tuple[NewFact, ...]
) -> None:
    """Keep what was read out of turns that are as they were, and end the job with the last.

    Nothing where memory was switched off meanwhile: they are to be read once it is on again.
    """
    if settings.is_memory_off(tables, job.session_key):
        return
    done = {each.turn.id for each in read if _mark_read(tables, each)}
    keep_facts(tables, tuple(each for each in facts if each.turn_id in done))
    tables.execute(
        "DELETE FROM memory_job WHERE id = ? AND NOT EXISTS"
        " (SELECT 1 FROM turn WHERE turn.session_key = memory_job.session_key"
        " AND turn.id <= memory_job.through AND is_read = 0 AND outcome IS NOT NULL)",
        job.id,
    )


def read_again(tables: Tables, turn_id: TurnId, *, taken_back_by: PersonKey | None = None) -> None:
    """Drop what was read out of a turn that was changed or is tried again, and have it read anew.

    What was told in it stays, but for what whoever took a message back had told (all that was,
    where it is not known who): taking it back is forgetting it.
    """
    drop_of_turn(tables, turn_id, taken_back_by=taken_back_by)
    tables.execute("UPDATE turn SET is_read = is_off_record WHERE id = ?", turn_id)


def drop_of_turn(
    tables: Tables, turn_id: TurnId, *, taken_back_by: PersonKey | None = None
) -> tuple[FactId, ...]:
    """Let a turn's words count no longer; gives the facts that are gone with them.

    A fact that was said in another turn too stays. What was told in the turn, and not read out of
    it, goes where ``taken_back_by`` told it, or is empty; with None it stays.
    """
    rows = tables.execute(
        "SELECT person_key, channel, account, chat, key FROM fact WHERE turn_id = ?"
        " UNION SELECT person_key, channel, account, chat, fact.key"
        " FROM fact, json_each(said_again) WHERE said_again IS NOT NULL AND value = ?",
        turn_id,
        turn_id,
    ).fetchall()
    dropped: list[FactId] = []
    for place in rows:
        told_too = taken_back_by is not None and taken_back_by in ("", place[0])
        versions = _versions(tables, place)
        moments = _moments_of(tables, versions)
        changed, gone = without_turn(versions, turn_id, moments, told_too=told_too)
        _remove(tables, gone)
        for fact in changed:
            _write(tables, fact)
        dropped += gone
    if dropped:
        openings.let_go_of_facts(tables, frozenset(dropped))
    return tuple(dropped)


def move_chat(tables: Tables, old: Audience, new_chat: str) -> None:
    """Give the facts of a chat the id that it goes on under, beside what is known there."""
    rows = tables.execute(
        "SELECT DISTINCT person_key, channel, account, chat, key FROM fact"
        " WHERE channel = ? AND account = ? AND chat = ?",
        old.channel,
        old.account,
        old.chat,
    ).fetchall()
    for place in rows:
        person_key, channel, account, _, key = place
        there = _versions(tables, (person_key, channel, account, new_chat, key))
        moved = (
            replace(each, audience=replace(each.audience, chat=new_chat))
            for each in _versions(tables, place)
        )
        for fact in rechained((*there, *moved)):  # the one that holds is the last to be written
            _write(tables, fact)


def _keep(tables: Tables, new: NewFact) -> tuple[Fact, Fact | None]:
    new = replace(new, audience=audience_now(tables, new.audience))
    audience = new.audience
    rows = tables.execute(
        "SELECT key FROM fact WHERE valid_to IS NULL AND person_key = ? AND channel = ?"
        " AND account = ? AND chat = ?",
        new.person_key,
        audience.channel,
        audience.account,
        audience.chat,
    )
    new = placed(new, tuple(key for (key,) in rows))
    place = (new.person_key, audience.channel, audience.account, audience.chat, new.key)
    settled = settle(_versions(tables, place), new)
    for fact in settled.changed:
        kept = _write(tables, fact)
        if fact.id == NOT_KEPT:
            settled = replace(settled, fact=kept)
    return settled.fact, settled.ended


def _mark_read(tables: Tables, unread_turn: UnreadTurn) -> bool:
    """Note that a turn was read; False when it is not as it was then."""
    turn = unread_turn.turn
    done = tables.execute(
        "UPDATE turn SET is_read = 1 WHERE id = ? AND is_read = 0 AND started_at = ?"
        " AND revision = ? AND outcome IS NOT NULL",
        turn.id,
        micros_of(turn.started_at),
        turn.revision,
    )
    return done.rowcount > 0


def _place_of(fact: Fact) -> _Place:
    audience = fact.audience
    return (fact.person_key, audience.channel, audience.account, audience.chat, fact.key)


def _versions(tables: Tables, place: _Place) -> tuple[Fact, ...]:
    """Give a chain of versions, oldest first."""
    rows = tables.execute(
        f"{_READ} WHERE person_key = ? AND channel = ? AND account = ? AND chat = ? AND key = ?"
        " ORDER BY valid_from, id",
        *place,
    )
    return _facts(tables, rows)


def _moments_of(tables: Tables, versions: tuple[Fact, ...]) -> dict[TurnId, datetime]:
    """Say when the turns were opened that versions stand on, without those that are gone."""
    ids = {turn_id for each in versions for turn_id in (each.turn_id, *each.said_again) if turn_id}
    rows = tables.execute(
        "SELECT id, started_at FROM turn WHERE id IN (SELECT value FROM json_each(?))",
        json.dumps(sorted(ids)),
    )
    return {TurnId(turn_id): moment_of(started_at) for turn_id, started_at in rows}


def _write(tables: Tables, fact: Fact) -> Fact:
    """Write a version, and give it with its id."""
    values: dict[str, SqlValue] = {
        "person_key": fact.person_key,
        "channel": fact.audience.channel,
        "account": fact.audience.account,
        "chat": fact.audience.chat,
        "kind": fact.audience.kind,
        "topic": fact.topic,
        "key": fact.key,
        "text": fact.text,
        "origin": fact.origin,
        "confidence": fact.confidence,
        "turn_id": fact.turn_id,
        "valid_from": micros_of(fact.valid_from),
        "valid_to": None if fact.valid_to is None else micros_of(fact.valid_to),
        "confirmed_at": micros_of(fact.confirmed_at),
        "said_again": json.dumps(fact.said_again) if fact.said_again else None,
    }
    columns = ", ".join(values)
    marks = ", ".join("?" * len(values))
    if fact.id == NOT_KEPT:
        done = tables.execute(
            f"INSERT INTO fact ({columns}) VALUES ({marks})",  # noqa: S608 - names from above
            *values.values(),
        )
        assert done.lastrowid is not None
        fact = replace(fact, id=FactId(done.lastrowid))
    else:
        tables.execute(
            f"UPDATE fact SET ({columns}) = ({marks}) WHERE id = ?",  # noqa: S608 - names from above
            *values.values(),
            fact.id,
        )
    note_change(tables, fact_ref(fact.id))
    if not fact.holds:
        openings.let_go_of_facts(tables, frozenset({fact.id}))
    return fact


def _remove(tables: Tables, ids: tuple[FactId, ...]) -> None:
    for fact_id in ids:
        tables.execute("DELETE FROM fact WHERE id = ?", fact_id)
        note_change(tables, fact_ref(fact_id))


def _facts(tables: Tables, rows: sqlite3.Cursor) -> tuple[Fact, ...]:
    return tuple(
        Fact(
            id=FactId(fact_id),
            person_key=PersonKey(person),
            audience=Audience(channel=channel, account=account, chat=chat, kind=kind),
            topic=topic,
            key=key,
            text=text,
            origin=origin,
            confidence=confidence,
            turn_id=None if turn_id is None else TurnId(turn_id),
            valid_from=moment_of(valid_from),
            valid_to=None if valid_to is None else moment_of(valid_to),
            confirmed_at=moment_of(confirmed_at),
            said_again=_said_again(tables, fact_id, said_again),
        )
        for (
            fact_id,
            person,
            channel,
            account,
            chat,
            kind,
            topic,
            key,
            text,
            origin,
            confidence,
            turn_id,
            valid_from,
            valid_to,
            confirmed_at,
            said_again,
        ) in rows
    )


def _said_again(tables: Tables, fact_id: int, text: str | None) -> tuple[TurnId, ...]:
    if text is None:
        return ()
    return tables.damage.read("fact.said_again", fact_id, _decode_turns, text) or ()


def _decode_turns(text: str) -> tuple[TurnId, ...]:
    return decoded(text, lambda ids: tuple(TurnId(int(each)) for each in ids))
