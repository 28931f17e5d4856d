"""What is to be forgotten: what a wish means in the tables, proposals, and what is being done."""

from __future__ import annotations

import json
from dataclasses import replace
from datetime import datetime

from bot.adapters.store import outbox, said, turns
from bot.adapters.store.chat_keys import key_of, keys_of
from bot.adapters.store.codec import decode_result, micros_of
from bot.adapters.store.forgetting_codec import Kept, decode, encode
from bot.adapters.store.moved import audience_now
from bot.adapters.store.schema import SqlValue, Tables
from bot.core.chat import ChatKind, Reply
from bot.core.lifecycle import OutboxItem
from bot.core.memory.audience import Audience, Viewer
from bot.core.memory.blanking import label_of_speaker, part_meant
from bot.core.memory.episodes import EpisodeId
from bot.core.memory.facts import FactId
from bot.core.memory.forgetting import (
    NOTHING,
    VALID_FOR,
    Forgetting,
    ForgettingId,
    MeantFact,
    NewForgetting,
    ReceiptPlace,
    Removed,
    TurnPart,
    Wish,
    mentions,
)
from bot.core.messages import ToolResult
from bot.core.turns import Step, Turn, TurnId
from bot.ports.forgetting import MeantTurns

STRETCH = 2_000
"""So many turns are looked at in one transaction."""

Between = tuple[datetime, datetime] | None
"""The beginning of a day, and the one after it, where the bot is."""


def meant_turns(
    tables: Tables, wish: Wish, viewer: Viewer, after: int, between: Between
) -> MeantTurns:
    """Give the turns that a wish means in a stretch behind a turn."""
    newest = tables.execute("SELECT MAX(id) FROM turn").fetchone()[0] or 0
    if wish.kind == "fact" or after >= newest:
        return MeantTurns(parts=(), next_after=None)
    if wish.kind == "turn":
        after, last = wish.number - 1, wish.number
    else:
        last = after + STRETCH
    parts = tuple(
        part
        for row in _candidates(tables, wish, viewer, (after, last), between)
        if (part := _part_of(tables, row, wish, viewer)) is not None
    )
    is_end = wish.kind == "turn" or last >= newest
    return MeantTurns(parts=parts, next_after=None if is_end else last)


def meant_facts(
    tables: Tables, wish: Wish, viewer: Viewer, parts: tuple[TurnPart, ...]
) -> tuple[MeantFact, ...]:
    """Give the facts that a wish means, all versions of each."""
    rows = _own_facts(tables, wish, viewer)
    meant_turns = {part.turn_id for part in parts if part.blocks != ()}
    meant: set[tuple[str, ...]] = set()
    of_turns: set[int] = set()
    for fact_id, person, channel, account, chat, key, text, turn_id in rows:
        is_named = wish.kind == "all" or (wish.kind == "fact" and fact_id == wish.number)
        if is_named or mentions(wish, key, text):
            meant.add((person, channel, account, chat, key))
        elif turn_id in meant_turns:
            of_turns.add(fact_id)
    return tuple(
        _meant_fact(fact_id, text, turn_id)
        for fact_id, *place, text, turn_id in rows
        if tuple(place) in meant or fact_id in of_turns
    )


def words_of(tables: Tables, fact_ids: tuple[FactId, ...]) -> tuple[MeantFact, ...]:
    """Give facts with their words, those of them that are there."""
    rows = tables.execute(
        "SELECT id, text, turn_id FROM fact WHERE id IN (SELECT value FROM json_each(?))"
        " ORDER BY id",
        json.dumps(fact_ids),
    ).fetchall()
    return tuple(_meant_fact(*row) for row in rows)


def meant_episodes(tables: Tables, wish: Wish, viewer: Viewer) -> tuple[EpisodeId, ...]:
    """Give the records of sessions that a wish means by itself."""
    audience = viewer.audience
    if audience.kind == "group" and not wish.of_everyone:
        return ()
    rows = tables.execute(
        "SELECT id, body FROM episode WHERE channel = ? AND account = ? AND chat = ?",
        *_place(audience),
    )
    return tuple(
        EpisodeId(row) for row, body in rows if wish.kind == "all" or mentions(wish, _plain(body))
    )


