"""What a wish means at this moment, in the database and in the files."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from bot.core.memory.audience import Viewer
from bot.core.memory.daily import turns_in
from bot.core.memory.episodes import EpisodeId
from bot.core.memory.facts import FactId
from bot.core.memory.forgetting import Meant, MeantFact, NewForgetting, TurnPart, Wish, mentions
from bot.core.memory.items import Hit
from bot.core.turns import TurnId
from bot.ports import MemoryFiles
from bot.runtime.forgetting.parts import ForgettingParts


async def meant_by(parts: ForgettingParts, wish: Wish, viewer: Viewer) -> Meant:
    """Say what a wish means.

    Raises:
        StoreError: It could not be read.
    """
    meant = Meant(
        parts=await turns_meant(parts, wish, viewer),
        episodes=await parts.store.meant_episodes(wish, viewer),
    )
    found = [await _with_facts(parts, meant, wish, viewer)]
    if wish.kind == "words" and parts.search is not None:
        found += [
            await _of_hit(parts, hit, viewer) for hit in await parts.search(wish.text, viewer)
        ]
    return joined(found)


async def meant_now(parts: ForgettingParts, new: NewForgetting) -> Meant:
    """Say what was proposed, and what the wish itself finds by now; nothing is inferred once more.

    Raises:
        StoreError: It could not be read.
    """
    wish, viewer = new.wish, new.viewer
    words = await parts.store.words_of(tuple(fact.id for fact in new.meant.facts))
    found = [new.meant, Meant(facts=words)]
    if wish.kind in ("all", "words", "day"):
        turns = await turns_meant(parts, wish, viewer)
        found.append(Meant(parts=turns, episodes=await parts.store.meant_episodes(wish, viewer)))
    else:
        wish = replace(wish, kind="turn")  # of a fact, too, what was said in its turns is meant
    of_turns = joined(found).parts
    found.append(Meant(facts=await parts.store.meant_facts(wish, viewer, of_turns)))
    return joined(found)


async def meant_again(
    parts: ForgettingParts, turn_ids: Iterable[TurnId], viewer: Viewer
) -> tuple[TurnPart, ...]:
    """Give what is a viewer's own of turns that are named.

    Raises:
        StoreError: It could not be read.
    """
    found: list[TurnPart] = []
    for turn_id in turn_ids:
        found += await turns_meant(parts, Wish(kind="turn", text=str(turn_id)), viewer)
    return tuple(found)


async def turns_meant(parts: ForgettingParts, wish: Wish, viewer: Viewer) -> tuple[TurnPart, ...]:
    """Give the turns that a wish means, looked for stretch by stretch."""
    found: list[TurnPart] = []
    reached: int | None = 0
    while reached is not None:
        stretch = await parts.store.meant_turns(
            wish, viewer, after=reached, between=parts.day_of(wish)
        )
        found += stretch.parts
        reached = stretch.next_after
    return tuple(found)


async def lines_meant(
    files: MemoryFiles, wish: Wish, viewer: Viewer
) -> tuple[tuple[str, ...], frozenset[TurnId]]:
    """Give the lines of files that a wish itself means, and the turns of files it means whole.

    In a group what is written in its files is nobody's own.

    Raises:
        StoreError: They could not be read.
    """
    lines: dict[str, None] = {}
    turn_ids: set[TurnId] = set()
    if viewer.audience.kind == "group" and not wish.of_everyone:
        return (), frozenset()
    for file in await files.files_of(viewer):
        is_whole = wish.kind == "all" or (wish.kind == "day" and f"{wish.text}.md" in file.name)
        if is_whole:
            turn_ids |= {TurnId(each) for each in turns_in(file.text)}
        for line in filter(str.strip, file.text.splitlines()):
            if is_whole or mentions(wish, line):
                lines |= {line: None, line.strip(): None}
    return tuple(lines), frozenset(turn_ids)


def joined(found: Iterable[Meant]) -> Meant:
    """Put together what is meant; of a turn that several mean the whole, or all parts."""
    parts: dict[TurnId, TurnPart] = {}
    facts: dict[FactId, MeantFact] = {}
    episodes: dict[EpisodeId, None] = {}
    for meant in found:
        for part in meant.parts:
            parts[part.turn_id] = _wider(parts.get(part.turn_id, part), part)
        facts |= {each.id: each for each in meant.facts if each.text or each.id not in facts}
        episodes |= dict.fromkeys(meant.episodes)
    return Meant(
        parts=tuple(parts[key] for key in sorted(parts)),
        facts=tuple(facts[key] for key in sorted(facts)),
        episodes=tuple(episodes),
    )


async def _with_facts(parts: ForgettingParts, meant: Meant, wish: Wish, viewer: Viewer) -> Meant:
    """Add the facts that are meant, and with those that are named the turns they were said in."""
    facts = await parts.store.meant_facts(wish, viewer, meant.parts)
    found = [meant, Meant(facts=facts)]
    if wish.kind in ("fact", "words"):
        turn_ids = dict.fromkeys(fact.turn_id for fact in facts if fact.turn_id is not None)
        turns = await meant_again(parts, turn_ids, viewer)
        of_turns = await parts.store.meant_facts(replace(wish, kind="turn"), viewer, turns)
        found.append(Meant(parts=turns, facts=of_turns))
    return joined(found)


async def _of_hit(parts: ForgettingParts, hit: Hit, viewer: Viewer) -> Meant:
    """Say what of a hit is its viewer's own to have forgotten."""
    kind, _, number = hit.item.ref.partition(":")
    if kind == "turn":
        return Meant(parts=await meant_again(parts, (TurnId(int(number)),), viewer))
    if kind == "fact":
        return await _with_facts(parts, Meant(), Wish(kind="fact", text=number), viewer)
    return Meant()


def _wider(first: TurnPart, second: TurnPart) -> TurnPart:
    if first.blocks is None or second.blocks is None:
        return replace(first, blocks=None)
    return replace(first, blocks=tuple(sorted({*first.blocks, *second.blocks})))
