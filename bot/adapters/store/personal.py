"""What is kept of one person, for that person's own eyes.

The law of this file: a row is given only where the viewer may recall it and it is theirs. Of a
group's turn that is what they said of it, and nothing else.
"""

from __future__ import annotations

import json
from dataclasses import replace

from bot.adapters.store import conversations, episodes, facts, journal, said
from bot.adapters.store.chat_keys import keys_of
from bot.adapters.store.context_codec import decode_task
from bot.adapters.store.schema import SqlValue, Tables
from bot.core.chat import ChatAddress, PersonKey, SessionKey
from bot.core.memory.audience import Viewer
from bot.core.memory.blanking import FORGOTTEN, label_of_speaker, said_by_label
from bot.core.memory.episodes import Episode
from bot.core.memory.export import OwnTurn, own_turn
from bot.core.memory.facts import Fact
from bot.core.memory.own_conversations import OwnConversation
from bot.core.window.notes import is_note
from bot.core.window.summary.own import own_summary
from bot.ports import KeptOfChat, OwnTurns

STRETCH = 2_000
"""So many turns are looked through at once: others wait for the database meanwhile."""

_MINE = (
    "((channel, account, chat) = (?, ?, ?) AND (kind = 'private' OR person_key = ?)"
    " OR ? AND kind = 'group' AND person_key = ?)"
)


def private_chats_of(
    tables: Tables, person_key: PersonKey, near: ChatAddress | None
) -> tuple[ChatAddress, ...]:
    """Give the private chats of a person, the one heard last first; threads count as their chat."""
    rows = tables.execute(
        "SELECT key FROM session WHERE kind = 'private' AND person_key = ?"
        " ORDER BY heard_at DESC, key",
        person_key,
    )
    chats = dict.fromkeys(ChatAddress.from_session_key(key).whole_chat for (key,) in rows)
    return tuple(
        chat
        for chat in chats
        if near is None or (chat.channel, chat.account) == (near.channel, near.account)
    )


def versions_for(tables: Tables, viewer: Viewer) -> tuple[Fact, ...]:
    """Give all versions of the facts about a person that they may recall, by key, oldest first."""
    rows = tables.execute(f"SELECT id FROM fact WHERE {_MINE}", *_mine(viewer))  # noqa: S608 - a constant
    found = facts.facts_by_id(tables, [fact_id for (fact_id,) in rows])
    own = (fact for fact in found if fact.person_key == viewer.person_key)
    return tuple(sorted(own, key=lambda fact: (fact.key, fact.valid_from, fact.id)))


def episodes_for(tables: Tables, viewer: Viewer) -> tuple[Episode, ...]:
    """Give the records of the sessions of a person's private chat, oldest first.

    Of a group there are none: the answers that they tell of may have told of others.
    """
    of = viewer.audience
    rows = tables.execute(
        "SELECT id FROM episode WHERE (channel, account, chat) = (?, ?, ?) AND kind = 'private'"
        " AND ? = 'private' ORDER BY id",
        of.channel,
        of.account,
        of.chat,
        of.kind,
    )
    return tuple(episodes.by_ids(tables, json.dumps([each for (each,) in rows])))


def conversations_for(tables: Tables, viewer: Viewer) -> tuple[OwnConversation, ...]:
    """Give what stands for turns of a person's private chat, by session key; of a group nothing."""
    rows = tables.execute(
        "SELECT key, task, former_task, former FROM session"
        " WHERE key >= ? AND key < ? AND kind = 'private' AND ? = 'private' ORDER BY key",
        *keys_of(viewer.audience),
        viewer.audience.kind,
    ).fetchall()
    found = (_conversation(tables, SessionKey(key), *texts) for key, *texts in rows)
    return tuple(each for each in found if not each.is_empty)


def _conversation(
    tables: Tables, key: SessionKey, task: str | None, former_task: str | None, former: str | None
) -> OwnConversation:
    texts, read = (task, former_task), tables.damage.read
    tasks = (read("session.task", key, decode_task, text) for text in texts if text is not None)
    cuts = (conversations.cut_of(tables, key), conversations.former_of(tables, key, former))
    kept = tuple(cut for cut in cuts if cut is not None)
    summaries = (conversations.summary_of(tables, cut) for cut in kept)
    return OwnConversation(
        session_key=key,
        tasks=tuple(each for each in tasks if each is not None),
        summaries=tuple(dict.fromkeys(own_summary(each) for each in summaries if each is not None)),
        digests=tuple(dict.fromkeys(cut.digest for cut in kept if cut.digest)),
    )


def own_turns(tables: Tables, viewer: Viewer, after: int) -> OwnTurns:
    """Give what a person said in a stretch of turns behind one."""
    (newest,) = tables.execute("SELECT COALESCE(MAX(id), 0) FROM turn").fetchone()
    through = after + STRETCH
    rows = tables.execute(
        "SELECT turn.id, said, COALESCE(kind, ?), COALESCE(person_key, ''), is_off_record"
        " FROM turn JOIN session ON session.key = turn.session_key"
        " WHERE turn.id > ? AND turn.id <= ? AND ("
        "  turn.session_key >= ? AND turn.session_key < ?"
        "  OR ? AND kind = 'group' AND (instr(said, ?) OR said IS NULL AND instr(request, ?)))"
        " ORDER BY turn.id",
        viewer.audience.kind,
        after,
        through,
        *keys_of(viewer.audience),
        viewer.audience.kind == "private",
        json.dumps(viewer.person_key, ensure_ascii=False),
        label_of_speaker(viewer.person_key),
    ).fetchall()
    beside = {turn_id: rest for turn_id, *rest in rows}
    found = tables.execute(
        f"{journal.TURNS} WHERE id IN (SELECT value FROM json_each(?)) ORDER BY id",  # noqa: S608 - a constant
        json.dumps(list(beside)),
    )
    own: list[OwnTurn] = []
    for turn in journal.read(tables, found):
        text, kind, person, is_off_record = beside[turn.id]
        who_said = said.read(tables, turn, text, (kind, person))
        if text is None and kind == "group":
            who_said = said_by_label(turn.request, viewer.person_key)
        mine = own_turn(turn, who_said, kind, viewer.person_key, is_note)
        if mine is not None:
            own.append(replace(mine, is_off_record=bool(is_off_record)))
    return OwnTurns(turns=tuple(own), next_after=through if through < newest else None)


def kept_in(tables: Tables, viewer: Viewer) -> KeptOfChat:
    """Count what is kept of an audience, but for what is off the record or was forgotten."""
    of = viewer.audience
    turns, sessions, days = tables.execute(
        "SELECT (SELECT COUNT(*) FROM turn WHERE session_key >= ?4 AND session_key < ?5"
        "   AND NOT is_off_record AND NOT (instr(request, ?6) AND json_valid(request)"
        "    AND NOT EXISTS (SELECT 1 FROM json_each(request, '$.blocks')"
        "     WHERE json_extract(value, '$.text') IS NOT ?6))),"
        " (SELECT COUNT(*) FROM episode WHERE (channel, account, chat) = (?1, ?2, ?3)),"
        " (SELECT COUNT(DISTINCT day) FROM memory_entry"
        "  WHERE (channel, account, chat) = (?1, ?2, ?3))",
        of.channel,
        of.account,
        of.chat,
        *keys_of(of),
        FORGOTTEN,
    ).fetchone()
    return KeptOfChat(turns=turns, sessions=sessions, days=days)


def _mine(viewer: Viewer) -> tuple[SqlValue, ...]:
    of, person = viewer.audience, viewer.person_key
    return (of.channel, of.account, of.chat, person, of.kind == "private", person)