def keep_proposal(tables: Tables, new: NewForgetting) -> None:
    """Keep what is to be confirmed, and drop what was not in time."""
    for row, kept in _all(tables):
        if kept.place is None and new.asked_at - kept.new.asked_at >= VALID_FOR:
            tables.execute("DELETE FROM forgetting WHERE id = ?", row)
    tables.execute(
        "INSERT INTO forgetting (session_key, person_key, asked_at, body) VALUES (?, ?, ?, ?)",
        key_of(new.viewer.audience),
        new.viewer.person_key,
        micros_of(new.asked_at),
        encode(Kept(new=new)),
    )


def confirm(
    tables: Tables,
    token: str,
    viewer: Viewer,
    place: ReceiptPlace,
    at: datetime,
    *,
    may_speak_for_all: bool,
) -> Forgetting | None:
    """Make a proposal certain."""
    for row, kept in _all(tables):
        if kept.new.token != token or kept.new.viewer != viewer:
            continue
        if kept.new.wish.of_everyone and not may_speak_for_all:
            return None
        if kept.place is None:
            if at - kept.new.asked_at >= VALID_FOR:
                return None
            kept = replace(kept, place=place)
            _write(tables, row, kept)
        return kept.confirmed(row)
    return None


def cancel(tables: Tables, token: str, viewer: Viewer) -> bool:
    """Drop a proposal that nobody confirmed."""
    for row, kept in _all(tables):
        if kept.new.token == token and kept.new.viewer == viewer and kept.place is None:
            tables.execute("DELETE FROM forgetting WHERE id = ?", row)
            return True
    return False


def confirmed(tables: Tables) -> tuple[Forgetting, ...]:
    """Give what was confirmed and is not done."""
    return tuple(kept.confirmed(row) for row, kept in _all(tables) if kept.place is not None)


def count(tables: Tables, forgetting_id: ForgettingId, removed: Removed) -> bool:
    """Add to what was removed; False of a forgetting that is done."""
    row = tables.execute("SELECT body FROM forgetting WHERE id = ?", forgetting_id).fetchone()
    kept = None if row is None else _read(tables, forgetting_id, row[0])
    if kept is None:
        return False
    if removed != NOTHING:
        _write(tables, forgetting_id, replace(kept, removed=kept.removed.plus(removed)))
    return True


def finish(
    tables: Tables, forgetting_id: ForgettingId, replies: tuple[Reply, ...], at: datetime
) -> tuple[OutboxItem, ...]:
    """Drop what is done, and tell of it; a second time nothing happens."""
    tables.execute("DELETE FROM forgetting_gone WHERE forgetting_id = ?", forgetting_id)
    done = tables.execute("DELETE FROM forgetting WHERE id = ?", forgetting_id)
    return outbox.add(tables, replies, at) if done.rowcount else ()


_Row = tuple[int, str | None, ChatKind, str]
"""A turn's id, who said what of it, the kind of its chat and who wrote there last."""


def _candidates(
    tables: Tables, wish: Wish, viewer: Viewer, stretch: tuple[int, int], between: Between
) -> list[_Row]:
    """Name the turns of a stretch in which there may be something of a viewer's."""
    where, values = "session_key >= ? AND session_key < ?", list[SqlValue](keys_of(viewer.audience))
    if viewer.audience.kind == "private":
        label = label_of_speaker(viewer.person_key)
        where = f"({where} OR kind = 'group' AND (instr(said, ?) OR instr(request, ?)))"
        values += (json.dumps(viewer.person_key, ensure_ascii=False), label)
    if wish.kind == "day":
        where += (
            " AND (turn.id IN (SELECT turn_id FROM memory_entry WHERE day = ? AND channel = ?"
            " AND account = ? AND chat = ?) OR started_at >= ? AND started_at < ?)"
            " AND session_key >= ? AND session_key < ?"
        )
        first, end = (0, 0) if between is None else map(micros_of, between)
        values += (wish.text, *_place(viewer.audience), first, end, *keys_of(viewer.audience))
    rows = tables.execute(
        "SELECT turn.id, said, COALESCE(kind, 'private'), COALESCE(person_key, '') FROM turn"  # noqa: S608 - constants
        f" JOIN session ON session.key = session_key WHERE turn.id > ? AND turn.id <= ? AND {where}"
        " ORDER BY turn.id",
        *stretch,
        *values,
    )
    return rows.fetchall()


