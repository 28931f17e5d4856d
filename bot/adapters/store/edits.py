"""Messages that were changed or taken back, and all that follows them, in one transaction."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from bot.adapters.store import conversations, episodes, facts, inbox, memory, said, turns
from bot.adapters.store.codec import decode_inbound, encode_inbound, micros_of, moment_of
from bot.adapters.store.context_codec import decode_correction, encode_correction
from bot.adapters.store.schema import Tables
from bot.core.chat import InboundDeletion, InboundEdit, SessionKey
from bot.core.edits import (
    Change,
    Correction,
    Meaning,
    Standing,
    change_of,
    changed_message,
    files_mark,
    meaning_of,
    merged,
    note_of,
    rewritten,
)
from bot.core.lifecycle import Received, address_of
from bot.core.messages import ContentBlock, Message, Text
from bot.core.rewriting import Rewriting, amended, rederived
from bot.core.turns import Turn, TurnId
from bot.core.window.conversation import Cut, Summary

MOST_LEFT = 100
"""So many of the turns that left are looked at for the note that stands for them."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Row:
    """The inbox row of a message."""

    id: int
    standing: Standing
    turn_id: TurnId | None
    body: str | None


def take_in(
    tables: Tables, inbound: InboundEdit | InboundDeletion, at: datetime, *, is_for_bot: bool
) -> bool:
    """Do what a change means, once; False when it meant nothing, and then it leaves no trace.

    With ``is_for_bot`` a changed message that nobody knew is taken in as a message.
    """
    channel = address_of(inbound).channel
    if inbox.knows(tables, channel, inbound.event_id):
        return False
    change = change_of(inbound)
    row = _find(tables, channel, change.event_id)
    standing = None if row is None else row.standing
    meaning = meaning_of(change, standing, is_for_bot=is_for_bot)
    if meaning == "nothing":
        return False
    inbox.take_in(tables, Received(inbound=inbound, route="none"), at)
    if row is None:
        assert change.message is not None
        inbox.take_in(tables, Received(inbound=change.message, route="turn"), at)
        row = _find(tables, channel, change.event_id)
        assert row is not None
    else:
        _change(tables, row, change, meaning, at)
    tables.execute(
        "UPDATE inbox SET changed_at = ?, files = ? WHERE id = ?",
        micros_of(change.moment),
        None if change.message is None else files_mark(change.message),
        row.id,
    )
    return True


def tell_meanwhile(tables: Tables, session_key: SessionKey) -> tuple[Text, ...]:
    """Give the note on what was changed while the turn before ran, and forget it."""
    rows = tables.execute(
        "DELETE FROM correction WHERE session_key = ? RETURNING id, body", session_key
    )
    return note_of(_corrections(tables, rows.fetchall()))


def brought_still(
    tables: Tables, turn_id: TurnId, brought: tuple[tuple[ContentBlock, ...], ...]
) -> tuple[tuple[ContentBlock, ...], ...]:
    """Leave out what came with messages that were taken back meanwhile."""
    rows = tables.execute(
        "SELECT changed_at FROM inbox WHERE turn_id = ? ORDER BY id", turn_id
    ).fetchall()
    return tuple(
        () if changed_at == inbox.GONE else blocks
        for blocks, (changed_at,) in zip(brought, rows, strict=True)
    )


def _find(tables: Tables, channel: str, event_id: str) -> _Row | None:
    found = tables.execute(
        "SELECT id, state, route, turn_id, body, changed_at FROM inbox"
        " WHERE event_id = ? AND channel = ?",
        event_id,
        channel,
    ).fetchone()
    if found is None:
        return None
    row_id, state, route, turn_id, body, changed_at = found
    standing = Standing(
        place=state,
        route=route,
        has_turn=turn_id is not None,
        changed_at=None if changed_at is None else moment_of(changed_at),
    )
    return _Row(id=row_id, standing=standing, turn_id=turn_id, body=body)


def _change(tables: Tables, row: _Row, change: Change, meaning: Meaning, at: datetime) -> None:
    """Change what is kept of a message, and what its turn was asked."""
    is_gone = change.message is None
    if row.body is not None:
        message = tables.damage.read("inbox.body", row.id, decode_inbound, row.body)
        message = change.message if message is None else changed_message(message, change)
        if message is not None:
            body = encode_inbound(message)
            tables.execute("UPDATE inbox SET body = ? WHERE id = ?", body, row.id)
    if is_gone and meaning != "running":
        # A running turn still needs to know where its messages came from.
        tables.execute("UPDATE inbox SET state = 'done', body = NULL WHERE id = ?", row.id)
    if row.turn_id is None or (correction := _rewrite(tables, row.turn_id, row.id, change)) is None:
        return
    turn = turns.by_id(tables, row.turn_id)
    assert turn is not None
    if meaning == "running":
        _keep_correction(tables, turn, correction)
    else:
        _follow(tables, Rewriting(turn=turn, correction=correction, at=at))


