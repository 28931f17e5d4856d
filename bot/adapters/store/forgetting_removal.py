"""Words that go, with all that was made of them: turns are blanked, the rest is removed.

The law of this file: what was removed, and what is to be searched for afterwards, is noted in the
transaction that removes it. So it may be broken off anywhere and begun again.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import replace
from datetime import datetime

from bot.adapters.store import episodes, facts, memory, openings, reminders, said, turns
from bot.adapters.store.changes import episode_ref, fact_ref, note_change
from bot.adapters.store.chat_keys import keys_of
from bot.adapters.store.codec import decode_result
from bot.adapters.store.forgetting_beside import remove_beside
from bot.adapters.store.forgetting_gone import Going, read, texts_in, texts_of_file, texts_of_reply
from bot.adapters.store.inbox import GONE
from bot.adapters.store.schema import Tables
from bot.core.chat import ChatKind, PersonKey, SessionKey
from bot.core.edits import Correction
from bot.core.memory.audience import Audience, audience_of
from bot.core.memory.blanking import (
    FORGOTTEN,
    blanked,
    gone_texts,
    is_blank,
    said_by_label,
    texts_of,
    without_talk_of,
)
from bot.core.memory.episodes import EpisodeId
from bot.core.memory.forgetting import Forgetting, ForgettingId, Meant, TurnPart
from bot.core.memory.needles import Echoes
from bot.core.messages import Message, Text
from bot.core.rewriting import Rewriting, amended
from bot.core.turns import Turn, TurnId
from bot.ports.forgetting import RemovedTurns, Standing


def remove_turns(
    tables: Tables, forgetting: Forgetting, parts: tuple[TurnPart, ...], at: datetime
) -> RemovedTurns:
    """Blank turns that have ended."""
    gone = Going()
    for part in parts:
        _remove_turn(tables, forgetting, part, gone, at)
    return gone.keep(tables, forgetting.id)


def remove_rest(tables: Tables, forgetting: Forgetting, meant: Meant, at: datetime) -> RemovedTurns:
    """Remove facts and records, and what stands beside turns."""
    gone = Going()
    _remove_facts(tables, meant, gone)
    _remove_episodes(tables, meant.episodes, gone)
    turn_ids = frozenset(part.turn_id for part in meant.parts)
    keys = _sessions_of(tables, forgetting, turn_ids, gone.groups)
    remove_beside(tables, keys, forgetting, turn_ids, gone, at)
    _remove_reminders(tables, forgetting, gone)
    _watch(tables, keys, gone)
    return gone.keep(tables, forgetting.id)


def standing(tables: Tables, meant: Meant) -> Standing:
    """Say of what is meant whose files have it, and which turns were not blanked yet."""
    groups: set[Audience] = set()
    turn_ids: set[TurnId] = set()
    for part in meant.parts:
        turn = turns.by_id(tables, part.turn_id)
        if turn is None:
            continue
        _, (kind, _) = _noted(tables, turn)
        groups.add(audience_of(turn.session_key, kind))
        if part.blocks is None:
            is_blanked = is_blank(turn.request)
        else:
            is_blanked = all(_is_gone(turn.request, block) for block in part.blocks)
        if not is_blanked:
            turn_ids.add(turn.id)
    rows = tables.execute(
        "SELECT channel, account, chat, kind FROM fact WHERE id IN"
        " (SELECT value FROM json_each(?))",
        json.dumps([fact.id for fact in meant.facts]),
    )
    groups |= {_audience(*row) for row in rows}
    return Standing(
        groups=frozenset(each for each in groups if each.kind == "group"),
        turn_ids=frozenset(turn_ids),
    )


def repeating(
    tables: Tables, forgetting_id: ForgettingId, turn_ids: frozenset[TurnId]
) -> frozenset[TurnId]:
    """Give those of these turns in which something stands that is gone."""
    gone = read(tables, forgetting_id)
    echoes = Echoes(gone.needles, gone.lines)
    found = (turns.by_id(tables, each) for each in sorted(turn_ids))
    return frozenset(turn.id for turn in found if turn and echoes.are_in(texts_of(turn)))


def _remove_turn(
    tables: Tables, forgetting: Forgetting, part: TurnPart, gone: Going, at: datetime
) -> None:
    turn = turns.by_id(tables, part.turn_id)
    if turn is None:
        return
    if turn.outcome is None:
        gone.open_in.add(turn.session_key)
        return
    gone.sessions.add(turn.session_key)
    new = forgetting.new
    noted, spoken = _noted(tables, turn)
    if spoken[0] == "group":
        gone.groups.add(audience_of(turn.session_key, "group"))
    if part.blocks == ():
        talk = without_talk_of(turn.request, new.viewer.person_key, new.wish)
        if talk is not None:
            gone.texts += gone_texts(turn.request, talk)
            turns.rewrite(tables, turn.id, talk)
        return
    speakers = said.read(tables, turn, noted, spoken)
    if noted is None and spoken[0] == "group":
        speakers = said_by_label(turn.request, new.viewer.person_key)
    request, left = blanked(turn.request, speakers, part.blocks)
    if request == turn.request and not turn.steps:
        return
    is_whole = part.blocks is None or is_blank(request)
    talk = without_talk_of(request, new.viewer.person_key, new.wish) or request
    gone.texts += (*gone_texts(turn.request, talk), *_texts_of_steps(tables, turn))
    turns.rewrite(tables, turn.id, talk)
    said.keep(tables, turn.id, left)
    _remove_made(tables, turn, part.blocks, new.viewer.person_key, (is_whole, at), gone)
    if is_whole:
        gone.turn_ids.add(turn.id)
    gone.count(turns=1)


def _remove_made(
    tables: Tables,
    turn: Turn,
    blocks: tuple[int, ...] | None,
    person: PersonKey,
    how: tuple[bool, datetime],
    gone: Going,
) -> None:
    """Remove what was answered and brought, kept for another try, and drawn from a turn."""
    is_whole, at = how
    tables.execute("DELETE FROM step WHERE turn_id = ?", turn.id)
    files = tables.execute("DELETE FROM turn_file WHERE turn_id = ? RETURNING content", turn.id)
    gone.texts += (text for (content,) in files.fetchall() for text in texts_of_file(content))
    _remove_messages(tables, turn, None if is_whole else blocks, gone)
    _remove_entry(tables, turn, gone, at, is_whole=is_whole)
    rows = tables.execute(
        "SELECT text FROM fact WHERE turn_id = ? AND (? OR person_key = ?)",
        turn.id,
        int(is_whole),
        person,
    )
    gone.lines += (text for (text,) in rows.fetchall())
    if is_whole:
        dropped = facts.drop_of_turn(tables, turn.id, taken_back_by=PersonKey(""))
        gone.count(facts=len(dropped))
    else:
        facts.read_again(tables, turn.id, taken_back_by=person)
    _drop_covering(tables, turn.id, gone, at)
    if is_whole:
        tables.execute(
            "UPDATE turn SET remembered = 1, is_read = 1, is_recorded = 1 WHERE id = ?", turn.id
        )


def _remove_messages(
    tables: Tables, turn: Turn, blocks: tuple[int, ...] | None, gone: Going
) -> None:
    """Empty the events and replies of a turn: no edit of these messages counts any more."""
    ids = json.dumps(blocks)
    tables.execute(
        "UPDATE inbox SET state = 'done', body = NULL, files = NULL, changed_at = ?"
        " WHERE turn_id = ? AND (? OR block IN (SELECT value FROM json_each(?)))",
        GONE,
        turn.id,
        int(blocks is None),
        ids,
    )
    rows = tables.execute(
        "SELECT body, content FROM outbox"
        " WHERE turn_id = ? AND is_preview = 0 AND body IS NOT NULL",
        turn.id,
    ).fetchall()
    for body, content in rows:
        gone.texts += texts_of_reply(body, content)
    gone.count(messages=len(rows))
    tables.execute(
        "UPDATE outbox SET state = 'sent', body = NULL, content = NULL, reason = NULL"
        " WHERE turn_id = ? AND is_preview = 0 AND body IS NOT NULL",
        turn.id,
    )


def _remove_entry(tables: Tables, turn: Turn, gone: Going, at: datetime, *, is_whole: bool) -> None:
    """Remove what a daily file is to get of a turn; of one with others' words, note these anew."""
    found = memory.entry_of(tables, turn.id)
    if found is None:
        return
    entry, is_written = found
    if is_whole:
        gone.texts.append(entry.text)
        # The row stays, as a mark: the day's file is known by it until it was cleaned.
        tables.execute("UPDATE memory_entry SET text = NULL WHERE turn_id = ?", turn.id)
        return
    now = turns.by_id(tables, turn.id)
    assert now is not None
    rewriting = Rewriting(turn=now, correction=Correction(before="", after=""), at=at)
    memory.amend(tables, amended(entry, rewriting, is_written=is_written))


