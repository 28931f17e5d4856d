"""What a session that was begun with ``/new`` opens with.

The law of this file: an opening holds what its viewer may recall, and nothing else; what is
forgotten leaves it. Once somebody has written in its session it changes in no other way.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import datetime

from bot.core.memory.audience import Viewer
from bot.core.memory.episodes import Account, Episode, with_task
from bot.core.memory.facts import Fact, FactId, FactTopic
from bot.core.tasks import TaskState
from bot.core.turns import TurnId

OPENING_TOPICS: frozenset[FactTopic] = frozenset({"name", "preference", "style", "accessibility"})
"""How to talk to somebody: the rest of what is known is recalled when it matters."""

MOST_FACTS = 12


@dataclass(frozen=True, slots=True, kw_only=True)
class LastSession:
    """What the session before was about.

    Attributes:
        first: The oldest turn of it, ``through`` the newest; both 0 where only its task is known.
        ended_at: When its newest turn was opened.
    """

    account: Account
    first: TurnId
    through: TurnId
    ended_at: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class KnownFact:
    """A fact as it was when the session began; ``text`` says so where it was not confirmed."""

    id: FactId
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Opening:
    """What a session opens with: never empty.

    Attributes:
        facts: What is known of who began it.
        name: Theirs in a group, where everybody sees it; else empty.
    """

    last: LastSession | None = None
    facts: tuple[KnownFact, ...] = ()
    name: str = ""


def session_of(episode: Episode, task: TaskState | None) -> LastSession:
    """Say of a record what an opening holds; ``task`` is one that is still being worked on."""
    return LastSession(
        account=with_task(episode.account, task),
        first=episode.first,
        through=episode.through,
        ended_at=episode.ended_at,
    )


def make_opening(
    last: LastSession | None, facts: tuple[KnownFact, ...], *, name: str = ""
) -> Opening | None:
    """Make an opening; None where there is nothing to open with."""
    if last is None and not facts:
        return None
    return Opening(last=last, facts=facts, name=name)


def opening_facts(facts: tuple[Fact, ...], viewer: Viewer) -> tuple[Fact, ...]:
    """Choose what an opening holds of the facts that a viewer may recall: theirs alone."""
    theirs = (
        fact
        for fact in facts
        if fact.person_key == viewer.person_key and fact.topic in OPENING_TOPICS
    )
    return tuple(theirs)[:MOST_FACTS]


def with_session(opening: Opening, last: LastSession) -> Opening:
    """Take in a record that was written meanwhile, unless a newer one is there."""
    if opening.last is not None and opening.last.through > last.through:
        return opening
    return replace(opening, last=last)


def without_turns(opening: Opening, turn_ids: frozenset[int]) -> Opening | None:
    """Let go of what was made of turns; None where nothing is left."""
    last = opening.last
    if last is None or not any(last.first <= each <= last.through for each in turn_ids):
        return opening
    return make_opening(None, opening.facts, name=opening.name)


def without_facts(opening: Opening, fact_ids: frozenset[int]) -> Opening | None:
    """Let go of facts; None where nothing is left."""
    facts = tuple(each for each in opening.facts if each.id not in fact_ids)
    return (
        opening if facts == opening.facts else make_opening(opening.last, facts, name=opening.name)
    )