def _rewrite(tables: Tables, turn_id: TurnId, row_id: int, change: Change) -> Correction | None:
    """Change a message within its turn's request; None when that makes no difference."""
    turn = turns.by_id(tables, turn_id)
    assert turn is not None
    rows, places = _places(tables, turn)
    if row_id not in rows:
        return None
    index = rows.index(row_id)
    (mark,) = tables.execute("SELECT files FROM inbox WHERE id = ?", row_id).fetchone()
    request, moved = rewritten(turn.request, places, index, change, mark)
    if request == turn.request:
        return None
    turns.rewrite(tables, turn_id, request)
    for row, place in zip(rows, moved, strict=True):
        tables.execute("UPDATE inbox SET block = ? WHERE id = ?", place, row)
    said.move(tables, turn_id, dict(zip(places, moved, strict=True)))
    author = said.author_of(tables, turn_id, places[index])
    facts.read_again(tables, turn_id, taken_back_by=None if change.message else author)
    name = None if change.message is None else change.message.sender.name
    said.change(tables, turn_id, places[index], name)
    after = "" if change.message is None else _text_at(request, places[index])
    return Correction(before=_text_at(turn.request, places[index]), after=after)


def _places(tables: Tables, turn: Turn) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """Give the rows of a turn's messages, and at which blocks of its request they stand.

    Turns of before this was noted have a block for each message; of some of these the messages
    are known no longer, and then nothing is. Nor of a request that is damaged.
    """
    found = tables.execute(
        "SELECT id, block FROM inbox WHERE turn_id = ? ORDER BY id", turn.id
    ).fetchall()
    rows, places = tuple(row for row, _ in found), tuple(block for _, block in found)
    blocks = len(turn.request.blocks)
    if None in places:
        places = tuple(range(len(found)))
        is_whole = len(places) == blocks
    else:
        is_whole = max(places, default=blocks) < blocks
    return (rows, places) if is_whole else ((), ())


def _text_at(request: Message, place: int) -> str:
    block = request.blocks[place]
    return block.text if isinstance(block, Text) else ""


def _keep_correction(tables: Tables, turn: Turn, correction: Correction) -> None:
    """Keep for the next turn what was changed while this one runs, unless it was cleared."""
    if not conversations.is_current(tables, turn.id):
        return
    rows = tables.execute(
        "DELETE FROM correction WHERE session_key = ? AND turn_id = ? RETURNING id, body",
        turn.session_key,
        turn.id,
    ).fetchall()
    known = _corrections(tables, rows)
    for each in merged(known, correction):
        tables.execute(
            "INSERT INTO correction (session_key, turn_id, body) VALUES (?, ?, ?)",
            turn.session_key,
            turn.id,
            encode_correction(each),
        )


def _corrections(tables: Tables, rows: list[tuple[int, str]]) -> tuple[Correction, ...]:
    """Read corrections in the order in which they were made, without those that are damaged."""
    read = (
        tables.damage.read("correction.body", row, decode_correction, body)
        for row, body in sorted(rows)
    )
    return tuple(correction for correction in read if correction is not None)


def _follow(tables: Tables, rewriting: Rewriting) -> None:
    """Let what was made of an ended turn follow its new request."""
    turn = rewriting.turn

    def derive(cut: Cut, summary: Summary | None) -> tuple[Cut, Summary | None]:
        if not cut.cleared_before <= turn.id < cut.kept_from:
            return cut, summary
        left = turns.newest_ended_turns(
            tables,
            turn.session_key,
            first=cut.cleared_before,
            before=cut.kept_from,
            limit=MOST_LEFT,
        )
        return rederived(cut, summary, rewriting, left)

    conversations.rederive(tables, turn.session_key, derive, rewriting.at)
    episodes.drop_covering(tables, (turn.id,), rewriting.at)
    found = memory.entry_of(tables, turn.id)
    if found is not None:
        entry, is_written = found
        memory.amend(tables, amended(entry, rewriting, is_written=is_written))