def _remove_facts(tables: Tables, meant: Meant, gone: Going) -> None:
    ids = json.dumps([fact.id for fact in meant.facts])
    rows = tables.execute(
        "DELETE FROM fact WHERE id IN (SELECT value FROM json_each(?))"
        " RETURNING id, text, channel, account, chat, kind",
        ids,
    ).fetchall()
    note_change(tables, *(fact_ref(row) for row, *_ in rows))
    gone.sessions.update(
        openings.let_go_of_facts(tables, frozenset(fact.id for fact in meant.facts))
    )
    gone.lines += (text for _, text, *_ in rows)
    of = (_audience(*place) for _, _, *place in rows)
    gone.groups |= {each for each in of if each.kind == "group"}
    gone.count(facts=len(rows))


def _remove_episodes(tables: Tables, ids: Iterable[EpisodeId], gone: Going) -> None:
    rows = tables.execute(
        "DELETE FROM episode WHERE id IN (SELECT value FROM json_each(?)) RETURNING id, body",
        json.dumps(list(ids)),
    ).fetchall()
    note_change(tables, *(episode_ref(row) for row, _ in rows))
    gone.texts += (text for _, body in rows for text in texts_in(body))
    gone.count(episodes=len(rows))


def _drop_covering(tables: Tables, turn_id: TurnId, gone: Going, at: datetime) -> None:
    bodies = tables.execute(
        "SELECT body FROM turn JOIN episode ON episode.session_key = turn.session_key"
        " AND turn.id BETWEEN first AND through WHERE turn.id = ?",
        turn_id,
    ).fetchall()
    gone.texts += (text for (body,) in bodies for text in texts_in(body))
    dropped = episodes.drop_covering(tables, (turn_id,), at)
    gone.count(episodes=len(dropped))


