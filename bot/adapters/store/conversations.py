"""What a chat remembers of itself: its cut, its summary, its task, its clears."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import datetime

from bot.adapters.store import inbox, turns, usage
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
from bot.core.memory.opening import Opening
from bot.core.tasks import TaskState
from bot.core.turns import TurnId
from bot.core.window.conversation import (
    Compaction,
    Conversation,
    Cut,
    Summary,
    emptied,
    is_emptied,
)

_WRITE_CUTS = {
    "cut": "UPDATE session SET cut = ? WHERE key = ?",
    "former": "UPDATE session SET former = ? WHERE key = ?",
}

_UNKNOWN = (0, None, None, None, None)
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
        "SELECT generation, cut, former, compaction, opened_by FROM session WHERE key = ?",
        session_key,
    ).fetchone()
    generation, cut_text, former, compaction, opener = row or _UNKNOWN
    cut, read = _cut(tables, session_key, cut_text), tables.damage.read
    summary = summary_of(tables, cut)
    if summary is None and cut.summary_version:
        _ask_once_for_summary(tables, session_key)
    return Conversation(
        session_key=session_key,
        generation=generation,
        turns=turns.ended_turns(tables, session_key, first=cut.kept_from),
        cut=cut,
        summary=summary,
        former=former_of(tables, session_key, former),
        compaction=read("session.compaction", session_key, decode_compaction, compaction)
        if compaction
        else None,
        is_fresh=opener != opened_by,
        calls=usage.newest_calls(tables, session_key),
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
    (key, cut) = tables.execute(
        "SELECT key, cut FROM session JOIN turn ON session.key = turn.session_key"
        " WHERE turn.id = ?",
        turn_id,
    ).fetchone()
    return turn_id >= _cut(tables, key, cut).kept_from


def cut_of(tables: Tables, session_key: SessionKey) -> Cut:
    """Give a chat's cut."""
    row = tables.execute("SELECT cut FROM session WHERE key = ?", session_key).fetchone()
    return _cut(tables, session_key, None if row is None else row[0])


def save_cut(tables: Tables, session_key: SessionKey, cut: Cut, mark: CutMark) -> bool:
    """Put a cut in the place of the one that is kept, and ask for the summary it needs."""
    row = tables.execute(
        "SELECT generation, cut FROM session WHERE key = ?", session_key
    ).fetchone()
    generation, before = row or (0, None)
    before = _cut(tables, session_key, before)
    if generation != mark.generation:
        return False
    _note(tables, session_key)
    _write_cut(tables, session_key, cut)
    tables.execute("UPDATE session SET opened_by = ? WHERE key = ?", mark.opened_by, session_key)
    if mark.compaction is not None:
        # What a clear put away can be had back until the next compaction, and no longer.
        tables.execute(
            "UPDATE session SET former = ?, former_task = NULL, compaction = ? WHERE key = ?",
            encode_cut(before),
            encode_compaction(mark.compaction),
            session_key,
        )
        _keep_summaries(tables, session_key)
        _ask_for_summary(tables, session_key, mark.at)
    return True


def clear(
    tables: Tables,
    session_key: SessionKey,
    at: datetime,
    compaction: Compaction | None,
    opening: Opening | None = None,
    *,
    is_recalled: bool = False,
) -> int:
    """Show nothing of what was opened so far from now on but an opening.

    Where there is nothing to put away, what was put away last stays to be had back.
    """
    _note(tables, session_key)
    inbox.drop_kept(tables, session_key)
    tables.execute("DELETE FROM correction WHERE session_key = ?", session_key)
    first = turns.newest_id(tables, session_key) + 1
    generation, cut, task = tables.execute(
        "SELECT generation, cut, task FROM session WHERE key = ?", session_key
    ).fetchone()
    before = _cut(tables, session_key, cut)
    empty = emptied(before, TurnId(first), opening, is_recalled=is_recalled)
    has_nothing = task is None and is_emptied(before, TurnId(first))
    if has_nothing and (opening is not None or before.opening is None):
        _write_cut(tables, session_key, empty)
        return int(generation)
    tables.execute(
        "UPDATE session SET generation = generation + 1, former = ?, cut = ?,"
        " former_task = task, task = NULL, compaction = COALESCE(?, compaction),"
        " calls_after = (SELECT COALESCE(MAX(id), 0) FROM usage WHERE session_key = session.key)"
        " WHERE key = ?",
        encode_cut(before),
        encode_cut(empty),
        None if compaction is None else encode_compaction(compaction),
        session_key,
    )
    _keep_summaries(tables, session_key)
    _ask_for_summary(tables, session_key, at)
    return int(generation) + 1


