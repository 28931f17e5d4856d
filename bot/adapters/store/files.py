"""Files that tools of a turn want sent: kept with the turn until its answer is stored.

What can be tried again keeps its files for that, since its tools do not run again; they go when the
next turn of the chat begins, or with the chat.
"""

from __future__ import annotations

from bot.adapters.store.schema import Tables
from bot.core.chat import SessionKey
from bot.core.files import MOST_FILES_A_TURN, OutgoingFile
from bot.core.turns import TurnId


def add_file(tables: Tables, turn_id: TurnId, call_id: str, file: OutgoingFile) -> bool:
    """Keep a file of an open turn, unless it has too many."""
    is_open = tables.execute("SELECT 1 FROM turn WHERE id = ? AND outcome IS NULL", turn_id)
    if is_open.fetchone() is None:
        return False
    replaced = tables.execute(
        "UPDATE turn_file SET media_type = ?, content = ?"
        " WHERE turn_id = ? AND call_id = ? AND name = ?",
        file.media_type,
        file.content,
        turn_id,
        call_id,
        file.name,
    )
    if replaced.rowcount:
        return True
    (count,) = tables.execute(
        "SELECT COUNT(*) FROM turn_file WHERE turn_id = ?", turn_id
    ).fetchone()
    if count >= MOST_FILES_A_TURN:
        return False
    tables.execute(
        "INSERT INTO turn_file (turn_id, call_id, name, media_type, content)"
        " VALUES (?, ?, ?, ?, ?)",
        turn_id,
        call_id,
        file.name,
        file.media_type,
        file.content,
    )
    return True


def files_of(tables: Tables, turn_id: TurnId) -> tuple[OutgoingFile, ...]:
    """Give the files of a turn in the order in which they came."""
    rows = tables.execute(
        "SELECT name, media_type, content FROM turn_file WHERE turn_id = ? ORDER BY id", turn_id
    )
    return tuple(
        OutgoingFile(name=name, media_type=media_type, content=content)
        for name, media_type, content in rows
    )


def drop_of_turn(tables: Tables, turn_id: TurnId) -> None:
    """Forget the files of a turn: they are in the outbox, or not wanted."""
    tables.execute("DELETE FROM turn_file WHERE turn_id = ?", turn_id)


def drop_kept(tables: Tables, session_key: SessionKey) -> None:
    """Forget the files of a chat's ended turns, which cannot be tried again now."""
    tables.execute(  # from the files, of which there are few, to their turns, and by an index
        "DELETE FROM turn_file WHERE turn_id IN ("
        " SELECT kept.turn_id FROM turn_file AS kept CROSS JOIN turn ON turn.id = kept.turn_id"
        " WHERE session_key = ? AND outcome IS NOT NULL)",
        session_key,
    )
