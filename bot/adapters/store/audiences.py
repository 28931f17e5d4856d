"""Of what kind each chat is that there ever was: what is remembered of a chat outlasts it."""

from __future__ import annotations

from bot.adapters.store.changes import note_change
from bot.adapters.store.schema import Tables
from bot.core.memory.audience import Audience
from bot.core.memory.pieces import folder_ref


def audiences(tables: Tables) -> tuple[Audience, ...]:
    """Give the audiences of all chats that there ever were."""
    rows = tables.execute("SELECT channel, account, chat, kind FROM audience")
    return tuple(
        Audience(channel=channel, account=account, chat=chat, kind=kind)
        for channel, account, chat, kind in rows
    )


def note_audience(tables: Tables, audience: Audience) -> None:
    """Keep of what kind a chat is: without that its memory files would be nobody's."""
    done = tables.execute(
        "INSERT INTO audience (channel, account, chat, kind) VALUES (?, ?, ?, ?)"
        " ON CONFLICT DO UPDATE SET kind = excluded.kind WHERE kind != excluded.kind",
        audience.channel,
        audience.account,
        audience.chat,
        audience.kind,
    )
    if done.rowcount > 0:
        note_change(tables, folder_ref(audience))


def move(tables: Tables, old: Audience, new: Audience) -> None:
    """Let an audience be known by another id alone."""
    note_audience(tables, new)
    tables.execute(
        "DELETE FROM audience WHERE channel = ? AND account = ? AND chat = ?",
        old.channel,
        old.account,
        old.chat,
    )
    note_change(tables, folder_ref(old))
