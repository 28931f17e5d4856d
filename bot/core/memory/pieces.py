"""Pieces of memory: made of a turn, of a fact, of a session's record, of a memory file.

The law of this file: a piece names who said it only where every word is theirs. What was made of a
talk, as an answer, the record of a session or an entry of a daily file, names nobody: others may
speak in it, if only through the bot. Of a group it is recalled in that group alone.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from datetime import date, datetime

from bot.core.chat import PersonKey
from bot.core.memory.audience import Audience, Origin
from bot.core.memory.cutting import cut
from bot.core.memory.daily import DayPart, parts_of, time_of
from bot.core.memory.episodes import Episode
from bot.core.memory.items import ItemId, ItemKind, ItemRef, MemoryItem
from bot.core.memory.knowledge import page_pieces
from bot.core.memory.said import Said, own_words, passed_on
from bot.core.messages import Text
from bot.core.names import name_in_line
from bot.core.turns import Outcome, Turn

MOST_PIECES_OF_A_TURN = 1_000

_ANSWERS: frozenset[Outcome] = frozenset({"answered", "cut"})
"""Ends of a turn whose last words are an answer, as far as it goes."""


def fact_ref(fact_id: int) -> ItemRef:
    """Name a fact, one version of it."""
    return ItemRef(f"fact:{fact_id}")


def episode_ref(episode_id: int) -> ItemRef:
    """Name the record of a session."""
    return ItemRef(f"episode:{episode_id}")


def turn_ref(turn_id: int) -> ItemRef:
    """Name a turn."""
    return ItemRef(f"turn:{turn_id}")


def day_ref(audience: Audience, day: date) -> ItemRef:
    """Name a daily file."""
    return ItemRef(f"file:{audience.folder}/{day.isoformat()}.md")


def folder_ref(audience: Audience) -> ItemRef:
    """Name all memory files of an audience: no piece is made of it, all of them are to be read."""
    return ItemRef(f"file:{audience.folder}/")


def ref_of(item_id: ItemId) -> ItemRef:
    """Say what a piece is made of; in names of folders and files of ours there is no ``#``."""
    return ItemRef(item_id.partition("#")[0])


def turn_pieces(
    turn: Turn, said: tuple[Said, ...], audience: Audience, day: date
) -> tuple[MemoryItem, ...]:
    """Give what people said in a turn, and the answer; nothing while it is open.

    Args:
        turn: The turn.
        said: Who said what of it.
        audience: Who can see it.
        day: On which day it was opened, where days begin and end for people.
    """
    if turn.outcome is None:
        return ()
    pieces = [*_said_pieces(turn, said, audience), *_reply_pieces(turn, audience)]
    thread = f"{turn.session_key} {day.isoformat()}"
    first_place = turn.id * MOST_PIECES_OF_A_TURN
    return tuple(
        replace(
            piece,
            moment=turn.started_at,
            thread=thread,
            place=first_place + number,
            session_key=turn.session_key,
            first=turn.id,
            through=turn.id,
        )
        for number, piece in enumerate(pieces[:MOST_PIECES_OF_A_TURN])
    )


def fact_piece(
    ref: ItemRef, statement: tuple[str, str], origin: Origin, confirmed_at: datetime, name: str
) -> MemoryItem:
    """Give a fact that holds.

    Args:
        ref: Names the fact.
        statement: Its key, and what it says.
        origin: Where it was said, and by whom.
        confirmed_at: When it was said last, in the zone of people's days.
        name: What people call who said it.
    """
    key, text = statement
    where = "" if origin.audience is None else origin.audience.folder
    return MemoryItem(
        id=ItemId(ref),
        ref=ref,
        kind="fact",
        text=text,
        origin=origin,
        moment=confirmed_at,
        speaker=_shown(name),
        title=key,
        thread=f"facts {where} {origin.said_by} {confirmed_at.date()}",  # said on one day
        place=int(ref.removeprefix("fact:")),
    )


def episode_pieces(episode: Episode) -> tuple[MemoryItem, ...]:
    """Give the summary of a session, and each of its lists."""
    ref, account = episode_ref(episode.id), episode.account
    sections = (
        ("summary", "", account.summary),
        ("attempted", "attempted", _list(account.attempted)),
        ("succeeded", "succeeded", _list(account.succeeded)),
        ("failed", "failed", _list(account.failed)),
        ("decisions", "decisions", _list(account.decisions)),
        ("open", "open tasks", _list(account.open_tasks)),
        ("details", "details", _list(account.details)),
    )
    whole = replace(
        _made(ref, "episode", episode.audience),
        moment=episode.ended_at,
        thread=ref,
        session_key=episode.session_key,
        first=episode.first,
        through=episode.through,
    )
    return _in_order(
        piece
        for name, title, text in sections
        for piece in _cut_pieces(replace(whole, id=ItemId(f"{ref}#{name}"), title=title), text)
    )


