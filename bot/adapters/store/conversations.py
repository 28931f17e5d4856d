"""What a chat remembers of itself: its cut, its summary, its task, its clears."""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import datetime

from bot.adapters.store import inbox, turns
from bot.adapters.store.codec import micros_of, moment_of
from bot.adapters.store.context_codec import (
    decode_compaction,
    decode_cut,
    decode_summary,
    decode_task,
    encode_compaction,
    encode_cut,
    encode_summary,
    encode_task,
)
from bot.adapters.store.schema import Tables
from bot.core.chat import ChatKind, PersonKey, SessionKey
from bot.core.lifecycle import ModelCall
from bot.core.llm import Usage
from bot.core.tasks import TaskState
from bot.core.turns import TurnId
from bot.core.window.conversation import Compaction, Conversation, Cut, Summary

MOST_CALLS = 8

_UNKNOWN = (0, None, None, None, None, None, 0)
"""How a chat is loaded in which nothing was opened yet."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CutMark:
    """By which opening of the store a cut is written, of what generation, when, and why."""

    opened_by: str
    generation: int
    at: datetime
    compaction: Compaction | None


def load(tables: Tables, opened_by: str, session_key: SessionKey) -> Conversation:
    """Give a chat's cut and all that it shows."""
    row = tables.execute(
        "SELECT generation, cut, former, compaction, task, opened_by, calls_after FROM session"
        " WHERE key = ?",
        session_key,
    ).fetchone()
    generation, cut_text, former, compaction, task, opener, calls_after = row or _UNKNOWN
    cut = decode_cut(cut_text)
    return Conversation(
        session_key=session_key,
        generation=generation,
        turns=turns.ended_turns(tables, session_key, first=cut.kept_from),
        cut=cut,
        summary=_summary_of(tables, cut),
        task=decode_task(task) if task else None,
        former=decode_cut(former) if former else None,
        compaction=decode_compaction(compaction) if compaction else None,
        is_fresh=opener != opened_by,
        calls=_calls(tables, session_key, calls_after),
    )


def note_chat(
    tables: Tables, session_key: SessionKey, kind: ChatKind, person_key: PersonKey, at: datetime
) -> int:
    """Note what kind of chat it is and who wrote last; gives the generation."""
    (generation,) = tables.execute(
        "INSERT INTO session (key, kind, person_key, heard_at) VALUES (?, ?, ?, ?)"
        " ON CONFLICT (key) DO UPDATE SET kind = excluded.kind, person_key = excluded.person_key,"
        " heard_at = MAX(COALESCE(heard_at, 0), excluded.heard_at) RETURNING generation",
        session_key,
        kind,
        person_key,
        micros_of(at),
    ).fetchone()
    return int(generation)


def is_current(tables: Tables, turn_id: TurnId) -> bool:
    """Say whether a turn may be shown: neither cleared nor gone from its chat's window."""
    (cut,) = tables.execute(
        "SELECT cut FROM session JOIN turn ON session.key = turn.session_key WHERE turn.id = ?",
        turn_id,
    ).fetchone()
    return turn_id >= decode_cut(cut).kept_from


def cut_of(tables: Tables, session_key: SessionKey) -> Cut:
    """Give a chat's cut."""
    row = tables.execute("SELECT cut FROM session WHERE key = ?", session_key).fetchone()
    return decode_cut(None if row is None else row[0])


def save_cut(tables: Tables, session_key: SessionKey, cut: Cut, mark: CutMark) -> bool:
    """Put a cut in the place of the one that is kept, and ask for the summary it needs."""
    row = tables.execute(
        "SELECT generation, cut FROM session WHERE key = ?", session_key
    ).fetchone()
    generation, before = row or (0, None)
    if generation != mark.generation:
        return False
    _note(tables, session_key)
    _write_cut(tables, session_key, cut)
    tables.execute("UPDATE session SET opened_by = ? WHERE key = ?", mark.opened_by, session_key)
    if mark.compaction is not None:
        # What a clear put away can be had back until the next compaction, and no longer.
        tables.execute(
            "UPDATE session SET former = ?, former_task = NULL, compaction = ? WHERE key = ?",
            before or encode_cut(Cut()),
            encode_compaction(mark.compaction),
            session_key,
        )
        _keep_summaries(tables, session_key)
        _ask_for_summary(tables, session_key, mark.at)
    return True


def clear(
    tables: Tables, session_key: SessionKey, at: datetime, compaction: Compaction | None
) -> int:
    """Show nothing of what was opened so far from now on."""
    _note(tables, session_key)
    inbox.drop_kept(tables, session_key)
    first = turns.newest_id(tables, session_key) + 1
    tables.execute(
        "UPDATE session SET generation = generation + 1, former = COALESCE(cut, ?), cut = ?,"
        " former_task = task, task = NULL, compaction = COALESCE(?, compaction),"
        " calls_after = (SELECT COALESCE(MAX(id), 0) FROM usage WHERE session_key = session.key)"
        " WHERE key = ?",
        encode_cut(Cut()),
        encode_cut(Cut(kept_from=TurnId(first), cleared_before=TurnId(first))),
        None if compaction is None else encode_compaction(compaction),
        session_key,
    )
    _keep_summaries(tables, session_key)
    _ask_for_summary(tables, session_key, at)
    (generation,) = tables.execute(
        "SELECT generation FROM session WHERE key = ?", session_key
    ).fetchone()
    return int(generation)


