"""What is left of facts when what a turn said counts no longer.

The law of this file: a fact stands on the turns it was said in. Without one of them it is what it
would be if that turn had never been.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from datetime import datetime

from bot.core.memory.facts import Fact, FactId, rechained
from bot.core.turns import TurnId


def without_turn(
    versions: tuple[Fact, ...],
    turn_id: TurnId,
    moments: Mapping[TurnId, datetime],
    *,
    told_too: bool,
) -> tuple[tuple[Fact, ...], tuple[FactId, ...]]:
    """Say what is left of the versions under a key when what a turn said counts no longer.

    Args:
        versions: All of them, oldest first.
        turn_id: The turn that was taken back, or is to be read again.
        moments: When the turns were opened that the versions stand on; those that are gone from the
            chat may be left out.
        told_too: Whether what was told in it goes as well as what was read out of it.

    Returns:
        The versions that are other ones from now on, and the ids of those that are gone. What was
        said elsewhere too stays, since it was first said there, and confirmed when it was said
        there last; what a version that is gone had ended holds on.
    """
    left: list[Fact] = []
    gone: list[FactId] = []
    for each in versions:
        kept = _without_source(each, turn_id, moments, told_too=told_too)
        if kept is None:
            gone.append(each.id)
        else:
            left.append(kept)
    known = {each.id: each for each in versions}
    return tuple(each for each in rechained(left) if each != known[each.id]), tuple(gone)


def _without_source(
    fact: Fact, turn_id: TurnId, moments: Mapping[TurnId, datetime], *, told_too: bool
) -> Fact | None:
    """Take a turn away from what a fact stands on; None where that was all, or it was told there.

    A told one that stays keeps its turn: that turn was changed, and is still there.
    """
    again = tuple(each for each in fact.said_again if each != turn_id)
    if fact.turn_id == turn_id:
        if fact.origin == "told" and not told_too:
            return fact
        if not again:
            return None
        first, *later = sorted(again)
        left = replace(
            fact,
            turn_id=first,
            said_again=tuple(later),
            valid_from=moments.get(first, fact.valid_from),
        )
    elif again == fact.said_again:
        return fact
    else:
        left = replace(fact, said_again=again)
    return _confirmed_by_the_rest(left, turn_id, moments)


def _confirmed_by_the_rest(fact: Fact, turn_id: TurnId, moments: Mapping[TurnId, datetime]) -> Fact:
    """Let a fact be confirmed no later than without a turn that counts no longer.

    Turns of a chat come one after the other, so one that was not the newest confirmed nothing. What
    a command told last was confirmed by it, unless that moment is the turn's own.
    """
    turns = [each for each in (fact.turn_id, *fact.said_again) if each is not None]
    is_by_command = fact.turn_id is None and fact.confirmed_at != moments.get(turn_id)
    if is_by_command or any(each > turn_id for each in turns):
        return replace(fact, confirmed_at=max(fact.confirmed_at, fact.valid_from))
    said = (moments[each] for each in turns if each in moments)
    return replace(fact, confirmed_at=max((fact.valid_from, *said)))