def undo(tables: Tables, session_key: SessionKey, opened_by: str, at: datetime) -> bool:
    """Put the former cut back, and what the task was then unless there is a new one."""
    row = tables.execute("SELECT former FROM session WHERE key = ?", session_key).fetchone()
    if row is None or former_of(tables, session_key, row[0]) is None:
        return False
    tables.execute(
        "UPDATE session SET generation = generation + 1, cut = former, former = NULL,"
        " task = COALESCE(task, former_task), former_task = NULL, opened_by = ?"
        " WHERE key = ?",
        opened_by,
        session_key,
    )
    _keep_summaries(tables, session_key)
    _ask_for_summary(tables, session_key, at)
    return True


def show_summary(tables: Tables, session_key: SessionKey, summary: Summary, cut: Cut) -> None:
    """Keep a summary as a new version and show it with a cut, in the place of the one before."""
    version = _insert_summary(tables, session_key, summary)
    _write_cut(tables, session_key, replace(cut, summary_version=version))
    _keep_summaries(tables, session_key)
    _ask_for_summary(tables, session_key, summary.made_at)


Derive = Callable[[Cut, Summary | None], tuple[Cut, Summary | None]]
"""Says what stands for the turns that left, given the cut and the summary that it shows."""


def rederive(tables: Tables, session_key: SessionKey, derive: Derive, at: datetime) -> None:
    """Derive anew what stands for turns of a chat that left: of its cut, and of the former one.

    What somebody read of the chat before is out of date, and what they make of it is refused.
    """
    tables.execute("UPDATE session SET generation = generation + 1 WHERE key = ?", session_key)
    kept = tables.execute("SELECT cut, former FROM session WHERE key = ?", session_key).fetchone()
    for column, text in zip(_WRITE_CUTS, kept, strict=True):
        before = (
            _cut(tables, session_key, text)
            if column == "cut"
            else former_of(tables, session_key, text)
        )
        if before is None:
            continue
        summary = summary_of(tables, before)
        cut, derived = derive(before, summary)
        if (cut, derived) == (before, summary):
            continue
        if derived is not None and derived != summary:
            cut = replace(cut, summary_version=_insert_summary(tables, session_key, derived))
        tables.execute(_WRITE_CUTS[column], encode_cut(cut), session_key)
        if column == "cut":
            _ask_for_summary(tables, session_key, at)
    _keep_summaries(tables, session_key)


def task_of(tables: Tables, session_key: SessionKey) -> TaskState | None:
    """Give the state of a chat's task."""
    row = tables.execute("SELECT task FROM session WHERE key = ?", session_key).fetchone()
    if row is None or row[0] is None:
        return None
    return tables.damage.read("session.task", session_key, decode_task, row[0])


def note_task(
    tables: Tables, session_key: SessionKey, task: TaskState | None, turn_id: TurnId
) -> bool:
    """Put a state of a chat's task in the place of the one that is kept, unless it was cleared."""
    if turn_id < cut_of(tables, session_key).cleared_before:
        return False
    _note(tables, session_key)
    text = None if task is None else encode_task(task)
    tables.execute("UPDATE session SET task = ? WHERE key = ?", text, session_key)
    return True


