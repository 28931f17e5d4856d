"""Facts about a person: keyed, dated statements that outlast a conversation, all versions kept.

The law of this file: a fact is about who said it. Of one person, in one audience, under one key, at
most one value holds at a time; a new value ends the one before, which stays with its dates.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import Literal, NewType, get_args

from bot.core.chat import PersonKey
from bot.core.memory.audience import Audience, Origin, Viewer, may_recall
from bot.core.memory.keys import key_of, matching_key, same_statement
from bot.core.turns import TurnId

FactId = NewType("FactId", int)

FactOrigin = Literal["told", "extracted"]
"""``told``: the person asked for it to be remembered; ``extracted``: read out of what they said."""

FactTopic = Literal["name", "preference", "environment", "accessibility", "style", "other"]
"""What is worth remembering: name, stated preferences, technical environment, accessibility needs,
communication style; ``other`` only of what somebody asked to be remembered."""


@dataclass(frozen=True, slots=True, kw_only=True)
class NewFact:
    """A statement that is to be remembered.

    Attributes:
        person_key: Who said it, and whom it is about.
        key: A few words in small letters under which a later value takes its place: ``home city``.
        text: The statement as one sentence, for people: ``Lives in Lisbon.``
        turn_id: The turn it was said in; None where it was told by a command.
        confidence: From 0 to 1.
        at: When it was said.
    """

    person_key: PersonKey
    audience: Audience
    topic: FactTopic
    key: str
    text: str
    origin: FactOrigin
    confidence: float
    at: datetime
    turn_id: TurnId | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Fact:
    """A statement that is remembered.

    Attributes:
        turn_id: The first turn it was said in that is still there; None where a command told it.
        valid_from: Since when it holds.
        valid_to: Until when it held; None while it does.
        confirmed_at: When the person last said it.
        said_again: The later turns it was said in, the newest ``MOST_SAID_AGAIN`` of them.
    """

    id: FactId
    person_key: PersonKey
    audience: Audience
    topic: FactTopic
    key: str
    text: str
    origin: FactOrigin
    confidence: float
    turn_id: TurnId | None
    valid_from: datetime
    valid_to: datetime | None
    confirmed_at: datetime
    said_again: tuple[TurnId, ...] = ()

    @property
    def holds(self) -> bool:
        """Whether no later value took its place."""
        return self.valid_to is None


STALE_AFTER = timedelta(days=30)
"""A fact that was not confirmed for longer than this is unverified (MEM-6)."""

MOST_SAID_AGAIN = 20

NOT_KEPT = FactId(0)
"""The id of a fact that the store has yet to give one."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Settled:
    """What becomes of the versions under a key once something more is said.

    Attributes:
        fact: What was said, as it is kept from now on; of the id ``NOT_KEPT`` where it is new.
        ended: The version that it took the place of just now, with its end; None for none.
        changed: The versions to be written, ``fact`` among them unless nothing changed.
    """

    fact: Fact
    ended: Fact | None
    changed: tuple[Fact, ...]


def settle(versions: tuple[Fact, ...], new: NewFact) -> Settled:
    """Put a statement among all versions of what its person says under its key, oldest first.

    The same statement confirms the version that held when it was made; another one ends it. What
    was said before a later version is put before that one, and ends nothing that holds: the newest
    statement counts, not the one that was read last. No moment is left without a value. A new value
    of no topic of its own is of the topic of those beside it.
    """
    before = tuple(each for each in versions if each.valid_from <= new.at)
    after = versions[len(before) :]
    if before and same_statement(before[-1].text, new.text):
        fact = _confirmed(before[-1], new)
        return Settled(fact=fact, ended=None, changed=(fact,) if fact != before[-1] else ())
    if after and same_statement(after[0].text, new.text):
        fact = _confirmed(after[0], new)
        return Settled(fact=fact, ended=None, changed=(fact,) if fact != after[0] else ())
    if new.topic == "other" and versions:
        new = replace(new, topic=(before or after)[-1].topic)
    fact = _first_version(new, valid_to=after[0].valid_from if after else None)
    if not before:
        return Settled(fact=fact, ended=None, changed=(fact,))
    ended = replace(before[-1], valid_to=new.at)
    return Settled(fact=fact, ended=None if after else ended, changed=(ended, fact))