def undo(tables: Tables, session_key: SessionKey, at: datetime) -> bool:
    """Put the former cut back, and what the task was then unless there is a new one."""
    undone = tables.execute(
        "UPDATE session SET generation = generation + 1, cut = former, former = NULL,"
        " task = COALESCE(task, former_task), former_task = NULL"
        " WHERE key = ? AND former IS NOT NULL",
        session_key,
    )
    if not undone.rowcount:
        return False
    _keep_summaries(tables, session_key)
    _ask_for_summary(tables, session_key, at)
    return True


def show_summary(tables: Tables, session_key: SessionKey, summary: Summary, cut: Cut) -> None:
    """Keep a summary as a new version and show it with a cut, in the place of the one before."""
    inserted = tables.execute(
        "INSERT INTO summary (session_key, through, body) VALUES (?, ?, ?) RETURNING version",
        session_key,
        summary.through,
        encode_summary(summary),
    ).fetchone()
    _write_cut(tables, session_key, replace(cut, summary_version=inserted[0]))
    _keep_summaries(tables, session_key)
    _ask_for_summary(tables, session_key, summary.made_at)


def usage_of(tables: Tables, session_key: SessionKey) -> Usage:
    """Add up what a chat's answers have cost since its last clear."""
    row = tables.execute(
        "SELECT SUM(input_tokens), SUM(output_tokens), SUM(cache_read_tokens),"
        " SUM(cache_write_tokens) FROM usage WHERE session_key = ? AND purpose = 'answer'"
        " AND id > COALESCE((SELECT calls_after FROM session WHERE key = ?), 0)",
        session_key,
        session_key,
    ).fetchone()
    given, out, read, written = (value or 0 for value in row)
    return Usage(
        input_tokens=given, output_tokens=out, cache_read_tokens=read, cache_write_tokens=written
    )


def task_of(tables: Tables, session_key: SessionKey) -> TaskState | None:
    """Give the state of a chat's task."""
    row = tables.execute("SELECT task FROM session WHERE key = ?", session_key).fetchone()
    return decode_task(row[0]) if row and row[0] else None


def note_task(tables: Tables, session_key: SessionKey, task: TaskState | None) -> None:
    """Put a state of a chat's task in the place of the one that is kept."""
    _note(tables, session_key)
    text = None if task is None else encode_task(task)
    tables.execute("UPDATE session SET task = ? WHERE key = ?", text, session_key)


def tool_output(tables: Tables, session_key: SessionKey, call_id: str) -> str | None:
    """Give a tool's whole result, the newest of that id, unless its turn was cleared."""
    first = cut_of(tables, session_key).cleared_before
    return turns.whole_result(tables, session_key, call_id, first=first)


def _note(tables: Tables, session_key: SessionKey) -> None:
    tables.execute("INSERT INTO session (key) VALUES (?) ON CONFLICT (key) DO NOTHING", session_key)


def _write_cut(tables: Tables, session_key: SessionKey, cut: Cut) -> None:
    tables.execute("UPDATE session SET cut = ? WHERE key = ?", encode_cut(cut), session_key)


def _summary_of(tables: Tables, cut: Cut) -> Summary | None:
    row = tables.execute(
        "SELECT body FROM summary WHERE version = ?", cut.summary_version
    ).fetchone()
    return None if row is None else replace(decode_summary(row[0]), version=cut.summary_version)


def _calls(tables: Tables, session_key: SessionKey, after: int) -> tuple[ModelCall, ...]:
    rows = tables.execute(
        "SELECT at, person_key, model, input_tokens, output_tokens, cache_read_tokens,"
        " cache_write_tokens, local_tokens FROM usage WHERE session_key = ? AND id > ?"
        " AND purpose = 'answer' ORDER BY id DESC LIMIT ?",
        session_key,
        after,
        MOST_CALLS,
    ).fetchall()
    return tuple(
        ModelCall(
            session_key=session_key,
            person_key=PersonKey(person),
            model=model,
            purpose="answer",
            usage=Usage(
                input_tokens=given,
                output_tokens=out,
                cache_read_tokens=read,
                cache_write_tokens=written,
            ),
            at=moment_of(at),
            local_tokens=local,
        )
        for at, person, model, given, out, read, written, local in reversed(rows)
    )


def _keep_summaries(tables: Tables, session_key: SessionKey) -> None:
    """Drop the versions that neither the cut nor the former one names."""
    cut, former = tables.execute(
        "SELECT cut, former FROM session WHERE key = ?", session_key
    ).fetchone()
    tables.execute(
        "DELETE FROM summary WHERE session_key = ? AND version NOT IN (?, ?)",
        session_key,
        decode_cut(cut).summary_version,
        decode_cut(former).summary_version,
    )


def _ask_for_summary(tables: Tables, session_key: SessionKey, at: datetime) -> None:
    """Keep a job if turns left that the summary which is shown does not cover, drop it if none."""
    cut = cut_of(tables, session_key)
    row = tables.execute(
        "SELECT through FROM summary WHERE version = ?", cut.summary_version
    ).fetchone()
    first = max(cut.cleared_before, 0 if row is None else row[0] + 1)
    left = turns.newest_ended(tables, session_key, first=first, before=cut.kept_from)
    if left is None:
        tables.execute(
            "DELETE FROM memory_job WHERE session_key = ? AND kind = 'summary'", session_key
        )
        return
    tables.execute(
        "INSERT INTO memory_job (kind, session_key, generation, through, due_at)"
        " SELECT 'summary', key, generation, ?, ? FROM session WHERE key = ?"
        " ON CONFLICT (session_key, kind) DO UPDATE SET"
        " generation = excluded.generation, through = excluded.through, attempts = 0,"
        " due_at = excluded.due_at, reason = NULL",
        left,
        micros_of(at),
        session_key,
    )
