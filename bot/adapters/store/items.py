"""What can be recalled of the database, in pieces, as it is at this moment."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from dataclasses import replace
from datetime import tzinfo

from bot.adapters.store import episodes, journal, said
from bot.adapters.store.codec import moment_of
from bot.adapters.store.schema import Tables
from bot.core.chat import ChatKind, PersonKey, SessionKey
from bot.core.memory.audience import Audience, Origin, Viewer, audience_of, may_recall
from bot.core.memory.blanking import FORGOTTEN
from bot.core.memory.items import ItemId, ItemRef, MemoryItem
from bot.core.memory.pieces import (
    episode_pieces,
    fact_piece,
    fact_ref,
    ref_of,
    turn_pieces,
)
from bot.core.memory.said import Said
from bot.core.turns import Turn
from bot.core.window.notes import is_note

_WALKS = {
    "fact": "SELECT id FROM fact WHERE id > ? AND valid_to IS NULL ORDER BY id LIMIT ?",
    "episode": "SELECT id FROM episode WHERE id > ? ORDER BY id LIMIT ?",
    "turn": "SELECT id FROM turn WHERE id < ? ORDER BY id DESC LIMIT ?",
}
"""What people ask for first comes first: what is known of them, then what was said last."""

_ID = re.compile("[0-9]{1,18}")


def all_refs(tables: Tables, after: str, limit: int) -> tuple[ItemRef, ...]:
    """Give refs behind one: facts and records oldest first, then turns, the newest first."""
    kinds = list(_WALKS)
    begun, _, number = after.partition(":")
    refs: tuple[ItemRef, ...] = ()
    for kind in kinds[kinds.index(begun) if begun else 0 :]:
        first = int(number) if kind == begun else (2**62 if kind == "turn" else 0)
        refs += _refs_behind(tables, kind, first, limit - len(refs))
    return refs


def pieces_of(tables: Tables, refs: tuple[ItemRef, ...], zone: tzinfo) -> tuple[MemoryItem, ...]:
    """Give the pieces of refs of the database; of others, and of what is gone, there are none."""
    return tuple(
        _in_zone(piece, zone)
        for kind, pieces in _BY_KIND.items()
        for piece in pieces(tables, _numbers(refs, kind), zone)
        if not is_note(piece.text) and piece.text != FORGOTTEN  # what is left of what is gone
    )


def recallable(
    tables: Tables, ids: tuple[ItemId, ...], viewer: Viewer, zone: tzinfo
) -> tuple[MemoryItem, ...]:
    """Give those of pieces that are there and may be recalled, as they are now."""
    found = {piece.id: piece for piece in pieces_of(tables, tuple(map(ref_of, ids)), zone)}
    asked = (found[each] for each in dict.fromkeys(ids) if each in found)
    return tuple(piece for piece in asked if may_recall(viewer, piece.origin))


def chats_of(tables: Tables, turn_ids: frozenset[int]) -> dict[int, SessionKey]:
    """Give for turns in which chat each was; those that are gone are left out."""
    rows = tables.execute(
        "SELECT id, session_key FROM turn WHERE id IN (SELECT value FROM json_each(?))",
        json.dumps(sorted(turn_ids)),
    )
    return {turn_id: SessionKey(key) for turn_id, key in rows}


def audiences_of(tables: Tables, refs: tuple[ItemRef, ...]) -> dict[ItemRef, Audience]:
    """Give the audiences of facts and records, of facts that ended too."""
    return {
        ItemRef(f"{kind}:{found}"): Audience(channel=channel, account=account, chat=chat, kind=of)
        for kind in ("fact", "episode")
        for found, channel, account, chat, of in tables.execute(
            f"SELECT id, channel, account, chat, kind FROM {kind}"  # noqa: S608 - constants
            " WHERE id IN (SELECT value FROM json_each(?))",
            _numbers(refs, kind),
        )
    }


def installation(tables: Tables) -> str:
    """Give the name of the database."""
    (name,) = tables.execute("SELECT id FROM installation").fetchone()
    return str(name)


def _fact_pieces(tables: Tables, ids: str, zone: tzinfo) -> Iterator[MemoryItem]:
    rows = tables.execute(
        "SELECT fact.id, fact.person_key, channel, account, chat, kind, key, text, confirmed_at,"
        " COALESCE(name, '') FROM fact LEFT JOIN person ON person.person_key = fact.person_key"
        " WHERE fact.id IN (SELECT value FROM json_each(?)) AND valid_to IS NULL",
        ids,
    ).fetchall()
    for fact_id, person, channel, account, chat, kind, key, text, confirmed_at, name in rows:
        audience = Audience(channel=channel, account=account, chat=chat, kind=kind)
        yield fact_piece(
            fact_ref(fact_id),
            (key, text),
            Origin(audience=audience, said_by=PersonKey(person)),
            moment_of(confirmed_at).astimezone(zone),
            name,
        )


def _episode_pieces(tables: Tables, ids: str, zone: tzinfo) -> Iterator[MemoryItem]:
    for episode in episodes.by_ids(tables, ids):
        yield from episode_pieces(episode)


def _turn_pieces(tables: Tables, ids: str, zone: tzinfo) -> Iterator[MemoryItem]:
    for turn, who, kind in _turns(tables, ids):
        day = turn.started_at.astimezone(zone).date()
        yield from turn_pieces(turn, who, audience_of(turn.session_key, kind), day)


def _turns(tables: Tables, ids: str) -> Iterator[tuple[Turn, tuple[Said, ...], ChatKind]]:
    """Read ended turns that are remembered, who said what of each, and the kind of its chat."""
    chosen = (
        "WHERE turn.id IN (SELECT value FROM json_each(?))"
        " AND outcome IS NOT NULL AND is_off_record = 0"
    )
    beside = {
        turn_id: rest
        for turn_id, *rest in tables.execute(
            # A chat nobody wrote in since kinds are noted is taken for the more private kind.
            "SELECT turn.id, said, COALESCE(kind, 'private'), COALESCE(person_key, '')"  # noqa: S608 - constants
            f" FROM turn JOIN session ON session.key = session_key {chosen}",
            ids,
        )
    }
    rows = tables.execute(f"{journal.TURNS} {chosen} ORDER BY id", ids)
    for turn in journal.read(tables, rows):
        text, kind, person = beside[turn.id]
        if turn.request != journal.LOST_REQUEST:
            yield turn, said.read(tables, turn, text, (kind, person)), kind


_BY_KIND: dict[str, Callable[[Tables, str, tzinfo], Iterator[MemoryItem]]] = {
    "fact": _fact_pieces,
    "episode": _episode_pieces,
    "turn": _turn_pieces,
}


def _in_zone(piece: MemoryItem, zone: tzinfo) -> MemoryItem:
    """Date a piece as people do, who ask for days of their own."""
    return piece if piece.moment is None else replace(piece, moment=piece.moment.astimezone(zone))


def _refs_behind(tables: Tables, kind: str, number: int, limit: int) -> tuple[ItemRef, ...]:
    rows = tables.execute(_WALKS[kind], number, limit)
    return tuple(ItemRef(f"{kind}:{found}") for (found,) in rows)


def _numbers(refs: tuple[ItemRef, ...], kind: str) -> str:
    """Give the ids of one kind of refs, as JSON; what is no id of ours names nothing."""
    found = (ref.removeprefix(f"{kind}:") for ref in refs if ref.startswith(f"{kind}:"))
    return json.dumps([int(each) for each in found if _ID.fullmatch(each)])
