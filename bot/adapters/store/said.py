"""Who said which text block of a turn's request, as a turn's row has it."""

from __future__ import annotations

import json
from collections.abc import Mapping

from bot.adapters.store.codec import decoded
from bot.adapters.store.schema import Tables
from bot.core.chat import ChatKind, PersonKey
from bot.core.looking_back import LEAD, NOT_TO_BE_HAD
from bot.core.memory.blanking import is_of_file
from bot.core.memory.said import Said, moved
from bot.core.messages import Text
from bot.core.turns import Turn, TurnId
from bot.core.window.notes import is_note


def keep(tables: Tables, turn_id: TurnId, said: tuple[Said, ...]) -> None:
    """Write down who said what of a turn's request, in the place of what is known of it."""
    tables.execute("UPDATE turn SET said = ? WHERE id = ?", _encode(said), turn_id)


def move(tables: Tables, turn_id: TurnId, places: Mapping[int, int]) -> None:
    """Follow blocks of a turn's request to where they stand now, by where they stood before."""
    known = _noted(tables, turn_id)
    if known is not None:
        keep(tables, turn_id, moved(known, places))


def author_of(tables: Tables, turn_id: TurnId, block: int) -> PersonKey:
    """Name who said a block; empty where that is not known."""
    known = _noted(tables, turn_id) or ()
    return next((each.person_key for each in known if each.block == block), PersonKey(""))


def change(tables: Tables, turn_id: TurnId, block: int, name: str | None) -> None:
    """Note by which name a block's author changed it; with None that they took it back."""
    known = _noted(tables, turn_id)
    if known is None:
        return
    rest = tuple(each for each in known if each.block != block)
    same = next((each for each in known if each.block == block), None)
    if name is not None and same is not None:
        again = Said(block=block, person_key=same.person_key, name=name)
        rest = tuple(sorted((*rest, again), key=lambda each: each.block))
    keep(tables, turn_id, rest)


def read(
    tables: Tables, turn: Turn, text: str | None, spoken: tuple[ChatKind, str]
) -> tuple[Said, ...]:
    """Say who said what of a turn's request.

    Of turns from before this was noted, all that the bot did not write itself: in a private chat
    its person did, in a group nobody knows who.

    Args:
        tables: The tables.
        turn: The turn.
        text: What its row has.
        spoken: The kind of its chat, and who wrote there last.
    """
    if text is not None:
        return tables.damage.read("turn.said", turn.id, _decode, text) or ()
    kind, person = spoken
    author = PersonKey(person if kind == "private" else "")
    return tuple(
        Said(block=place, person_key=author, name="")
        for place, block in enumerate(turn.request.blocks)
        if isinstance(block, Text) and not _is_brought(block.text)
    )


def _noted(tables: Tables, turn_id: TurnId) -> tuple[Said, ...] | None:
    row = tables.execute("SELECT said FROM turn WHERE id = ?", turn_id).fetchone()
    if row is None or row[0] is None:
        return None
    return tables.damage.read("turn.said", turn_id, _decode, row[0]) or ()


def _is_brought(text: str) -> bool:
    """Tell the bot's own notes, talk of others and the contents of files from what was said."""
    return is_of_file(text) or is_note(text) or text.startswith((LEAD, NOT_TO_BE_HAD))


def _encode(said: tuple[Said, ...]) -> str:
    rows = [[each.block, each.person_key, each.name] for each in said]
    text = json.dumps(rows, ensure_ascii=False, separators=(",", ":"))
    try:
        text.encode()
    except UnicodeEncodeError:
        return json.dumps(rows, separators=(",", ":"))
    return text


def _decode(text: str) -> tuple[Said, ...]:
    return decoded(text, _who_said)


def _who_said(rows: object) -> tuple[Said, ...]:
    if not isinstance(rows, list):
        raise TypeError("no list")
    return tuple(
        Said(block=int(block), person_key=PersonKey(str(person)), name=str(name))
        for block, person, name in rows
    )