def tool_output(tables: Tables, session_key: SessionKey, call_id: str) -> str | None:
    """Give a tool's whole result, the newest of that id, unless its turn was cleared."""
    first = cut_of(tables, session_key).cleared_before
    return turns.whole_result(tables, session_key, call_id, first=first)


def _note(tables: Tables, session_key: SessionKey) -> None:
    tables.execute("INSERT INTO session (key) VALUES (?) ON CONFLICT (key) DO NOTHING", session_key)


def _cut(tables: Tables, session_key: SessionKey, text: str | None) -> Cut:
    """Read the cut of a chat; one that is damaged counts as none.

    Then what was cleared stays cleared all the same: calls of the model are counted from the last
    clear on, and the call before that has a time.
    """
    if text is None:
        return Cut()
    cut = tables.damage.read("session.cut", session_key, decode_cut, text)
    if cut is not None:
        return cut
    (last,) = tables.execute(
        "SELECT MAX(turn.id) FROM turn JOIN session ON session.key = turn.session_key"
        " JOIN usage ON usage.id = session.calls_after WHERE key = ? AND started_at <= usage.at",
        session_key,
    ).fetchone()
    first = TurnId((last or 0) + 1) if last else TurnId(0)
    return Cut(kept_from=first, cleared_before=first, recalled_from=first)


def former_of(tables: Tables, session_key: SessionKey, text: str | None) -> Cut | None:
    """Read the cut that can be had back; None when there is none, or none that can be read."""
    if text is None:
        return None
    return tables.damage.read("session.former", session_key, decode_cut, text)


def _write_cut(tables: Tables, session_key: SessionKey, cut: Cut) -> None:
    tables.execute("UPDATE session SET cut = ? WHERE key = ?", encode_cut(cut), session_key)


def _insert_summary(tables: Tables, session_key: SessionKey, summary: Summary) -> int:
    """Keep a summary as a new version."""
    (version,) = tables.execute(
        "INSERT INTO summary (session_key, through, body) VALUES (?, ?, ?) RETURNING version",
        session_key,
        summary.through,
        encode_summary(summary),
    ).fetchone()
    return int(version)


def summary_of(tables: Tables, cut: Cut) -> Summary | None:
    """Give the summary that a cut shows; None for none, or for one that cannot be read."""
    row = tables.execute(
        "SELECT body FROM summary WHERE version = ?", cut.summary_version
    ).fetchone()
    if row is None:
        return None
    summary = tables.damage.read("summary.body", cut.summary_version, decode_summary, row[0])
    return None if summary is None else replace(summary, version=cut.summary_version)


def _keep_summaries(tables: Tables, session_key: SessionKey) -> None:
    """Drop the versions that neither the cut nor the former one names."""
    (text,) = tables.execute("SELECT former FROM session WHERE key = ?", session_key).fetchone()
    cut, former = cut_of(tables, session_key), former_of(tables, session_key, text)
    tables.execute(
        "DELETE FROM summary WHERE session_key = ? AND version NOT IN (?, ?)",
        session_key,
        cut.summary_version,
        0 if former is None else former.summary_version,
    )


def _ask_once_for_summary(tables: Tables, session_key: SessionKey) -> None:
    """Have a summary that is damaged written anew from the turns it covered."""
    asked = tables.execute(
        "SELECT 1 FROM memory_job WHERE session_key = ? AND kind = 'summary'", session_key
    )
    if asked.fetchone() is None:
        _ask_for_summary(tables, session_key, moment_of(0))


def _ask_for_summary(tables: Tables, session_key: SessionKey, at: datetime) -> None:
    """Keep a job if turns left that the summary which is shown does not cover, drop it if none."""
    cut = cut_of(tables, session_key)
    summary = summary_of(tables, cut)
    first = max(cut.cleared_before, 0 if summary is None else summary.through + 1)
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