def rechained(versions: Iterable[Fact]) -> tuple[Fact, ...]:
    """Let each version hold until the next one, and the newest one still, also of several chains.

    Gives them oldest first.
    """
    ordered = sorted(versions, key=lambda each: (each.valid_from, each.id))
    ends = [*(each.valid_from for each in ordered[1:]), None]
    return tuple(replace(each, valid_to=end) for each, end in zip(ordered, ends, strict=False))


def placed(new: NewFact, known: tuple[str, ...]) -> NewFact:
    """Give a statement the key under which its person said something of the kind before.

    ``known`` are the keys of what holds of that person in that audience.
    """
    return replace(new, key=matching_key(key_of(new.key) or new.key, known))


def shown_to(viewer: Viewer, facts: Iterable[Fact]) -> tuple[Fact, ...]:
    """Give what holds of facts and may be recalled by a viewer.

    The viewer's own before those of others, by topic in the order of ``FactTopic``, those
    confirmed last in front.
    """
    topics = get_args(FactTopic)
    return tuple(
        sorted(
            (each for each in facts if each.holds and may_show(viewer, each)),
            key=lambda each: (
                each.person_key != viewer.person_key,
                topics.index(each.topic),
                -each.confirmed_at.timestamp(),
                -each.id,
            ),
        )
    )


def may_show(viewer: Viewer, fact: Fact) -> bool:
    """Say whether a fact may be recalled by a viewer."""
    return may_recall(viewer, Origin(audience=fact.audience, said_by=fact.person_key))


def is_own(viewer: Viewer, fact: Fact) -> bool:
    """Say whether a fact is about who asks, and may be recalled where they do."""
    return viewer.person_key == fact.person_key and may_show(viewer, fact)


def stale_since(fact: Fact, now: datetime) -> datetime | None:
    """Say since when a fact is unverified: when it was confirmed last, if that is too long ago."""
    return unverified_since(fact.confirmed_at, now)


def unverified_since(confirmed_at: datetime, now: datetime) -> datetime | None:
    """Say since when something is unverified that was confirmed then; None while it is not."""
    return confirmed_at if now - confirmed_at > STALE_AFTER else None


def contradictions(facts: Iterable[Fact]) -> tuple[tuple[Fact, ...], ...]:
    """Give the facts that hold, of one person, under one key, and say different things.

    They are of different audiences, as in one at most one value holds. Each group has the one that
    was confirmed last in front. A group is settled, and is not given, once one of them was said
    again after all of them stood: that is the person's answer.
    """
    groups: dict[tuple[PersonKey, str], list[Fact]] = {}
    for fact in facts:
        if fact.holds:
            groups.setdefault((fact.person_key, fact.key), []).append(fact)
    return tuple(
        tuple(sorted(group, key=lambda each: (each.confirmed_at, each.id), reverse=True))
        for group in groups.values()
        if len(group) > 1 and _is_open(group)
    )


def _is_open(group: list[Fact]) -> bool:
    first = group[0].text
    if all(same_statement(first, each.text) for each in group):
        return False
    newest_begin = max(each.valid_from for each in group)
    return max(each.confirmed_at for each in group) <= newest_begin


def _confirmed(known: Fact, new: NewFact) -> Fact:
    """Note that a fact was said again; what was told stays so, and needs no turn to stand on."""
    fact = replace(
        known,
        confirmed_at=max(known.confirmed_at, new.at),
        confidence=max(known.confidence, new.confidence),
        origin="told" if "told" in (known.origin, new.origin) else known.origin,
    )
    sources = [each for each in (known.turn_id, *known.said_again) if each is not None]
    if new.turn_id is None:
        return replace(fact, turn_id=None, said_again=tuple(sources[-MOST_SAID_AGAIN:]))
    if new.turn_id in sources:
        return fact
    return replace(fact, said_again=(*known.said_again, new.turn_id)[-MOST_SAID_AGAIN:])


def _first_version(new: NewFact, *, valid_to: datetime | None) -> Fact:
    return Fact(
        id=NOT_KEPT,
        person_key=new.person_key,
        audience=new.audience,
        topic=new.topic,
        key=new.key,
        text=new.text,
        origin=new.origin,
        confidence=new.confidence,
        turn_id=new.turn_id,
        valid_from=new.at,
        valid_to=valid_to,
        confirmed_at=new.at,
    )
