"""What stands beside turns and has their words: it goes with them, or is written anew.

The law of this file: what is undelivered or was made of others' words goes where the wish means
it, and where it says again what is gone.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from datetime import datetime
from functools import partial

from bot.adapters.store import conversations, turns
from bot.adapters.store.chat_keys import keys_of
from bot.adapters.store.forgetting_gone import Going, read, texts_in, texts_of_reply
from bot.adapters.store.schema import Tables
from bot.core.chat import SessionKey
from bot.core.memory.forgetting import Forgetting, mentions
from bot.core.memory.needles import Echoes, needles_of
from bot.core.rewriting import forgotten
from bot.core.turns import TurnId
from bot.core.window.conversation import Cut, Summary
from bot.core.window.summary.render import phrases_of

MOST_LEFT = 100
"""So many of the turns that left are looked at for the note that stands for them."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Sought:
    """What is looked for beside the turns of one forgetting."""

    forgetting: Forgetting
    turn_ids: frozenset[TurnId]
    echoes: Echoes

    def means(self, key: SessionKey, *texts: str) -> bool:
        """Say whether texts that stand in a chat go: by the wish, or as what is gone by now."""
        new = self.forgetting.new
        is_all = new.wish.kind == "all" and (
            new.viewer.audience.kind == "private" or new.wish.of_everyone
        )
        is_here = is_of(key, self.forgetting)
        return (is_all and is_here) or mentions(new.wish, *texts) or self.echoes.are_in(texts)


def remove_beside(
    tables: Tables,
    keys: Iterable[SessionKey],
    forgetting: Forgetting,
    turn_ids: frozenset[TurnId],
    gone: Going,
    at: datetime,
) -> None:
    """Let summaries, tasks, corrections and undelivered words say nothing of it any more."""
    before, is_all = read(tables, forgetting.id), forgetting.new.wish.kind == "all"
    # Of all that somebody said, their words tell nothing: the chats as such are meant.
    needles = () if is_all else (*before.needles, *needles_of(gone.texts))
    echoes = Echoes(needles, (*before.lines, *gone.lines))
    sought = _Sought(forgetting=forgetting, turn_ids=turn_ids, echoes=echoes)
    for key in keys:
        _remove_beside(tables, key, sought, gone, at)
    _remove_set_aside(tables, forgetting, gone)


def is_of(key: SessionKey, forgetting: Forgetting) -> bool:
    """Say whether a chat is the one that it was asked in, or a thread of it."""
    first, behind = keys_of(forgetting.new.viewer.audience)
    return first <= key < behind


def _remove_beside(
    tables: Tables, key: SessionKey, sought: _Sought, gone: Going, at: datetime
) -> None:
    has_changed, is_meant = False, partial(sought.means, key)

    def derive(cut: Cut, summary: Summary | None) -> tuple[Cut, Summary | None]:
        nonlocal has_changed
        left = turns.newest_ended_turns(
            tables, key, first=cut.cleared_before, before=cut.kept_from, limit=MOST_LEFT
        )
        derived = forgotten(cut, summary, sought.turn_ids, left, is_meant)
        if derived != (cut, summary):
            has_changed = True
            gone.texts += (cut.digest, *_texts_of_summary(summary))
            gone.count(notes=1)
        return derived

    if tables.execute("SELECT 1 FROM session WHERE key = ?", key).fetchone() is not None:
        conversations.rederive(tables, key, derive, at)
    has_changed |= _remove_notes(tables, key, sought, gone)
    has_changed |= _remove_failed(tables, key, is_meant, gone)
    if has_changed:
        gone.sessions.add(key)


def _remove_notes(tables: Tables, key: SessionKey, sought: _Sought, gone: Going) -> bool:
    """Remove the chat's task and corrections where they are meant."""
    has_changed = False
    texts = tables.execute("SELECT task, former_task FROM session WHERE key = ?", key).fetchone()
    for clear, text in zip(_CLEAR_TASKS, texts or (), strict=False):
        if text is not None and sought.means(key, *texts_in(text)):
            tables.execute(clear, key)
            gone.texts += texts_in(text)
            gone.count(notes=1)
            has_changed = True
    rows = tables.execute("SELECT id, turn_id, body FROM correction WHERE session_key = ?", key)
    for row, turn_id, body in rows.fetchall():
        if turn_id in sought.turn_ids or sought.means(key, *texts_in(body)):
            tables.execute("DELETE FROM correction WHERE id = ?", row)
            gone.texts += texts_in(body)
            gone.count(notes=1)
    return has_changed


def _remove_failed(
    tables: Tables, key: SessionKey, is_meant: Callable[..., bool], gone: Going
) -> bool:
    """Empty what could not be delivered, files too: answers of commands are of no turn."""
    has_changed = False
    rows = tables.execute(
        "SELECT id, body, content FROM outbox WHERE session_key = ? AND state = 'failed'"
        " AND is_preview = 0 AND body IS NOT NULL",
        key,
    )
    for row, body, content in rows.fetchall():
        texts = texts_of_reply(body, content)
        if is_meant(*texts):
            tables.execute(
                "UPDATE outbox SET state = 'sent', body = NULL, content = NULL, reason = NULL"
                " WHERE id = ?",
                row,
            )
            gone.texts += texts
            gone.count(messages=1)
            has_changed = True
    return has_changed


def _remove_set_aside(tables: Tables, forgetting: Forgetting, gone: Going) -> None:
    """Empty events that could not be understood and have the words in them, or are of the chat.

    Whose they are can be told by no more than the ids that stand in them.
    """
    viewer, wish = forgetting.new.viewer, forgetting.new.wish
    is_all = wish.kind == "all" and viewer.audience.kind == "private"
    mark = re.compile(rf"(?<!\w){re.escape(viewer.audience.chat)}(?!\w)")
    rows = tables.execute(
        "SELECT id, body FROM inbox WHERE state = 'set_aside' AND body IS NOT NULL AND channel = ?",
        viewer.audience.channel,
    )
    for row, raw in rows.fetchall():
        if (is_all and mark.search(raw)) or mentions(wish, raw, *texts_in(raw)):
            tables.execute("UPDATE inbox SET body = NULL WHERE id = ?", row)
            gone.texts += (raw, *texts_in(raw))
            gone.count(messages=1)


_CLEAR_TASKS = (
    "UPDATE session SET task = NULL WHERE key = ?",
    "UPDATE session SET former_task = NULL WHERE key = ?",
)
"""In the order of the columns as they are asked for."""


def _texts_of_summary(summary: Summary | None) -> tuple[str, ...]:
    if summary is None:
        return ()
    points = (phrase for each in summary.key_points for phrase in phrases_of(each))
    return (summary.overview, *points, *summary.pinned)
