"""What a chat remembers of itself: its generation, and from which turn on it is shown."""

from __future__ import annotations

from datetime import datetime

from bot.adapters.store import inbox, turns
from bot.adapters.store.codec import micros_of
from bot.adapters.store.schema import Tables
from bot.core.chat import SessionKey
from bot.core.turns import Conversation, TurnId


def load(tables: Tables, session_key: SessionKey) -> Conversation:
    """Give the ended turns of the current generation from the kept one on, oldest first."""
    row = tables.execute(
        "SELECT generation, kept_from FROM session WHERE key = ?", session_key
    ).fetchone()
    if row is None:
        return Conversation(session_key=session_key)
    generation, kept_from = row
    ended = turns.ended_turns(tables, session_key, generation=generation, kept_from=kept_from)
    return Conversation(
        session_key=session_key, generation=generation, turns=ended, has_left=kept_from > 0
    )


def generation_of(tables: Tables, session_key: SessionKey) -> int:
    """Say which generation a turn that is opened now belongs to, noting a new chat."""
    _note(tables, session_key)
    (generation,) = tables.execute(
        "SELECT generation FROM session WHERE key = ?", session_key
    ).fetchone()
    return int(generation)


def is_current(tables: Tables, turn_id: TurnId) -> bool:
    """Say whether a turn belongs to the generation that its chat is in now."""
    found = tables.execute(
        "SELECT 1 FROM turn JOIN session ON session.key = turn.session_key"
        " WHERE turn.id = ? AND turn.generation = session.generation",
        turn_id,
    )
    return found.fetchone() is not None


def keep_from(tables: Tables, session_key: SessionKey, turn_id: TurnId) -> None:
    """Move the beginning of the window forward, never back."""
    _note(tables, session_key)
    tables.execute(
        "UPDATE session SET kept_from = MAX(kept_from, ?) WHERE key = ?", turn_id, session_key
    )


def begin_generation(tables: Tables, session_key: SessionKey, at: datetime) -> int:
    """Clear the chat: no turn opened before is ever loaded or tried again."""
    _note(tables, session_key)
    inbox.drop_kept(tables, session_key)
    tables.execute(
        "UPDATE session SET generation = generation + 1, kept_from = 0, cleared_at = ?"
        " WHERE key = ?",
        micros_of(at),
        session_key,
    )
    return generation_of(tables, session_key)


def _note(tables: Tables, session_key: SessionKey) -> None:
    tables.execute("INSERT INTO session (key) VALUES (?) ON CONFLICT (key) DO NOTHING", session_key)