def day_pieces(
    ref: ItemRef, text: str, audience: Audience, noon: datetime
) -> tuple[MemoryItem, ...]:
    """Give the entries of a daily file, and what people wrote between them.

    ``noon`` is that of its day, where days begin and end for people: the moment of what has none.
    """
    whole = replace(_made(ref, "day", audience), moment=noon, thread=ref)
    zone = noon.tzinfo
    pieces: list[MemoryItem] = []
    seen: dict[int, int] = {}
    for part in parts_of(text):
        seen[part.turn_id] = seen.get(part.turn_id, 0) + 1
        local = noon if part.moment is None else part.moment.astimezone(zone)
        pieces += _day_part(replace(whole, moment=local), part, seen[part.turn_id])
    return _in_order(pieces)


def note_pieces(ref: ItemRef, text: str, audience: Audience) -> tuple[MemoryItem, ...]:
    """Give what a person wrote into a memory file of their own accord."""
    return page_pieces(replace(_made(ref, "note", audience), thread=ref), text)


def _said_pieces(turn: Turn, said: tuple[Said, ...], audience: Audience) -> Iterator[MemoryItem]:
    whole, blocks = _made(turn_ref(turn.id), "turn", audience), turn.request.blocks
    for each in said:
        block = blocks[each.block] if each.block < len(blocks) else None
        if not isinstance(block, Text):
            continue
        item_id = ItemId(f"{whole.ref}#{each.block}")
        if others := passed_on(block.text, audience.kind):
            yield from _cut_pieces(replace(whole, id=item_id), others)
            continue
        name, words = own_words(block.text, audience.kind)
        piece = replace(
            whole,
            id=item_id,
            origin=Origin(audience=audience, said_by=each.person_key),
            speaker=_shown(each.name or name),
        )
        yield from _cut_pieces(piece, words)


def _reply_pieces(turn: Turn, audience: Audience) -> Iterator[MemoryItem]:
    if turn.outcome in _ANSWERS:
        whole = _made(turn_ref(turn.id), "turn", audience)
        yield from _cut_pieces(replace(whole, id=ItemId(f"{whole.ref}#reply")), turn.reply)


def _day_part(whole: MemoryItem, part: DayPart, number: int) -> Iterator[MemoryItem]:
    """Give the pieces of a part, the ``number``-th one of its turn, or between turns."""
    mark = f"turn-{part.turn_id}" if part.turn_id else "written"
    again = f"-{number}" if number > 1 else ""
    piece = replace(
        whole,
        id=ItemId(f"{whole.ref}#{mark}{again}"),
        first=part.turn_id,
        through=part.turn_id,
    )
    yield from _cut_pieces(piece, _without_time(part.text) if part.turn_id else part.text)


def _made(ref: ItemRef, kind: ItemKind, audience: Audience) -> MemoryItem:
    """Give what pieces have in common that nobody said alone."""
    origin = Origin(audience=audience, said_by=PersonKey(""))
    return MemoryItem(id=ItemId(ref), ref=ref, kind=kind, text="", origin=origin)


def _without_time(bullets: str) -> str:
    """Leave out the time that an entry begins with: the piece has a moment."""
    return f"- {bullets.removeprefix('- ').removeprefix(f'{time_of(bullets)} ')}"


def _cut_pieces(whole: MemoryItem, text: str) -> Iterator[MemoryItem]:
    """Give the pieces of a text: ``…#0``, ``…#0.1`` and so on."""
    for number, words in enumerate(cut(text)):
        item_id = ItemId(f"{whole.id}.{number}") if number else whole.id
        yield replace(whole, id=item_id, text=words)


def _in_order(pieces: Iterable[MemoryItem]) -> tuple[MemoryItem, ...]:
    return tuple(replace(piece, place=place) for place, piece in enumerate(pieces))


def _list(phrases: tuple[str, ...]) -> str:
    return "\n".join(f"- {phrase}" for phrase in phrases)


def _shown(name: str) -> str:
    return name_in_line(name) if name else ""