def _sessions_of(
    tables: Tables, forgetting: Forgetting, turn_ids: frozenset[TurnId], groups: Iterable[Audience]
) -> tuple[SessionKey, ...]:
    """Name the chats in which something may stand that was made of what is meant."""
    keys = {
        key
        for audience in (forgetting.new.viewer.audience, *groups)
        for (key,) in tables.execute(
            "SELECT key FROM session WHERE key >= ?1 AND key < ?2 UNION"
            # Commands alone make no session.
            " SELECT session_key FROM outbox WHERE session_key >= ?1 AND session_key < ?2"
            " AND state = 'failed'",
            *keys_of(audience),
        )
    }
    rows = tables.execute(
        "SELECT session_key FROM turn WHERE id IN (SELECT value FROM json_each(?))",
        json.dumps(sorted(turn_ids)),
    )
    return tuple(SessionKey(key) for key in sorted(keys | {key for (key,) in rows}))


def _remove_reminders(tables: Tables, forgetting: Forgetting, gone: Going) -> None:
    texts = reminders.forget(tables, forgetting.new.wish, forgetting.new.viewer)
    gone.texts += texts
    gone.count(reminders=len(texts))


def _watch(tables: Tables, keys: Iterable[SessionKey], gone: Going) -> None:
    """Note what is being answered in these chats: it may know what is gone, and say it again."""
    rows = tables.execute(
        "SELECT id, session_key FROM turn WHERE outcome IS NULL AND session_key IN"
        " (SELECT value FROM json_each(?))",
        json.dumps(list(keys)),
    )
    for turn_id, key in rows:
        gone.watched.add(TurnId(turn_id))
        gone.open_in.add(SessionKey(key))


def _noted(tables: Tables, turn: Turn) -> tuple[str | None, tuple[ChatKind, str]]:
    """Give what is noted of who said what, the chat's kind, and who wrote there last."""
    noted, kind, person = tables.execute(
        "SELECT said, COALESCE(kind, 'private'), COALESCE(person_key, '') FROM turn"
        " JOIN session ON session.key = session_key WHERE turn.id = ?",
        turn.id,
    ).fetchone()
    return noted, (kind, person)


def _texts_of_steps(tables: Tables, turn: Turn) -> tuple[str, ...]:
    wholes = tables.execute(
        "SELECT whole FROM step_result WHERE turn_id = ? AND whole IS NOT NULL", turn.id
    ).fetchall()
    answered = replace(turn, request=Message(role="user", blocks=()))
    read = (
        (body, tables.damage.read("step_result.whole", turn.id, decode_result, body))
        for (body,) in wholes
    )
    return (
        *texts_of(answered),
        *(body if result is None else result.content for body, result in read),
    )


def _is_gone(request: Message, place: int) -> bool:
    """Say whether a block is blank, or never was."""
    if place >= len(request.blocks):
        return True
    block = request.blocks[place]
    return isinstance(block, Text) and block.text == FORGOTTEN


def _audience(channel: str, account: str, chat: str, kind: ChatKind) -> Audience:
    return Audience(channel=channel, account=account, chat=chat, kind=kind)
