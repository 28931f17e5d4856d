"""What is recalled for a turn, by itself: chosen under bands and a cap, worded for a model.

The law of this file: whatever is recalled is one that its viewer may recall, and stands behind a
mark on every line, so that it cannot pose as somebody who speaks.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from datetime import datetime

from bot.core.chat import PersonKey
from bot.core.memory.audience import Viewer, may_recall
from bot.core.memory.facts import Fact, FactTopic, contradictions, may_show, stale_since
from bot.core.memory.items import Hit, ItemId, MemoryItem
from bot.core.memory.keys import told_fact
from bot.core.memory.pieces import fact_ref
from bot.core.memory.reasons import STANDING
from bot.core.memory.recalled import (
    Band,
    Recalled,
    Recollection,
    about_of,
    dated,
    in_a_line,
    quoted,
    text_beyond_request,
    whole_text,
)
from bot.core.memory.wording import says, wording_of
from bot.core.names import name_in_line

VERBATIM_FROM = 0.9
LINE_FROM = 0.7
SPARE_FROM = 0.5
"""The bands of relevance: word for word, in a line, in a line if space permits; less is left to who
searches."""

FRAME_TOKENS = 40
"""What the words around standing facts, and around what was found, take at most each."""

SHARE_OF_STANDING = 2
"""Standing facts have half of the room at most, and what might help has what they leave."""

_STANDING: tuple[FactTopic, ...] = (
    "name",
    "accessibility",
    "style",
    "preference",
    "environment",
)
"""Topics that matter whatever is asked, the most important first."""

_WORDS = re.compile(r"[^\W_]+")


@dataclass(frozen=True, slots=True, kw_only=True)
class Occasion:
    """A turn for which memory is looked through.

    Attributes:
        speakers: Who speaks in it, and what each is called; a private chat has one.
        request: What they wrote.
        now: The moment, in the time zone in which dates are told.
        turns_shown: The turns that its window shows.
        text_shown: What stands in the window for those that left: summary and notes.
        opening_shown: What the session opened with, facts among it.
        recalled_from: Turns of ``session`` before this one were cleared away: they, and what was
            made of them, come back by a search alone.
        session: The chat's session key.
        can_search: Whether the model has a tool to look for more.
    """

    viewer: Viewer
    speakers: tuple[tuple[PersonKey, str], ...]
    request: str
    now: datetime
    turns_shown: frozenset[int] = frozenset()
    text_shown: str = ""
    opening_shown: str = ""
    recalled_from: int = 0
    session: str = ""
    can_search: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Room:
    """How much may be recalled.

    Attributes:
        max_tokens: The most, all words around it counted.
        spare_tokens: What the request leaves of its budget: what is hardly relevant has this alone.
        count: Counts tokens.
    """

    max_tokens: int
    spare_tokens: int
    count: Callable[[str], int]


def recollect(
    occasion: Occasion, facts: tuple[Fact, ...], hits: tuple[Hit, ...], room: Room
) -> Recollection:
    """Choose what a turn's model is told of memory, and word it.

    ``facts`` are those that may be recalled at all, ``hits`` what a search for the request found,
    best first. Nothing is told twice, and nothing that the window shows.
    """
    allowed = tuple(fact for fact in facts if fact.holds and may_show(occasion.viewer, fact))
    own = _own(occasion, allowed)
    by_id = {_id_of(fact): fact for fact in allowed}
    pairs = tuple(tuple(map(_id_of, group)) for group in contradictions(allowed))
    found = tuple(_worth_telling(occasion, hits))
    touched = {hit.item.id for hit in found} | {_id_of(fact) for fact in own}
    conflicts = tuple(ids for ids in pairs if touched.intersection(ids))
    in_doubt = tuple(by_id[each] for ids in conflicts for each in ids)
    chosen = tuple(dict.fromkeys((*in_doubt, *own)))
    memory = Recollection(conflicts=conflicts, can_search=occasion.can_search)
    standing = tuple(_told(occasion, fact) for fact in chosen)
    memory, cost = _with_standing(memory, standing, room)
    cost += FRAME_TOKENS if memory.standing else 0
    rest = replace(room, max_tokens=room.max_tokens - cost)
    return _with_relevant(memory, _others(found, chosen), occasion, rest)


def search_words(request: str) -> str:
    """Give what is searched for a request: empty where it has no word."""
    return request.strip() if _WORDS.search(request) else ""


def _own(occasion: Occasion, facts: tuple[Fact, ...]) -> tuple[Fact, ...]:
    """Give the standing facts about those who speak, the most important first."""
    speakers = {key for key, _ in occasion.speakers}
    opening = wording_of(occasion.opening_shown)
    own = (
        fact
        for fact in facts
        if fact.person_key in speakers
        and fact.topic in _STANDING
        and not says(opening, wording_of(told_fact(fact.key, fact.text)))
    )
    newest_first = sorted(own, key=lambda fact: fact.confirmed_at, reverse=True)
    return tuple(sorted(newest_first, key=lambda fact: _STANDING.index(fact.topic)))


def _worth_telling(occasion: Occasion, hits: tuple[Hit, ...]) -> Iterator[Hit]:
    """Leave out what is hardly relevant, what the window shows, and what says the same again."""
    shown, asked = wording_of(occasion.text_shown), wording_of(occasion.request)
    turns = {hit.item.first for hit in hits if hit.item.kind == "turn"}
    said: set[str] = set()
    for hit in sorted(hits, key=lambda hit: -hit.score):
        item, words = hit.item, _words_told(hit.item)
        is_known = words in said or says(shown, words) or says(asked, words)
        is_again = item.kind == "day" and item.first in turns
        is_again = is_again or not text_beyond_request(item).strip()
        if hit.score < SPARE_FROM or is_known or is_again or _is_shown(occasion, item):
            continue
        if may_recall(occasion.viewer, item.origin):
            said.add(words)
            yield hit


def _is_shown(occasion: Occasion, item: MemoryItem) -> bool:
    """Tell what is of turns in view alone, or of turns that somebody cleared away from there.

    Of a turn that is gone from the chat nobody knows in which of its threads it was: a clear in any
    of them is heeded.
    """
    if not item.through:
        return False
    is_in_view = {item.first, item.through} <= occasion.turns_shown
    is_of_audience = item.origin.audience == occasion.viewer.audience
    is_here = is_of_audience and item.session_key in (occasion.session, "")
    return is_in_view or (is_here and item.first < occasion.recalled_from)


def _others(hits: tuple[Hit, ...], told: tuple[Fact, ...]) -> tuple[Hit, ...]:
    """Leave out the facts that are told anyway, and what says the same."""
    ids = {_id_of(fact) for fact in told}
    words = {
        wording_of(text) for each in told for text in (each.text, told_fact(each.key, each.text))
    }
    return tuple(
        hit for hit in hits if hit.item.id not in ids and _words_told(hit.item) not in words
    )


def _with_standing(
    memory: Recollection, facts: tuple[Recalled, ...], room: Room
) -> tuple[Recollection, int]:
    """Take in the first facts that fit into their share; also give what that costs."""
    most, cost = room.max_tokens // SHARE_OF_STANDING - FRAME_TOKENS, 0
    for number, fact in enumerate(facts):
        more = cost + _cost(fact, room)
        if more > most:
            shown = replace(memory, standing=facts[:number], standing_left=len(facts) - number)
            return shown, cost
        cost = more
    return replace(memory, standing=facts), cost


def _with_relevant(
    memory: Recollection, hits: tuple[Hit, ...], occasion: Occasion, room: Room
) -> Recollection:
    """Take in what fits into the rest, best first; what is too long may fit in a line."""
    shown: list[Recalled] = []
    cost = 0
    for hit in hits:
        most = room.max_tokens - FRAME_TOKENS
        if hit.score < LINE_FROM:
            most = min(most, room.spare_tokens)
        shapes = ((each, cost + _cost(each, room)) for each in _shapes(hit, occasion))
        fitting = next(((each, more) for each, more in shapes if more <= most), None)
        if fitting is not None:
            shown.append(fitting[0])
            cost = fitting[1]
    return replace(memory, relevant=tuple(shown), relevant_left=len(hits) - len(shown))


def _cost(recalled: Recalled, room: Room) -> int:
    return room.count(f"{quoted(recalled)}\n")


def _shapes(hit: Hit, occasion: Occasion) -> Iterator[Recalled]:
    """Give the ways in which a hit may be told, the longest first."""
    whole = recalled_of(hit, occasion.viewer, occasion.now)
    if whole.band == "verbatim":
        yield whole
    band: Band = "spare" if whole.band == "spare" else "line"
    told = text_beyond_request(hit.item)
    yield replace(whole, band=band, text=in_a_line(told, occasion.request))


def band_of(score: float) -> Band:
    """Say how a piece of this relevance is told."""
    if score >= VERBATIM_FROM:
        return "verbatim"
    if score >= LINE_FROM:
        return "line"
    return "spare" if score >= SPARE_FROM else "below"


def recalled_of(hit: Hit, viewer: Viewer, now: datetime) -> Recalled:
    """Word a hit whole; ``now`` says in which time zone its date is told."""
    return Recalled(
        id=hit.item.id,
        band=band_of(hit.score),
        score=hit.score,
        why=hit.why,
        about=about_of(hit.item, viewer, now),
        text=whole_text(hit.item),
    )


def _told(occasion: Occasion, fact: Fact) -> Recalled:
    """Word a standing fact; where several people read along, it says whose it is."""
    name = dict(occasion.speakers).get(fact.person_key, "")
    source = f"a fact about {name_in_line(name)}" if name else "a fact"
    if fact.audience != occasion.viewer.audience:
        source += ", said in a group"
    since = stale_since(fact, occasion.now)
    return Recalled(
        id=_id_of(fact),
        band="standing",
        score=1.0,
        why=STANDING[fact.topic],
        about=dated(source, fact.confirmed_at, since, occasion.now),
        text=told_fact(fact.key, fact.text),
    )


def _id_of(fact: Fact) -> ItemId:
    return ItemId(fact_ref(fact.id))


def _words_told(item: MemoryItem) -> str:
    """Give the words in which a piece is told, without headings that it stands under."""
    return wording_of(whole_text(item) if item.kind == "fact" else item.text)