def _part_of(tables: Tables, row: _Row, wish: Wish, viewer: Viewer) -> TurnPart | None:
    turn_id, noted, kind, person = row
    turn = turns.by_id(tables, TurnId(turn_id))
    assert turn is not None
    if wish.kind == "words":
        turn = _with_wholes(tables, turn)
    speakers = None
    if noted is not None:
        speakers = said.read(tables, turn, noted, (kind, person))
    return part_meant(turn, speakers, wish, viewer.person_key, kind)


def _with_wholes(tables: Tables, turn: Turn) -> Turn:
    """Give a turn with whole results in the place of parts of them."""
    wholes = tables.execute(
        "SELECT position, call_id, whole FROM step_result WHERE turn_id = ? AND whole IS NOT NULL",
        turn.id,
    ).fetchall()
    known: dict[tuple[int, str], ToolResult] = {}
    for position, call_id, text in wholes:
        whole = tables.damage.read("step_result.whole", turn.id, decode_result, text)
        if whole is not None:
            known[position, call_id] = whole
    if not known:
        return turn
    return replace(
        turn,
        steps=tuple(_with_known(step, number, known) for number, step in enumerate(turn.steps)),
    )


def _with_known(step: Step, number: int, known: dict[tuple[int, str], ToolResult]) -> Step:
    results = (known.get((number, each.call_id), each) for each in step.results)
    return replace(step, results=tuple(results))


def _own_facts(
    tables: Tables, wish: Wish, viewer: Viewer
) -> list[tuple[int, str, str, str, str, str, str, int | None]]:
    """Give the facts of which a viewer may have any forgotten."""
    columns = "SELECT id, person_key, channel, account, chat, key, text, turn_id FROM fact WHERE "
    here = "channel = ? AND account = ? AND chat = ?"
    place, person = _place(viewer.audience), viewer.person_key
    if viewer.audience.kind == "private":
        rows = tables.execute(
            f"{columns}person_key = ? AND (kind = 'group' OR {here}) ORDER BY id",
            person,
            *place,
        )
    else:
        rows = tables.execute(
            f"{columns}{here} AND (? OR person_key = ?) ORDER BY id",
            *place,
            int(wish.of_everyone),
            person,
        )
    return rows.fetchall()


def _meant_fact(fact_id: int, text: str, turn_id: int | None) -> MeantFact:
    of_turn = None if turn_id is None else TurnId(turn_id)
    return MeantFact(id=FactId(fact_id), text=text, turn_id=of_turn)


def _place(audience: Audience) -> tuple[str, str, str]:
    return audience.channel, audience.account, audience.chat


def _plain(body: str) -> str:
    """Write JSON so that what is said in it stands there as people read it."""
    try:
        return json.dumps(json.loads(body), ensure_ascii=False)
    except (ValueError, RecursionError):
        return body


def _all(tables: Tables) -> list[tuple[int, Kept]]:
    rows = tables.execute("SELECT id, body FROM forgetting ORDER BY id").fetchall()
    read = ((row, _read(tables, row, body)) for row, body in rows)
    return [(row, kept) for row, kept in read if kept is not None]


def _read(tables: Tables, row: int, body: str) -> Kept | None:
    """Read a row; a chat that moved meanwhile is meant, and told, under its new id."""
    kept = tables.damage.read("forgetting.body", row, decode, body)
    if kept is None:
        return None
    before, place = kept.new.viewer.audience, kept.place
    audience = audience_now(tables, before)
    if audience == before:
        return kept
    if place is not None and place.address.chat == before.chat:
        place = replace(place, address=replace(place.address, chat=audience.chat))
    viewer = replace(kept.new.viewer, audience=audience)
    return replace(kept, new=replace(kept.new, viewer=viewer), place=place)


def _write(tables: Tables, row: int, kept: Kept) -> None:
    tables.execute("UPDATE forgetting SET body = ? WHERE id = ?", encode(kept), row)
